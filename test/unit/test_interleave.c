/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Random interleavings of claims of up to 50 jobs: messages repeated, reordered, cut short by
 * crashes. Under the bare maximum no target is below a live claim and the order does not matter;
 * with wear, power, shares and delay budgets every exception is one of those stated, and counted.
 * The expected levels come from a list of what was said, kept here. */
#include "bank_support.h"
#include <stdio.h>

enum { MOST_JOBS = 50, DISKS = 6, MESSAGES = 60, EVENTS = 150 };

/* What one client said last of each disk. */
struct said {
  uint64_t seq; /* 0: nothing */
  int32_t speed, flag;
  int64_t need_by, until;
};
struct message {
  int client;
  uint64_t seq;
  uint32_t first, count;
  int32_t speed, flag;
  int64_t need_by, until;
  double at; /* second part: when it is sent */
};
struct speaker {
  uint32_t client;
  bool gone;
  struct said said[DISKS];
};

static uint32_t level_of(int32_t speed) { /* never slower than asked */
  for (uint32_t l = 0; l < 3; l++)
    if (FOUR_SPEEDS[l] >= speed)
      return l;
  return 3;
}

static void hear(struct speaker *s, const struct message *m) {
  for (uint32_t d = m->first; d < m->first + m->count; d++)
    if (m->seq > s->said[d].seq)
      s->said[d] = (struct said){m->seq, m->speed, m->flag, m->need_by, m->until};
}

static void tell(struct lab *lab, struct speaker *s, const struct message *m, int64_t now) {
  struct siox_claim_header head = {
      .version = SIOX_CLAIM_VERSION, .nruns = 1, .seq = m->seq, .time = now, .site = m->seq % 5};
  struct siox_claim_run run = {.first = m->first,
                               .count = m->count,
                               .speed = m->speed,
                               .flag = m->flag,
                               .need_by = m->need_by,
                               .until = m->until};
  assert_int_equal(siox_bank_claim(lab->bank, now, s->client, &head, &run), 0);
  hear(s, m);
}

static struct message random_message(uint64_t *random, int client, uint64_t seq) {
  static const int32_t speeds[] = {0, 6000, 7000, 9000, 12000, 15000, SIOX_SPEED_FULL};
  uint32_t first = (uint32_t)test_below(random, DISKS);
  return (struct message){.client = client,
                          .seq = seq,
                          .first = first,
                          .count = 1 + (uint32_t)test_below(random, DISKS - first),
                          .speed = speeds[test_below(random, 7)],
                          .flag = (int32_t)test_below(random, 2),
                          .until = SIOX_NEVER};
}

/* ---- The bare maximum ---- */

/* Greatest level that any live claim names; -1: none. */
static int greatest(const struct speaker *s, int n, uint32_t disk) {
  int level = -1;
  for (int i = 0; i < n; i++)
    if (!s[i].gone && s[i].said[disk].seq && (int)level_of(s[i].said[disk].speed) > level)
      level = (int)level_of(s[i].said[disk].speed);
  return level;
}

/* Delivers the messages in a random order, some of them several times, some never; the clients that
 * crash do so after their last. Whatever was delivered, each target is at least its live claims. */
static void deliver(const struct message *message, const bool *delivered, int nclients,
                    const bool *crashes, uint64_t seed, uint32_t *target, int *want) {
  uint64_t random = seed;
  struct lab *lab = calloc(1, sizeof *lab);
  make_drive(&lab->drive, FOUR_SPEEDS, 4);
  lab_start(lab, "claims", DISKS, NULL, 1e9); /* nothing decays */
  struct speaker speaker[MOST_JOBS] = {0};
  char job[16];
  for (int i = 0; i < nclients; i++) {
    snprintf(job, sizeof job, "job %d", i);
    speaker[i].client = lab_join(lab, job);
  }
  int order[3 * MESSAGES], n = 0, left[MOST_JOBS] = {0};
  for (int m = 0; m < MESSAGES; m++)
    for (uint64_t k = delivered[m] ? 1 + test_below(&random, 2) : 0; k > 0; k--)
      order[n++] = m;
  for (int i = n - 1; i > 0; i--) {
    int j = (int)test_below(&random, (uint64_t)i + 1), swap = order[i];
    order[i] = order[j];
    order[j] = swap;
  }
  for (int i = 0; i < n; i++)
    left[message[order[i]].client]++;
  double at = 1;
  for (int i = 0; i < n; i++) {
    const struct message *m = &message[order[i]];
    struct speaker *s = &speaker[m->client];
    at += (double)test_below(&random, 4000) * 1e-3;
    tell(lab, s, m, ns(at));
    if (--left[m->client] == 0 && crashes[m->client]) {
      s->gone = true;
      assert_int_equal(siox_bank_leave(lab->bank, ns(at), s->client), 0);
    }
    for (uint32_t d = 0; d < DISKS; d++)
      assert_true((int)siox_bank_view(lab->bank)->disk[d].target >= greatest(speaker, nclients, d));
  }
  siox_bank_advance(lab->bank, ns(at + 60)); /* the last slow-downs */
  for (uint32_t d = 0; d < DISKS; d++) {
    want[d] = greatest(speaker, nclients, d);
    target[d] = siox_bank_view(lab->bank)->disk[d].target;
    if (want[d] >= 0)
      assert_int_equal(target[d], want[d]);
  }
  lab_close(lab);
}

