/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A gap in a loop whose iterations nobody counts, by the calls that pass messages in it. */
#include "predict_support.h"

static struct siox_site site;
static struct siox_site *next_site[] = {&site};
static struct siox_region region;
static uint64_t beats;

static void setup(struct world *w) {
  begin(w, SIOX_LEAD_GAP, "0:3:64K", "3:3:64K");
  site = data_site(origin_a, 1);
  region = loop_region(next_site, 1, NULL, 0);
  beats = 0;
  open_files(w);
  touch(w, &site, &handle_a, 0, 64 << 10);
}

/* From where it stands on, so many of them at equal distances. */
static void beat(struct world *w, int n, int64_t length) {
  const int64_t start = w->now;
  for (int i = 1; i <= n; i++) {
    w->now = start + length * i / n;
    siox__predictor_beat(&w->p, ++beats, w->now);
  }
}

static void enter(struct world *w) { siox__predictor_enter(&w->p, &region, SIOX_UNKNOWN, w->now); }
static void leave(struct world *w) {
  siox__predictor_leave(&w->p, &region, w->now);
  touch(w, &site, &handle_a, 0, 64 << 10);
}

static void instance(struct world *w, int n, int64_t length) {
  enter(w);
  beat(w, n, length);
  leave(w);
}

/* Four instances of such a length with 20 messages each, and the beginning of a fifth. */
static void in_the_fifth_of(struct world *w, int64_t length) {
  setup(w);
  for (int i = 0; i < 4; i++)
    instance(w, 20, length);
  enter(w);
}

/* When the disks of file a are needed, from now on. */
static int64_t needed_in(const struct world *w) {
  for (int i = w->n; i-- > 0;)
    if (w->told[i].mask[0] == '1') {
      assert_int_equal(w->told[i].flag, 0);
      return w->told[i].need_by - w->now;
    }
  fail_msg("nothing was told");
  return 0;
}

/* That is the time left less a 32nd, which is the safe side; changes of 0.5 % are not told. */
static void assert_left(const struct world *w, int64_t left) {
  const int64_t expected = left - left / 32;
  assert_in_range(needed_in(w), expected - expected / 200, expected + expected / 200);
}

static void a_gap_that_goes_on_slower_ends_later(void **state) {
  (void)state;
  struct world w;
  in_the_fifth_of(&w, 10 * SECOND);
  beat(&w, 10, 7 * SECOND);
  assert_left(&w, 5 * SECOND);
  end(&w);
}

static void a_gap_that_goes_on_faster_ends_sooner(void **state) {
  (void)state;
  struct world w;
  in_the_fifth_of(&w, 10 * SECOND);
  beat(&w, 10, 4 * SECOND);
  assert_left(&w, 4 * SECOND);
  end(&w);
}

static void where_their_number_differs_time_alone_tells(void **state) {
  (void)state;
  struct world w;
  setup(&w);
  for (int i = 0; i < 4; i++)
    instance(&w, 20 + i, 10 * SECOND);
  enter(&w);
  beat(&w, 10, 6 * SECOND);
  assert_left(&w, 4 * SECOND);
  end(&w);
}

static void as_many_by_chance_tell_nothing(void **state) {
  (void)state;
  struct world w;
  setup(&w);
  for (int i = 0; i < 3; i++)
    instance(&w, 20 + i, 10 * SECOND);
  instance(&w, 22, 10 * SECOND);
  enter(&w);
  beat(&w, 11, 6 * SECOND);
  assert_left(&w, 4 * SECOND);
  end(&w);
}

static void more_than_ever_tell_nothing_any_more(void **state) {
  (void)state;
  struct world w;
  in_the_fifth_of(&w, 10 * SECOND);
  beat(&w, 21, 6 * SECOND);
  assert_left(&w, 4 * SECOND);
  end(&w);
}

/* So many messages in the first second, and none in the nine that follow. */
static void early_messages(struct world *w, int n) {
  enter(w);
  beat(w, n, SECOND);
  w->now += 9 * SECOND;
  leave(w);
}

static void what_comes_after_the_last_message_counts(void **state) {
  (void)state;
  for (int n = 1; n < 40; n += 19) {
    struct world w;
    setup(&w);
    for (int i = 0; i < 5; i++)
      early_messages(&w, n);
    enter(&w);
    beat(&w, n, SECOND);
    assert_left(&w, 9 * SECOND);
    end(&w);
  }
}

static void in_a_gap_of_hours_the_next_is_wanted_soon_all_the_same(void **state) {
  (void)state;
  struct world w;
  in_the_fifth_of(&w, 36000 * SECOND);
  w.now += SECOND;
  assert_int_equal(siox__predictor_beat(&w.p, ++beats, w.now), w.now + SECOND / 10);
  end(&w);
}

static void messages_outside_of_the_gap_do_not_count(void **state) {
  (void)state;
  struct world w;
  setup(&w);
  for (int i = 0; i < 4; i++) {
    instance(&w, 20, 10 * SECOND);
    beat(&w, 1 + i, SECOND / 100);
  }
  enter(&w);
  beat(&w, 10, 7 * SECOND);
  assert_left(&w, 5 * SECOND);
  end(&w);
}

static void the_counted_loop_of_a_called_function_is_left_to_itself(void **state) {
  (void)state;
  struct world w;
  setup(&w);
  for (int i = 0; i < 4; i++)
    instance(&w, 20, 10 * SECOND);
  struct siox_region inner = loop_region(NULL, 0, NULL, 0);
  enter(&w);
  beat(&w, 2, SECOND);
  const int told = w.n;
  siox__predictor_enter(&w.p, &inner, 1000, w.now);
  beat(&w, 2, SECOND / 10);
  assert_int_equal(w.n, told);
  siox__predictor_leave(&w.p, &inner, w.now);
  end(&w);
}

static void none_is_wanted_again_at_once(void **state) {
  (void)state;
  struct world w;
  in_the_fifth_of(&w, 4 * SECOND);
  w.now += SECOND / 5;
  assert_int_equal(siox__predictor_beat(&w.p, ++beats, w.now), w.now + 4 * SECOND / 64);
  end(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_gap_that_goes_on_slower_ends_later),
      cmocka_unit_test(a_gap_that_goes_on_faster_ends_sooner),
      cmocka_unit_test(where_their_number_differs_time_alone_tells),
      cmocka_unit_test(as_many_by_chance_tell_nothing),
      cmocka_unit_test(more_than_ever_tell_nothing_any_more),
      cmocka_unit_test(what_comes_after_the_last_message_counts),
      cmocka_unit_test(in_a_gap_of_hours_the_next_is_wanted_soon_all_the_same),
      cmocka_unit_test(messages_outside_of_the_gap_do_not_count),
      cmocka_unit_test(the_counted_loop_of_a_called_function_is_left_to_itself),
      cmocka_unit_test(none_is_wanted_again_at_once),
  };
  return cmocka_run_group_tests_name("predict_beats", tests, NULL, NULL);
}
