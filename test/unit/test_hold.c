/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Holds of files that a program has open by itself, on six disks with a clock of their own. The
 * shortest gap that pays is 4 s. */
#include "client/hold.h"
#include "support.h"
#include <stdlib.h>

#define SECOND INT64_C(1000000000)
#define PAYS (4 * SECOND)

struct world {
  struct siox__holds h;
  void *memory;
  int64_t now;
};

static struct world begin(bool timed) {
  struct world w = {.now = 100 * SECOND};
  w.memory = calloc(1, siox__holds_size(6));
  assert_non_null(w.memory);
  siox__holds_init(&w.h, w.memory, 6);
  siox__holds_times(&w.h, timed, PAYS, 6 * SECOND);
  return w;
}
static void end(struct world *w) { free(w->memory); }

static void use(struct world *w, const char *layout, int64_t had, int64_t has) {
  siox__hold_use(&w->h, layout, had, has, w->now, 0, w->now, NULL);
}

static struct siox__stance nothing(void) { return (struct siox__stance){.flag = -1}; }
static struct siox__stance release(int64_t need_by) {
  return (struct siox__stance){.flag = 0, .speed = SIOX_SPEED_LOWEST, .need_by = need_by};
}
static struct siox__stance said(struct world *w, uint32_t disk, struct siox__stance threads) {
  siox__hold_says(&w->h, disk, w->now, &threads);
  return threads;
}
/* Which disks are needed whatever the threads say, as text. */
static void expect_held(struct world *w, const char *disks) {
  for (uint32_t d = 0; d < 6; d++)
    assert_int_equal(said(w, d, release(w->now + PAYS)).flag, disks[d] - '0');
}

static void a_file_holds_all_disks_of_its_layout(void **state) {
  (void)state;
  struct world w = begin(true);
  expect_held(&w, "000000");
  use(&w, "1:3:64K", 0, SIOX__WHOLE);
  expect_held(&w, "011100");
  use(&w, "5,0:64K", 0, SIOX__WHOLE);
  expect_held(&w, "111101");
  end(&w);
}

static void a_file_that_is_only_read_holds_the_disks_of_its_bytes(void **state) {
  (void)state;
  struct world w = begin(true);
  use(&w, "1:4:64K", 0, 65536);
  expect_held(&w, "010000");
  use(&w, "1:4:64K", 65536, 65537); /* it has grown */
  expect_held(&w, "011000");
  use(&w, "1:4:64K", 65537, SIOX__WHOLE);
  expect_held(&w, "011110");
  siox__hold_end(&w.h, "1:4:64K", SIOX__WHOLE);
  expect_held(&w, "000000");
  end(&w);
}

static void an_empty_file_holds_nothing(void **state) {
  (void)state;
  struct world w = begin(true);
  use(&w, "1:4:64K", 0, 0);
  expect_held(&w, "000000");
  end(&w);
}

static void with_arrays_their_members_are_held(void **state) {
  (void)state;
  struct world w = begin(true);
  use(&w, "1:1:64K/3:16K:parity", 0, SIOX__WHOLE);
  expect_held(&w, "000111");
  end(&w);
}

static void a_layout_that_is_not_known_is_any_disk(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    struct world w = begin(true);
    const char *text = i ? "" : "1:nonsense";
    use(&w, text, 0, 10);
    expect_held(&w, "111111");
    siox__hold_end(&w.h, text, 10);
    expect_held(&w, "000000");
    end(&w);
  }
}

static void its_word_names_the_time_of_use_and_ends_by_itself(void **state) {
  (void)state;
  struct world w = begin(true);
  use(&w, "0:1:64K", 0, SIOX__WHOLE);
  const int64_t used = w.now;
  w.now += SECOND;
  const struct siox__stance word = said(&w, 0, nothing());
  assert_int_equal(word.flag, 1);
  assert_int_equal(word.speed, SIOX_SPEED_FULL);
  assert_int_equal(word.need_by, used);
  assert_true(word.until >= used + 10 * PAYS && word.until <= used + 11 * PAYS);
  end(&w);
}

static void where_words_carry_no_times_it_stands(void **state) {
  (void)state;
  struct world w = begin(false);
  use(&w, "0:1:64K", 0, SIOX__WHOLE);
  const struct siox__stance first = said(&w, 0, nothing());
  w.now += PAYS;
  use(&w, "0:1:64K", SIOX__WHOLE, SIOX__WHOLE);
  const struct siox__stance again = said(&w, 0, nothing());
  assert_int_equal(first.flag, 1);
  assert_int_equal(first.need_by, 0);
  assert_true(first.until == SIOX_NEVER);
  assert_true(siox__stance_same(&first, &again)); /* so it is not said twice */
  end(&w);
}

