/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The queue of the store, and many threads that put into one. */
#include "common/url.h"
#include "store/queue.h"
#include "store/schema.h"
#include "support.h"
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Each kind of row, random values, texts of random bytes and NULLs. */
static void a_row_comes_back_as_it_was(void **state) {
  (void)state;
  _Alignas(8) static unsigned char bytes[1 << 16];
  uint64_t seed = 7;
  for (int round = 0; round < 1000; round++) {
    struct siox__store_row row = {.kind = (enum siox__row_kind)(round % SIOX__ROW_KINDS)}, back;
    const struct siox__table *t = &siox__tables[row.kind];
    char text[SIOX__ROW_TEXTS][64];
    for (unsigned i = 0; i < t->numbers; i++)
      row.number[i] = (int64_t)test_random(&seed);
    for (unsigned i = 0; i < t->reals; i++)
      row.real[i] = (double)test_random(&seed) / 3;
    for (unsigned i = 0; i < t->texts; i++) {
      size_t length = test_below(&seed, sizeof text[i]);
      for (size_t c = 0; c < length; c++)
        text[i][c] = (char)(1 + test_below(&seed, 127));
      text[i][length] = 0;
      row.text[i] = test_below(&seed, 4) ? text[i] : NULL;
    }
    size_t packed = siox__row_pack(bytes, sizeof bytes, &row);
    assert_int_equal(packed % 8, 0);
    assert_int_equal(siox__row_unpack(bytes, &back), packed);
    assert_int_equal(back.kind, row.kind);
    assert_memory_equal(back.number, row.number, 8 * t->numbers);
    assert_memory_equal(back.real, row.real, 8 * t->reals);
    for (unsigned i = 0; i < t->texts; i++)
      if (row.text[i])
        assert_string_equal(back.text[i], row.text[i]);
      else
        assert_null(back.text[i]);
    /* With one byte too little nothing is written beyond. */
    memset(bytes, 0x5a, sizeof bytes);
    size_t less = siox__row_pack(bytes, packed - 9, &row);
    assert_int_equal(less, 0);
    assert_int_equal(bytes[packed - 9], 0x5a);
  }
}

static const char *packed_name(const char *name) {
  _Alignas(8) static unsigned char bytes[1 << 16];
  static struct siox__store_row back;
  const struct siox__store_row row = {.kind = SIOX__ROW_TOTAL, .text = {name}};
  assert_true(siox__row_pack(bytes, sizeof bytes, &row) > 0);
  siox__row_unpack(bytes, &back);
  return back.text[0];
}

static void texts_become_valid_utf_8(void **state) {
  (void)state;
  assert_string_equal(packed_name("gr\xc3\xbc\xc3\x9f"), "gr\xc3\xbc\xc3\x9f");
  assert_string_equal(packed_name("\xe2\x82\xac \xf0\x9f\x98\x80"),
                      "\xe2\x82\xac \xf0\x9f\x98\x80");
  assert_string_equal(packed_name("a\xff"
                                  "b"),
                      "a?b");
  assert_string_equal(packed_name("\xc0\xaf"), "??");           /* a slash, too long */
  assert_string_equal(packed_name("\xed\xa0\x80"), "???");      /* half a surrogate */
  assert_string_equal(packed_name("\xf4\x90\x80\x80"), "????"); /* beyond Unicode */
  assert_string_equal(packed_name("\xe2\x82"), "??");           /* cut */
}

static void a_long_text_is_cut_between_characters(void **state) {
  (void)state;
  static char text[2 * SIOX__TEXT_BYTES];
  for (size_t i = 0; i + 3 < sizeof text; i += 3)
    memcpy(text + i, "\xe2\x82\xac", 3);
  assert_int_equal(strlen(packed_name(text)), SIOX__TEXT_BYTES - SIOX__TEXT_BYTES % 3);
}

static void the_queue_keeps_order_and_its_bound(void **state) {
  (void)state;
  struct siox__queue q = {0};
  struct siox__store_row row = {.kind = SIOX__ROW_CLAIM};
  int64_t put = 0, got = 0;
  for (int round = 0; round < 3; round++) {
    while (siox__queue_put(&q, &row) == 0)
      row.number[0] = ++put;
    assert_true(q.bytes <= SIOX__QUEUE_BYTES);
    for (struct siox__chunk *c; (c = siox__queue_first(&q));) {
      size_t bytes = siox__row_unpack(c->data + c->done, &row);
      assert_int_equal(row.number[0], got++);
      siox__queue_done(&q, 1, bytes);
    }
    assert_int_equal(q.rows, 0);
    assert_int_equal(q.bytes, 0);
    assert_int_equal(got, put);
    row.number[0] = put;
  }
  siox__queue_free(&q);
}

