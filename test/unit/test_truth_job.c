/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a job of a scenario can be asked for beside hints placed from what it does. */
#include "truth_support.h"

static void none_is_what_a_program_without_hints_does(void **state) {
  (void)state;
  static const char *const policy[] = {"siox", "claims", "rt", "com", "timeout", "hw"};
  for (int i = 0; i < 6; i++) {
    recorded_hints(0);
    double expected = joules_of(SIOX_SIM_GIVE_RECORDED, policy[i]);
    recorded_hints(1);
    near(joules_of(SIOX_SIM_GIVE_NONE, policy[i]), expected);
  }
}

static void think_times_are_dilated_and_nothing_else(void **state) {
  (void)state;
  recorded_hints(0);
  struct siox_sim_job job = truth();
  job.think = 3;
  struct outcome o = of_trace(&job, "siox");
  nothing_is_late(&o);
  assert_int_equal(o.run.end,
                   30 * SEC + 3 * (20 * SEC - 6 * MS) + 3 * (10 * SEC - 6 * MS) + 12 * MS);
  near(o.run.joules, o.least + NDISKS * END);
  forget(&o);
}

static int elsewhere(void *context, const char *path, struct siox_layout *out,
                     struct siox_diag *diag) {
  (void)context;
  (void)path;
  (void)diag;
  return siox_layout_parse(out, NDISKS, "1:1:1M") < 0 ? SIOX_EINVAL : 1; /* both files */
}
static void hints_go_with_the_file(void **state) {
  (void)state;
  recorded_hints(0);
  struct siox_sim_job job = truth();
  struct outcome here = of_trace(&job, "siox");
  job.layout = elsewhere;
  struct siox_sim *sim = sim_of(&job);
  assert_int_equal(siox_sim_hints(sim, 0), SIOX_SIM_HINTS_TRUTH);
  struct outcome there = outcome_of(sim, "siox");
  nothing_is_late(&there);
  near(there.run.joules, here.run.joules);
  assert_int_equal(there.run.disk[0].requests, 0);
  siox_sim_destroy(sim);
  forget(&there);
  forget(&here);
}
static void a_file_that_moves_after_a_run_has_its_hints_placed_again(void **state) {
  (void)state;
  recorded_hints(0);
  struct siox_sim_job job = truth();
  job.layout = elsewhere;
  struct siox_sim *sim = sim_of(&job);
  struct outcome there = outcome_of(sim, "siox");
  struct siox_layout back;
  assert_int_equal(siox_layout_parse(&back, NDISKS, "0:1:1M"), 0);
  assert_int_equal(siox_sim_place(sim, 0, 0, &back), 0);
  struct outcome here = outcome_of(sim, "siox");
  nothing_is_late(&here);
  near(here.run.joules, there.run.joules);
  assert_int_equal(here.run.disk[1].requests, 0);
  siox_layout_free(&back);
  siox_sim_destroy(sim);
  forget(&there);
  forget(&here);
}

static void repeats_know_as_much(void **state) {
  (void)state;
  recorded_hints(0);
  struct siox_sim_job job = truth();
  job.repeats = 3;
  job.pause = 5 * SEC;
  job.start = 7 * SEC;
  struct outcome o = of_trace(&job, "siox");
  nothing_is_late(&o);
  forget(&o);
}
static void instances_know_as_much(void **state) {
  (void)state;
  recorded_hints(0);
  struct siox_sim_job job = truth();
  job.instances = 3;
  struct outcome o = of_trace(&job, "siox");
  assert_int_equal(o.run.missed, 0);
  assert_true(siox_added_io(&o.run, &o.base) == 0);
  forget(&o);
}

static struct siox_sim_job generated(struct siox_layout *layout) {
  drive = test_drive();
  assert_int_equal(siox_layout_parse(layout, NDISKS, "0:2:64K"), 0);
  return (struct siox_sim_job){.delay_budget = -1,
                               .hints = SIOX_SIM_GIVE_TRUTH,
                               .generated = {.processes = 2,
                                             .phases = 5,
                                             .gap_ns = 20 * SEC,
                                             .burst = 1 << 20,
                                             .error = 0.5,
                                             .seed = 1,
                                             .hints = true,
                                             .together = true,
                                             .layout = layout}};
}
/* Both disks at a time, so a barrier is left when the later process is done; a process lets its
 * disks go before it enters. */
static void a_generated_job_has_them_too(void **state) {
  (void)state;
  struct siox_layout layout;
  struct siox_sim_job job = generated(&layout);
  struct outcome o = of_trace(&job, "siox");
  nothing_is_late(&o);
  near(o.run.joules, o.least); /* there is no gap behind the last burst */
  forget(&o);
  siox_layout_free(&layout);
}
static void none_of_a_generated_job_is_as_if_it_made_none(void **state) {
  (void)state;
  struct siox_layout layout;
  struct siox_sim_job job = generated(&layout);
  double joules[2];
  for (int i = 0; i < 2; i++) {
    job.hints = i ? SIOX_SIM_GIVE_NONE : SIOX_SIM_GIVE_RECORDED;
    job.generated.hints = i;
    struct outcome o = of_trace(&job, "claims");
    joules[i] = o.run.joules;
    forget(&o);
  }
  near(joules[1], joules[0]);
  siox_layout_free(&layout);
}

static void no_other_hints_can_be_asked_for(void **state) {
  (void)state;
  recorded_hints(0);
  struct siox_sim_job job = truth();
  struct siox_sim *sim;
  job.hints = (enum siox_sim_give)3;
  assert_int_equal(
      siox_sim_create(&sim, &(struct siox_sim_options){.ndisks = NDISKS, .drive = drives}), 0);
  assert_int_equal(siox_sim_add(sim, &job, NULL), SIOX_EINVAL);
  siox_sim_destroy(sim);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(none_is_what_a_program_without_hints_does),
      cmocka_unit_test(think_times_are_dilated_and_nothing_else),
      cmocka_unit_test(hints_go_with_the_file),
      cmocka_unit_test(a_file_that_moves_after_a_run_has_its_hints_placed_again),
      cmocka_unit_test(repeats_know_as_much),
      cmocka_unit_test(instances_know_as_much),
      cmocka_unit_test(a_generated_job_has_them_too),
      cmocka_unit_test(none_of_a_generated_job_is_as_if_it_made_none),
      cmocka_unit_test(no_other_hints_can_be_asked_for),
  };
  return cmocka_run_group_tests(tests, test_make_directory, test_remove_directory);
}
