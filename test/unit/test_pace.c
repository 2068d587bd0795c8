/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How many have their turn in a cycle. */
#include "monitor/pace.h"
#include "support.h"
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

static void all_have_their_turn_while_nobody_knows_what_one_costs(void **unused) {
  (void)unused;
  const struct siox__pace p = {0};
  assert_int_equal(siox__pace_many(&p, 1000, 1), 1000);
}

static void as_many_as_there_is_room_for_have_their_turn(void **unused) {
  (void)unused;
  const struct siox__pace p = {.cost_ns = 3000};
  assert_int_equal(siox__pace_many(&p, 1000, 400000), 133);
  assert_int_equal(siox__pace_many(&p, 100, 400000), 100);
}

static void one_has_its_turn_however_little_room_there_is(void **unused) {
  (void)unused;
  const struct siox__pace p = {.cost_ns = 3000}, unknown = {0};
  assert_int_equal(siox__pace_many(&p, 1000, 0), 1);
  assert_int_equal(siox__pace_many(&p, 1000, -1), 1);
  assert_int_equal(siox__pace_many(&p, 1000, 2999), 1);
  assert_int_equal(siox__pace_many(&unknown, 1000, 0), 1);
  assert_int_equal(siox__pace_many(&p, 0, 400000), 0);
}

static void a_round_takes_as_long_as_from_its_first_turn_to_the_next_one_of_all(void **unused) {
  (void)unused;
  struct siox__pace p = {0};
  for (int64_t cycle = 1; cycle <= 8; cycle++)
    siox__pace_took(&p, 10, 3, 3, 3000, cycle * 100);
  /* 3, 6, 9, 12: the second of the next round; rounds end with cycles 4 and 7. */
  assert_int_equal(p.round_ns, 300);
  assert_int_equal(p.next, 4);
}

static void what_one_costs_is_learned_within_some_cycles(void **unused) {
  (void)unused;
  struct siox__pace p = {0};
  siox__pace_took(&p, 10, 10, 10, 20000, 1);
  assert_true(fabs(p.cost_ns - 2000) < 1e-9);
  for (int i = 0; i < 40; i++)
    siox__pace_took(&p, 10, 10, 10, 50000, 2 + i);
  assert_true(fabs(p.cost_ns - 5000) < 50);
  siox__pace_took(&p, 10, 0, 0, 0, 100); /* nothing was read */
  assert_true(fabs(p.cost_ns - 5000) < 50);
}

/* Costs that change, and processes that come and go: each has its turn in time, and what a cycle
 * takes stays within its room but for the first look at what one costs. */
static void each_has_its_turn_and_a_cycle_stays_within_its_room(void **unused) {
  (void)unused;
  enum { MOST = 500, CYCLES = 20000 };
  struct siox__pace p = {0};
  uint64_t seed = 11;
  int waited[MOST] = {0}, longest = 0;
  size_t n = 300;
  double all = 0;
  for (int c = 1; c <= CYCLES; c++) {
    if (test_below(&seed, 100) == 0)
      n = 200 + (size_t)test_below(&seed, 300);
    const size_t many = siox__pace_many(&p, n, 100000);
    const size_t first = p.next % n;
    double took = 0;
    for (size_t i = 0; i < MOST; i++) {
      const bool turn = i < n && (i + n - first) % n < many;
      waited[i] = turn || i >= n ? 0 : waited[i] + 1;
      longest = waited[i] > longest ? waited[i] : longest;
      took += turn ? 1000 + (double)test_below(&seed, 1000) : 0;
    }
    siox__pace_took(&p, n, many, many, took, c);
    all += took;
  }
  assert_true(all / CYCLES < 105000);
  assert_true(all / CYCLES > 90000);
  assert_true(longest <= 2 * 500 / 60); /* the list changed within a round at worst */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_have_their_turn_while_nobody_knows_what_one_costs),
      cmocka_unit_test(as_many_as_there_is_room_for_have_their_turn),
      cmocka_unit_test(one_has_its_turn_however_little_room_there_is),
      cmocka_unit_test(a_round_takes_as_long_as_from_its_first_turn_to_the_next_one_of_all),
      cmocka_unit_test(what_one_costs_is_learned_within_some_cycles),
      cmocka_unit_test(each_has_its_turn_and_a_cycle_stays_within_its_room),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
