/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is learned from episodes, with figures that can be worked out by hand. */
#include "siox/activities.h"
#include "siox/knowledge.h"
#include "support.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define assert_near(a, b, within) assert_true(fabs((a) - (b)) <= (within))
static const struct siox_learning USUAL = {
    .least_gain = 0.05, .least_confidence = 0.95, .least_runs = 2};

static struct siox_episode episode(const char *settings, double cost) {
  struct siox_episode e = {.situation = {.program = "mxm",
                                         .ranks = 8,
                                         .access = SIOX_WRITES,
                                         .pattern = SIOX_STRIDED,
                                         .size_class = 3},
                           .cost = cost};
  assert_int_equal(siox_settings_parse(&e.settings, settings), 0);
  return e;
}

/* Tables of Student's t (Abramowitz and Stegun, table 26.10). */
static void student_s_t_is_that_of_the_tables(void **unused) {
  (void)unused;
  static const struct {
    double t, freedom, p;
  } table[] = {{6.314, 1, 0.95},  {12.706, 1, 0.975}, {2.920, 2, 0.95},  {4.303, 2, 0.975},
               {2.132, 4, 0.95},  {2.776, 4, 0.975},  {1.812, 10, 0.95}, {2.764, 10, 0.99},
               {1.697, 30, 0.95}, {1.658, 120, 0.95}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    assert_near(siox_student(table[i].t, table[i].freedom), table[i].p, 2e-5 + 3e-5);
    assert_near(siox_student(-table[i].t, table[i].freedom), 1 - table[i].p, 5e-5);
  }
  assert_near(siox_student(0, 7), 0.5, 1e-12);
  assert_near(siox_student(1, 1), 0.75, 1e-12); /* arctan(1) / pi + 1/2 */
}

static void the_setting_that_cost_half_is_the_lesson(void **unused) {
  (void)unused;
  const struct siox_episode e[] = {
      episode("cb_buffer_size=4194304 romio_cb_write=automatic", 0.02),
      episode("cb_buffer_size=16777216 romio_cb_write=automatic", 0.01),
      episode("cb_buffer_size=4194304 romio_cb_write=automatic", 0.02),
      episode("cb_buffer_size=16777216 romio_cb_write=automatic", 0.01),
      episode("cb_buffer_size=4194304 romio_cb_write=automatic", 0.02)};
  struct siox_lesson *l;
  size_t n;
  char text[200];
  assert_int_equal(siox_learn(e, 5, &USUAL, &l, &n), 0);
  assert_int_equal(n, 1);
  siox_settings_format(&l->response, text, sizeof text);
  assert_string_equal(text, "cb_buffer_size=16777216"); /* what is the same is no response */
  assert_string_equal(l->base.value[SIOX_ADVICE_cb_buffer_size], "4194304");
  assert_int_equal(l->runs, 2);
  assert_int_equal(l->base_runs, 3);
  assert_near(l->gain, 0.5, 1e-12);
  assert_near(l->cost, 0.01, 1e-12);
  assert_near(l->confidence, 1, 1e-12);
  free(l);
}

/* Logarithms 1, 2, 3 against 2, 3, 4: t = 1 / sqrt(2/3), four degrees: p = 0.856. */
static void what_may_be_chance_is_no_lesson(void **unused) {
  (void)unused;
  struct siox_episode e[6];
  struct siox_lesson *l;
  size_t n;
  for (int i = 0; i < 3; i++) {
    e[i] = episode("cb_nodes=1", exp(2 + i));
    e[3 + i] = episode("cb_nodes=2", exp(1 + i));
  }
  assert_int_equal(siox_learn(e, 6, &USUAL, &l, &n), 0);
  assert_int_equal(n, 0);
  free(l);
  struct siox_learning bold = USUAL;
  bold.least_confidence = 0.8;
  assert_int_equal(siox_learn(e, 6, &bold, &l, &n), 0);
  assert_int_equal(n, 1);
  assert_near(l->gain, 1 - exp(-1), 1e-12);
  assert_near(l->confidence, 0.856, 1e-3);
  free(l);
}

static void one_run_teaches_nothing(void **unused) {
  (void)unused;
  const struct siox_episode e[] = {episode("cb_nodes=1", 2), episode("cb_nodes=1", 2),
                                   episode("cb_nodes=2", 1)};
  struct siox_lesson *l;
  size_t n;
  assert_int_equal(siox_learn(e, 3, &USUAL, &l, &n), 0);
  assert_int_equal(n, 0);
  free(l);
}

static void a_worse_setting_is_no_lesson_though_rarer(void **unused) {
  (void)unused;
  const struct siox_episode e[] = {episode("cb_nodes=1", 1), episode("cb_nodes=1", 1),
                                   episode("cb_nodes=1", 1), episode("cb_nodes=2", 2),
                                   episode("cb_nodes=2", 2)};
  struct siox_lesson *l;
  size_t n;
  assert_int_equal(siox_learn(e, 5, &USUAL, &l, &n), 0);
  assert_int_equal(n, 0);
  free(l);
}

static void situations_are_not_compared_with_each_other(void **unused) {
  (void)unused;
  struct siox_episode e[4] = {episode("cb_nodes=1", 2), episode("cb_nodes=1", 2),
                              episode("cb_nodes=2", 1), episode("cb_nodes=2", 1)};
  struct siox_lesson *l;
  size_t n;
  e[2].situation.ranks = e[3].situation.ranks = 16;
  assert_int_equal(siox_learn(e, 4, &USUAL, &l, &n), 0);
  assert_int_equal(n, 0);
  free(l);
  e[2].situation.ranks = e[3].situation.ranks = 8;
  assert_int_equal(siox_learn(e, 4, &USUAL, &l, &n), 0);
  assert_int_equal(n, 1);
  free(l);
}

