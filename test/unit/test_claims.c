/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Claim messages: whatever order they come in and however often, the entries end up the same; a
 * malformed one changes nothing. The brute-force twin keeps one entry per disk and takes what has
 * the greatest number. */
#include "arbiter/claims.h"
#include "arbiter/rule.h"
#include "support.h"
#include <stdlib.h>
#include <string.h>

#define DISKS 40u
#define MESSAGES 12u

struct message {
  struct siox_claim_header head;
  struct siox_claim_run runs[DISKS];
};

static int apply(struct siox_claims *claims, const struct message *m, struct siox_mask *changed) {
  return siox_claims_apply(claims, 0, 7, &m->head, m->runs, changed);
}

static struct message random_message(uint64_t *random, uint64_t seq) {
  struct message m = {.head = {.version = SIOX_CLAIM_VERSION, .seq = seq, .time = (int64_t)seq}};
  if (test_below(random, 4) == 0)
    m.head.flags = SIOX_CLAIM_WHOLE;
  for (uint32_t d = (uint32_t)test_below(random, 8); d < DISKS;) {
    uint32_t most = DISKS - d < 9 ? DISKS - d : 9;
    uint32_t count = 1 + (uint32_t)test_below(random, most);
    m.runs[m.head.nruns++] = (struct siox_claim_run){.first = d,
                                                     .count = count,
                                                     .speed = 3000 * (int32_t)test_below(random, 6),
                                                     .flag = (int32_t)test_below(random, 2),
                                                     .need_by = (int64_t)test_below(random, 100),
                                                     .until = 1 + (int64_t)test_below(random, 100)};
    d += count + (uint32_t)test_below(random, 9);
  }
  return m;
}

/* The entry a disk must have after all messages: that of the greatest number that names it, unless
 * a whole vector with a greater number does not. */
static struct siox_claim_entry expected(const struct message *m, uint32_t disk) {
  struct siox_claim_entry entry = {.flag = -1};
  for (uint32_t i = 0; i < MESSAGES; i++) { /* m is in order of its numbers */
    if (m[i].head.flags & SIOX_CLAIM_WHOLE)
      entry = (struct siox_claim_entry){.flag = -1};
    for (uint32_t j = 0; j < m[i].head.nruns; j++) {
      const struct siox_claim_run *r = &m[i].runs[j];
      if (r->first <= disk && disk < r->first + r->count)
        entry = (struct siox_claim_entry){.seq = m[i].head.seq,
                                          .speed = r->speed,
                                          .flag = r->flag,
                                          .need_by = r->need_by,
                                          .until = r->until,
                                          .since = m[i].head.time};
    }
  }
  return entry;
}

static void assert_entries(const struct siox_claims *claims, const struct message *m) {
  for (uint32_t d = 0; d < DISKS; d++) {
    struct siox_claim_entry want = expected(m, d), got = siox_claims_get(claims, 0, d);
    assert_int_equal(got.flag, want.flag);
    if (want.flag < 0)
      continue;
    assert_int_equal(got.seq, want.seq);
    assert_int_equal(got.speed, want.speed);
    assert_int_equal(got.need_by, want.need_by);
    assert_int_equal(got.until, want.until);
    assert_int_equal(got.since, want.since);
  }
}

static void repeated_and_reordered_messages_give_the_same_entries(void **state) {
  (void)state;
  uint64_t random = 1;
  for (int round = 0; round < 3000; round++) {
    struct message m[MESSAGES];
    uint32_t order[3 * MESSAGES];
    for (uint32_t i = 0; i < MESSAGES; i++)
      m[i] = random_message(&random, i + (uint64_t)(round % 2)); /* numbers may begin at 0 */
    for (uint32_t i = 0; i < 3 * MESSAGES; i++)
      order[i] = i % MESSAGES;
    for (uint32_t i = 3 * MESSAGES; i > 1; i--) {
      uint32_t j = (uint32_t)test_below(&random, i), swap = order[i - 1];
      order[i - 1] = order[j];
      order[j] = swap;
    }
    struct siox_claims *claims;
    assert_int_equal(siox_claims_create(&claims, DISKS), 0);
    for (uint32_t i = 0; i < 3 * MESSAGES; i++)
      assert_int_equal(apply(claims, &m[order[i]], NULL), 0);
    assert_entries(claims, m);
    siox_claims_destroy(claims);
  }
}

