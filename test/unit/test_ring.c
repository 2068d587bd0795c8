/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The shared ring: order, wrap, overflow, the wake-up handshake, and writers that lie. */
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include "common/ring_write.h"
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define BYTES 1024u

static int set_up(void **state) {
  struct siox_ring *ring = aligned_alloc(64, siox__ring_size(BYTES));
  memset(ring, 0, siox__ring_size(BYTES));
  siox__ring_init(ring);
  *state = ring;
  return 0;
}
static int tear_down(void **state) {
  free(*state);
  return 0;
}

static int put(struct siox_ring *ring, uint16_t type, uint64_t value, size_t bytes) {
  unsigned char body[BYTES] = {0};
  memcpy(body, &value, sizeof value);
  struct siox_rec_head head = {.type = type, .thread = 3, .time = (int64_t)value};
  int wake;
  return siox__ring_put(ring, BYTES, &head, body, bytes / 2, body + bytes / 2, bytes - bytes / 2,
                        SIOX_PUT_URGENT, &wake);
}

static void records_come_out_in_order_across_the_end_of_the_ring(void **state) {
  struct siox_ring *ring = *state;
  _Alignas(8) unsigned char out[BYTES];
  for (uint64_t i = 0; i < 5000; i++) {
    size_t bytes = 16 + i * 37 % 400;
    assert_int_equal(put(ring, SIOX_REC_CALL, i, bytes), 0);
    int got = siox__ring_get(ring, BYTES, out, sizeof out);
    assert_int_equal(got, (int)((sizeof(struct siox_rec_head) + bytes + 7) / 8 * 8));
    struct siox_rec_head head;
    uint64_t value;
    memcpy(&head, out, sizeof head);
    memcpy(&value, out + sizeof head, sizeof value);
    assert_int_equal(value, i);
    assert_int_equal(head.type, SIOX_REC_CALL);
    assert_int_equal(head.thread, 3);
    assert_int_equal(head.bytes, got);
  }
  assert_int_equal(siox__ring_get(ring, BYTES, out, sizeof out), 0);
}

static void full_ring_loses_the_new_record_and_counts_it(void **state) {
  struct siox_ring *ring = *state;
  int fitted = 0;
  while (put(ring, SIOX_REC_CALL, 1, 100) == 0)
    fitted++;
  assert_int_equal(fitted, BYTES / 120); /* 16 bytes of head + 100, rounded to 8 */
  assert_int_equal(ring->overflow, 1);
  assert_int_equal(ring->dropped, 1);
  assert_int_equal(put(ring, SIOX_REC_CLAIM, 1, 100), SIOX_EFULL);
  assert_int_equal(ring->dropped, 1); /* a claim is sent again whole, so it is not lost */
}

static void record_longer_than_half_the_ring_is_refused(void **state) {
  assert_int_equal(put(*state, SIOX_REC_CALL, 1, BYTES / 2), SIOX_EFULL);
}

static void only_a_sleeping_reader_is_woken_and_only_once(void **state) {
  struct siox_ring *ring = *state;
  struct siox_rec_head head = {.type = SIOX_REC_WAIT};
  int wake;
  atomic_store(&ring->asleep, 0);
  assert_int_equal(siox__ring_put(ring, BYTES, &head, NULL, 0, NULL, 0, SIOX_PUT_URGENT, &wake), 0);
  assert_int_equal(wake, 0);
  atomic_store(&ring->asleep, 1);
  assert_int_equal(siox__ring_put(ring, BYTES, &head, NULL, 0, NULL, 0, SIOX_PUT_URGENT, &wake), 0);
  assert_int_equal(wake, 1);
  assert_int_equal(siox__ring_put(ring, BYTES, &head, NULL, 0, NULL, 0, SIOX_PUT_URGENT, &wake), 0);
  assert_int_equal(wake, 0);
}

