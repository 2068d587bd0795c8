/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The predictor on scripted programs with a clock of their own: expected times follow from the
 * script's durations. */
#include "predict_support.h"

static void first_gap_is_predicted_from_the_first_iterations(void **state) {
  (void)state;
  struct world w;
  begin(&w, SIOX_LEAD_GAP, "1:3:64K", "0:1:64K");
  struct siox_site read = data_site(origin_a, 1);
  struct siox_site *next[] = {&read};
  struct siox_region r, *succ[] = {&r};
  r = loop_region(next, 1, succ, 1);
  open_files(&w);
  touch(&w, &read, &handle_a, 0, 3 << 16);
  int64_t start = w.now;
  siox__predictor_enter(&w.p, &r, 100, w.now);
  int before = w.n;
  w.now = start + SECOND / 10;
  siox__predictor_tick(&w.p, &r, 1, w.now);
  assert_true(w.n > before);
  struct told *t = last_for(&w, 1, w.n);
  assert_int_equal(t->flag, 0);
  /* 10 s at this rate; a 32nd of the rest is kept as margin. */
  assert_true(t->need_by <= start + 10 * SECOND &&
              t->need_by >= start + 10 * SECOND - SECOND * 10 / 32);
  end(&w);
}

static void nothing_is_said_before_anything_is_known(void **state) {
  (void)state;
  struct world w;
  begin(&w, SIOX_LEAD_GAP, "1:3:64K", "0:1:64K");
  struct siox_site read = data_site(origin_a, 1);
  struct siox_site *next[] = {&read};
  struct siox_region r, *succ[] = {&r};
  r = loop_region(next, 1, succ, 1);
  open_files(&w);
  touch(&w, &read, &handle_a, 0, 3 << 16);
  int before = w.n;
  siox__predictor_enter(&w.p, &r, SIOX_UNKNOWN, w.now);
  for (int i = before; i < w.n; i++) /* only disks that the program never uses may be let go */
    assert_string_equal(w.told[i].mask, "100011");
  end(&w);
}

static void second_gap_is_predicted_at_its_entry(void **state) {
  (void)state;
  struct world w;
  begin(&w, SIOX_LEAD_GAP, "1:3:64K", "0:1:64K");
  struct siox_site read = data_site(origin_a, 1);
  struct siox_site *next[] = {&read};
  struct siox_region r, *succ[] = {&r};
  r = loop_region(next, 1, succ, 1);
  open_files(&w);
  touch(&w, &read, &handle_a, 0, 3 << 16);
  run_loop(&w, &r, 100, 10 * SECOND);
  touch(&w, &read, &handle_a, 3 << 16, 3 << 16);
  int before = w.n;
  int64_t start = w.now;
  siox__predictor_enter(&w.p, &r, 100, w.now);
  assert_true(w.n > before);
  struct told *t = last_for(&w, 2, w.n);
  assert_int_equal(t->at, start);
  assert_int_equal(t->flag, 0);
  assert_true(llabs(t->need_by - (start + 10 * SECOND)) < SECOND / 3); /* less the margin */
  end(&w);
}

static void gaps_that_do_not_pay_give_no_hint_for_disks_in_use(void **state) {
  (void)state;
  struct world w;
  begin(&w, SIOX_LEAD_GAP, "0:6:64K", "0:6:64K");
  struct siox_site read = data_site(origin_a, 1);
  struct siox_site *next[] = {&read};
  struct siox_region r, *succ[] = {&r};
  r = loop_region(next, 1, succ, 1);
  open_files(&w);
  for (int k = 0; k < 10; k++) {
    touch(&w, &read, &handle_a, (int64_t)k * (6 << 16), 6 << 16);
    run_loop(&w, &r, 100, SECOND);
  }
  for (int i = 0; i < w.n; i++)
    assert_int_equal(w.told[i].flag, 1);
  end(&w);
}

/* transfer() is one call reached after two different gaps; the file differs by the way it was
 * reached. */
