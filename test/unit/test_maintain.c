/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Longer intervals in place of shorter ones, against closed forms and a sum over what there was;
 * and what a purge leaves. In SQLite, in memory. */
#include "store/maintain.h"
#include "support.h"
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MS INT64_C(1000000)
#define SECOND (1000 * MS)
#define WALL (INT64_C(1000000000) * SECOND) /* when each run begins, at 1000 s of its clock */
#define START (1000 * SECOND)
#define assert_close(a, b) assert_true(close_to(a, b))

static bool close_to(double a, double b) { return fabs(a - b) <= 1e-12 * (fabs(a) + fabs(b)); }

static struct siox__base *base;
static struct siox_diag diag;

static void check(int r) {
  if (r < 0)
    fail_msg("%s", diag.text);
}

static void execute(const char *sql) {
  check(siox__base_query(base, sql, NULL, NULL, NULL, &diag));
}

static int with_runs(void **state) {
  (void)state;
  if (siox__base_open(&base, ":memory:", SIOX__BASE_WRITE, NULL, &diag) < 0)
    return -1;
  char sql[256];
  for (int run = 1; run <= 2; run++) {
    snprintf(sql, sizeof sql,
             "INSERT INTO run (run, start, wall_start, node) VALUES (%d, %lld, %lld, 'n')", run,
             (long long)START, (long long)WALL);
    execute(sql);
  }
  return 0;
}

static int without(void **state) {
  (void)state;
  siox__base_close(base);
  return 0;
}

static void put(int run, int series, int64_t length, int64_t start, double seconds, double min,
                double max, double average, double sum) {
  char sql[512];
  snprintf(
      sql, sizeof sql,
      "INSERT INTO statistic (run, series, length, start, samples, seconds, min, max, average, "
      "sum) VALUES (%d, %d, %lld, %lld, 1, %.17g, %.17g, %.17g, %.17g, %.17g)",
      run, series, (long long)length, (long long)(START + start), seconds, min, max, average, sum);
  execute(sql);
}

static int take(void *context, const char *const *value) {
  *(double *)context = value[0] ? strtod(value[0], NULL) : NAN;
  return 1;
}

static double number(const char *sql) {
  double x = NAN;
  check(siox__base_query(base, sql, take, &x, NULL, &diag));
  return x;
}

static int64_t gone, made;
static void step(void *context, const struct siox__rolled *s) {
  (void)context;
  gone += s->rows;
  made += s->made;
}

/* What ended at this time of the run's clock, from its start, is old. */
static void roll(int64_t to, int64_t at) {
  gone = made = 0;
  check(siox__store_rollup(base, to, WALL + at, step, NULL, &diag));
}

/* Ten tenths of a second with 0 W to 9 W. */
static void ten_tenths_are_a_second(void **state) {
  (void)state;
  for (int i = 0; i < 10; i++)
    put(1, 1, 100 * MS, i * 100 * MS, 0.1, i - 0.5, i + 0.25, i, 0.1 * i);
  roll(SECOND, SECOND);
  assert_int_equal(gone, 10);
  assert_int_equal(made, 1);
  assert_close(number("SELECT start FROM statistic"), (double)START);
  assert_close(number("SELECT length FROM statistic"), 1e9);
  assert_close(number("SELECT samples FROM statistic"), 10);
  assert_close(number("SELECT seconds FROM statistic"), 1);
  assert_close(number("SELECT min FROM statistic"), -0.5);
  assert_close(number("SELECT max FROM statistic"), 9.25);
  assert_close(number("SELECT average FROM statistic"), 4.5);
  assert_close(number("SELECT sum FROM statistic"), 4.5);
}

static void averages_are_weighted_by_seconds(void **state) {
  (void)state;
  put(1, 1, 100 * MS, 0, 0.3, 10, 10, 10, 3);
  put(1, 1, 100 * MS, 500 * MS, 0.1, 2, 2, 2, 0.2);
  roll(SECOND, SECOND);
  assert_close(number("SELECT average FROM statistic"), (0.3 * 10 + 0.1 * 2) / 0.4);
  assert_close(number("SELECT sum FROM statistic"), 3.2);
}

