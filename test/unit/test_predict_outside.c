/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The predictor on the I/O module of a program whose other modules it does not see: a region begins
 * when a function of the module has returned to them and ends when they call one again. */
#include "predict_support.h"

/* checkpoint(): writes all of file A on disks 1 to 3, and returns to code that is not seen. */
struct checkpoint {
  struct siox_site write, *next[1];
  struct siox_region outside, *succ[1];
};

static void make(struct checkpoint *c) {
  c->write = data_site(origin_a, 1);
  c->next[0] = &c->write;
  c->succ[0] = &c->outside;
  c->outside = loop_region(c->next, 1, c->succ, 1);
  c->outside.kind = SIOX_REGION_OUTSIDE;
  c->outside.flags = SIOX_REGION_OPEN_END;
}

static void call(struct world *w, struct checkpoint *c) {
  siox__predictor_leave(&w->p, NULL, w->now);
  touch(w, &c->write, &handle_a, 0, 3 << 16);
  siox__predictor_enter(&w->p, &c->outside, SIOX_UNKNOWN, w->now);
}

static void code_of_others_is_a_gap_once_it_was_timed(void **state) {
  (void)state;
  struct world w;
  struct checkpoint c;
  begin(&w, SIOX_LEAD_GAP, "1:3:64K", "0:1:64K");
  make(&c);
  open_files(&w);
  call(&w, &c);
  assert_null(last_for(&w, 0, w.n));
  assert_int_equal(last_for(&w, 1, w.n)->flag, 1); /* unknown means full speed */
  w.now += 10 * SECOND;
  call(&w, &c);
  const struct told *t = last_for(&w, 1, w.n);
  assert_int_equal(t->flag, 0);
  assert_int_equal(t->at, w.now);
  assert_true(t->need_by <= w.now + 10 * SECOND && t->need_by >= w.now + 9 * SECOND);
  end(&w);
}

static void a_call_ends_the_gap_of_another_function(void **state) {
  (void)state;
  struct world w;
  struct checkpoint c, other;
  begin(&w, SIOX_LEAD_GAP, "1:3:64K", "0:1:64K");
  make(&c);
  make(&other);
  open_files(&w);
  for (int i = 0; i < 3; i++) {
    call(&w, &c); /* 4 s until other(), then 20 s until the next checkpoint */
    w.now += 4 * SECOND;
    call(&w, &other);
    w.now += 20 * SECOND;
  }
  call(&w, &c);
  assert_true(last_for(&w, 1, w.n)->need_by <= w.now + 4 * SECOND);
  end(&w);
}

static void an_access_of_others_ends_the_gap(void **state) {
  (void)state;
  struct world w;
  struct checkpoint c;
  struct siox_site theirs = data_site(origin_a, 1);
  begin(&w, SIOX_LEAD_GAP, "1:3:64K", "0:1:64K");
  make(&c);
  open_files(&w);
  for (int i = 0; i < 3; i++, w.now += 10 * SECOND)
    call(&w, &c);
  assert_int_equal(last_for(&w, 1, w.n)->flag, 0);
  touch(&w, &theirs, &handle_a, 0, 3 << 16);
  assert_int_equal(last_for(&w, 1, w.n)->flag, 1);
  /* What did accesses is no gap until it passes without one. */
  w.now += 10 * SECOND;
  call(&w, &c);
  assert_int_equal(last_for(&w, 1, w.n)->flag, 1);
  end(&w);
}

static void called_from_a_region_of_their_caller_it_ends_with_that(void **state) {
  (void)state;
  struct world w;
  struct checkpoint c;
  struct siox_site read = data_site(origin_a, 1), *next[] = {&read};
  struct siox_region call_of_it = loop_region(next, 1, NULL, 0),
                     work = loop_region(next, 1, NULL, 0);
  call_of_it.kind = SIOX_REGION_CALL;
  begin(&w, SIOX_LEAD_GAP, "1:3:64K", "0:1:64K");
  make(&c);
  open_files(&w);
  for (int i = 0; i < 3; i++) {
    siox__predictor_enter(&w.p, &call_of_it, SIOX_UNKNOWN, w.now);
    call(&w, &c);
    siox__predictor_leave(&w.p, &call_of_it, w.now);
    run_loop(&w, &work, 100, 20 * SECOND);
    touch(&w, &read, &handle_a, 0, 3 << 16);
  }
  assert_int_equal(w.p.depth, 0);
  assert_int_equal(w.p.gap, 0);
  int64_t start = w.now;
  siox__predictor_enter(&w.p, &work, 100, w.now);
  const struct told *t = last_for(&w, 1, w.n);
  assert_int_equal(t->flag, 0);
  assert_true(t->need_by <= start + 20 * SECOND && t->need_by >= start + 19 * SECOND);
  end(&w);
}

