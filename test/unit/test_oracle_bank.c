/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* No policy beats the oracle: every policy there is, in random histories of two programs that share
 * a disk, their hints right or wrong. Where a run delayed nothing it took no less than the optimum
 * without delay; where it did, no less than the bound for as much delay. */
#include "bank_support.h"
#include "siox/oracle.h"
#include <stdio.h>

enum { BURSTS = 12, MOST = 6, PRICES = 24 };

struct burst {
  double at;
  int client, n;
  double after[MOST]; /* since the burst began */
  int64_t bytes[MOST];
  bool silent;    /* says nothing of its next burst */
  double mistake; /* of what it says */
  int32_t speed;
  double until;
};
struct history {
  struct siox_drive drive;
  uint32_t initial;
  double hold_factor, end;
  bool right; /* all that is said is so */
  struct burst burst[BURSTS];
  int64_t completion[BURSTS * MOST]; /* of the last run */
};

static double between(uint64_t *random, double low, double high) {
  return low + (high - low) * ((double)(test_random(random) >> 11) * 0x1p-53);
}

static void imagine(struct history *h, uint64_t *random) {
  static const int32_t speeds[] = {0, 6000, 9000, 12000};
  make_drive(&h->drive, FOUR_SPEEDS, 4);
  h->drive.rule = (enum siox_transition_rule)test_below(random, 3);
  if (test_below(random, 4) == 0)
    make_table(&h->drive);
  h->initial = test_below(random, 3) ? 3 : (uint32_t)test_below(random, 4);
  h->right = test_below(random, 2);
  h->hold_factor = h->right ? 1000 : between(random, 0.2, 20);
  bool right = h->right, quick = test_below(random, 4) == 0;
  double at = between(random, 12, 20);
  for (int b = 0; b < BURSTS; b++) {
    struct burst *u = &h->burst[b];
    *u = (struct burst){.at = at, .client = (int)test_below(random, 2)};
    u->n = 1 + (int)test_below(random, MOST);
    for (int i = 0; i < u->n; i++) {
      u->after[i] = i ? u->after[i - 1] + between(random, 0, 0.03) : 0;
      u->bytes[i] = 1 + (int64_t)test_below(random, test_below(random, 2) ? 64 * KB : 2000 * KB);
    }
    u->silent = !right && test_below(random, 3) == 0;
    u->mistake = right || test_below(random, 2) ? 0 : between(random, -10, 10);
    u->speed = speeds[test_below(random, 4)];
    u->until = test_below(random, 4) ? 0 : between(random, 1, 30);
    at += u->after[u->n - 1] + between(random, 1, quick ? 8 : 60);
  }
  h->end = at + between(random, 0, 40);
}

/* When a client comes next after a burst; 0: never. */
static double again(const struct history *h, int client, int burst) {
  for (int b = burst < 0 ? 0 : burst + 1; b < BURSTS; b++)
    if (h->burst[b].client == client)
      return h->burst[b].at;
  return 0;
}

struct word {
  double at;
  int client, flag;
  int32_t speed;
  double use, until;
};
static int by_time(const void *a, const void *b) {
  double x = ((const struct word *)a)->at, y = ((const struct word *)b)->at;
  return x < y ? -1 : x > y;
}

/* What the programs say, in order of time: after each burst when the next one comes, and once more
 * a transition ahead of it. */
static int words(const struct history *h, struct word *word) {
  const double lead = 10.9 * 9000 / 15000 + 1e-6;
  int n = 0;
  for (int b = -2; b < BURSTS; b++) { /* -2, -1: at the start */
    const struct burst *u = &h->burst[b < 0 ? 0 : b];
    int client = b < 0 ? b + 2 : u->client;
    if (b < 0 ? !h->right : u->silent)
      continue;
    double at = b < 0 ? 0.5 : u->at + u->after[u->n - 1] + 0.5, use = again(h, client, b);
    use += use > 0 && b >= 0 ? u->mistake : 0;
    word[n++] = (struct word){at, client, 0, u->speed, use > at ? use : 0, 0};
    if (use - lead > at)
      word[n++] = (struct word){use - lead,      client, 1,
                                SIOX_SPEED_FULL, use,    u->until > 0 ? use + u->until : 0};
  }
  qsort(word, (size_t)n, sizeof *word, by_time);
  return n;
}

static void tell(struct lab *lab, const uint32_t *client, const struct word *w) {
  lab_hint(lab, w->at, client[w->client], "1", w->speed, w->flag, w->use, w->until);
}