/* Of 25 tenths 24 are over at 2.4 s: two whole seconds. */
static void parts_of_an_interval_wait(void **state) {
  (void)state;
  for (int i = 0; i < 25; i++)
    put(1, 1, 100 * MS, i * 100 * MS, 0.1, i, i, i, i);
  roll(SECOND, 2400 * MS);
  assert_int_equal(gone, 20);
  assert_int_equal(made, 2);
  assert_close(number("SELECT COUNT(*) FROM statistic WHERE length = 100000000"), 5);
  roll(SECOND, 2999 * MS);
  assert_int_equal(gone, 0);
  roll(SECOND, 3000 * MS);
  assert_int_equal(gone, 5);
  assert_close(number("SELECT SUM(sum) FROM statistic"), 24 * 25 / 2);
}

static void one_that_was_stored_with_them_has_them_in_it(void **state) {
  (void)state;
  for (int i = 0; i < 20; i++)
    put(1, 1, 100 * MS, i * 100 * MS, 0.1, i, i, i, 1);
  put(1, 1, SECOND, 0, 1, 0, 9, 4.5, 10);
  roll(SECOND, 2 * SECOND);
  assert_int_equal(gone, 20);
  assert_int_equal(made, 1);
  assert_close(number("SELECT SUM(sum) FROM statistic"), 20);
}

static void series_and_runs_stay_apart(void **state) {
  (void)state;
  for (int run = 1; run <= 2; run++)
    for (int series = 1; series <= 3; series++)
      for (int i = 0; i < 10; i++)
        put(run, series, 100 * MS, i * 100 * MS, 0.1, 0, 0, 10 * run + series, 0);
  roll(SECOND, SECOND);
  assert_int_equal(made, 6);
  assert_close(number("SELECT average FROM statistic WHERE run = 2 AND series = 3"), 23);
}

/* Random values over 40 min in tenths with holes and late ones: what there was in all stays so, and
 * in each ten minutes. */
static void all_the_way_nothing_is_lost(void **state) {
  (void)state;
  uint64_t seed = 5;
  double sum = 0, weighted = 0, seconds = 0, min[4], max[4], sums[4] = {0};
  for (int k = 0; k < 4; k++)
    min[k] = INFINITY, max[k] = -INFINITY;
  execute("BEGIN");
  for (int i = 0; i < 24000; i += 1 + (int)test_below(&seed, 12)) {
    /* dyadic, so that sums in any order are equal */
    const double low = (double)test_below(&seed, 1000) / 8,
                 s = (double)(1 + test_below(&seed, 4)) / 16;
    const double high = low + (double)test_below(&seed, 100) / 8, average = (low + high) / 2;
    const int k = i / 6000;
    put(1, 1, 100 * MS, i * 100 * MS, s, low, high, average, average * s);
    min[k] = low < min[k] ? low : min[k];
    max[k] = high > max[k] ? high : max[k];
    sums[k] += average * s;
    sum += average * s;
    weighted += average * s;
    seconds += s;
  }
  execute("COMMIT");
  /* The run's clock begins in the midst of ten minutes (1000 s): five intervals, the first and last
   * of parts; so those of a clock that begins with one are asked for. */
  execute("UPDATE statistic SET start = start - 1000000000000; UPDATE run SET start = 0");
  roll(600 * SECOND, 2400 * SECOND);
  assert_close(number("SELECT COUNT(*) FROM statistic"), 4);
  for (int k = 0; k < 4; k++) {
    char sql[128];
    const char *const names[] = {"min", "max", "sum"};
    const double wanted[] = {min[k], max[k], sums[k]};
    for (int i = 0; i < 3; i++) {
      snprintf(sql, sizeof sql, "SELECT %s FROM statistic WHERE start = %lld", names[i],
               (long long)(k * 600 * SECOND));
      assert_close(number(sql), wanted[i]);
    }
  }
  assert_close(number("SELECT SUM(sum) FROM statistic"), sum);
  assert_close(number("SELECT SUM(average * seconds) / SUM(seconds) FROM statistic"),
               weighted / seconds);
  roll(600 * SECOND, 2400 * SECOND);
  assert_int_equal(gone, 0);
}

static int64_t deleted;
static void count(void *context, const char *table, int64_t rows) {
  (void)context, (void)table;
  deleted += rows;
}

static int64_t purge(int64_t at, bool runs, bool dry) {
  deleted = 0;
  check(siox__store_purge(base, &(struct siox__purge){WALL + at, runs, dry}, count, NULL, &diag));
  return deleted;
}

