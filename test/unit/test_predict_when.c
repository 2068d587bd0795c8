/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The predictor on loops that say in which iterations they do I/O:
 *   for (k = 0; k < trip; k++) { work(); if ((k + first) % every == 0) write(); } */
#include "predict_support.h"

struct loop {
  struct siox_site write, *next[1], *sites[1];
  struct siox_region work, steps, *succ[1], *past[1];
  struct siox_steps_when when;
};

static void make(struct loop *l) {
  memset(l, 0, sizeof *l);
  l->write = data_site(origin_a, 1);
  l->next[0] = l->sites[0] = &l->write;
  l->succ[0] = l->past[0] = &l->work;
  l->work = loop_region(l->next, 1, l->succ, 1);
  l->steps = loop_region(NULL, 0, NULL, 0);
  l->steps.kind = SIOX_REGION_STEPS;
  l->work.steps = &l->steps;
  l->work.ninside = l->work.nsuccinside = 1;
  l->when = (struct siox_steps_when){.steps = &l->steps, .sites = l->sites, .nsites = 1, .step = 1};
}

static void start(struct world *w, struct loop *l, int64_t trip, int64_t first, int64_t every) {
  siox__predictor_when(&w->p, &l->when, first, every);
  siox__predictor_enter(&w->p, &l->steps, trip, w->now);
}

/* An iteration of 4 s, its access at the end. */
static void iterate(struct world *w, struct loop *l, int64_t k, bool writes) {
  run_loop(w, &l->work, 100, 4 * SECOND);
  if (writes)
    touch(w, &l->write, &handle_a, 0, 3 << 16);
  siox__predictor_tick(&w->p, &l->steps, k + 1, w->now);
}

static void the_condition_tells_the_first_use_already(void **state) {
  (void)state;
  struct world w;
  struct loop l;
  begin(&w, SIOX_LEAD_GAP, "1:3:64K", "0:1:64K");
  make(&l);
  open_files(&w);
  start(&w, &l, 30, 1, 10); /* iterations 9, 19 and 29 */
  int64_t begun = w.now;
  for (int k = 0; k < 3; k++)
    iterate(&w, &l, k, false);
  siox__predictor_enter(&w.p, &l.work, 100, w.now);
  const struct told *t = last_for(&w, 1, w.n);
  assert_int_equal(t->flag, 0);
  /* Iteration 9 begins after 36 s, and its access comes 4 s later. */
  assert_true(t->need_by > begun + 35 * SECOND && t->need_by <= begun + 40 * SECOND);
  end(&w);
}

static void in_an_iteration_that_fulfils_it_the_use_comes_at_once(void **state) {
  (void)state;
  struct world w;
  struct loop l;
  begin(&w, SIOX_LEAD_GAP, "1:3:64K", "0:1:64K");
  make(&l);
  open_files(&w);
  start(&w, &l, 30, 1, 3);
  iterate(&w, &l, 0, false);
  iterate(&w, &l, 1, false);
  siox__predictor_enter(&w.p, &l.work, 100, w.now);
  assert_true(last_for(&w, 1, w.n)->need_by <= w.now + 4 * SECOND);
  end(&w);
}

static void after_its_place_the_present_iteration_is_over(void **state) {
  (void)state;
  struct world w;
  struct loop l;
  begin(&w, SIOX_LEAD_GAP, "1:3:64K", "0:1:64K");
  make(&l);
  l.when.past = l.past;
  l.when.npast = 1; /* the access stands before the work */
  open_files(&w);
  start(&w, &l, 30, 0, 5);
  int64_t begun = w.now;
  for (int k = 0; k < 5; k++)
    iterate(&w, &l, k, false);
  touch(&w, &l.write, &handle_a, 0, 3 << 16); /* iteration 5 */
  siox__predictor_enter(&w.p, &l.work, 100, w.now);
  const struct told *t = last_for(&w, 1, w.n);
  assert_int_equal(t->flag, 0);
  assert_true(t->need_by > begun + 38 * SECOND && t->need_by <= begun + 40 * SECOND);
  end(&w);
}