static void one_call_on_two_paths_is_learned_apart(void **state) {
  (void)state;
  struct world w;
  begin(&w, SIOX_LEAD_GAP, "0:3:64K", "3:3:64K");
  struct siox_site both = data_site(origin_ab, 2);
  struct siox_site *next[] = {&both};
  struct siox_region r1, r2, *to_r2[] = {&r2}, *to_r1[] = {&r1};
  r1 = loop_region(next, 1, to_r2, 1);
  r2 = loop_region(next, 1, to_r1, 1);
  open_files(&w);
  for (int k = 0; k < 3; k++) {
    touch(&w, &both, &handle_a, (int64_t)k * (3 << 16), 3 << 16);
    run_loop(&w, &r1, 100, 10 * SECOND);
    touch(&w, &both, &handle_b, (int64_t)k * (3 << 16), 3 << 16);
    run_loop(&w, &r2, 100, 20 * SECOND);
  }
  touch(&w, &both, &handle_a, 3 * (3 << 16), 3 << 16);
  int64_t start = w.now;
  siox__predictor_enter(&w.p, &r1, 100, w.now);
  struct told *a = last_for(&w, 0, w.n), *b = last_for(&w, 3, w.n);
  assert_int_equal(a->flag, 0);
  assert_true(llabs(a->need_by - (start + 30 * SECOND)) < SECOND / 2); /* A comes after both gaps */
  assert_true(llabs(b->need_by - (start + 10 * SECOND)) < SECOND / 2); /* B after this one */
  end(&w);
}

static void files_in_turn_at_one_place_are_learned_as_a_period(void **state) {
  (void)state;
  struct world w;
  begin(&w, SIOX_LEAD_GAP, "0:3:64K", "3:3:64K");
  struct siox_site both = data_site(origin_ab, 2);
  struct siox_site *next[] = {&both};
  struct siox_region r, *succ[] = {&r};
  r = loop_region(next, 1, succ, 1);
  open_files(&w);
  for (int k = 0; k < 8; k++) {
    touch(&w, &both, k % 2 ? &handle_b : &handle_a, (int64_t)k * (3 << 16), 3 << 16);
    run_loop(&w, &r, 100, 10 * SECOND);
  }
  touch(&w, &both, &handle_a, 8 * (3 << 16), 3 << 16);
  int64_t start = w.now;
  siox__predictor_enter(&w.p, &r, 100, w.now);
  struct told *a = last_for(&w, 0, w.n), *b = last_for(&w, 3, w.n);
  assert_true(llabs(a->need_by - (start + 20 * SECOND)) < SECOND / 2);
  assert_true(llabs(b->need_by - (start + 10 * SECOND)) < SECOND / 2);
  end(&w);
}

/* Two files in turn; every transfer is followed by a short loop in the helper that both share. */
static void brief_loops_belong_to_the_burst_around_them(void **state) {
  (void)state;
  struct world w;
  begin(&w, SIOX_LEAD_GAP, "0:3:64K", "3:2:64K");
  struct siox_site both = data_site(NULL, 0); /* the handle comes from a struct */
  struct siox_site *next[] = {&both};
  struct siox_region r1, r2, brief, *from_r[] = {&brief}, *from_brief[] = {&brief, &r1, &r2};
  r1 = loop_region(next, 1, from_r, 1);
  r2 = loop_region(next, 1, from_r, 1);
  brief = loop_region(next, 1, from_brief, 3);
  open_files(&w);
  for (int k = 0; k < 4; k++) {
    for (int slab = 0; slab < 2; slab++) {
      touch(&w, &both, &handle_a, slab * (3 << 16), 3 << 16);
      run_loop(&w, &brief, 10, SECOND / 1000);
    }
    run_loop(&w, &r1, 100, 10 * SECOND);
    for (int slab = 0; slab < 2; slab++) {
      touch(&w, &both, &handle_b, slab * (2 << 16), 2 << 16);
      run_loop(&w, &brief, 10, SECOND / 1000);
    }
    int before = w.n;
    int64_t start = w.now;
    run_loop(&w, &r2, 100, 20 * SECOND);
    if (k < 2)
      continue;
    assert_true(w.n > before);
    struct told *a = last_for(&w, 0, before + 2), *b = last_for(&w, 3, before + 2);
    assert_true(llabs(a->need_by - (start + 20 * SECOND)) < SECOND);
    assert_true(llabs(b->need_by - (start + 30 * SECOND)) < SECOND);
    assert_int_equal(last_for(&w, 5, w.n)->need_by, 0); /* no file lies there */
  }
  end(&w);
}

/* A helper's loop returns to every caller as far as the graph can tell; a gap that never came after
 * this one in the loop so far is not expected before the loop is over. */