static void changed_names_the_disks_whose_entry_changed(void **state) {
  (void)state;
  uint64_t random = 2;
  struct siox_mask changed;
  assert_int_equal(siox_mask_init(&changed, DISKS), 0);
  for (int round = 0; round < 2000; round++) {
    struct siox_claims *claims;
    assert_int_equal(siox_claims_create(&claims, DISKS), 0);
    for (int i = 0; i < 8; i++) {
      struct siox_claim_entry before[DISKS];
      for (uint32_t d = 0; d < DISKS; d++)
        before[d] = siox_claims_get(claims, 0, d);
      struct message m = random_message(&random, 1 + test_below(&random, 6));
      siox_mask_zero(&changed);
      assert_int_equal(apply(claims, &m, &changed), 0);
      for (uint32_t d = 0; d < DISKS; d++) {
        struct siox_claim_entry now = siox_claims_get(claims, 0, d);
        bool differs = now.flag != before[d].flag || now.seq != before[d].seq;
        assert_int_equal(siox_mask_test(&changed, d), differs);
      }
    }
    siox_claims_destroy(claims);
  }
  siox_mask_free(&changed);
}

static void malformed_messages_change_nothing(void **state) {
  (void)state;
  static const struct siox_claim_run good = {3, 4, 9000, 1, 0, 50};
  static const struct {
    struct siox_claim_header head;
    struct siox_claim_run runs[2];
    int error;
  } bad[] = {
      {{.version = 0, .nruns = 1, .seq = 9}, {{0, 1, 9000, 1, 0, 50}}, SIOX_EVERSION},
      {{.version = 2, .nruns = 1, .seq = 9}, {{0, 1, 9000, 1, 0, 50}}, SIOX_EVERSION},
      {{.version = 1, .flags = 64, .nruns = 1, .seq = 9}, {{0, 1, 9000, 1, 0, 50}}, SIOX_EPROTO},
      {{.version = 1, .nruns = 1, .seq = 9}, {{0, 0, 9000, 1, 0, 50}}, SIOX_EPROTO},
      {{.version = 1, .nruns = 1, .seq = 9}, {{DISKS, 1, 9000, 1, 0, 50}}, SIOX_EPROTO},
      {{.version = 1, .nruns = 1, .seq = 9}, {{1, DISKS, 9000, 1, 0, 50}}, SIOX_EPROTO},
      {{.version = 1, .nruns = 1, .seq = 9}, {{5, UINT32_MAX - 2, 9000, 1, 0, 50}}, SIOX_EPROTO},
      {{.version = 1, .nruns = 1, .seq = 9}, {{0, 1, -1, 1, 0, 50}}, SIOX_EPROTO},
      {{.version = 1, .nruns = 1, .seq = 9}, {{0, 1, 9000, 2, 0, 50}}, SIOX_EPROTO},
      {{.version = 1, .nruns = 1, .seq = 9}, {{0, 1, 9000, -1, 0, 50}}, SIOX_EPROTO},
      {{.version = 1, .nruns = 1, .seq = 9}, {{0, 1, 9000, 1, -5, 50}}, SIOX_EPROTO},
      {{.version = 1, .nruns = 1, .seq = 9}, {{0, 1, 9000, 1, 0, -50}}, SIOX_EPROTO},
      /* the first run alone would be right */
      {{.version = 1, .nruns = 2, .seq = 9},
       {{3, 4, 6000, 0, 0, 0}, {6, 4, 9000, 1, 0, 50}},
       SIOX_EPROTO},
      {{.version = 1, .nruns = 2, .seq = 9},
       {{3, 4, 6000, 0, 0, 0}, {0, 1, 9000, 1, 0, 50}},
       SIOX_EPROTO},
  };
  struct siox_claims *claims;
  struct siox_mask changed;
  assert_int_equal(siox_mask_init(&changed, DISKS), 0);
  assert_int_equal(siox_claims_create(&claims, DISKS), 0);
  struct siox_claim_header head = {.version = 1, .nruns = 1, .seq = 1};
  assert_int_equal(siox_claims_apply(claims, 0, 0, &head, &good, NULL), 0);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_int_equal(siox_claims_apply(claims, 0, 0, &bad[i].head, bad[i].runs, &changed),
                     bad[i].error);
    assert_true(siox_mask_empty(&changed));
    for (uint32_t d = 0; d < DISKS; d++) {
      struct siox_claim_entry e = siox_claims_get(claims, 0, d);
      assert_int_equal(e.flag, d >= 3 && d < 7 ? 1 : -1);
      assert_int_equal(e.seq, d >= 3 && d < 7 ? 1 : 0);
    }
  }
  siox_claims_destroy(claims);
  siox_mask_free(&changed);
}