/* What the compiler says can follow, but never did: `also`, on all of file B. */
static void only_what_followed_is_expected(void **state) {
  (void)state;
  struct world w;
  struct checkpoint c;
  struct siox_site also = data_site(origin_b, 1);
  begin(&w, SIOX_LEAD_GAP, "1:3:64K", "0:1:64K");
  make(&c);
  struct siox_site *next[] = {&c.write, &also};
  c.outside.next = next;
  c.outside.nnext = 2;
  open_files(&w);
  touch(&w, &also, &handle_b, 0, 1 << 16);
  for (int i = 0; i < 3; i++, w.now += 10 * SECOND)
    call(&w, &c);
  assert_int_equal(last_for(&w, 0, w.n)->need_by, 0); /* for good */
  assert_true(last_for(&w, 1, w.n)->need_by > 0);
  /* It comes all the same: then anything can. */
  siox__predictor_leave(&w.p, NULL, w.now);
  touch(&w, &also, &handle_b, 0, 1 << 16);
  for (int i = 0; i < 3; i++, w.now += 10 * SECOND)
    call(&w, &c);
  assert_int_equal(last_for(&w, 0, w.n)->flag, 0);
  assert_true(last_for(&w, 0, w.n)->need_by > 0);
  end(&w);
}

/* A file for each call: opened by the same call with the same layout it is taken for the same. */
static void a_file_that_is_closed_is_expected_when_it_was_opened_again_before(void **state) {
  (void)state;
  struct world w;
  struct checkpoint c;
  begin(&w, SIOX_LEAD_GAP, "1:3:64K", "0:1:64K");
  make(&c);
  for (int i = 0; i < 3; i++, w.now += 10 * SECOND) {
    siox__predictor_leave(&w.p, NULL, w.now);
    siox__predictor_opened(&w.p, &open_a, &handle_a, &w.a);
    touch(&w, &c.write, &handle_a, 0, 3 << 16);
    siox__predictor_closed(&w.p, &handle_a, w.now);
    siox__predictor_enter(&w.p, &c.outside, SIOX_UNKNOWN, w.now);
  }
  assert_true(last_for(&w, 1, w.n)->need_by > 0);
  /* One file for good, and not a word of it when it is closed: by the others this time. */
  siox__predictor_leave(&w.p, NULL, w.now);
  siox__predictor_opened(&w.p, &open_b, &handle_b, &w.b);
  touch(&w, &c.write, &handle_b, 0, 1 << 16);
  siox__predictor_enter(&w.p, &c.outside, SIOX_UNKNOWN, w.now);
  assert_true(last_for(&w, 0, w.n)->need_by > 0);
  siox__predictor_closed(&w.p, &handle_b, w.now);
  assert_int_equal(last_for(&w, 0, w.n)->flag, 0);
  assert_int_equal(last_for(&w, 0, w.n)->need_by, 0);
  assert_true(last_for(&w, 1, w.n)->need_by > 0);
  end(&w);
}

/* So many calls a moment apart, then the others work for 10 s. */
static void phase(struct world *w, struct checkpoint *c, int calls) {
  for (int i = 0; i < calls; i++, w->now += SECOND / 1000)
    call(w, c);
}

static void the_return_that_lasts_is_known_by_its_number(void **state) {
  (void)state;
  struct world w;
  struct checkpoint c;
  begin(&w, SIOX_LEAD_GAP, "1:3:64K", "0:1:64K");
  make(&c);
  open_files(&w);
  phase(&w, &c, 4);
  w.now += 10 * SECOND;
  phase(&w, &c, 3);
  assert_int_equal(last_for(&w, 1, w.n)->flag, 1);
  int64_t start = w.now;
  call(&w, &c);
  const struct told *t = last_for(&w, 1, w.n);
  assert_int_equal(t->flag, 0);
  assert_true(t->need_by <= start + 10 * SECOND && t->need_by >= start + 9 * SECOND);
  end(&w);
}

static void without_a_rhythm_no_return_is_taken_for_the_one_that_lasts(void **state) {
  (void)state;
  struct world w;
  struct checkpoint c;
  begin(&w, SIOX_LEAD_GAP, "1:3:64K", "0:1:64K");
  make(&c);
  open_files(&w);
  for (int calls = 3; calls < 6; calls++, w.now += 10 * SECOND)
    phase(&w, &c, calls);
  int before = w.n;
  phase(&w, &c, 8);
  for (int i = before; i < w.n; i++)
    assert_int_equal(w.told[i].flag, 1);
  end(&w);
}

