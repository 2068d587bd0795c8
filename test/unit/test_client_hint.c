/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Hints: what leaves the process and what does not, how threads reduce to their rank, and what is
 * sent when the ring is full. */
#include "daemon_double.h"
#include "siox/policy.h"
#include "siox/siox.h"
#include "support.h"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct claim {
  struct siox_claim_header head;
  struct siox_claim_run run[64];
};

/* Next claim in the ring; false when there is none. */
static bool next_claim(struct claim *out) {
  static unsigned char record[16384];
  struct siox_rec_head head;
  while (double_record(0, record, sizeof record) > 0) {
    memcpy(&head, record, sizeof head);
    if (head.type != SIOX_REC_CLAIM)
      continue;
    memcpy(&out->head, record + sizeof head, sizeof out->head);
    memcpy(out->run, record + sizeof head + sizeof out->head, out->head.nruns * sizeof *out->run);
    return true;
  }
  return false;
}
static void nothing_more(void) {
  struct claim c;
  assert_false(next_claim(&c));
}
static void expect_run(const struct siox_claim_run *r, uint32_t first, uint32_t count,
                       int32_t speed, int32_t flag) {
  assert_int_equal(r->first, first);
  assert_int_equal(r->count, count);
  assert_int_equal(r->speed, speed);
  assert_int_equal(r->flag, flag);
}

static int hint(const char *disks, int32_t speed, int32_t flag) {
  struct siox_mask mask;
  assert_int_equal(siox_mask_parse(&mask, disks), 0);
  int result = siox_set_speed(&mask, speed, flag);
  siox_mask_free(&mask);
  return result;
}

static int set_up(void **state) { /* every disk released at speed 0, by this thread alone */
  (void)state;
  struct claim c;
  assert_int_equal(hint("111111", 0, 0), 0);
  while (next_claim(&c))
    ;
  double_forget();
  return 0;
}

static void a_hint_names_its_disks_in_runs(void **state) {
  (void)state;
  struct claim c;
  assert_int_equal(hint("011011", 15000, 1), 0);
  assert_true(next_claim(&c));
  assert_int_equal(c.head.version, SIOX_CLAIM_VERSION);
  assert_int_equal(c.head.nruns, 2);
  expect_run(&c.run[0], 1, 2, 15000, 1);
  expect_run(&c.run[1], 4, 2, 15000, 1);
  assert_int_equal(c.run[0].need_by, 0);
  assert_true(c.run[0].until == SIOX_NEVER);
  nothing_more();
}

static void a_hint_that_changes_nothing_stays_here(void **state) {
  (void)state;
  struct claim c;
  hint("011000", 15000, 1);
  assert_true(next_claim(&c));
  assert_int_equal(hint("011000", 15000, 1), 0);
  assert_int_equal(hint("001000", 15000, 1), 0);
  nothing_more();
}

static void hints_that_stay_here_are_counted_as_issued(void **state) {
  (void)state;
  struct claim c;
  uint64_t before = double_issued(0);
  for (int i = 0; i < 5; i++)
    hint("011000", 15000, 1);
  assert_true(next_claim(&c));
  nothing_more();
  assert_int_equal(double_issued(0) - before, 5);
}

static void only_changed_disks_are_sent(void **state) {
  (void)state;
  struct claim c;
  hint("011000", 15000, 1);
  assert_true(next_claim(&c));
  hint("111000", 15000, 1);
  assert_true(next_claim(&c));
  assert_int_equal(c.head.nruns, 1);
  expect_run(&c.run[0], 0, 1, 15000, 1);
}

static void sequence_numbers_grow(void **state) {
  (void)state;
  struct claim a, b;
  hint("100000", 9000, 1);
  hint("010000", 9000, 1);
  assert_true(next_claim(&a) && next_claim(&b));
  assert_true(b.head.seq > a.head.seq);
}

static void the_general_form_carries_times_and_site(void **state) {
  (void)state;
  struct siox_site site = {.key = 4711, .file = "a.c", .function = "f", .call = "MPI_File_read"};
  struct siox_mask mask;
  struct claim c;
  siox_mask_parse(&mask, "100000");
  assert_int_equal(siox_set_speed_at(&mask, 15000, 1, 1000, 2000, &site), 0);
  siox_mask_free(&mask);
  assert_true(next_claim(&c));
  assert_int_equal(c.head.site, 4711);
  assert_int_equal(c.run[0].need_by, 1000);
  assert_int_equal(c.run[0].until, 2000);
}

static void bad_arguments_are_refused(void **state) {
  (void)state;
  assert_int_equal(siox_set_speed(NULL, 1, 1), SIOX_EINVAL);
  assert_int_equal(hint("1", -1, 1), SIOX_EINVAL);
  assert_int_equal(hint("1", 1, 2), SIOX_EINVAL);
  nothing_more();
}

/* A thread that hints and ends when told. */
struct other {
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t moved;
  int step; /* odd: the thread's turn */
  const char *disks;
  int32_t speed, flag;
};
static void *other_thread(void *argument) {
  struct other *o = argument;
  pthread_mutex_lock(&o->lock);
  for (;;) {
    while (o->step % 2 == 0)
      pthread_cond_wait(&o->moved, &o->lock);
    if (!o->disks)
      break;
    hint(o->disks, o->speed, o->flag);
    o->step++;
    pthread_cond_broadcast(&o->moved);
  }
  pthread_mutex_unlock(&o->lock);
  return NULL;
}
static void other_says(struct other *o, const char *disks, int32_t speed, int32_t flag) {
  if (!o->step) {
    pthread_mutex_init(&o->lock, NULL);
    pthread_cond_init(&o->moved, NULL);
    pthread_create(&o->thread, NULL, other_thread, o);
  }
  pthread_mutex_lock(&o->lock);
  o->disks = disks;
  o->speed = speed;
  o->flag = flag;
  o->step++;
  pthread_cond_broadcast(&o->moved);
  while (disks && o->step % 2)
    pthread_cond_wait(&o->moved, &o->lock);
  pthread_mutex_unlock(&o->lock);
  if (!disks)
    pthread_join(o->thread, NULL);
}
static void other_ends(struct other *o) { other_says(o, NULL, 0, 0); }