static void dropping_a_client_leaves_the_others(void **state) {
  (void)state;
  struct siox_claims *claims;
  struct siox_mask changed;
  assert_int_equal(siox_mask_init(&changed, DISKS), 0);
  assert_int_equal(siox_claims_create(&claims, DISKS), 0);
  struct siox_claim_header head = {.version = 1, .nruns = 1, .seq = 5};
  for (uint32_t client = 0; client < 50; client++) {
    struct siox_claim_run run = {client % 10, 2, 9000, 1, 0, 50};
    assert_int_equal(siox_claims_apply(claims, client, client + 100, &head, &run, NULL), 0);
  }
  assert_int_equal(siox_claims_drop(claims, 13, &changed), 0);
  assert_int_equal(siox_mask_count(&changed), 2);
  assert_true(siox_mask_test(&changed, 3) && siox_mask_test(&changed, 4));
  uint32_t cursor = 0, client, job, seen = 0;
  struct siox_claim_entry entry;
  while (siox_claims_next(claims, 3, &cursor, &client, &job, &entry)) {
    assert_true(client % 10 == 3 || client % 10 == 2);
    assert_int_not_equal(client, 13);
    assert_int_equal(job, client + 100);
    seen++;
  }
  assert_int_equal(seen, 9);
  /* The number starts afresh for the next client of that number, and dropping twice is harmless. */
  assert_int_equal(siox_claims_drop(claims, 13, NULL), 0);
  struct siox_claim_run run = {20, 1, 9000, 1, 0, 50};
  head.seq = 1;
  assert_int_equal(siox_claims_apply(claims, 13, 1, &head, &run, NULL), 0);
  assert_int_equal(siox_claims_get(claims, 13, 20).flag, 1);
  assert_int_equal(siox_claims_get(claims, 13, 3).flag, -1);
  siox_claims_destroy(claims);
  siox_mask_free(&changed);
}

/* What a walk over every client finds on a disk, without those that only name a use after a time or
 * none that is late enough. */
static void same_walk(const struct siox_claims *claims, uint32_t nclients, uint32_t disk,
                      int64_t after, int64_t until) {
  struct siox__claims_walk walk = siox__claims_walk(claims, disk, after);
  const struct siox__claimant *found;
  for (uint32_t c = 0; c < nclients; c++) {
    struct siox_claim_entry want = siox_claims_get(claims, c, disk);
    if (want.flag < 0 || (want.flag == 0 && want.need_by > until))
      continue;
    if (after > INT64_MIN && (want.need_by < after || (want.flag == 0 && want.need_by == 0)))
      continue;
    found = siox__claims_next(&walk, until);
    assert_non_null(found);
    assert_int_equal(found->client, c);
    assert_int_equal(found->job, c % 3);
    assert_int_equal(found->entry.seq, want.seq);
    assert_int_equal(found->entry.need_by, want.need_by);
  }
  assert_null(siox__claims_next(&walk, until));
}