static void what_never_followed_in_a_loop_is_not_expected_in_it(void **state) {
  (void)state;
  struct world w;
  begin(&w, SIOX_LEAD_GAP, "0:3:64K", "3:2:64K");
  struct siox_site read = data_site(origin_a, 1), other = data_site(NULL, 0);
  struct siox_site *next[] = {&read}, *after[] = {&other};
  struct siox_region r, brief, elsewhere = loop_region(after, 1, NULL, 0);
  struct siox_region steps = loop_region(NULL, 0, NULL, 0);
  struct siox_region *from_r[] = {&brief}, *from_brief[] = {&brief, &r, &elsewhere};
  steps.kind = SIOX_REGION_STEPS;
  brief = loop_region(next, 1, from_brief, 3);
  brief.function = "helper";
  r = loop_region(next, 1, from_r, 1);
  r.steps = &steps;
  r.ninside = r.nsuccinside = 1;
  open_files(&w);
  siox__predictor_enter(&w.p, &steps, 6, w.now);
  int64_t start = w.now;
  for (int k = 0; k < 6; k++) {
    touch(&w, &read, &handle_a, (int64_t)k * (3 << 16), 3 << 16);
    run_loop(&w, &brief, 10, SECOND / 1000);
    run_loop(&w, &r, 100, 10 * SECOND);
    struct told *b = last_for(&w, 3, w.n);
    if (k >= 2 && k < 5)
      assert_true(llabs(b->need_by - (start + 60 * SECOND)) <
                  SECOND); /* disks of B, which only `other` may use */
    siox__predictor_tick(&w.p, &steps, k + 1, w.now);
  }
  end(&w);
}

/* A short loop in the counted one, from which what follows both can be reached too. */
static void what_follows_the_loop_waits_behind_its_short_loops_too(void **state) {
  (void)state;
  struct world w;
  begin(&w, SIOX_LEAD_GAP, "0:3:64K", "3:3:64K");
  struct siox_site read = data_site(origin_a, 1), write = data_site(origin_b, 1);
  struct siox_site *next[] = {&read, &write};
  struct siox_region r, brief, after = loop_region(&next[1], 1, NULL, 0);
  struct siox_region steps = loop_region(NULL, 0, NULL, 0);
  struct siox_region *from_r[] = {&brief}, *from_brief[] = {&r, &after};
  steps.kind = SIOX_REGION_STEPS;
  brief = loop_region(next, 2, from_brief, 2);
  r = loop_region(next, 1, from_r, 1);
  r.steps = brief.steps = &steps;
  r.ninside = r.nsuccinside = brief.ninside = brief.nsuccinside = 1;
  open_files(&w);
  siox__predictor_enter(&w.p, &steps, 6, w.now);
  int64_t start = w.now;
  for (int k = 0; k < 6; k++) {
    touch(&w, &read, &handle_a, (int64_t)k * (3 << 16), 3 << 16);
    run_loop(&w, &brief, 10, SECOND / 1000);
    run_loop(&w, &r, 100, 10 * SECOND);
    struct told *b = last_for(&w, 3, w.n);
    assert_true(llabs(b->need_by - (start + 60 * SECOND)) < SECOND);
    siox__predictor_tick(&w.p, &steps, k + 1, w.now);
  }
  end(&w);
}

/* Two gaps an iteration: after the first of the last iteration the second still comes before what
 * waits for the end. */
static void the_rest_of_the_last_iteration_comes_before_what_follows_the_loop(void **state) {
  (void)state;
  struct world w;
  begin(&w, SIOX_LEAD_GAP, "0:3:64K", "3:3:64K");
  struct siox_site read = data_site(origin_a, 1), write = data_site(origin_b, 1);
  struct siox_site *next[] = {&read, &write};
  struct siox_region r1, r2, steps = loop_region(NULL, 0, NULL, 0), *to_r2[] = {&r2},
                             *to_r1[] = {&r1};
  steps.kind = SIOX_REGION_STEPS;
  r1 = loop_region(next, 2, to_r2, 1);
  r2 = loop_region(next, 2, to_r1, 1);
  r1.steps = r2.steps = &steps;
  r1.ninside = r1.nsuccinside = r2.ninside = r2.nsuccinside = 1;
  open_files(&w);
  siox__predictor_enter(&w.p, &steps, 4, w.now);
  int64_t start = w.now;
  for (int k = 0; k < 4; k++) {
    touch(&w, &read, &handle_a, (int64_t)k * (6 << 16), 3 << 16);
    run_loop(&w, &r1, 100, 10 * SECOND);
    if (k == 3)
      assert_true(llabs(last_for(&w, 3, w.n)->need_by - (start + 80 * SECOND)) < 2 * SECOND);
    touch(&w, &read, &handle_a, (int64_t)k * (6 << 16) + (3 << 16), 3 << 16);
    run_loop(&w, &r2, 100, 10 * SECOND);
    siox__predictor_tick(&w.p, &steps, k + 1, w.now);
  }
  assert_true(last_for(&w, 3, w.n)->need_by <= start + 80 * SECOND);
  end(&w);
}

