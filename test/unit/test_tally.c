/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The tally's two sides, one thread after the other and several at once. */
#include "common/tally.h"
#include "common/tally_write.h"
#include "support.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static struct siox_tally *t;

static int fresh(void **unused) {
  (void)unused;
  free(t);
  t = aligned_alloc(4096, sizeof *t);
  memset(t, 0, sizeof *t);
  siox__tally_init(t, 7);
  return 0;
}

/* What all slots of a row have together. */
static struct siox_tally_sum of(unsigned wanted) {
  struct siox_tally_sum all = {0}, one;
  for (unsigned i = 0, row, c; i < siox__tally_slots(t); i++)
    if (siox__tally_what(t, i, &row, &c) && row == wanted) {
      siox__tally_sum(t, i, &one);
      all.calls += one.calls;
      all.bytes += one.bytes;
      all.errors += one.errors;
      all.total_ns += one.total_ns;
      all.longest_ns = one.longest_ns > all.longest_ns ? one.longest_ns : all.longest_ns;
      for (int b = 0; b < SIOX_TIME_BUCKETS; b++)
        all.times[b] += one.times[b];
    }
  return all;
}

static void a_call_is_counted_by_row_size_and_time(void **unused) {
  (void)unused;
  const unsigned row = siox__tally_row(SIOX_LAYER_POSIX, SIOX_POSIX_pwrite);
  siox__tally_count(t, 1, row, 64, 1000, false);
  siox__tally_count(t, 1, row, 100, 3000, false);
  siox__tally_count(t, 1, row, 1 << 20, 5, false);
  siox__tally_count(t, 1, row, 0, 1, true);
  assert_int_equal(siox__tally_slots(t), 3); /* no bytes, below 1 KiB, 1 MiB */
  const struct siox_tally_sum s = of(row);
  assert_int_equal(s.calls, 4);
  assert_int_equal(s.errors, 1);
  assert_int_equal(s.bytes, 164 + (1 << 20));
  assert_int_equal(s.total_ns, 4006);
  assert_int_equal(s.longest_ns, 3000);
  assert_true(s.times[9] == 1 && s.times[11] == 1 && s.times[2] == 1 && s.times[0] == 1);
}

static void rows_are_named_after_their_tables(void **unused) {
  (void)unused;
  const unsigned mpi = siox__tally_row(SIOX_LAYER_MPIIO, SIOX_CALL_MPI_File_read_at_all);
  const unsigned posix = siox__tally_row(SIOX_LAYER_POSIX, SIOX_POSIX_fdatasync);
  assert_string_equal(siox__row_layer(mpi), "mpiio");
  assert_string_equal(siox__row_name(mpi), "read_at_all");
  assert_string_equal(siox__row_layer(posix), "posix");
  assert_string_equal(siox__row_name(posix), "fdatasync");
  assert_string_equal(siox__row_name(SIOX_TALLY_ROWS), "?");
}

static void what_finds_no_slot_is_partial(void **unused) {
  (void)unused;
  unsigned counted = 0;
  for (unsigned row = 0; row < SIOX_TALLY_ROWS; row++)
    for (unsigned c = 0; c < SIOX_SIZE_CLASSES; c++, counted++)
      siox__tally_count(t, 1, row, c ? siox_size_class_end(c) - 1 : 0, 1, false);
  assert_true(counted > SIOX_TALLY_SLOTS);
  assert_int_equal(siox__tally_slots(t), SIOX_TALLY_SLOTS);
  assert_int_equal(atomic_load(&t->partial), counted - SIOX_TALLY_SLOTS);
  siox__tally_count(t, 1, 0, 0, 1, false); /* a slot that is there still counts */
  assert_int_equal(of(0).calls, 1 + SIOX_SIZE_CLASSES);
}

enum { THREADS = 12, CALLS = 20000 };
static void *count_many(void *number) {
  for (int i = 0; i < CALLS; i++)
    siox__tally_count(t, (unsigned)(uintptr_t)number, (unsigned)i % 4, (uint64_t)i % 5000, i,
                      i % 10 == 0);
  return NULL;
}

