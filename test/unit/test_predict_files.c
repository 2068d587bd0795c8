/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the predictor makes of the compiler's knowledge which file a call path leads to, in the
 * first round of a program that works on two files in turn through one helper:
 *
 *   for (step = 0; step < 3; step++) {        STEPS
 *     helper(&a);  work(o, "A");              gap 0: then b; when the loop is over, both
 *     helper(&b);  work(o, "B");              gap 1: then a; when the loop is over, both
 *   }
 *   helper(&a);  helper(&b); */
#include "predict_support.h"

struct relay {
  struct world w;
  struct siox_site site, *next[1];
  struct siox_region steps, brief, gap[2], *succ[2][2];
  struct siox_file_use use[6];
  struct siox_file_uses uses;
  const void *handle[6];
};

static const char RUN[] = "run", HELPER[] = "helper";

static void relay_begin(struct relay *r) {
  memset(r, 0, sizeof *r);
  begin(&r->w, SIOX_LEAD_GAP, "0:3:64K", "3:3:64K");
  r->site = data_site(origin_ab, 2);
  r->next[0] = &r->site;
  r->steps = loop_region(NULL, 0, NULL, 0);
  r->steps.kind = SIOX_REGION_STEPS;
  for (int i = 0; i < 2; i++) {
    r->succ[i][0] = &r->gap[1 - i];
    r->gap[i] = loop_region(r->next, 1, r->succ[i], 1);
    r->gap[i].function = RUN;
    r->gap[i].steps = &r->steps;
    r->gap[i].ninside = r->gap[i].nsuccinside = 1;
    r->gap[i].alike = 7;
  }
  r->use[0] = (struct siox_file_use){.region = &r->gap[0], .site = &r->site};
  r->use[1] = (struct siox_file_use){.region = &r->gap[1], .site = &r->site};
  r->use[2] = (struct siox_file_use){.region = &r->gap[1], .site = &r->site, .outside = 1};
  r->handle[0] = &handle_b;
  r->handle[1] = &handle_a;
  r->handle[2] = &handle_b;
  r->uses = (struct siox_file_uses){.use = r->use, .nuses = 3};
  open_files(&r->w);
  assert_int_equal(siox__predictor_enter(&r->w.p, &r->steps, 3, r->w.now), 1);
}

static void relay_end(struct relay *r) { end(&r->w); }

/* A burst on one file, and the gap after it. */
static void half_step(struct relay *r, int i) {
  touch(&r->w, &r->site, i ? &handle_b : &handle_a, 0, 3 << 16);
  siox__predictor_files(&r->w.p, &r->uses, r->handle);
  run_loop(&r->w, &r->gap[i], 100, 10 * SECOND);
}

/* The last release of a file's disks says that they are needed so many seconds after now. */
static bool needed_in(struct relay *r, char disk, int64_t seconds) {
  const struct told *t = NULL;
  for (int i = 0; i < r->w.n; i++)
    if (r->w.told[i].mask[(int)disk] == '1' && !r->w.told[i].flag)
      t = &r->w.told[i];
  return t && llabs(t->need_by - (r->w.now + seconds * SECOND)) < SECOND / 2;
}

static void first_gap_wakes_only_the_file_its_call_path_leads_to(void **state) {
  (void)state;
  struct relay r;
  relay_begin(&r);
  half_step(&r, 0);
  assert_true(needed_in(&r, 3, 0)); /* b, now */
  assert_true(
      needed_in(&r, 0, 10)); /* a, after work(o, "B"), which takes as long as work(o, "A") */
  relay_end(&r);
}

static void calls_that_are_not_alike_count_as_no_time(void **state) {
  (void)state;
  struct relay r;
  relay_begin(&r);
  r.gap[1].alike = 8;
  half_step(&r, 0);
  assert_true(needed_in(&r, 0, 0));
  relay_end(&r);
}

static void files_of_the_loops_end_sleep_until_it(void **state) {
  (void)state;
  struct relay r;
  relay_begin(&r);
  half_step(&r, 0);
  half_step(&r, 1);
  assert_true(needed_in(&r, 0, 0));
  assert_true(needed_in(&r, 3, 10)); /* in the next step; when the loop is over would be later */
  relay_end(&r);
}

static void files_of_the_loops_end_are_awake_for_it(void **state) {
  (void)state;
  struct relay r;
  relay_begin(&r);
  for (int k = 0; k < 3; k++) {
    half_step(&r, 0);
    half_step(&r, 1);
    if (k < 2)
      siox__predictor_tick(&r.w.p, &r.steps, k + 1, r.w.now);
  }
  assert_true(needed_in(&r, 0, 0));
  assert_true(needed_in(&r, 3, 0)); /* in three steps it never came after this gap */
  relay_end(&r);
}

static void a_handle_that_leads_nowhere_leaves_every_file_possible(void **state) {
  (void)state;
  struct relay r;
  relay_begin(&r);
  r.handle[0] = NULL;
  half_step(&r, 0);
  assert_true(needed_in(&r, 0, 0));
  assert_true(needed_in(&r, 3, 0));
  relay_end(&r);
}

static void a_table_evaluated_for_another_function_says_nothing_here(void **state) {
  (void)state;
  struct relay r;
  struct siox_file_uses other = {0};
  relay_begin(&r);
  touch(&r.w, &r.site, &handle_a, 0, 3 << 16);
  siox__predictor_files(&r.w.p, &r.uses, r.handle);
  siox__predictor_files(&r.w.p, &other, NULL);
  run_loop(&r.w, &r.gap[0], 100, 10 * SECOND);
  assert_true(needed_in(&r, 0, 0));
  assert_true(needed_in(&r, 3, 0));
  relay_end(&r);
}

