/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What holds cost a program that gives no hints: the same requests to the same disks, by a client
 * that says nothing and by one whose library holds its file. */
#include "bank_support.h"
#include "client/hold.h"

enum { REQUESTS = 400 };
static const double PAYS_S = 2 * 10.9 * 3000 / 15000; /* to the next level and back */
static const double LEAD_S = 10.9 * 9000 / 15000;     /* from the lowest level to full speed */

struct outcome {
  int64_t completion[REQUESTS];
  double joules;
  uint64_t moves;
};

/* The library of one process, as client/held.c. */
struct library {
  struct siox__holds holds;
  void *memory;
  struct siox__stance last;
  int64_t told, used;
  bool on;
};

static void say(struct lab *lab, struct library *l, uint32_t client, int64_t now) {
  struct siox__stance w = {.flag = -1};
  siox__hold_says(&l->holds, 0, now, &w);
  if (siox__stance_same(&w, &l->last))
    return;
  l->last = w;
  const struct siox_claim_header head = {
      .version = SIOX_CLAIM_VERSION, .nruns = 1, .seq = ++lab->seq, .time = now};
  const struct siox_claim_run run = {
      .count = 1, .speed = w.speed, .flag = w.flag, .need_by = w.need_by, .until = w.until};
  assert_int_equal(siox_bank_claim(lab->bank, now, client, &head, &run), 0);
}

/* `follows`: a request does. */
static void tell(struct lab *lab, struct library *l, uint32_t client, int64_t now, int64_t until,
                 bool follows) {
  const int64_t had = l->told ? SIOX__WHOLE : 0;
  siox_bank_advance(lab->bank, now);
  const _Atomic int32_t level = lab->drive.level[siox_bank_view(lab->bank)->disk[0].level].speed;
  siox__hold_use(&l->holds, "0:1:64K", had, SIOX__WHOLE, now, l->used, until,
                 follows ? &level : NULL);
  l->told = until;
  say(lab, l, client, now);
}

static int64_t request(struct lab *lab, struct library *l, uint32_t client, int64_t now,
                       int64_t offset) {
  const bool told = l->on && now - l->told >= l->holds.renew;
  if (told)
    tell(lab, l, client, now, now, true);
  struct siox_service service;
  const struct siox_request r = {.arrival = now,
                                 .client = client,
                                 .file = 1,
                                 .layout = &lab->layout,
                                 .offset = offset,
                                 .bytes = 64 * KB};
  assert_int_equal(siox_bank_access(lab->bank, &r, &service), 0);
  l->used = service.completion;
  if (told || (l->on && service.completion - l->told >= l->holds.renew))
    tell(lab, l, client, now, service.completion, false);
  return service.completion;
}

/* Waits of all sizes: of a burst, about the gap that pays, about what an unknown disk is kept for,
 * and beyond. */
static double pause(uint64_t *seed) {
  static const double least[] = {0.001, 1, 20, 44, 60, 300};
  const uint64_t kind = test_below(seed, 100);
  const int k = kind < 60 ? 0 : kind < 75 ? 1 : kind < 85 ? 2 : kind < 90 ? 3 : kind < 97 ? 4 : 5;
  return least[k] * (1 + (double)test_below(seed, 1000) / 1000);
}

static struct outcome run(const char *policy, uint64_t seed, bool holds) {
  struct outcome o = {0};
  struct lab *lab = lab_open(policy, 1);
  const uint32_t client = lab_join(lab, "A");
  struct library l = {.on = holds, .last = {.flag = -1}};
  l.memory = calloc(1, siox__holds_size(1));
  siox__holds_init(&l.holds, l.memory, 1);
  siox__holds_times(&l.holds, strcmp(policy, "siox") == 0, ns(PAYS_S), ns(LEAD_S));
  int64_t now = SECOND, end;
  assert_int_equal(siox_bank_open(lab->bank, now, client, &lab->layout), 0);
  if (holds)
    tell(lab, &l, client, now, now, false);
  for (int i = 0; i < REQUESTS; i++) {
    now += ns(pause(&seed));
    now = o.completion[i] = request(lab, &l, client, now, (int64_t)test_below(&seed, 1 << 30));
  }
  end = now + 1000 * SECOND; /* it stays open, unused */
  siox_bank_advance(lab->bank, end);
  o.joules = lab_joules(lab, 0);
  o.moves = lab_disk(lab, 0).transitions_down + lab_disk(lab, 0).transitions_up;
  lab_check(lab);
  free(l.memory);
  lab_close(lab);
  return o;
}

static void expect_the_same(const char *policy) {
  for (uint64_t seed = 1; seed <= 20; seed++) {
    const struct outcome without = run(policy, seed, false), with = run(policy, seed, true);
    for (int i = 0; i < REQUESTS; i++)
      if (with.completion[i] != without.completion[i])
        fail_msg("%s, seed %d, request %d: done at %.6f s instead of %.6f s", policy, (int)seed, i,
                 (double)with.completion[i] / 1e9, (double)without.completion[i] / 1e9);
    assert_int_equal(with.moves, without.moves);
    near(with.joules, without.joules);
  }
}

static void under_siox_it_costs_neither_time_nor_joules(void **state) {
  (void)state;
  expect_the_same("siox");
}

static void under_claims_it_costs_neither_time_nor_joules(void **state) {
  (void)state;
  expect_the_same("claims");
}

static void under_rt_it_costs_neither_time_nor_joules(void **state) {
  (void)state;
  expect_the_same("rt");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(under_siox_it_costs_neither_time_nor_joules),
      cmocka_unit_test(under_claims_it_costs_neither_time_nor_joules),
      cmocka_unit_test(under_rt_it_costs_neither_time_nor_joules),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