static void one_threads_release_does_not_release_anothers(void **state) {
  (void)state;
  struct other o = {0};
  struct claim c;
  other_says(&o, "100000", 15000, 1);
  assert_true(next_claim(&c));
  expect_run(&c.run[0], 0, 1, 15000, 1);
  hint("100000", 3000, 0);
  nothing_more();
  other_ends(&o);
  assert_true(next_claim(&c)); /* with it its claim has gone: what is left is this thread's */
  expect_run(&c.run[0], 0, 1, 3000, 0);
}

static void the_highest_speed_of_the_threads_counts(void **state) {
  (void)state;
  struct other o = {0};
  struct claim c;
  other_says(&o, "100000", 9000, 1);
  hint("100000", 15000, 1);
  assert_true(next_claim(&c) && next_claim(&c));
  expect_run(&c.run[0], 0, 1, 15000, 1);
  hint("100000", 3000, 1);
  assert_true(next_claim(&c));
  expect_run(&c.run[0], 0, 1, 9000, 1);
  other_ends(&o);
}

#define CROWD 80
static void beyond_the_limit_a_thread_can_only_add(void **state) {
  (void)state;
  static struct other crowd[CROWD];
  struct claim c;
  for (int i = 0; i < CROWD; i++)
    other_says(&crowd[i], i < CROWD - 1 ? "010000" : "000010", 15000, 1);
  for (int i = 0; i < CROWD; i++)
    other_says(&crowd[i], i < CROWD - 1 ? "010000" : "000010", 3000, 0);
  bool raised = false, lowered = false;
  while (next_claim(&c))
    for (uint32_t i = 0; i < c.head.nruns; i++)
      if (c.run[i].first == 4) {
        raised |= c.run[i].flag == 1;
        lowered |= c.run[i].flag == 0;
      }
  assert_true(raised);
  assert_false(lowered);
  for (int i = 0; i < CROWD; i++)
    other_ends(&crowd[i]);
}

static void a_full_ring_sends_the_whole_vector_by_socket(void **state) {
  (void)state;
  hint("000100", 12000, 1);
  double_forget();
  double_clog(0, true);
  hint("100000", 6000, 1);
  double_clog(0, false);
  struct siox_drive drive;
  siox_disk_drive(0, &drive); /* answered after what was sent before */
  struct double_message m;
  struct claim c;
  assert_int_equal(double_count(SIOX_MSG_CLAIM, &m), 1);
  memcpy(&c, m.body, m.length < sizeof c ? m.length : sizeof c);
  assert_int_equal(c.head.flags, SIOX_CLAIM_WHOLE);
  uint32_t covered = 0;
  for (uint32_t i = 0; i < c.head.nruns; i++) {
    covered += c.run[i].count;
    if (c.run[i].first == 0)
      expect_run(&c.run[i], 0, 1, 6000, 1);
    if (c.run[i].first == 3)
      expect_run(&c.run[i], 3, 1, 12000, 1);
  }
  assert_int_equal(covered, 6);
}

static void lead_follows_the_policys_kind(void **state) {
  (void)state;
  assert_int_equal(siox_lead(NULL), 123456789);
}

static void speeds_are_read_from_the_table(void **state) {
  (void)state;
  int32_t speed = 0;
  assert_int_equal(siox_ndisks(), 6);
  assert_int_equal(siox_disk_speed(2, &speed), 0);
  assert_int_equal(speed, 3000);
  assert_int_equal(siox_disk_speed(6, &speed), SIOX_ERANGE);
}

static void a_drive_is_asked_for(void **state) {
  (void)state;
  struct siox_drive drive;
  assert_int_equal(siox_disk_drive(1, &drive), 0);
  assert_string_equal(drive.name, "double");
  assert_int_equal(siox_disk_drive(6, &drive), SIOX_ERANGE);
}

int main(void) {
  const struct double_options options = {.ndisks = 6,
                                         .lead_kind = SIOX_LEAD_TRANSITION,
                                         .lead_ns = 123456789,
                                         .ring_bytes = 65536,
                                         .layout = "1:3:64K"};
  double_start(&options);
#define T(name) cmocka_unit_test_setup(name, set_up)
  const struct CMUnitTest tests[] = {
      T(a_hint_names_its_disks_in_runs),
      T(a_hint_that_changes_nothing_stays_here),
      T(hints_that_stay_here_are_counted_as_issued),
      T(only_changed_disks_are_sent),
      T(sequence_numbers_grow),
      T(the_general_form_carries_times_and_site),
      T(bad_arguments_are_refused),
      T(one_threads_release_does_not_release_anothers),
      T(the_highest_speed_of_the_threads_counts),
      T(a_full_ring_sends_the_whole_vector_by_socket),
      T(lead_follows_the_policys_kind),
      T(speeds_are_read_from_the_table),
      T(a_drive_is_asked_for),
      T(beyond_the_limit_a_thread_can_only_add), /* last: what it added stays */
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  double_stop();
  return failed;
}