struct placed {
  struct siox_rec_head head;
  uint64_t value[9];
};
static struct placed *begin(struct siox_ring *ring, const struct siox__ring_reach *reach,
                            uint64_t value, uint64_t *end) {
  struct placed *r = siox__ring_begin(ring, reach, sizeof *r, end);
  if (r) {
    *r = (struct placed){.head = {.bytes = sizeof *r, .type = SIOX_REC_CALL, .thread = 3}};
    r->value[0] = value;
    r->value[8] = ~value;
  }
  return r;
}

static void records_written_in_place_come_out_as_others_do(void **state) {
  struct siox_ring *ring = *state;
  struct siox__ring_reach reach = {0};
  int in_place = 0;
  for (uint64_t i = 0; i < 500; i++) {
    uint64_t end;
    struct placed out;
    _Static_assert(BYTES % sizeof out != 0, "a record meets the end");
    if (begin(ring, &reach, i, &end)) {
      siox__ring_end(ring, end);
      in_place++;
    } else {
      out = (struct placed){.head = {.type = SIOX_REC_CALL, .thread = 3}, .value = {i}};
      out.value[8] = ~i;
      int wake;
      assert_int_equal(
          siox__ring_put(ring, BYTES, &out.head, out.value, sizeof out.value, NULL, 0, 0, &wake),
          0);
      siox__ring_look(ring, BYTES, &reach);
    }
    memset(&out, 0, sizeof out);
    assert_int_equal(siox__ring_get(ring, BYTES, &out, sizeof out), sizeof out);
    assert_int_equal(out.head.thread, 3);
    assert_int_equal(out.value[0], i);
    assert_int_equal(out.value[8], ~i);
  }
  assert_true(in_place > 200); /* a quarter of this ring has room for two */
}

static void record_whose_writer_was_killed_is_not_seen(void **state) {
  struct siox_ring *ring = *state;
  struct siox__ring_reach reach;
  uint64_t end;
  unsigned char out[BYTES];
  siox__ring_look(ring, BYTES, &reach);
  assert_non_null(begin(ring, &reach, 1, &end));
  assert_int_equal(siox__ring_get(ring, BYTES, out, sizeof out), 0);
}

static void without_a_look_nothing_is_written_in_place(void **state) {
  const struct siox__ring_reach none = {0};
  uint64_t end;
  assert_null(begin(*state, &none, 1, &end));
}

static void records_in_place_end_at_a_quarter_where_the_reader_may_sleep(void **state) {
  struct siox_ring *ring = *state;
  struct siox__ring_reach reach;
  uint64_t end, used = 0;
  siox__ring_look(ring, BYTES, &reach);
  for (; begin(ring, &reach, 1, &end); used = end)
    siox__ring_end(ring, end);
  assert_int_equal(used, BYTES / 4 / sizeof(struct placed) * sizeof(struct placed));
}

/* Reach of a writer who looks with so many bytes in the ring, of which the reader has taken some.
 */
static uint64_t reach_at(struct siox_ring *ring, uint64_t head, uint64_t tail) {
  struct siox__ring_reach reach;
  atomic_store(&ring->head, head);
  atomic_store(&ring->tail, tail);
  siox__ring_look(ring, BYTES, &reach);
  assert_int_equal(reach.origin + head, (uintptr_t)(ring + 1) + head % BYTES);
  return reach.until - head;
}

static void a_look_reaches_to_the_quarter_and_in_steps_beyond_it(void **state) {
  assert_int_equal(reach_at(*state, 0, 0), BYTES / 4);
  assert_int_equal(reach_at(*state, 200, 0), BYTES / 4 - 200);
  assert_int_equal(reach_at(*state, BYTES / 4, 0), BYTES / 16);
  assert_int_equal(reach_at(*state, BYTES / 4 * 3 - 8, 0), 8);
}

static void a_look_reaches_nowhere_in_the_last_quarter(void **state) {
  assert_int_equal(reach_at(*state, BYTES / 4 * 3, 0), 0);
  assert_int_equal(reach_at(*state, 5 * BYTES, 4 * BYTES), 0);
}