static void a_slow_first_iteration_of_a_short_loop_is_not_believed(void **state) {
  (void)state;
  struct world w;
  begin(&w, SIOX_LEAD_GAP, "0:6:64K", "0:6:64K");
  struct siox_site read = data_site(origin_a, 1);
  struct siox_site *next[] = {&read};
  struct siox_region r, *succ[] = {&r};
  r = loop_region(next, 1, succ, 1);
  open_files(&w);
  touch(&w, &read, &handle_a, 0, 6 << 16);
  int before = w.n;
  siox__predictor_enter(&w.p, &r, 1000, w.now);
  w.now += SECOND / 50; /* 20 ms for one iteration: 20 s for all, if it went on like that */
  siox__predictor_tick(&w.p, &r, 1, w.now);
  assert_int_equal(w.n, before);
  end(&w);
}

static void closing_a_file_claims_nothing(void **state) {
  (void)state;
  struct world w;
  begin(&w, SIOX_LEAD_GAP, "0:6:64K", "0:6:64K");
  open_files(&w);
  touch(&w, NULL, &handle_a, -1, 0);
  assert_int_equal(w.n, 0);
  end(&w);
}

/* As in the matrix multiply: one call reads A and B in turn, and all three files come from one
 * MPI_File_open. */
/* The call after the loop waits for its end: its disk sleeps through the iterations and is up in
 * time. */
static void what_follows_a_counted_loop_sleeps_until_its_end(void **state) {
  (void)state;
  struct world w;
  begin(&w, SIOX_LEAD_GAP, "0:3:64K", "3:3:64K");
  struct siox_site read = data_site(origin_a, 1), write = data_site(origin_b, 1);
  struct siox_site *next[] = {&read, &write};
  struct siox_region r, steps = loop_region(NULL, 0, NULL, 0), *succ[] = {&r};
  steps.kind = SIOX_REGION_STEPS;
  r = loop_region(next, 2, succ, 1);
  r.steps = &steps;
  r.ninside = 1;
  r.nsuccinside = 1;
  open_files(&w);
  assert_int_equal(siox__predictor_enter(&w.p, &steps, 6, w.now), 1);
  int64_t start = w.now;
  for (int k = 0; k < 6; k++) {
    touch(&w, &read, &handle_a, (int64_t)k * (3 << 16), 3 << 16);
    run_loop(&w, &r, 100, 10 * SECOND);
    struct told *t = last_for(&w, 3, w.n);
    /* In the first iteration what has passed of it tells how long the others will take. */
    assert_true(llabs(t->need_by - (start + 60 * SECOND)) < SECOND);
    if (k > 0 && k < 5)
      assert_true(last_for(&w, 0, w.n)->need_by < w.now + SECOND);
    siox__predictor_tick(&w.p, &steps, k + 1, w.now);
  }
  siox__predictor_leave(&w.p, &steps, w.now);
  end(&w);
}

static void a_burst_over_several_files_does_not_pull_in_their_neighbours(void **state) {
  (void)state;
  struct world w;
  begin(&w, SIOX_LEAD_GAP, "0:2:64K", "2:2:64K");
  struct siox_layout c;
  int handle_c;
  assert_int_equal(siox_layout_parse(&c, 6, "4:2:64K"), 0);
  struct siox_site read = data_site(origin_a, 1), write = data_site(origin_a, 1);
  struct siox_site *next[] = {&read, &write};
  struct siox_region r, steps = loop_region(NULL, 0, NULL, 0), *succ[] = {&r};
  r = loop_region(next, 2, succ, 1);
  r.steps = &steps; /* both calls stand in the loop: one that was passed by often enough is believed
                       to be passed by again */
  r.ninside = 2;
  siox__predictor_opened(&w.p, &open_a, &handle_a, &w.a);
  siox__predictor_opened(&w.p, &open_a, &handle_b, &w.b);
  siox__predictor_opened(&w.p, &open_a, &handle_c, &c);
  for (int k = 0; k < SIOX__PASSED_BY; k++) {
    touch(&w, &read, &handle_a, (int64_t)k * (2 << 16), 2 << 16);
    touch(&w, &read, &handle_b, (int64_t)k * (2 << 16), 2 << 16);
    run_loop(&w, &r, 100, 10 * SECOND);
  }
  touch(&w, &read, &handle_a, SIOX__PASSED_BY * (2 << 16), 2 << 16);
  touch(&w, &read, &handle_b, SIOX__PASSED_BY * (2 << 16), 2 << 16);
  siox__predictor_enter(&w.p, &r, 100, w.now);
  struct told *used = last_for(&w, 0, w.n), *also = last_for(&w, 3, w.n),
              *unused = last_for(&w, 4, w.n);
  assert_true(llabs(used->need_by - (w.now + 10 * SECOND)) < SECOND / 2);
  assert_int_equal(also->need_by, used->need_by);
  assert_int_equal(unused->flag, 0);
  assert_int_equal(unused->need_by, 0);
  siox_layout_free(&c);
  end(&w);
}