/* A short loop in the helper is followed by whatever follows any call of the helper; a gap that
 * knows what follows its own call does not ask it. */
static void what_follows_other_calls_of_a_helper_is_not_expected(void **state) {
  (void)state;
  struct relay r;
  struct siox_region elsewhere, *after[1] = {&elsewhere}, *brief[1] = {&r.brief};
  struct siox_region_far far[2];
  relay_begin(&r);
  elsewhere = loop_region(r.next, 1, NULL, 0);
  elsewhere.function = "elsewhere";
  r.brief = loop_region(r.next, 1, after, 1);
  r.brief.function = HELPER;
  for (int i = 0; i < 2; i++) {
    far[i] = (struct siox_region_far){.next = r.next,
                                      .nnext = 1,
                                      .ninside = 1,
                                      .succ = r.succ[i],
                                      .nsucc = 1,
                                      .nsuccinside = 1,
                                      .inner = brief,
                                      .ninner = 1};
    r.gap[i].far = &far[i];
    r.gap[i].nnext = 0;
    r.gap[i].succ = brief;
  }
  run_loop(&r.w, &r.brief, 10, SECOND / 1000);
  half_step(&r, 0);
  assert_true(needed_in(&r, 3, 0));
  assert_true(needed_in(&r, 0, 10));
  relay_end(&r);
}

/* When it lasts, the helper's loop is a gap of its own: what comes behind it is not needed sooner.
 */
static void a_loop_of_the_helper_that_lasts_comes_first(void **state) {
  (void)state;
  struct relay r;
  struct siox_region *last[1] = {&r.brief};
  struct siox_region_far far;
  relay_begin(&r);
  r.brief = loop_region(r.next, 1, NULL, 0);
  r.brief.function = HELPER;
  far = (struct siox_region_far){.next = r.next,
                                 .nnext = 1,
                                 .ninside = 1,
                                 .succ = r.succ[0],
                                 .nsucc = 1,
                                 .nsuccinside = 1,
                                 .inner = last,
                                 .ninner = 1};
  r.gap[0].far = &far;
  r.gap[0].nnext = 0;
  r.gap[0].succ = last;
  run_loop(&r.w, &r.brief, 100, 20 * SECOND);
  half_step(&r, 0);
  assert_true(needed_in(&r, 0, 20)); /* what followed it so far */
  relay_end(&r);
}

static void a_shared_file_pointer_is_claimed_by_the_calls_that_move_it(void **state) {
  (void)state;
  struct world w;
  int handle;
  begin(&w, SIOX_LEAD_GAP, "0:2:1K", "4:2:1K");
  siox__predictor_opened(&w.p, NULL, &handle, &w.a);
  siox__predictor_pointer(&w.p, &handle); /* its file has not been seen yet */
  assert_int_equal(w.n, 0);
  struct siox_layout pointer;
  assert_int_equal(siox_layout_copy(&pointer, &w.b), 0);
  siox__predictor_beside(&w.p, &handle, &pointer);
  assert_int_equal(w.n, 1);
  assert_string_equal(w.told[0].mask, "000010"); /* bytes 0 to 7 of 4:2:1K */
  assert_int_equal(w.told[0].flag, 1);
  struct siox_mask disk;
  assert_int_equal(siox_mask_init(&disk, 6), 0);
  siox_mask_set(&disk, 4);
  siox__predict_release(&w.p, &disk);
  siox_mask_free(&disk);
  siox__predictor_pointer(&w.p, &handle);
  assert_int_equal(w.n, 3);
  assert_string_equal(w.told[2].mask, "000010");
  assert_int_equal(w.told[2].flag, 1);
  end(&w);
}

/* What a thread said of a disk goes when it ends, so another one that uses the disk says it too. */
static void each_of_several_threads_claims_what_it_uses(void **state) {
  (void)state;
  struct world w;
  begin(&w, SIOX_LEAD_GAP, "0:2:1K", "2:2:1K");
  struct siox_site site = data_site(origin_a, 1);
  open_files(&w);
  touch(&w, &site, &handle_a, 0, 1024);
  touch(&w, &site, &handle_a, 0, 1024);
  assert_int_equal(w.n, 1);
  w.p.threads = true;
  touch(&w, &site, &handle_a, 0, 1024);
  assert_int_equal(w.n, 2);
  assert_string_equal(w.told[1].mask, "100000");
  assert_int_equal(w.told[1].flag, 1);
  end(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(first_gap_wakes_only_the_file_its_call_path_leads_to),
      cmocka_unit_test(calls_that_are_not_alike_count_as_no_time),
      cmocka_unit_test(files_of_the_loops_end_sleep_until_it),
      cmocka_unit_test(files_of_the_loops_end_are_awake_for_it),
      cmocka_unit_test(a_handle_that_leads_nowhere_leaves_every_file_possible),
      cmocka_unit_test(a_table_evaluated_for_another_function_says_nothing_here),
      cmocka_unit_test(what_follows_other_calls_of_a_helper_is_not_expected),
      cmocka_unit_test(a_loop_of_the_helper_that_lasts_comes_first),
      cmocka_unit_test(a_shared_file_pointer_is_claimed_by_the_calls_that_move_it),
      cmocka_unit_test(each_of_several_threads_claims_what_it_uses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