static void the_last_claims_alone_decide_whatever_the_order(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 10000; seed++) {
    uint64_t random = seed;
    int nclients = 1 + (int)test_below(&random, MOST_JOBS);
    uint64_t seq[MOST_JOBS] = {0};
    bool crashes[MOST_JOBS], delivered[MESSAGES];
    for (int i = 0; i < nclients; i++)
      crashes[i] = test_below(&random, 4) == 0;
    struct message message[MESSAGES];
    for (int m = 0; m < MESSAGES; m++) {
      int client = (int)test_below(&random, (uint64_t)nclients);
      message[m] = random_message(&random, client, ++seq[client]);
      delivered[m] = test_below(&random, 10) > 0;
    }
    uint32_t one[DISKS], other[DISKS];
    int want[DISKS];
    deliver(message, delivered, nclients, crashes, 2 * seed, one, want);
    deliver(message, delivered, nclients, crashes, 2 * seed + 1, other, want);
    for (uint32_t d = 0; d < DISKS; d++)
      if (want[d] >= 0)
        assert_int_equal(one[d], other[d]);
  }
}

/* ---- siox with budgets ---- */

/* Greatest level of the claims whose need comes by a time and that are not past their until; those
 * of now are in force. */
static int needed_by(const struct speaker *s, int n, uint32_t disk, int64_t now, int64_t by) {
  int level = -1;
  for (int i = 0; i < n; i++) {
    const struct said *c = &s[i].said[disk];
    if (s[i].gone || !c->seq || c->need_by > by || (c->flag == 1 && c->until < now) ||
        (c->flag == 0 && c->need_by == 0))
      continue;
    int asked = c->flag == 1 ? (int)level_of(c->speed) : 3;
    level = asked > level ? asked : level;
  }
  return level;
}

struct watch {
  bool below[DISKS], waits[DISKS];
  uint64_t below_times[DISKS];
  int64_t waits_since[DISKS];
};

static void observe(struct lab *lab, struct watch *w, const struct speaker *s, int n,
                    const struct siox_limits *limits) {
  int64_t now = siox_bank_now(lab->bank);
  double drawn = 0;
  bool overdue = false;
  int ramps = 0;
  for (uint32_t d = 0; d < DISKS; d++) {
    const struct siox_disk_view *v = &siox_bank_view(lab->bank)->disk[d];
    struct siox_disk_totals t = lab_disk(lab, d);
    bool below = (int)v->target < needed_by(s, n, d, now, now);
    /* With a margin a need counts before it has come: one that comes while another is not met yet
     * may be the same exception. */
    bool goes_on = limits->early > 0 && (int)v->target < needed_by(s, n, d, now, SIOX_NEVER);
    w->below_times[d] += below && !w->below[d];
    w->below[d] = below || (w->below[d] && goes_on);
    uint64_t counted = 0;
    for (int c = 0; c < SIOX_NCAUSES; c++)
      counted += t.undercut[c];
    if (counted < w->below_times[d])
      fail_msg("disk %u below its claims %llu times, %llu counted", d,
               (unsigned long long)w->below_times[d], (unsigned long long)counted);
    if (limits->user_share == 0)
      assert_int_equal(t.undercut[SIOX_CAUSE_SHARE], 0);
    if (limits->delay_budget == 0)
      assert_int_equal(t.undercut[SIOX_CAUSE_BUDGET], 0);
    assert_true(t.worst_delay_ns <= limits->inrush_wait_ns);
    overdue |= t.overdue > 0;
    bool waits = v->target > v->level;
    if (waits && !w->waits[d])
      w->waits_since[d] = now;
    w->waits[d] = waits;
    assert_true(!waits || now - w->waits_since[d] <= limits->inrush_wait_ns);
    double to = FOUR_SPEEDS[v->level];
    if (v->move_end > now && v->move_from < to) {
      drawn += ramp_j(v->move_from, to) / ramp_s(v->move_from, to);
      ramps++;
    }
  }
  if (limits->inrush_w > 0 && !overdue && ramps > 1)
    assert_true(drawn <= limits->inrush_w * (1 + 1e-6));
}