/* A loop with `if (k % every == every - 1) write to b` behind its gap; the disks of b, as last told
 * at the end of each gap: 'n' needed now, 'r' released for longer, in a text of one letter a step.
 */
static void checkpoints(int every, int steps_made, char *told) {
  struct world w;
  begin(&w, SIOX_LEAD_GAP, "0:3:64K", "3:3:64K");
  struct siox_site read = data_site(origin_a, 1), write = data_site(origin_b, 1);
  struct siox_site *next[] = {&read, &write};
  struct siox_region r, steps = loop_region(NULL, 0, NULL, 0), *succ[] = {&r};
  steps.kind = SIOX_REGION_STEPS;
  r = loop_region(next, 2, succ, 1);
  r.steps = &steps;
  r.ninside = 2;
  r.nsuccinside = 1;
  open_files(&w);
  siox__predictor_enter(&w.p, &steps, steps_made, w.now);
  touch(&w, &read, &handle_a, 0, 3 << 16);
  for (int k = 0; k < steps_made; k++) {
    w.n = 0;
    run_loop(&w, &r, 100, 10 * SECOND);
    const struct told *t = last_for(&w, 3, w.n);
    if (!t) /* what was said still holds */
      told[k] = k ? told[k - 1] : 'n';
    else if (t->flag)
      told[k] = 'n';
    else
      told[k] = t->need_by && t->need_by - w.now < SECOND / 2 ? 'n' : 'r';
    if (k % every == every - 1)
      touch(&w, &write, &handle_b, 0, 3 << 16);
    siox__predictor_tick(&w.p, &steps, k + 1, w.now);
    touch(&w, &read, &handle_a, 0, 3 << 16);
  }
  told[steps_made] = 0;
  end(&w);
}

static void a_call_under_a_condition_never_finds_its_disks_asleep(void **state) {
  (void)state;
  char told[64];
  checkpoints(4, 24, told);
  for (int k = 3; k < 24; k += 4)
    assert_int_equal(told[k], 'n');
}

static void a_checkpoint_every_twenty_steps_is_known_after_three(void **state) {
  (void)state;
  char told[128];
  checkpoints(20, 100, told);
  for (int k = 39; k < 100; k += 20) /* the first comes after the call was passed by 16 times */
    assert_int_equal(told[k], 'n');
  for (int k = 61; k < 98; k++)
    assert_int_equal(told[k], k % 20 == 19 ? 'n' : 'r');
}

static void what_the_graph_never_reaches_again_is_released_for_good(void **state) {
  (void)state;
  struct world w;
  begin(&w, SIOX_LEAD_GAP, "0:3:64K", "3:3:64K");
  struct siox_site a = data_site(origin_a, 1), b = data_site(origin_b, 1);
  struct siox_site *next[] = {&b};
  struct siox_region r, *succ[] = {&r};
  r = loop_region(next, 1, succ, 1);
  open_files(&w);
  touch(&w, &a, &handle_a, 0, 3 << 16);
  touch(&w, &b, &handle_b, 0, 3 << 16);
  siox__predictor_enter(&w.p, &r, 100, w.now);
  w.now += SECOND;
  siox__predictor_tick(&w.p, &r, 1, w.now);
  struct told *t = last_for(&w, 0, w.n);
  assert_string_equal(t->mask, "111000");
  assert_int_equal(t->flag, 0);
  assert_int_equal(t->need_by, 0);
  end(&w);
}

static void a_gap_that_ends_early_claims_its_disks_at_once(void **state) {
  (void)state;
  struct world w;
  begin(&w, SIOX_LEAD_GAP, "0:3:64K", "3:3:64K");
  struct siox_site a = data_site(origin_a, 1);
  struct siox_site *next[] = {&a};
  struct siox_region r, *succ[] = {&r};
  r = loop_region(next, 1, succ, 1);
  open_files(&w);
  touch(&w, &a, &handle_a, 0, 3 << 16);
  run_loop(&w, &r, 100, 10 * SECOND);
  touch(&w, &a, &handle_a, 3 << 16, 3 << 16);
  siox__predictor_enter(&w.p, &r, 100, w.now);
  w.now += SECOND;
  siox__predictor_leave(&w.p, &r, w.now);
  struct told *t = last_for(&w, 0, w.n);
  assert_int_equal(t->flag, 1);
  assert_int_equal(t->at, w.now);
  end(&w);
}