static void a_condition_that_was_not_true_is_not_believed_any_more(void **state) {
  (void)state;
  struct world w;
  struct loop l;
  begin(&w, SIOX_LEAD_GAP, "1:3:64K", "0:1:64K");
  make(&l);
  open_files(&w);
  start(&w, &l, 30, 1, 10);
  for (int k = 0; k < 4; k++)
    iterate(&w, &l, k, k == 2);
  siox__predictor_enter(&w.p, &l.work, 100, w.now);
  assert_true(last_for(&w, 1, w.n)->need_by <= w.now + 4 * SECOND);
  end(&w);
}

/* The last iterations fulfil it no more: what follows the loop may use the file. */
static void no_use_is_put_behind_the_end_of_the_loop(void **state) {
  (void)state;
  struct world w;
  struct loop l;
  begin(&w, SIOX_LEAD_GAP, "1:3:64K", "0:1:64K");
  make(&l);
  open_files(&w);
  start(&w, &l, 8, 1, 10);
  int64_t begun = w.now;
  for (int k = 0; k < 3; k++)
    iterate(&w, &l, k, false);
  siox__predictor_enter(&w.p, &l.work, 100, w.now);
  assert_true(last_for(&w, 1, w.n)->need_by <= begun + 32 * SECOND);
  end(&w);
}

static void a_gap_behind_the_condition_begins_with_the_use(void **state) {
  (void)state;
  struct world w;
  struct loop l;
  begin(&w, SIOX_LEAD_GAP, "1:3:64K", "0:1:64K");
  make(&l);
  /* if (..) { prepare(); write(); } */
  struct siox_region prepare = loop_region(l.next, 1, l.succ, 1), *behind[] = {&prepare},
                     *succ[] = {&l.work, &prepare};
  l.work.nnext = l.work.ninside = 0;
  l.work.succ = succ;
  l.work.nsucc = l.work.nsuccinside = 2;
  prepare.steps = &l.steps;
  prepare.ninside = prepare.nsuccinside = 1;
  l.when.nsites = 0;
  l.when.gaps = behind;
  l.when.ngaps = 1;
  open_files(&w);
  start(&w, &l, 30, 1, 10);
  int64_t begun = w.now;
  for (int k = 0; k < 3; k++)
    iterate(&w, &l, k, false);
  siox__predictor_enter(&w.p, &l.work, 100, w.now);
  const struct told *t = last_for(&w, 1, w.n);
  assert_int_equal(t->flag, 0);
  assert_true(t->need_by > begun + 35 * SECOND && t->need_by <= begun + 40 * SECOND);
  end(&w);
}

/* The work is ahead of the access in every iteration; times are the profile's. */
static void measure(struct loop *l, int64_t work, int64_t step) {
  l->work.flags = l->steps.flags = SIOX_REGION_MEASURED;
  l->work.measured_ns = work;
  l->steps.body_ns = step;
  l->when.ahead = l->succ;
  l->when.nahead = 1;
}

static void begin_measured(struct world *w, struct loop *l, int64_t work, int64_t step) {
  begin(w, SIOX_LEAD_GAP, "1:3:64K", "0:1:64K");
  make(l);
  measure(l, work, step);
  open_files(w);
}

static void what_every_iteration_does_before_the_use_counts_too(void **state) {
  (void)state;
  struct world w;
  struct loop l;
  begin_measured(&w, &l, 4 * SECOND, 5 * SECOND);
  start(&w, &l, 30, 1, 3);
  siox__predictor_enter(&w.p, &l.work, 100, w.now);
  /* Iteration 2 begins after 10 s and comes to its access 4 s later. */
  const int64_t use = 14 * SECOND - SECOND / 10;
  const struct told *t = last_for(&w, 1, w.n);
  assert_int_equal(t->flag, 0);
  assert_true(t->need_by <= w.now + use && t->need_by >= w.now + use - use / 32);
  end(&w);
}