static void nobody_releases_a_disk_while_it_is_held(void **state) {
  (void)state;
  struct world w = begin(true);
  use(&w, "0:1:64K", 0, SIOX__WHOLE);
  assert_int_equal(said(&w, 0, release(0)).flag, 1);
  assert_int_equal(said(&w, 0, release(w.now + 100 * PAYS)).flag, 1);
  end(&w);
}

static void a_need_of_others_stays_as_wide_as_it_was(void **state) {
  (void)state;
  struct world w = begin(true);
  use(&w, "0:1:64K", 0, SIOX__WHOLE);
  const struct siox__stance word =
      said(&w, 0, (struct siox__stance){.flag = 1, .speed = 9000, .until = SIOX_NEVER});
  assert_int_equal(word.need_by, 0);
  assert_int_equal(word.speed, SIOX_SPEED_FULL);
  assert_true(word.until == SIOX_NEVER);
  end(&w);
}

static void closed_it_lets_a_release_count(void **state) {
  (void)state;
  struct world w = begin(true);
  use(&w, "0:2:64K", 0, SIOX__WHOLE);
  use(&w, "1:2:64K", 0, SIOX__WHOLE);
  expect_held(&w, "111000");
  siox__hold_end(&w.h, "0:2:64K", SIOX__WHOLE);
  expect_held(&w, "011000"); /* the other file is on disk 1, too */
  siox__hold_end(&w.h, "1:2:64K", SIOX__WHOLE);
  expect_held(&w, "000000");
  end(&w);
}

static void unused_for_a_gap_that_pays_it_lapses(void **state) {
  (void)state;
  struct world w = begin(true);
  use(&w, "0:1:64K", 0, SIOX__WHOLE);
  w.now += PAYS - 1;
  expect_held(&w, "100000");
  w.now++;
  expect_held(&w, "000000");
  end(&w);
}

static void used_again_it_holds_again(void **state) {
  (void)state;
  struct world w = begin(true);
  use(&w, "0:1:64K", 0, SIOX__WHOLE);
  w.now += 3 * PAYS;
  expect_held(&w, "000000");
  use(&w, "0:1:64K", SIOX__WHOLE, SIOX__WHOLE);
  expect_held(&w, "100000");
  siox__hold_end(&w.h, "0:1:64K", SIOX__WHOLE); /* it counted once */
  expect_held(&w, "000000");
  end(&w);
}

static void a_use_that_lasts_holds_from_its_end(void **state) {
  (void)state;
  struct world w = begin(true);
  siox__hold_use(&w.h, "0:1:64K", 0, SIOX__WHOLE, w.now, 0, w.now + 2 * PAYS, NULL);
  w.now += 3 * PAYS - 1;
  expect_held(&w, "100000");
  w.now++;
  expect_held(&w, "000000");
  end(&w);
}

static void of_several_files_the_last_use_counts(void **state) {
  (void)state;
  struct world w = begin(true);
  use(&w, "0:1:64K", 0, SIOX__WHOLE);
  w.now += PAYS / 2;
  use(&w, "0:2:64K", 0, SIOX__WHOLE);
  w.now += PAYS / 2;
  expect_held(&w, "110000");
  end(&w);
}

/* Of a use that a request follows, after `idle` without one on a disk that turns at 6000. */
static int32_t speed_before_a_request(bool timed, int64_t idle) {
  struct world w = begin(timed);
  const _Atomic int32_t levels[6] = {6000, 0, 6000, 6000, 6000, 6000};
  use(&w, "0:1:64K", 0, SIOX__WHOLE);
  const int64_t last = w.now;
  w.now += idle;
  siox__hold_use(&w.h, "0:2:64K", 0, SIOX__WHOLE, w.now, last, w.now, levels);
  assert_int_equal(said(&w, 1, nothing()).speed, SIOX_SPEED_FULL); /* it has to wake anyway */
  const int32_t speed = said(&w, 0, nothing()).speed;
  siox__hold_use(&w.h, "0:2:64K", SIOX__WHOLE, SIOX__WHOLE, w.now, 0, w.now, NULL);
  assert_int_equal(said(&w, 0, nothing()).speed, SIOX_SPEED_FULL); /* behind it */
  end(&w);
  return speed;
}

static void a_disk_that_is_slow_serves_the_request_that_follows_slowly(void **state) {
  (void)state;
  assert_int_equal(speed_before_a_request(true, PAYS - 1), SIOX_SPEED_FULL); /* it is none */
  assert_int_equal(speed_before_a_request(true, PAYS), 6000);
  assert_int_equal(speed_before_a_request(true, 100 * PAYS), 6000);
}