static void a_flood_leaves_room_for_what_is_rare(void **state) {
  (void)state;
  struct siox__queue q = {0};
  const struct siox__store_row flood = {.kind = SIOX__ROW_ACTIVITY, .text = {"io"}};
  const struct siox__store_row rare = {.kind = SIOX__ROW_PROCESS, .text = {"solver"}};
  while (siox__queue_put(&q, &flood) == 0)
    ;
  for (int i = 0; i < 5000; i++)
    assert_int_equal(siox__queue_put(&q, &rare), 0);
  assert_int_equal(siox__queue_put(&q, &flood), SIOX_EFULL);
  while (siox__queue_put(&q, &rare) == 0)
    ;
  assert_true(q.bytes <= SIOX__QUEUE_BYTES + SIOX__RESERVE_BYTES);
  siox__queue_free(&q);
}

static void rows_come_while_the_oldest_are_written(void **state) {
  (void)state;
  struct siox__queue q = {0};
  struct siox__store_row row = {.kind = SIOX__ROW_CLAIM, .number = {1}};
  assert_int_equal(siox__queue_put(&q, &row), 0);
  struct siox__chunk *c = siox__queue_first(&q);
  row.number[0] = 2;
  assert_int_equal(siox__queue_put(&q, &row), 0);
  assert_int_equal(c->rows, 1);
  siox__queue_done(&q, 1, c->used);
  c = siox__queue_first(&q);
  siox__row_unpack(c->data, &row);
  assert_int_equal(row.number[0], 2);
  siox__queue_free(&q);
}

enum { THREADS = 4, ROWS = 5000 };
static struct siox__store *shared;

static void *put_many(void *number) {
  for (int i = 0; i < ROWS; i++)
    siox__store_put(shared, &(struct siox__store_row){.kind = SIOX__ROW_TOTAL,
                                                      .number = {i},
                                                      .real = {*(int *)number},
                                                      .text = {"many"}});
  return NULL;
}

static void rows_of_many_threads_are_all_there(void **state) {
  (void)state;
  char directory[] = "/tmp/siox-store-XXXXXX", path[64];
  assert_non_null(mkdtemp(directory));
  snprintf(path, sizeof path, "%s/a.db", directory);
  const struct siox__log log = {stderr, SIOX__LOG_ERROR};
  assert_int_equal(siox__store_open(&shared, path, &log), 0);
  pthread_t thread[THREADS];
  int number[THREADS];
  for (int i = 0; i < THREADS; i++) {
    number[i] = i;
    assert_int_equal(pthread_create(&thread[i], NULL, put_many, &number[i]), 0);
  }
  for (int i = 0; i < THREADS; i++)
    pthread_join(thread[i], NULL);
  siox__store_close(shared);
  sqlite3 *db;
  sqlite3_stmt *query;
  assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
  assert_int_equal(sqlite3_prepare_v2(db,
                                      "SELECT COUNT(*), SUM(time), COUNT(DISTINCT value * 100000 + "
                                      "time) FROM total",
                                      -1, &query, NULL),
                   SQLITE_OK);
  assert_int_equal(sqlite3_step(query), SQLITE_ROW);
  assert_int_equal(sqlite3_column_int(query, 0), THREADS * ROWS);
  assert_int_equal(sqlite3_column_int64(query, 1), (int64_t)THREADS * ROWS * (ROWS - 1) / 2);
  assert_int_equal(sqlite3_column_int(query, 2), THREADS * ROWS);
  sqlite3_finalize(query);
  sqlite3_close(db);
  unlink(path);
  rmdir(directory);
}

static void expect_public(const char *place, const char *shown) {
  char *text = siox__url_public(place);
  assert_string_equal(text, shown);
  free(text);
}

static void passwords_are_not_shown(void **state) {
  (void)state;
  expect_public("/a/b.db", "/a/b.db");
  expect_public("postgresql://host/db", "postgresql://host/db");
  expect_public("postgresql://me:secret@host:1/db", "postgresql://me@host:1/db");
  expect_public("postgres://me:se@cret@host/db", "postgres://me@host/db");
  expect_public("postgresql://me:se/cret@host/db", "postgresql://me@host/db");
  expect_public("postgresql:///db?host=/run/pg&user=me&password=secret&sslmode=require",
                "postgresql:///db?host=/run/pg&user=me&password=...&sslmode=require");
  expect_public("postgresql:///db?%70assword=secret", "postgresql:///db?%70assword=...");
  expect_public("postgresql://me:se?cret@host/db", "postgresql://...?...");
  expect_public("postgresql:///db?secret", "postgresql:///db?...");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_row_comes_back_as_it_was),
      cmocka_unit_test(texts_become_valid_utf_8),
      cmocka_unit_test(a_long_text_is_cut_between_characters),
      cmocka_unit_test(the_queue_keeps_order_and_its_bound),
      cmocka_unit_test(a_flood_leaves_room_for_what_is_rare),
      cmocka_unit_test(rows_come_while_the_oldest_are_written),
      cmocka_unit_test(rows_of_many_threads_are_all_there),
      cmocka_unit_test(passwords_are_not_shown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