static int64_t some_time(uint64_t *random, int64_t none) {
  return test_below(random, 3) ? (int64_t)test_below(random, 110) : none;
}

static void walks_over_the_claims_on_a_disk_miss_nobody(void **state) {
  (void)state;
  enum { CLIENTS = 150 };
  static const uint32_t widths[] = {1, 7, 40, 600, 2000}; /* the last two share lists */
  uint64_t random = 1;
  for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
    uint32_t n = widths[w];
    struct siox_claims *claims;
    assert_int_equal(siox_claims_create(&claims, n), 0);
    for (uint32_t i = 0; i < 3000; i++) {
      uint32_t client = (uint32_t)test_below(&random, CLIENTS), job = client % 3;
      struct siox_claim_run run[2] = {{.first = (uint32_t)test_below(&random, n)}};
      struct siox_claim_header head = {.version = 1,
                                       .flags = test_below(&random, 4) == 0 ? SIOX_CLAIM_WHOLE : 0,
                                       .nruns = 1,
                                       .seq = i + 1};
      for (uint32_t k = 0; k < head.nruns; k++) {
        run[k].count = 1 + (uint32_t)test_below(&random, n - run[k].first);
        run[k].flag = (int32_t)test_below(&random, 2);
        run[k].need_by = (int64_t)test_below(&random, 100);
        if (k == 0 && run[0].first + run[0].count < n && test_below(&random, 2)) {
          run[1].first = run[0].first + run[0].count;
          head.nruns = 2;
        }
      }
      switch (test_below(&random, 8)) {
      case 0:
        assert_int_equal(siox_claims_drop(claims, client, NULL), 0);
        break;
      case 1:
        assert_int_equal(siox__claims_erase(claims, client, run, head.nruns), 0);
        break;
      default:
        assert_int_equal(siox_claims_apply(claims, client, job, &head, run, NULL), 0);
      }
      same_walk(claims, CLIENTS, (uint32_t)test_below(&random, n), some_time(&random, INT64_MIN),
                some_time(&random, INT64_MAX));
    }
    for (uint32_t c = 0; c < CLIENTS; c++) { /* 67 and 150 have no common divisor */
      assert_int_equal(siox_claims_drop(claims, 67 * c % CLIENTS, NULL), 0);
      same_walk(claims, CLIENTS, (uint32_t)test_below(&random, n), some_time(&random, INT64_MIN),
                some_time(&random, INT64_MAX));
    }
    siox_claims_destroy(claims);
  }
}

/* What a look at each client finds of those who have let the disk go and whose word counts. */
static struct siox__freed freed_one_by_one(const struct siox_view *view, uint32_t nclients,
                                           int64_t now) {
  struct siox__freed want = {.end = SIOX_NEVER, .client = SIOX_NOBODY, .job = SIOX_NOBODY};
  for (uint32_t c = 0; c < nclients; c++) {
    struct siox_claim_entry entry = siox_claims_get(view->claims, c, 0);
    if (entry.flag != 0 || entry.need_by != 0 || siox__entry_end(view, 0, &entry) <= now)
      continue;
    uint32_t level = siox__level_for(view->disk[0].drive, entry.speed);
    if (want.count++ == 0 || level > want.level) {
      want.level = level;
      want.client = c;
      want.job = c % 3;
    }
    want.end = siox__sooner(want.end, siox__entry_end(view, 0, &entry));
  }
  return want;
}