static void a_region_that_did_io_is_no_gap(void **state) {
  (void)state;
  struct world w;
  begin(&w, SIOX_LEAD_GAP, "0:6:64K", "0:6:64K");
  struct siox_site a = data_site(origin_a, 1);
  struct siox_site *next[] = {&a};
  struct siox_region r, *succ[] = {&r};
  r = loop_region(next, 1, succ, 1);
  open_files(&w);
  touch(&w, &a, &handle_a, 0, 6 << 16);
  for (int k = 0; k < 3; k++) {
    siox__predictor_enter(&w.p, &r, SIOX_UNKNOWN, w.now);
    w.now += 10 * SECOND;
    touch(&w, NULL, &handle_a, 0, 6 << 16); /* a library the pass did not see */
    w.now += 10 * SECOND;
    siox__predictor_leave(&w.p, &r, w.now);
  }
  for (int i = 0; i < w.n; i++)
    assert_int_equal(w.told[i].flag, 1);
  end(&w);
}

/* Unknown code that does I/O in one of four calls: in the next one it may again. */
static void a_region_that_did_io_now_and_then_is_no_gap_either(void **state) {
  (void)state;
  struct world w;
  begin(&w, SIOX_LEAD_GAP, "0:6:64K", "0:6:64K");
  struct siox_site a = data_site(origin_a, 1);
  struct siox_site *next[] = {&a};
  struct siox_region r, *succ[] = {&r};
  r = loop_region(next, 1, succ, 1);
  r.kind = SIOX_REGION_CALL;
  open_files(&w);
  touch(&w, &a, &handle_a, 0, 6 << 16);
  int first = 0;
  for (int k = 0; k < 40; k++) {
    siox__predictor_enter(&w.p, &r, SIOX_UNKNOWN, w.now);
    w.now += 10 * SECOND;
    if (k % 4 == 1 && k < 20)
      touch(&w, NULL, &handle_a, 0, 6 << 16);
    siox__predictor_leave(&w.p, &r, w.now);
    touch(&w, &a, &handle_a, 0, 6 << 16);
    first = k == 1 ? w.n : first;
    if (k == 17 + 16)
      for (int i = first; i < w.n; i++)
        assert_int_equal(w.told[i].flag, 1);
  }
  assert_true(w.n > first); /* sixteen times nothing has come in it */
  assert_int_equal(w.told[w.n - 2].flag, 0);
  end(&w);
}

static void loop_of_a_called_function_refines_the_callers_gap(void **state) {
  (void)state;
  struct world w;
  begin(&w, SIOX_LEAD_GAP, "0:6:64K", "0:6:64K");
  struct siox_site a = data_site(origin_a, 1);
  struct siox_site *next[] = {&a};
  struct siox_region call, loop, *succ[] = {&call};
  call = loop_region(next, 1, succ, 1);
  call.kind = SIOX_REGION_CALL;
  loop = loop_region(NULL, 0, NULL, 0);
  open_files(&w);
  touch(&w, &a, &handle_a, 0, 6 << 16);
  int64_t start = w.now;
  siox__predictor_enter(&w.p, &call, SIOX_UNKNOWN, w.now);
  assert_int_equal(siox__predictor_enter(&w.p, &loop, 10, w.now), 1);
  w.now += 2 * SECOND;
  siox__predictor_tick(&w.p, &loop, 1, w.now);
  struct told *t = last_for(&w, 0, w.n);
  assert_int_equal(t->flag, 0);
  assert_true(llabs(t->need_by - (start + 20 * SECOND)) < SECOND * 6 / 10); /* 18/32 s margin */
  end(&w);
}