static void after_the_first_use_its_course_tells(void **state) {
  (void)state;
  struct world w;
  struct loop l;
  begin_measured(&w, &l, 4 * SECOND, 5 * SECOND);
  start(&w, &l, 30, 1, 3);
  for (int k = 0; k < 3; k++)
    iterate(&w, &l, k, k == 2);
  siox__predictor_enter(&w.p, &l.work, 100, w.now);
  /* 12 s, an eighth less as there was one, and the margin. */
  const int64_t use = 12 * SECOND / 8 * 7, need_by = last_for(&w, 1, w.n)->need_by;
  assert_true(need_by <= w.now + use && need_by >= w.now + use - use / 32);
  end(&w);
}

static void nothing_is_done_before_a_use_behind_the_end_of_the_loop(void **state) {
  (void)state;
  struct world w;
  struct loop l;
  begin_measured(&w, &l, 4 * SECOND, 5 * SECOND);
  start(&w, &l, 2, 1, 10);
  siox__predictor_enter(&w.p, &l.work, 100, w.now);
  assert_true(last_for(&w, 1, w.n)->need_by <= w.now + 10 * SECOND);
  end(&w);
}

static void a_slow_first_iteration_says_no_more_than_what_was_measured(void **state) {
  (void)state;
  struct world w;
  struct loop l;
  begin(&w, SIOX_LEAD_GAP, "1:3:64K", "0:1:64K");
  make(&l);
  measure(&l, 4 * SECOND, 5 * SECOND);
  l.when.nahead = 0;
  open_files(&w);
  start(&w, &l, 30, 1, 10);
  run_loop(&w, &l.work, 100, 9 * SECOND);
  siox__predictor_tick(&w.p, &l.steps, 1, w.now);
  siox__predictor_enter(&w.p, &l.work, 100, w.now);
  assert_int_equal(last_for(&w, 1, w.n)->need_by, w.now + 8 * 5 * SECOND - SECOND / 10);
  end(&w);
}

/* In the loop there is nothing that is watched, only waits for other ranks. */
static void a_loop_without_gaps_lets_go_when_an_iteration_has_ended(void **state) {
  (void)state;
  struct world w;
  struct loop l;
  begin(&w, SIOX_LEAD_GAP, "1:3:64K", "0:1:64K");
  make(&l);
  l.when.only = 1;
  open_files(&w);
  start(&w, &l, 30, 0, 10);
  int64_t begun = w.now;
  touch(&w, &l.write, &handle_a, 0, 3 << 16);
  w.now += 9 * SECOND; /* the first iteration is slow */
  siox__predictor_tick(&w.p, &l.steps, 1, w.now);
  w.now += 4 * SECOND;
  assert_int_equal(last_for(&w, 1, w.n)->flag, 1);
  siox__predictor_tick(&w.p, &l.steps, 2, w.now);
  const struct told *t = last_for(&w, 1, w.n);
  assert_int_equal(t->flag, 0);
  assert_true(t->need_by > begun + 44 * SECOND && t->need_by <= begun + 45 * SECOND);
  assert_null(last_for(&w, 0, w.n)); /* nobody has used it */
  end(&w);
}

/* while (!converged) { work(); if (k % 10 == 0) write(); } write(); */
static void a_loop_that_can_end_at_any_time_promises_nothing_of_what_comes_after_it(void **state) {
  (void)state;
  for (uint32_t elsewhere = 0; elsewhere < 2; elsewhere++) {
    struct world w;
    struct loop l;
    begin(&w, SIOX_LEAD_GAP, "1:3:64K", "0:1:64K");
    make(&l);
    l.when.elsewhere = elsewhere;
    open_files(&w);
    start(&w, &l, SIOX_UNKNOWN, 0, 10);
    int64_t begun = w.now;
    for (int k = 0; k < 4; k++)
      iterate(&w, &l, k, k == 0);
    siox__predictor_enter(&w.p, &l.work, 100, w.now);
    const struct told *t = last_for(&w, 1, w.n);
    if (elsewhere)
      assert_true(t->need_by <= w.now + 4 * SECOND);
    else
      assert_true(t->need_by > begun + 35 * SECOND && t->need_by <= begun + 40 * SECOND);
    end(&w);
  }
}