static void a_look_does_not_reach_beyond_the_end_of_the_ring(void **state) {
  assert_int_equal(reach_at(*state, BYTES - 40, BYTES - 40), 40);
  assert_int_equal(reach_at(*state, 7 * BYTES - 8, 7 * BYTES - 400), 8);
  assert_int_equal(reach_at(*state, 7 * BYTES, 7 * BYTES), BYTES / 4);
}

static void where_nothing_is_left_unmarked_records_are_counted(void **state) {
  struct siox_ring *ring = *state;
  reach_at(ring, BYTES / 4 * 3, 0);
  assert_false(siox__ring_spares(ring, BYTES));
  reach_at(ring, BYTES / 4 * 3 + 8, 0);
  assert_true(siox__ring_spares(ring, BYTES));
  assert_int_equal(ring->refused, 1);
}

/* One lie each: the reader answers SIOX_EPROTO, reads nothing beyond the ring (asan) and returns.
 */
static void expect_lie(struct siox_ring *ring) {
  unsigned char out[256];
  assert_int_equal(siox__ring_get(ring, BYTES, out, sizeof out), SIOX_EPROTO);
}
static struct siox_rec_head *first_record(struct siox_ring *ring) {
  return (struct siox_rec_head *)(ring + 1);
}
static void head_far_ahead_of_tail_is_an_error(void **state) {
  struct siox_ring *ring = *state;
  ring->head = BYTES + 8;
  expect_lie(ring);
}
static void head_behind_tail_is_an_error(void **state) {
  struct siox_ring *ring = *state;
  ring->tail = 8;
  expect_lie(ring);
}
static void position_off_the_grid_is_an_error(void **state) {
  struct siox_ring *ring = *state;
  ring->head = 12;
  expect_lie(ring);
}
static void record_of_no_bytes_is_an_error(void **state) {
  struct siox_ring *ring = *state;
  ring->head = 64;
  expect_lie(ring);
}
static void record_longer_than_what_is_written_is_an_error(void **state) {
  struct siox_ring *ring = *state;
  put(ring, SIOX_REC_CALL, 1, 16);
  first_record(ring)->bytes = 64;
  expect_lie(ring);
}
static void record_running_past_the_end_is_an_error(void **state) {
  struct siox_ring *ring = *state;
  ring->tail = BYTES - 8;
  ring->head = BYTES + 56;
  struct siox_rec_head lie = {.bytes = 32, .type = SIOX_REC_CALL};
  memcpy((unsigned char *)(ring + 1) + BYTES - 8, &lie, 8);
  expect_lie(ring);
}
static void pad_that_stops_before_the_end_is_an_error(void **state) {
  struct siox_ring *ring = *state;
  put(ring, SIOX_REC_CALL, 1, 16);
  first_record(ring)->type = SIOX_REC_PAD;
  expect_lie(ring);
}
static void record_larger_than_the_readers_buffer_is_an_error(void **state) {
  put(*state, SIOX_REC_CALL, 1, 400);
  expect_lie(*state);
}
static void random_bytes_never_hang_or_overrun_the_reader(void **state) {
  struct siox_ring *ring = *state;
  unsigned char out[BYTES];
  srand(7);
  for (int round = 0; round < 20000; round++) {
    for (size_t i = 0; i < BYTES; i++)
      ((unsigned char *)(ring + 1))[i] = rand() % 3 ? 0 : (unsigned char)(rand() % 64);
    ring->tail = (uint64_t)(rand() % 300) * 8;
    ring->head = ring->tail + (uint64_t)(rand() % 140) * 8;
    int got, reads = 0;
    while ((got = siox__ring_get(ring, BYTES, out, sizeof out)) > 0)
      assert_true(++reads <= (int)BYTES / 16 && got <= (int)BYTES);
  }
}

/* A writer and a reader on two threads with the sleep protocol of wire.h: nothing is lost, nothing
 * sleeps for ever. */