static void under_a_transition_lead_the_way_up_starts_in_time(void **state) {
  (void)state;
  struct world w;
  begin(&w, SIOX_LEAD_TRANSITION, "0:6:64K", "0:6:64K");
  struct siox_site a = data_site(origin_a, 1);
  struct siox_site *next[] = {&a};
  struct siox_region r, *succ[] = {&r};
  r = loop_region(next, 1, succ, 1);
  open_files(&w);
  touch(&w, &a, &handle_a, 0, 6 << 16);
  run_loop(&w, &r, 1000, 10 * SECOND);
  touch(&w, &a, &handle_a, 6 << 16, 6 << 16);
  int64_t start = w.now;
  int before = w.n;
  run_loop(&w, &r, 1000, 10 * SECOND);
  int down = -1, up = -1;
  for (int i = before; i < w.n; i++) {
    if (w.told[i].flag == 0)
      down = i;
    else if (down >= 0 && up < 0)
      up = i;
  }
  assert_true(down >= 0 && up > down);
  assert_int_equal(w.told[down].at, start);
  /* 2 s of lead before the end at 10 s, early by the margin (1 %), an iteration and rounding, never
   * late. */
  assert_true(w.told[up].at <= start + 8 * SECOND);
  assert_true(w.told[up].at >= start + 8 * SECOND - SECOND / 4);
  end(&w);
}

static void nest_entry_lets_go_of_disks_it_never_uses(void **state) {
  (void)state;
  struct world w;
  begin(&w, SIOX_LEAD_GAP, "1:3:64K", "2:3:64K");
  struct siox_site a = data_site(origin_a, 1), b = data_site(origin_b, 1);
  struct siox_site *next[] = {&a, &b};
  struct siox_region nest = loop_region(next, 2, NULL, 0);
  nest.kind = SIOX_REGION_NEST;
  open_files(&w);
  siox__predictor_enter(&w.p, &nest, SIOX_UNKNOWN, w.now);
  assert_int_equal(w.n, 2);
  assert_string_equal(w.told[0].mask, "011110"); /* paper section IV: the phase's union ... */
  assert_int_equal(w.told[0].flag, 1);
  assert_string_equal(w.told[1].mask, "100001"); /* ... and disks 0 and 5 lowest */
  assert_int_equal(w.told[1].flag, 0);
  assert_int_equal(w.told[1].speed, SIOX_SPEED_LOWEST);
  end(&w);
}

/* Hints that the program gives, or that the compiler placed with masks of its own. */
static void what_others_release_is_claimed_by_the_next_access(void **state) {
  (void)state;
  struct world w;
  struct siox_mask some;
  begin(&w, SIOX_LEAD_GAP, "0:6:64K", "0:6:64K");
  struct siox_site a = data_site(origin_a, 1);
  open_files(&w);
  siox__predictor_access(&w.p, &a, &handle_a, 0, 6 * 65536);
  assert_int_equal(w.n, 1);
  assert_string_equal(w.told[0].mask, "111111");
  siox__predictor_access(&w.p, &a, &handle_a, 0, 6 * 65536);
  assert_int_equal(w.n, 1); /* all is said */
  assert_int_equal(siox_mask_init(&some, 6), 0);
  siox_mask_set(&some, 1);
  siox_mask_set(&some, 4);
  siox__predictor_told(&w.p, &some, 0, 0, SIOX_NEVER);
  siox__predictor_access(&w.p, &a, &handle_a, 0, 6 * 65536);
  assert_int_equal(w.n, 2);
  assert_string_equal(w.told[1].mask, "010010");
  assert_int_equal(w.told[1].flag, 1);
  siox_mask_free(&some);
  end(&w);
}

static void what_others_claim_for_ever_is_claimed_and_for_a_time_is_not(void **state) {
  (void)state;
  struct world w;
  struct siox_mask all;
  begin(&w, SIOX_LEAD_GAP, "0:6:64K", "0:6:64K");
  struct siox_site a = data_site(origin_a, 1);
  open_files(&w);
  assert_int_equal(siox_mask_init(&all, 6), 0);
  siox_mask_complement(&all);
  siox__predictor_told(&w.p, &all, 1, 0, SIOX_NEVER);
  siox__predictor_access(&w.p, &a, &handle_a, 0, 6 * 65536);
  assert_int_equal(w.n, 0);
  siox__predictor_told(&w.p, &all, 1, 0, w.now + SECOND);
  siox__predictor_access(&w.p, &a, &handle_a, 0, 6 * 65536);
  assert_int_equal(w.n, 1);
  siox_mask_free(&all);
  end(&w);
}

static void split_lead_is_equation_1(void **state) {
  (void)state;
  struct world w;
  begin(&w, SIOX_LEAD_TRANSITION, "0:6:64K", "0:6:64K");
  struct siox_region r = loop_region(NULL, 0, NULL, 0);
  assert_int_equal(siox__predictor_split(&w.p, &r, 100, 80000000), 25); /* 2 s / 80 ms */
  assert_int_equal(siox__predictor_split(&w.p, &r, 100, 79999999), 26); /* rounded up */
  assert_int_equal(siox__predictor_split(&w.p, &r, 10, 80000000),
                   10); /* never more than there are */
  assert_int_equal(siox__predictor_split(&w.p, &r, 100, SIOX_UNKNOWN), 100);
  end(&w);
}