/* One quick iteration a run does not make the runs quicker. */
static void runs_between_two_uses_last_as_long_as_the_shortest_did(void **state) {
  (void)state;
  struct world w;
  struct loop l;
  begin(&w, SIOX_LEAD_GAP, "1:3:64K", "0:1:64K");
  make(&l);
  open_files(&w);
  start(&w, &l, 100, 0, 10);
  int64_t wrote = 0;
  for (int k = 0; k <= 31; k++) {
    int64_t begun = w.now;
    run_loop(&w, &l.work, 100, k % 10 == 5 ? SECOND : 4 * SECOND);
    if (k % 10 == 0)
      touch(&w, &l.write, &handle_a, 0, 3 << 16);
    siox__predictor_tick(&w.p, &l.steps, k + 1, w.now);
    wrote = k == 30 ? begun : wrote;
  }
  siox__predictor_enter(&w.p, &l.work, 100, w.now);
  /* Iteration 40 begins 37 s after iteration 30; ten times the quickest are 10 s. */
  const struct told *t = last_for(&w, 1, w.n);
  assert_int_equal(t->flag, 0);
  assert_true(t->need_by > wrote + 34 * SECOND && t->need_by <= wrote + 41 * SECOND);
  end(&w);
}

/* What a thread's loop does says nothing of the others. */
static void a_loop_lets_nothing_go_that_other_threads_use(void **state) {
  (void)state;
  struct world w;
  struct loop l;
  begin(&w, SIOX_LEAD_GAP, "1:3:64K", "0:1:64K");
  make(&l);
  l.when.only = 1;
  open_files(&w);
  w.p.threads = true;
  start(&w, &l, 30, 0, 10);
  touch(&w, &l.write, &handle_a, 0, 3 << 16);
  for (int k = 0; k < 3; k++) {
    w.now += 4 * SECOND;
    siox__predictor_tick(&w.p, &l.steps, k + 1, w.now);
  }
  assert_int_equal(last_for(&w, 1, w.n)->flag, 1);
  end(&w);
}

/* The same where code runs in the loop that nobody has seen: only = 2. */
static void lets_go_after_two_iterations(struct world *w, struct loop *l) {
  begin(w, SIOX_LEAD_GAP, "1:3:64K", "0:1:64K");
  make(l);
  l->when.only = 2;
  open_files(w);
  start(w, l, 30, 0, 10);
  touch(w, &l->write, &handle_a, 0, 3 << 16);
  for (int k = 0; k < 2; k++) {
    assert_int_equal(last_for(w, 1, w->n)->flag, 1);
    w->now += 4 * SECOND;
    siox__predictor_tick(&w->p, &l->steps, k + 1, w->now);
  }
  assert_int_equal(last_for(w, 1, w->n)->flag, 0);
}

static void unseen_code_is_believed_to_do_no_io_after_two_iterations(void **state) {
  (void)state;
  struct world w;
  struct loop l;
  lets_go_after_two_iterations(&w, &l);
  end(&w);
}

static void unseen_code_that_did_io_is_not_believed_any_more(void **state) {
  (void)state;
  struct world w;
  struct loop l;
  lets_go_after_two_iterations(&w, &l);
  struct siox_site other = data_site(origin_a, 1); /* iteration 2 */
  touch(&w, &other, &handle_a, 0, 3 << 16);
  for (int k = 2; k < 5; k++) {
    w.now += 4 * SECOND;
    siox__predictor_tick(&w.p, &l.steps, k + 1, w.now);
  }
  assert_int_equal(last_for(&w, 1, w.n)->flag, 1);
  end(&w);
}