static void some_rows(void) {
  char sql[512];
  for (int run = 1; run <= 2; run++)
    for (int i = 0; i < 10; i++) {
      const long long at = START + i * SECOND;
      snprintf(sql, sizeof sql,
               "INSERT INTO activity (run, client, start, finish) VALUES (%d, 0, %lld, %lld);"
               "INSERT INTO anomaly (run, time) VALUES (%d, %lld);"
               "INSERT INTO statistic (run, length, start) VALUES (%d, 1000000000, %lld)",
               run, at, at, run, at, run, at - (long long)SECOND);
      execute(sql);
    }
  execute("INSERT INTO process (run, client, start, finish) VALUES (1, 0, 1000000000000, "
          "1003000000000); INSERT INTO job (run, job) VALUES (1, 0), (2, 0);"
          "INSERT INTO total (run, name) VALUES (1, 'requests')");
}

static void what_is_old_goes_and_a_dry_run_counts_it(void **state) {
  (void)state;
  some_rows();
  assert_int_equal(purge(4 * SECOND, false, true), 3 * 2 * 4);
  assert_close(number("SELECT COUNT(*) FROM activity"), 20);
  assert_int_equal(purge(4 * SECOND, false, false), 3 * 2 * 4);
  assert_close(number("SELECT MIN(finish) FROM activity"), (double)(START + 4 * SECOND));
  assert_close(number("SELECT MIN(time) FROM anomaly"), (double)(START + 4 * SECOND));
  assert_close(number("SELECT MIN(start) FROM statistic"), (double)(START + 3 * SECOND));
  assert_close(number("SELECT COUNT(*) FROM run"), 2);
}

static void a_run_goes_when_all_of_it_is_old_but_not_the_last_of_a_node(void **state) {
  (void)state;
  some_rows();
  const int64_t all = 2 * 30 + 2 + 2; /* of run 1 its process, job, total and itself, too */
  assert_int_equal(purge(9 * SECOND, true, true), 3 * 2 * 9);
  assert_int_equal(purge(100 * SECOND, true, true), all);
  assert_int_equal(purge(100 * SECOND, true, false), all);
  assert_close(number("SELECT COUNT(*) FROM run"), 1);
  assert_close(number("SELECT run FROM run"), 2);
  assert_close(number("SELECT COUNT(*) FROM job"), 1);
  assert_close(number("SELECT COUNT(*) FROM process"), 0);
}

static void a_run_with_a_process_that_goes_on_stays(void **state) {
  (void)state;
  execute("INSERT INTO process (run, client, start, finish) VALUES (1, 0, 1000000000000, "
          "1050000000000)");
  assert_int_equal(purge(40 * SECOND, true, false), 0);
  assert_int_equal(purge(51 * SECOND, true, false), 2);
}

static int64_t patience_of(struct siox__base *b) {
  int64_t ms = 0;
  check(siox__base_query(b, "PRAGMA busy_timeout", siox__base_take_number, &ms, NULL, &diag));
  return ms;
}

static void without_patience_a_writer_is_waited_for_for_ever(void **state) {
  (void)state;
  struct siox__base *hurried;
  assert_int_equal(patience_of(base), INT_MAX);
  check(siox__base_open(&hurried, ":memory:", SIOX__BASE_WRITE,
                        &(struct siox__patience){.connect_ns = SECOND, .statement_ns = SECOND},
                        &diag));
  assert_in_range(patience_of(hurried), 1, 1000);
  siox__base_close(hurried);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, with_runs, without)
int main(void) {
  const struct CMUnitTest tests[] = {
      CASE(ten_tenths_are_a_second),
      CASE(averages_are_weighted_by_seconds),
      CASE(parts_of_an_interval_wait),
      CASE(one_that_was_stored_with_them_has_them_in_it),
      CASE(series_and_runs_stay_apart),
      CASE(all_the_way_nothing_is_lost),
      CASE(what_is_old_goes_and_a_dry_run_counts_it),
      CASE(a_run_goes_when_all_of_it_is_old_but_not_the_last_of_a_node),
      CASE(a_run_with_a_process_that_goes_on_stays),
      CASE(without_patience_a_writer_is_waited_for_for_ever),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