enum { HANDED_OVER = 200000 };
static void *writer(void *argument) {
  struct siox_ring *ring = argument;
  for (uint64_t i = 0; i < HANDED_OVER; i++)
    while (put(ring, SIOX_REC_CLAIM, i, 8 + i % 64) != 0)
      sched_yield();
  return NULL;
}
static void two_threads_lose_nothing(void **state) {
  struct siox_ring *ring = *state;
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, writer, ring), 0);
  _Alignas(8) unsigned char out[BYTES];
  for (uint64_t expected = 0; expected < HANDED_OVER;) {
    int got = siox__ring_get(ring, BYTES, out, sizeof out);
    assert_true(got >= 0);
    if (!got) {
      sched_yield();
      continue;
    }
    uint64_t value;
    memcpy(&value, out + sizeof(struct siox_rec_head), sizeof value);
    assert_int_equal(value, expected++);
  }
  pthread_join(thread, NULL);
}

#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
static int put_how(struct siox_ring *ring, uint64_t value, size_t bytes, unsigned how, int *wake) {
  unsigned char body[BYTES] = {0};
  struct siox_rec_head head = {.type = SIOX_REC_POSIX, .time = (int64_t)value};
  return siox__ring_put(ring, BYTES, &head, body, bytes, NULL, 0, how, wake);
}

static void
records_that_nobody_waits_for_wake_no_reader_before_the_ring_is_a_quarter_full(void **state) {
  struct siox_ring *ring = *state;
  int wake, put_quietly = 0;
  do {
    assert_int_equal(put_how(ring, 0, 48, 0, &wake), 0);
    put_quietly++;
  } while (!wake);
  assert_int_equal(put_quietly, BYTES / 4 / 64 + 1);
  atomic_store(&ring->asleep, 1);
  atomic_store(&ring->tail, atomic_load(&ring->head));
  assert_int_equal(put_how(ring, 0, 48, SIOX_PUT_URGENT, &wake), 0);
  assert_int_equal(wake, 1);
}

static void unmarked_records_leave_the_last_quarter_to_marked_ones(void **state) {
  struct siox_ring *ring = *state;
  int wake, unmarked = 0, marked = 0;
  while (put_how(ring, 0, 48, SIOX_PUT_SPARE, &wake) == 0)
    unmarked++;
  assert_int_equal(unmarked, BYTES / 4 * 3 / 64);
  assert_int_equal(ring->refused, 1);
  while (put_how(ring, 0, 48, 0, &wake) == 0)
    marked++;
  assert_int_equal(marked, BYTES / 4 / 64);
  assert_int_equal(ring->refused, 1); /* apart from those that were lost */
  assert_int_equal(ring->dropped, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      T(records_come_out_in_order_across_the_end_of_the_ring),
      T(records_written_in_place_come_out_as_others_do),
      T(records_in_place_end_at_a_quarter_where_the_reader_may_sleep),
      T(without_a_look_nothing_is_written_in_place),
      T(a_look_reaches_to_the_quarter_and_in_steps_beyond_it),
      T(a_look_reaches_nowhere_in_the_last_quarter),
      T(a_look_does_not_reach_beyond_the_end_of_the_ring),
      T(where_nothing_is_left_unmarked_records_are_counted),
      T(record_whose_writer_was_killed_is_not_seen),
      T(full_ring_loses_the_new_record_and_counts_it),
      T(record_longer_than_half_the_ring_is_refused),
      T(records_that_nobody_waits_for_wake_no_reader_before_the_ring_is_a_quarter_full),
      T(unmarked_records_leave_the_last_quarter_to_marked_ones),
      T(only_a_sleeping_reader_is_woken_and_only_once),
      T(head_far_ahead_of_tail_is_an_error),
      T(head_behind_tail_is_an_error),
      T(position_off_the_grid_is_an_error),
      T(record_of_no_bytes_is_an_error),
      T(record_longer_than_what_is_written_is_an_error),
      T(record_running_past_the_end_is_an_error),
      T(pad_that_stops_before_the_end_is_an_error),
      T(record_larger_than_the_readers_buffer_is_an_error),
      T(random_bytes_never_hang_or_overrun_the_reader),
      T(two_threads_lose_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