static void jumps_out_of_regions_do_not_confuse_it(void **state) {
  (void)state;
  struct world w;
  begin(&w, SIOX_LEAD_GAP, "0:6:64K", "0:6:64K");
  struct siox_site a = data_site(origin_a, 1);
  struct siox_site *next[] = {&a};
  struct siox_region outer, inner, *succ[] = {&outer};
  outer = loop_region(next, 1, succ, 1);
  inner = loop_region(NULL, 0, NULL, 0);
  open_files(&w);
  touch(&w, &a, &handle_a, 0, 6 << 16);
  for (int k = 0; k < 40; k++) { /* inner is left by longjmp each time */
    siox__predictor_enter(&w.p, &outer, 10, w.now);
    siox__predictor_enter(&w.p, &inner, 10, w.now);
    w.now += 10 * SECOND;
    siox__predictor_leave(&w.p, &outer, w.now);
    touch(&w, &a, &handle_a, 0, 6 << 16);
  }
  assert_int_equal(w.p.depth, 0);
  siox__predictor_leave(&w.p, &inner, w.now);
  assert_int_equal(w.p.depth, 0);
  end(&w);
}

static void under_base_nothing_is_ever_said(void **state) {
  (void)state;
  struct world w;
  begin(&w, SIOX_LEAD_NONE, "0:6:64K", "0:6:64K");
  struct siox_site a = data_site(origin_a, 1);
  struct siox_site *next[] = {&a};
  struct siox_region r, *succ[] = {&r};
  r = loop_region(next, 1, succ, 1);
  open_files(&w);
  for (int k = 0; k < 3; k++) {
    touch(&w, &a, &handle_a, 0, 6 << 16);
    run_loop(&w, &r, 10, 10 * SECOND);
  }
  assert_int_equal(w.n, 0);
  end(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(first_gap_is_predicted_from_the_first_iterations),
      cmocka_unit_test(nothing_is_said_before_anything_is_known),
      cmocka_unit_test(second_gap_is_predicted_at_its_entry),
      cmocka_unit_test(gaps_that_do_not_pay_give_no_hint_for_disks_in_use),
      cmocka_unit_test(one_call_on_two_paths_is_learned_apart),
      cmocka_unit_test(files_in_turn_at_one_place_are_learned_as_a_period),
      cmocka_unit_test(what_follows_a_counted_loop_sleeps_until_its_end),
      cmocka_unit_test(brief_loops_belong_to_the_burst_around_them),
      cmocka_unit_test(what_follows_the_loop_waits_behind_its_short_loops_too),
      cmocka_unit_test(what_never_followed_in_a_loop_is_not_expected_in_it),
      cmocka_unit_test(the_rest_of_the_last_iteration_comes_before_what_follows_the_loop),
      cmocka_unit_test(a_slow_first_iteration_of_a_short_loop_is_not_believed),
      cmocka_unit_test(closing_a_file_claims_nothing),
      cmocka_unit_test(a_burst_over_several_files_does_not_pull_in_their_neighbours),
      cmocka_unit_test(a_call_under_a_condition_never_finds_its_disks_asleep),
      cmocka_unit_test(a_checkpoint_every_twenty_steps_is_known_after_three),
      cmocka_unit_test(what_the_graph_never_reaches_again_is_released_for_good),
      cmocka_unit_test(a_gap_that_ends_early_claims_its_disks_at_once),
      cmocka_unit_test(a_region_that_did_io_is_no_gap),
      cmocka_unit_test(a_region_that_did_io_now_and_then_is_no_gap_either),
      cmocka_unit_test(loop_of_a_called_function_refines_the_callers_gap),
      cmocka_unit_test(under_a_transition_lead_the_way_up_starts_in_time),
      cmocka_unit_test(nest_entry_lets_go_of_disks_it_never_uses),
      cmocka_unit_test(what_others_release_is_claimed_by_the_next_access),
      cmocka_unit_test(what_others_claim_for_ever_is_claimed_and_for_a_time_is_not),
      cmocka_unit_test(split_lead_is_equation_1),
      cmocka_unit_test(jumps_out_of_regions_do_not_confuse_it),
      cmocka_unit_test(under_base_nothing_is_ever_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