static void random_limits(uint64_t *random, struct siox_limits *l) {
  *l = (struct siox_limits){0};
  if (test_below(random, 2))
    l->early = 0.9;
  if (test_below(random, 2))
    l->user_share = 0.1 + 0.2 * (double)test_below(random, 4);
  if (test_below(random, 2))
    l->delay_budget = 0.05;
  if (test_below(random, 2)) {
    l->inrush_w = 8 + (double)test_below(random, 20);
    l->inrush_wait_ns = ns(1 + (double)test_below(random, 10));
  }
}

static void every_exception_of_siox_is_stated_and_counted(void **state) {
  (void)state;
  uint64_t sum[SIOX_NCAUSES] = {0}, delayed = 0;
  for (uint64_t seed = 1; seed <= 3000; seed++) {
    uint64_t random = seed;
    struct lab *lab = calloc(1, sizeof *lab);
    make_drive(&lab->drive, FOUR_SPEEDS, 4);
    random_limits(&random, &lab->limits);
    const struct siox_limits limits = lab->limits;
    uint32_t initial[DISKS];
    for (uint32_t d = 0; d < DISKS; d++)
      initial[d] = (uint32_t)test_below(&random, 4);
    lab_start(lab, "siox", DISKS, initial, 1 + (double)test_below(&random, 5));
    siox_layout_free(&lab->layout);
    assert_int_equal(siox_layout_triplet(&lab->layout, DISKS, 0, DISKS, 64 * KB), 0);
    int n = 1 + (int)test_below(&random, MOST_JOBS);
    struct speaker speaker[MOST_JOBS] = {0};
    uint64_t seq = 0;
    char job[16];
    for (int i = 0; i < n; i++) {
      snprintf(job, sizeof job, "job %d", i);
      speaker[i].client = lab_join(lab, job);
      assert_int_equal(siox_bank_job_user(lab->bank, (uint32_t)i, (uint32_t)i % 3), 0);
    }
    struct watch watch = {0};
    double at = 0;
    struct message last = {0};
    for (int e = 0; e < EVENTS; e++) {
      at += test_below(&random, 3) ? (double)test_below(&random, 3000) * 1e-3 : 0;
      for (int64_t next; (next = siox_bank_advance(lab->bank, 0)) <= ns(at);) {
        siox_bank_advance(lab->bank, next); /* one wake-up at a time */
        observe(lab, &watch, speaker, n, &limits);
      }
      siox_bank_advance(lab->bank, ns(at));
      observe(lab, &watch, speaker, n, &limits);
      int i = (int)test_below(&random, (uint64_t)n);
      struct speaker *s = &speaker[i];
      uint64_t what = test_below(&random, 12);
      if (what == 0) { /* crashes; another rank of its job comes */
        assert_int_equal(siox_bank_leave(lab->bank, ns(at), s->client), 0);
        snprintf(job, sizeof job, "job %d", i);
        *s = (struct speaker){.client = lab_join(lab, job)};
      } else if (what < 3 && last.seq && !s->gone) { /* repeated, or late */
        tell(lab, &speaker[last.client], &last, ns(at));
      } else if (what < 8) {
        struct message m = random_message(&random, i, ++seq);
        if (test_below(&random, 3))
          m.need_by = ns(at + (double)test_below(&random, 40));
        if (m.flag == 1 && test_below(&random, 2))
          m.until = ns(at + (double)test_below(&random, 60));
        if (test_below(&random, 5)) /* else it is lost */
          tell(lab, s, &m, ns(at));
        if (test_below(&random, 2))
          last = m;
      } else {
        lab_read_at(lab, at, s->client, (int64_t)test_below(&random, 600) * 64 * KB,
                    1 + (int64_t)test_below(&random, 2048 * KB));
      }
      observe(lab, &watch, speaker, n, &limits);
    }
    struct siox_disk_totals t;
    siox_bank_totals(lab->bank, &t);
    for (int c = 0; c < SIOX_NCAUSES; c++)
      sum[c] += t.undercut[c];
    delayed += t.delayed;
    assert_int_equal(siox_bank_finish(lab->bank, ns(at + 100)), 0);
    lab_check(lab);
    lab_close(lab);
  }
  /* hard enough: each exception occurs */
  assert_true(sum[SIOX_CAUSE_DECAY] > 100 && sum[SIOX_CAUSE_SHARE] > 100);
  assert_true(sum[SIOX_CAUSE_BUDGET] > 10 && delayed > 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_last_claims_alone_decide_whatever_the_order),
      cmocka_unit_test(every_exception_of_siox_is_stated_and_counted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