static void one_on_its_way_down_is_turned_round(void **state) {
  (void)state;
  assert_int_equal(speed_before_a_request(true, 10 * PAYS - 1), 6000);
  assert_int_equal(speed_before_a_request(true, 10 * PAYS), SIOX_SPEED_FULL);
  assert_int_equal(speed_before_a_request(true, 10 * PAYS + 6 * SECOND - 1), SIOX_SPEED_FULL);
  assert_int_equal(speed_before_a_request(true, 10 * PAYS + 6 * SECOND), 6000);
}

static void where_words_carry_no_times_full_speed_is_asked_for(void **state) {
  (void)state;
  assert_int_equal(speed_before_a_request(false, 100 * PAYS), SIOX_SPEED_FULL);
}

static void it_is_due_when_a_release_waits(void **state) {
  (void)state;
  struct world w = begin(true);
  use(&w, "0:1:64K", 0, SIOX__WHOLE);
  said(&w, 0, nothing());
  assert_true(w.h.due == SIOX_NEVER);
  said(&w, 0, release(0));
  assert_true(w.h.due == w.now + PAYS);
  end(&w);
}

static void without_a_word_of_others_closing_and_lapsing_say_nothing(void **state) {
  (void)state;
  struct world w = begin(true);
  use(&w, "0:1:64K", 0, SIOX__WHOLE);
  const struct siox__stance open = said(&w, 0, nothing());
  w.now += 2 * PAYS;
  const struct siox__stance lapsed = said(&w, 0, nothing());
  siox__hold_end(&w.h, "0:1:64K", SIOX__WHOLE);
  const struct siox__stance closed = said(&w, 0, nothing());
  assert_true(siox__stance_same(&open, &lapsed));
  assert_true(siox__stance_same(&open, &closed));
  end(&w);
}

static void its_word_does_not_come_back_after_others_have_spoken(void **state) {
  (void)state;
  struct world w = begin(false);
  use(&w, "0:1:64K", 0, SIOX__WHOLE);
  siox__hold_end(&w.h, "0:1:64K", SIOX__WHOLE);
  assert_int_equal(said(&w, 0, release(0)).flag, 0);
  assert_int_equal(said(&w, 0, nothing()).flag, -1); /* the thread that spoke has ended */
  end(&w);
}

static void drives_for_which_any_gap_pays_or_none_does_are_borne(void **state) {
  (void)state;
  struct world w = begin(true);
  siox__holds_times(&w.h, true, 0, 0);
  assert_true(w.h.lapse > w.h.renew && w.h.renew > 0 && w.h.keep > w.h.lapse);
  siox__holds_times(&w.h, true, SIOX_NEVER, SIOX_NEVER);
  use(&w, "0:1:64K", 0, SIOX__WHOLE);
  w.now += INT64_C(1) << 60;
  expect_held(&w, "100000");
  assert_true(said(&w, 0, nothing()).until == SIOX_NEVER);
  end(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_file_holds_all_disks_of_its_layout),
      cmocka_unit_test(a_file_that_is_only_read_holds_the_disks_of_its_bytes),
      cmocka_unit_test(an_empty_file_holds_nothing),
      cmocka_unit_test(with_arrays_their_members_are_held),
      cmocka_unit_test(a_layout_that_is_not_known_is_any_disk),
      cmocka_unit_test(its_word_names_the_time_of_use_and_ends_by_itself),
      cmocka_unit_test(where_words_carry_no_times_it_stands),
      cmocka_unit_test(nobody_releases_a_disk_while_it_is_held),
      cmocka_unit_test(a_need_of_others_stays_as_wide_as_it_was),
      cmocka_unit_test(closed_it_lets_a_release_count),
      cmocka_unit_test(unused_for_a_gap_that_pays_it_lapses),
      cmocka_unit_test(used_again_it_holds_again),
      cmocka_unit_test(a_use_that_lasts_holds_from_its_end),
      cmocka_unit_test(of_several_files_the_last_use_counts),
      cmocka_unit_test(a_disk_that_is_slow_serves_the_request_that_follows_slowly),
      cmocka_unit_test(one_on_its_way_down_is_turned_round),
      cmocka_unit_test(where_words_carry_no_times_full_speed_is_asked_for),
      cmocka_unit_test(it_is_due_when_a_release_waits),
      cmocka_unit_test(without_a_word_of_others_closing_and_lapsing_say_nothing),
      cmocka_unit_test(its_word_does_not_come_back_after_others_have_spoken),
      cmocka_unit_test(drives_for_which_any_gap_pays_or_none_does_are_borne),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