static void the_file_that_is_closed_ends_a_phase_of_any_length(void **state) {
  (void)state;
  struct world w;
  struct checkpoint c;
  begin(&w, SIOX_LEAD_GAP, "1:3:64K", "0:1:64K");
  make(&c);
  for (int calls = 3; calls < 5; calls++) {
    siox__predictor_opened(&w.p, &open_a, &handle_a, &w.a);
    phase(&w, &c, calls);
    assert_int_equal(last_for(&w, 1, w.n)->flag, 1);
    siox__predictor_closed(&w.p, &handle_a, w.now);
    if (calls == 3)
      w.now += 10 * SECOND;
  }
  const struct told *t = last_for(&w, 1, w.n);
  assert_int_equal(t->flag, 0);
  assert_true(t->need_by <= w.now + 10 * SECOND && t->need_by >= w.now + 9 * SECOND);
  end(&w);
}

/* Written and checked at once, read back after a while: which site used the file last tells how
 * long nobody will. */
static void who_used_the_file_tells_whether_its_closing_ends_a_phase(void **state) {
  (void)state;
  struct world w;
  struct checkpoint c;
  begin(&w, SIOX_LEAD_GAP, "1:3:64K", "0:1:64K");
  make(&c);
  struct siox_site read = data_site(origin_a, 1);
  for (int phase = 0; phase < 5; phase++) {
    bool writes = phase % 3 == 0;
    siox__predictor_opened(&w.p, &open_a, &handle_a, &w.a);
    siox__predictor_leave(&w.p, NULL, w.now);
    touch(&w, writes ? &c.write : &read, &handle_a, 0, 3 << 16);
    siox__predictor_enter(&w.p, &c.outside, SIOX_UNKNOWN, w.now);
    siox__predictor_closed(&w.p, &handle_a, w.now);
    const struct told *t = last_for(&w, 1, w.n);
    assert_int_equal(t->flag, writes || phase < 2); /* once is enough */
    if (phase >= 2 && !writes)
      assert_true(t->need_by <= w.now + 10 * SECOND && t->need_by >= w.now + 9 * SECOND);
    w.now += writes ? SECOND / 1000 : 10 * SECOND;
  }
  end(&w);
}

static void who_never_used_a_file_closed_before_is_taken_for_the_others(void **state) {
  (void)state;
  struct world w;
  struct checkpoint c;
  begin(&w, SIOX_LEAD_GAP, "1:3:64K", "0:1:64K");
  make(&c);
  struct siox_site read = data_site(origin_a, 1);
  for (int phase = 0; phase < 2; phase++, w.now += 10 * SECOND) {
    siox__predictor_opened(&w.p, &open_a, &handle_a, &w.a);
    siox__predictor_leave(&w.p, NULL, w.now);
    touch(&w, phase ? &read : &c.write, &handle_a, 0, 3 << 16);
    siox__predictor_enter(&w.p, &c.outside, SIOX_UNKNOWN, w.now);
    siox__predictor_closed(&w.p, &handle_a, w.now);
    assert_int_equal(last_for(&w, 1, w.n)->flag, phase == 0);
  }
  end(&w);
}

/* Before each phase its file is probed. */
static void a_file_that_is_closed_unused_ends_no_phase(void **state) {
  (void)state;
  struct world w;
  struct checkpoint c;
  begin(&w, SIOX_LEAD_GAP, "1:3:64K", "0:1:64K");
  make(&c);
  for (int calls = 3; calls < 5; calls++) {
    siox__predictor_opened(&w.p, &open_b, &handle_b, &w.b);
    siox__predictor_closed(&w.p, &handle_b, w.now);
    siox__predictor_opened(&w.p, &open_a, &handle_a, &w.a);
    phase(&w, &c, calls);
    siox__predictor_closed(&w.p, &handle_a, w.now);
    if (calls == 3)
      w.now += 10 * SECOND;
  }
  assert_int_equal(last_for(&w, 1, w.n)->flag, 0);
  assert_true(last_for(&w, 1, w.n)->need_by >= w.now + 9 * SECOND);
  end(&w);
}

static void leaving_what_was_never_entered_is_nothing(void **state) {
  (void)state;
  struct world w;
  struct checkpoint c;
  begin(&w, SIOX_LEAD_GAP, "1:3:64K", "0:1:64K");
  make(&c);
  struct siox_region work = loop_region(c.next, 1, NULL, 0);
  siox__predictor_enter(&w.p, &work, 100, w.now);
  siox__predictor_leave(&w.p, NULL, w.now);
  assert_int_equal(w.p.depth, 1);
  end(&w);
}