static void threads_lose_nothing(void **unused) {
  (void)unused;
  pthread_t thread[THREADS];
  for (uintptr_t i = 0; i < THREADS; i++)
    assert_int_equal(pthread_create(&thread[i], NULL, count_many, (void *)(i + 1)), 0);
  uint64_t before = 0; /* looked at meanwhile, it only grows */
  for (int look = 0; look < 1000; look++) {
    const uint64_t now = of(0).calls;
    assert_true(now >= before);
    before = now;
  }
  for (int i = 0; i < THREADS; i++)
    pthread_join(thread[i], NULL);
  uint64_t calls = 0, bytes = 0, errors = 0, timed = 0;
  for (unsigned row = 0; row < 4; row++) {
    const struct siox_tally_sum s = of(row);
    calls += s.calls;
    bytes += s.bytes;
    errors += s.errors;
    for (int b = 0; b < SIOX_TIME_BUCKETS; b++)
      timed += s.times[b];
  }
  assert_int_equal(calls, THREADS * CALLS);
  assert_int_equal(timed, THREADS * CALLS);
  assert_int_equal(errors, THREADS * CALLS / 10);
  assert_int_equal(bytes, (uint64_t)THREADS * (CALLS / 5000) * (5000 * 4999 / 2));
  assert_int_equal(atomic_load(&t->shards), 0xff);
  assert_int_equal(atomic_load(&t->partial), 0);
}

static void the_first_threads_have_shards_of_their_own(void **unused) {
  (void)unused;
  for (unsigned n = 1; n <= 20; n++)
    siox__tally_count(t, n, 0, 0, 1, false);
  for (unsigned s = 0; s < SIOX_TALLY_SHARDS - 1; s++)
    assert_int_equal(atomic_load(&t->slot[s][0].calls), 1);
  assert_int_equal(atomic_load(&t->slot[SIOX_TALLY_SHARDS - 1][0].calls),
                   20 - (SIOX_TALLY_SHARDS - 1));
}

static void a_call_that_runs_is_shown_until_it_ends(void **unused) {
  (void)unused;
  const unsigned row = siox__tally_row(SIOX_LAYER_POSIX, SIOX_POSIX_fsync);
  struct siox_tally_running *r = siox__tally_run(t, 3, row, 4096, 12345);
  assert_int_equal(atomic_load(&t->threads), 3);
  assert_int_equal(atomic_load(&t->thread[2].layer[SIOX_LAYER_POSIX].start), 12345);
  assert_int_equal(atomic_load(&r->what) / SIOX_SIZE_CLASSES, row);
  siox__tally_run(t, 3, 0, 0, 99);
  siox__tally_thread_ends(t, 3);
  for (int l = 0; l < SIOX_NLAYERS; l++)
    assert_int_equal(atomic_load(&t->thread[2].layer[l].start), 0);
}

static void threads_without_a_place_are_not_shown(void **unused) {
  (void)unused;
  assert_non_null(siox__tally_run(t, SIOX_TALLY_THREADS, 0, 0, 1));
  assert_null(siox__tally_run(t, SIOX_TALLY_THREADS + 1, 0, 0, 1));
  assert_int_equal(atomic_load(&t->unshown), 1);
  assert_int_equal(atomic_load(&t->threads), SIOX_TALLY_THREADS);
}

/* What is written fast is written by rules of its own. */
static void classes_and_buckets_are_those_of_the_readers(void **unused) {
  (void)unused;
  for (unsigned bit = 0; bit < 64; bit++)
    for (int more = -1; more <= 1; more++) {
      const uint64_t x = (UINT64_C(1) << bit) + (uint64_t)more;
      assert_int_equal(siox__class_of(x), siox_size_class(x));
      if (x <= INT64_MAX)
        assert_int_equal(siox__bucket_of((int64_t)x), siox_time_bucket((int64_t)x));
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(a_call_is_counted_by_row_size_and_time, fresh),
      cmocka_unit_test_setup(rows_are_named_after_their_tables, fresh),
      cmocka_unit_test_setup(what_finds_no_slot_is_partial, fresh),
      cmocka_unit_test_setup(threads_lose_nothing, fresh),
      cmocka_unit_test_setup(the_first_threads_have_shards_of_their_own, fresh),
      cmocka_unit_test_setup(a_call_that_runs_is_shown_until_it_ends, fresh),
      cmocka_unit_test_setup(threads_without_a_place_are_not_shown, fresh),
      cmocka_unit_test(classes_and_buckets_are_those_of_the_readers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