static struct lab *live(struct history *h, const char *policy) {
  struct lab *lab = calloc(1, sizeof *lab);
  assert_non_null(lab);
  lab->drive = h->drive;
  lab_start(lab, policy, 1, &h->initial, h->hold_factor);
  uint32_t client[2] = {lab_join(lab, "A"), lab_join(lab, "B")};
  struct word word[2 * (BURSTS + 2)];
  int n = words(h, word), w = 0, k = 0;
  for (int b = 0; b < BURSTS; b++)
    for (int i = 0; i < h->burst[b].n; i++) {
      double at = h->burst[b].at + h->burst[b].after[i];
      for (; w < n && word[w].at <= at; w++)
        tell(lab, client, &word[w]);
      struct siox_service s = lab_read(lab, at, client[h->burst[b].client], h->burst[b].bytes[i]);
      h->completion[k++] = s.completion;
    }
  for (; w < n && word[w].at <= h->end; w++)
    tell(lab, client, &word[w]);
  siox_bank_finish(lab->bank, ns(h->end));
  return lab;
}

static struct siox_oracle_result optimum(const struct history *h, const struct lab *base,
                                         const double *price, struct siox_oracle_point *point) {
  struct siox_oracle_options o = {.drive = &h->drive,
                                  .initial_level = h->initial,
                                  .end_level = h->initial,
                                  .price = price,
                                  .nprices = PRICES};
  struct siox_oracle *oracle;
  struct siox_oracle_result r;
  assert_int_equal(siox_oracle_create(&oracle, &o), 0);
  for (size_t i = 0; i < base->nseen; i++) {
    const struct siox_segment *s = &base->seen[i];
    struct siox_oracle_service service = {s->start, s->end - s->start, s->bytes, 1};
    if (s->state == SIOX_ACTIVE)
      assert_int_equal(siox_oracle_serve(oracle, &service), 0);
  }
  assert_int_equal(siox_oracle_finish(oracle, ns(h->end), &r, point), 0);
  siox_oracle_destroy(oracle);
  return r;
}

/* Under rule a the optimum leaves ramps alone that were led on before their end, or turned more
 * than once in a gap (docs/oracle.md). */
static bool counts(const struct history *h, const struct lab *lab) {
  int turns = 0;
  const struct siox_segment *last = NULL;
  for (size_t i = 0; i < lab->nseen && h->drive.ramp && h->drive.rule == SIOX_RULE_A; i++) {
    const struct siox_segment *s = &lab->seen[i];
    if (s->state == SIOX_ACTIVE)
      turns = 0;
    bool level = s->from_speed == (int32_t)s->from_speed && (int32_t)s->from_speed % 3000 == 0;
    if (last && !level && (s->state == SIOX_UP || s->state == SIOX_DOWN) &&
        (s->state == last->state || ++turns > 1))
      return false;
    last = s;
  }
  return true;
}

static const char *spec(const char *name, char *text) { /* "static:SPEED", "timeout[:...]" */
  snprintf(text, 64, "%.*s", (int)strcspn(name, ":["), name);
  if (strcmp(text, "static") == 0)
    strcat(text, ":9000");
  return text;
}

static void no_policy_beats_the_oracle(void **state) {
  (void)state;
  char text[64];
  int undelayed = 0, moved = 0;
  for (uint64_t seed = 1; seed <= 1000; seed++) {
    uint64_t random = seed;
    struct history h;
    double price[PRICES];
    struct siox_oracle_point point[PRICES];
    int64_t base[BURSTS * MOST];
    imagine(&h, &random);
    const struct siox_drive *drive = &h.drive;
    assert_int_equal(siox_oracle_prices(&drive, 1, 1, price, PRICES), 0);
    struct lab *lab = live(&h, "base");
    memcpy(base, h.completion, sizeof base);
    struct siox_oracle_result best = optimum(&h, lab, price, point);
    lab_close(lab);
    for (const char *const *name = siox_policy_names(); *name; name++) {
      lab = live(&h, spec(*name, text));
      double joules = lab_joules(lab, 0), delay_s = 0;
      uint64_t moves = lab_disk(lab, 0).transitions_up + lab_disk(lab, 0).transitions_down;
      bool comparable = counts(&h, lab);
      lab_close(lab);
      int requests = 0;
      for (int b = 0; b < BURSTS; b++)
        requests += h.burst[b].n;
      for (int i = 0; i < requests; i++)
        delay_s += (double)(h.completion[i] - base[i]) * 1e-9;
      if (!comparable)
        continue;
      if (delay_s == 0) {
        undelayed++;
        moved += moves > 2;
        if (!(joules >= best.joules * (1 - 1e-9)))
          fail_msg("%s, history %d: %.12g J without delay, optimum %.12g J", text, (int)seed,
                   joules, best.joules);
      }
      double bound = siox_oracle_bound(point, price, PRICES, delay_s);
      if (!(joules >= bound * (1 - 1e-9)))
        fail_msg("%s, history %d: %.12g J with %g s of delay, bound %.12g J", text, (int)seed,
                 joules, delay_s, bound);
    }
  }
  assert_true(undelayed > 1500 && moved > 300); /* base and others */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_policy_beats_the_oracle),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