static void of_several_the_best_is_taken_and_the_verdict_of_the_base_told(void **unused) {
  (void)unused;
  struct siox_episode e[8];
  struct siox_lesson *l;
  size_t n;
  for (int i = 0; i < 4; i++) {
    e[i] = episode("romio_cb_write=automatic", 4);
    snprintf(e[i].verdict, sizeof e[i].verdict, "%s", i < 3 ? "high load" : "");
  }
  e[4] = e[5] = episode("romio_cb_write=disable", 2);
  e[6] = e[7] = episode("romio_cb_write=enable", 1);
  snprintf(e[6].verdict, sizeof e[6].verdict, "fault");
  assert_int_equal(siox_learn(e, 8, &USUAL, &l, &n), 0);
  assert_int_equal(n, 1);
  assert_string_equal(l->response.value[SIOX_ADVICE_romio_cb_write], "enable");
  assert_near(l->gain, 0.75, 1e-12);
  assert_string_equal(l->verdict, "high load");
  assert_int_equal(l->with_verdict, 3);
  free(l);
}

static struct siox_episode of_trail(void (*walk)(struct siox_trail *)) {
  struct siox_trail *t;
  struct siox_episode e = {0};
  assert_int_equal(siox_trail_new(&t), 0);
  walk(t);
  assert_true(siox_trail_episode(t, &e));
  siox_trail_free(t);
  return e;
}
static void one_after_another(struct siox_trail *t) {
  for (uint32_t client = 0; client < 3; client++)
    for (int i = 0; i < 10; i++) /* 1 MiB in 10 ms: 0.01 s a MiB */
      siox_trail_add(t, client, false, false, 1048576 * (100 * client + i), 1048576, 10000000);
}
static void with_strides(struct siox_trail *t) {
  for (uint32_t client = 0; client < 4; client++)
    for (int i = 0; i < 12; i++)
      siox_trail_add(t, client, true, true, 4096 * (4 * i + (int64_t)client), 4096, 1000);
}
static void anywhere(struct siox_trail *t) {
  uint64_t state = 5;
  for (int i = 0; i < 100; i++)
    siox_trail_add(t, 0, i % 2, false, (int64_t)test_below(&state, 1u << 30), 512, 1000);
}
static void nobody_knows_where(struct siox_trail *t) {
  for (int i = 0; i < 10; i++)
    siox_trail_add(t, 0, true, false, -1, 100, 1000);
}
static void what_was_done_is_told_by_its_offsets(void **unused) {
  (void)unused;
  struct siox_episode e = of_trail(one_after_another);
  assert_int_equal(e.situation.pattern, SIOX_SEQUENTIAL);
  assert_int_equal(e.situation.access, SIOX_READS);
  assert_false(e.situation.collective);
  assert_int_equal(e.situation.size_class, siox_size_class(1048576));
  assert_near(e.cost, 0.01, 1e-12);
  e = of_trail(with_strides);
  assert_int_equal(e.situation.pattern, SIOX_STRIDED);
  assert_int_equal(e.situation.access, SIOX_WRITES);
  assert_true(e.situation.collective);
  assert_int_equal(e.situation.size_class, siox_size_class(4096));
  e = of_trail(anywhere);
  assert_int_equal(e.situation.pattern, SIOX_RANDOM);
  assert_int_equal(e.situation.access, SIOX_READS_AND_WRITES);
  e = of_trail(nobody_knows_where);
  assert_int_equal(e.situation.pattern, SIOX_UNKNOWN_PATTERN);
}

static void settings_are_the_same_text_again_and_nothing_strange(void **unused) {
  (void)unused;
  struct siox_settings s;
  char text[64], cut[8];
  assert_int_equal(siox_settings_parse(&s, " striping_unit=65536  colour=red cb_nodes=*:1"),
                   SIOX_EINVAL); /* a star is no value of ours */
  assert_int_equal(siox_settings_parse(&s, "striping_unit=65536 colour=red cb_nodes=4 x"), 0);
  assert_int_equal(siox_settings_format(&s, text, sizeof text), 30);
  assert_string_equal(text, "cb_nodes=4 striping_unit=65536");
  assert_int_equal(siox_settings_format(&s, cut, sizeof cut), 30);
  assert_string_equal(cut, "cb_node");
  assert_int_equal(
      siox_settings_parse(&s, "cb_nodes=11111111112222222222333333333344444444445555555555"),
      SIOX_EINVAL);
  assert_int_equal(siox_settings_parse(&s, ""), 0);
  assert_int_equal(siox_settings_format(&s, text, sizeof text), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(student_s_t_is_that_of_the_tables),
      cmocka_unit_test(the_setting_that_cost_half_is_the_lesson),
      cmocka_unit_test(what_may_be_chance_is_no_lesson),
      cmocka_unit_test(one_run_teaches_nothing),
      cmocka_unit_test(a_worse_setting_is_no_lesson_though_rarer),
      cmocka_unit_test(situations_are_not_compared_with_each_other),
      cmocka_unit_test(of_several_the_best_is_taken_and_the_verdict_of_the_base_told),
      cmocka_unit_test(what_was_done_is_told_by_its_offsets),
      cmocka_unit_test(settings_are_the_same_text_again_and_nothing_strange),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