static void unknown_code_after_a_region_may_use_any_open_file(void **state) {
  (void)state;
  struct world w;
  begin(&w, SIOX_LEAD_GAP, "0:3:64K", "3:2:64K");
  struct siox_site a = data_site(origin_a, 1);
  struct siox_site *next[] = {&a};
  struct siox_region r, *succ[] = {&r};
  r = loop_region(next, 1, succ, 1);
  r.flags = SIOX_REGION_OPEN_END;
  open_files(&w);
  touch(&w, &a, &handle_a, 0, 3 << 16);
  run_loop(&w, &r, 100, 10 * SECOND);
  touch(&w, &a, &handle_a, 3 << 16, 3 << 16);
  siox__predictor_enter(&w.p, &r, 100, w.now);
  struct told *b = last_for(&w, 4, w.n), *outside = last_for(&w, 5, w.n);
  assert_true(b->need_by > 0);
  assert_int_equal(outside->need_by, 0);
  end(&w);
}

static void unknown_code_after_a_short_loop_may_use_any_open_file(void **state) {
  (void)state;
  struct world w;
  begin(&w, SIOX_LEAD_GAP, "0:3:64K", "3:3:64K");
  struct siox_site a = data_site(origin_a, 1);
  struct siox_site *next[] = {&a};
  struct siox_region r, brief, *to_brief[] = {&brief}, *to_r[] = {&r};
  r = loop_region(NULL, 0, to_brief, 1);
  brief = loop_region(next, 1, to_r, 1);
  brief.flags = SIOX_REGION_OPEN_END;
  open_files(&w);
  for (int k = 0; k < 2; k++) {
    run_loop(&w, &r, 100, 10 * SECOND);
    run_loop(&w, &brief, 10, SECOND / 1000);
    touch(&w, &a, &handle_a, k * (3 << 16), 3 << 16);
  }
  siox__predictor_enter(&w.p, &r, 100, w.now);
  struct told *b = last_for(&w, 3, w.n); /* a disk of B */
  assert_true(llabs(b->need_by - (w.now + 10 * SECOND)) < SECOND);
  end(&w);
}

static void unknown_code_after_the_loop_is_not_expected_in_it(void **state) {
  (void)state;
  struct world w;
  begin(&w, SIOX_LEAD_GAP, "0:3:64K", "3:3:64K");
  struct siox_site read = data_site(origin_a, 1);
  struct siox_site *next[] = {&read};
  struct siox_region r, steps = loop_region(NULL, 0, NULL, 0), *succ[] = {&r};
  steps.kind = SIOX_REGION_STEPS;
  r = loop_region(next, 1, succ, 1);
  r.steps = &steps;
  r.ninside = r.nsuccinside = 1;
  r.flags = SIOX_REGION_OPEN_END | SIOX_REGION_OPEN_LATER;
  open_files(&w);
  siox__predictor_enter(&w.p, &steps, 6, w.now);
  int64_t start = w.now;
  for (int k = 0; k < 6; k++) {
    touch(&w, &read, &handle_a, (int64_t)k * (3 << 16), 3 << 16);
    run_loop(&w, &r, 100, 10 * SECOND);
    struct told *b = last_for(&w, 3, w.n); /* a disk of B, which only unknown code may use */
    if (k >= 2)
      assert_true(llabs(b->need_by - (start + 60 * SECOND)) < SECOND);
    siox__predictor_tick(&w.p, &steps, k + 1, w.now);
  }
  end(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(code_of_others_is_a_gap_once_it_was_timed),
      cmocka_unit_test(a_call_ends_the_gap_of_another_function),
      cmocka_unit_test(an_access_of_others_ends_the_gap),
      cmocka_unit_test(called_from_a_region_of_their_caller_it_ends_with_that),
      cmocka_unit_test(only_what_followed_is_expected),
      cmocka_unit_test(a_file_that_is_closed_is_expected_when_it_was_opened_again_before),
      cmocka_unit_test(the_return_that_lasts_is_known_by_its_number),
      cmocka_unit_test(without_a_rhythm_no_return_is_taken_for_the_one_that_lasts),
      cmocka_unit_test(the_file_that_is_closed_ends_a_phase_of_any_length),
      cmocka_unit_test(who_used_the_file_tells_whether_its_closing_ends_a_phase),
      cmocka_unit_test(who_never_used_a_file_closed_before_is_taken_for_the_others),
      cmocka_unit_test(a_file_that_is_closed_unused_ends_no_phase),
      cmocka_unit_test(leaving_what_was_never_entered_is_nothing),
      cmocka_unit_test(unknown_code_after_a_region_may_use_any_open_file),
      cmocka_unit_test(unknown_code_after_a_short_loop_may_use_any_open_file),
      cmocka_unit_test(unknown_code_after_the_loop_is_not_expected_in_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