static void what_was_told_moves_as_the_loop_slows_down(void **state) {
  (void)state;
  struct world w;
  struct loop l;
  lets_go_after_two_iterations(&w, &l);
  int64_t before = last_for(&w, 1, w.n)->need_by;
  for (int k = 2; k < 10; k++) { /* the pace is that of the fastest of the last eight */
    w.now += 6 * SECOND;
    siox__predictor_tick(&w.p, &l.steps, k + 1, w.now);
    if (k == 7)
      assert_true(last_for(&w, 1, w.n)->need_by > before + 10 * SECOND);
  }
  end(&w);
}

/* Each third iteration does I/O, the first of a round 8 s, the others 4 s: the access comes 16 s
 * after the last one. */
static void uneven_round(struct world *w, struct loop *l, int64_t k) {
  for (int64_t i = 0; i < 3; i++) {
    run_loop(w, &l->work, 100, (i ? 4 : 8) * SECOND);
    if (i == 2)
      touch(w, &l->write, &handle_a, 0, 3 << 16);
    siox__predictor_tick(&w->p, &l->steps, k + i + 1, w->now);
  }
}

static void three_uneven_rounds(struct world *w, struct loop *l) {
  begin(w, SIOX_LEAD_GAP, "1:3:64K", "0:1:64K");
  make(l);
  open_files(w);
  start(w, l, 30, 1, 3);
  for (int64_t k = 0; k < 9; k += 3)
    uneven_round(w, l, k);
}

static void a_use_is_expected_as_long_after_the_last_as_it_came_before(void **state) {
  (void)state;
  struct world w;
  struct loop l;
  three_uneven_rounds(&w, &l);
  siox__predictor_enter(&w.p, &l.work, 100, w.now);
  /* Not as soon as the iteration begins, 12 s from here; 3 % go to the safe side. */
  int64_t use = last_for(&w, 1, w.n)->need_by - w.now;
  assert_true(use >= 15 * SECOND && use <= 16 * SECOND);
  end(&w);
}

static void a_round_that_is_faster_so_far_is_expected_to_be_over_sooner(void **state) {
  (void)state;
  struct world w;
  struct loop l;
  three_uneven_rounds(&w, &l);
  run_loop(&w, &l.work, 100, 4 * SECOND); /* half of what it took before: 4 s are left, not 8 */
  siox__predictor_tick(&w.p, &l.steps, 10, w.now);
  siox__predictor_enter(&w.p, &l.work, 100, w.now);
  assert_true(last_for(&w, 1, w.n)->need_by - w.now <= 5 * SECOND);
  end(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_condition_tells_the_first_use_already),
      cmocka_unit_test(in_an_iteration_that_fulfils_it_the_use_comes_at_once),
      cmocka_unit_test(after_its_place_the_present_iteration_is_over),
      cmocka_unit_test(a_condition_that_was_not_true_is_not_believed_any_more),
      cmocka_unit_test(no_use_is_put_behind_the_end_of_the_loop),
      cmocka_unit_test(what_every_iteration_does_before_the_use_counts_too),
      cmocka_unit_test(after_the_first_use_its_course_tells),
      cmocka_unit_test(nothing_is_done_before_a_use_behind_the_end_of_the_loop),
      cmocka_unit_test(a_slow_first_iteration_says_no_more_than_what_was_measured),
      cmocka_unit_test(a_loop_without_gaps_lets_go_when_an_iteration_has_ended),
      cmocka_unit_test(a_gap_behind_the_condition_begins_with_the_use),
      cmocka_unit_test(a_loop_that_can_end_at_any_time_promises_nothing_of_what_comes_after_it),
      cmocka_unit_test(runs_between_two_uses_last_as_long_as_the_shortest_did),
      cmocka_unit_test(a_loop_lets_nothing_go_that_other_threads_use),
      cmocka_unit_test(unseen_code_is_believed_to_do_no_io_after_two_iterations),
      cmocka_unit_test(unseen_code_that_did_io_is_not_believed_any_more),
      cmocka_unit_test(what_was_told_moves_as_the_loop_slows_down),
      cmocka_unit_test(a_use_is_expected_as_long_after_the_last_as_it_came_before),
      cmocka_unit_test(a_round_that_is_faster_so_far_is_expected_to_be_over_sooner),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