static void who_has_let_a_disk_go_is_known_without_a_look_at_each(void **state) {
  (void)state;
  enum { CLIENTS = 100, HOLD = 300 };
  static const struct siox_drive drive = {
      .nlevels = 3, .level = {{.speed = 0}, {.speed = 10, .serves = true}, {20, .serves = true}}};
  struct siox_disk_view shown = {.drive = &drive, .decayed = INT64_MIN};
  int64_t hold = HOLD;
  uint64_t random = 3;
  uint32_t known = 0;
  for (uint32_t run = 0; run < 20; run++) {
    struct siox_claims *claims;
    assert_int_equal(siox_claims_create(&claims, 1), 0);
    struct siox_view view = {.ndisks = 1, .disk = &shown, .claims = claims, .hold = &hold};
    shown.idle_since = 0;
    for (int64_t now = 1; now < 2000; now++) {
      uint32_t client = (uint32_t)test_below(&random, CLIENTS);
      struct siox_claim_header head = {.version = 1, .nruns = 1, .seq = (uint64_t)now, .time = now};
      struct siox_claim_run claim = {.count = 1, .until = SIOX_NEVER};
      claim.flag = test_below(&random, 4) == 0;
      claim.speed = run < 10 ? 20 : (int32_t)test_below(&random, 21);
      if (test_below(&random, 8) == 0)
        claim.need_by = now + (int64_t)test_below(&random, 50);
      if (test_below(&random, 16) == 0)
        assert_int_equal(siox_claims_drop(claims, client, NULL), 0);
      else
        assert_int_equal(siox_claims_apply(claims, client, client % 3, &head, &claim, NULL), 0);
      if (test_below(&random, 100) == 0)
        shown.idle_since = now; /* a request: claims grow older from here */
      struct siox__freed got, want = freed_one_by_one(&view, CLIENTS, now);
      if (!siox__freed(&view, 0, now, &got))
        continue;
      known++;
      assert_int_equal(got.count > 0, want.count > 0);
      assert_int_equal(got.count > 1, want.count > 1);
      assert_int_equal(got.level, want.level);
      assert_int_equal(got.client, want.client);
      assert_int_equal(got.job, want.job);
      assert_int_equal(got.end, want.end);
    }
    siox_claims_destroy(claims);
  }
  assert_true(known > 15000); /* of 40,000 */
}

static void a_mask_becomes_its_runs(void **state) {
  (void)state;
  struct siox_mask m;
  struct siox_claim_run runs[3];
  assert_int_equal(siox_mask_parse(&m, "1100101"), 0);
  assert_int_equal(siox_claim_runs(&m, 9000, 1, 4, 5, runs, 3), 3);
  static const uint32_t want[][2] = {{0, 2}, {4, 1}, {6, 1}};
  for (int i = 0; i < 3; i++) {
    assert_int_equal(runs[i].first, want[i][0]);
    assert_int_equal(runs[i].count, want[i][1]);
    assert_int_equal(runs[i].speed, 9000);
    assert_int_equal(runs[i].flag, 1);
    assert_int_equal(runs[i].need_by, 4);
    assert_int_equal(runs[i].until, 5);
  }
  assert_int_equal(siox_claim_runs(&m, 9000, 1, 4, 5, runs, 2), SIOX_EFULL);
  siox_mask_zero(&m);
  assert_int_equal(siox_claim_runs(&m, 9000, 1, 4, 5, runs, 3), 0);
  siox_mask_free(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(repeated_and_reordered_messages_give_the_same_entries),
      cmocka_unit_test(changed_names_the_disks_whose_entry_changed),
      cmocka_unit_test(malformed_messages_change_nothing),
      cmocka_unit_test(dropping_a_client_leaves_the_others),
      cmocka_unit_test(walks_over_the_claims_on_a_disk_miss_nobody),
      cmocka_unit_test(who_has_let_a_disk_go_is_known_without_a_look_at_each),
      cmocka_unit_test(a_mask_becomes_its_runs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
