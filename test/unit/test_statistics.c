/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The sink of statistics on cycles with known values: what is put into the store, and when. */
#include "daemon/statistics.h"
#include "support.h"
#include <math.h>
#include <string.h>

#define assert_close(a, b, by) assert_true(fabs((a) - (b)) <= (by))

enum { MOST = 64 };
static struct siox__store_row put[MOST];
static int nput;

/* In place of the store: the rows as they come. */
void siox__store_put(struct siox__store *store, const struct siox__store_row *row) {
  (void)store;
  assert_true(nput < MOST);
  put[nput++] = *row;
}
int siox_config_refuse(const struct siox_config *config, enum siox_setting setting,
                       struct siox_diag *diag, int code, const char *format, ...) {
  (void)config, (void)setting, (void)diag, (void)format;
  return code;
}

static const struct siox_provider provider = {.name = "scripted"};
static struct siox_series series;

static struct siox__statistics *begun(char *length) {
  struct siox__statistics *s;
  struct siox_diag diag;
  char *items[] = {length};
  const struct siox_config config = {
      .database = "a.db", .policy = "siox", .disks = 4, .statistics = {items, 1}};
  nput = 0;
  assert_int_equal(siox__statistics_new(&s, &config, NULL, &diag), 0);
  series = (struct siox_series){
      .provider = &provider,
      .metric = {.name = "energy", .where = "package-0", .unit = "J", .kind = SIOX_METRIC_COUNTER}};
  return s;
}

/* A cycle at so many ms, whose sample stands for `span` ms and has so many joules. */
static void cycle(struct siox__statistics *s, int64_t ms, int64_t span, double joules) {
  series.last = (struct siox_sample){.state = SIOX_SAMPLE_VALID,
                                     .span_ns = span * 1000000,
                                     .amount = joules,
                                     .value = joules / (1e-3 * (double)span)};
  const struct siox_cycle c = {
      .now_ns = ms * 1000000, .dt_ns = span * 1000000, .series = &series, .nseries = 1};
  siox__statistics_cycle(s, &c);
}

static const struct siox__store_row *interval(int n) {
  for (int i = 0; i < nput; i++)
    if (put[i].kind == SIOX__ROW_STATISTIC && n-- == 0)
      return &put[i];
  return NULL;
}

static void a_second_is_put_when_it_is_over(void **state) {
  (void)state;
  struct siox__statistics *s = begun("1s");
  for (int i = 1; i <= 10; i++)
    cycle(s, 100 * i, 100, i); /* 10 W, 20 W ... 100 W */
  assert_null(interval(0));
  cycle(s, 1100, 100, 1);
  const struct siox__store_row *r = interval(0);
  assert_int_equal(put[0].kind, SIOX__ROW_METRIC);
  assert_string_equal(put[0].text[0], "scripted");
  assert_int_equal(r->number[0], put[0].number[0]);
  assert_int_equal(r->number[1], 1000000000);
  assert_int_equal(r->number[2], 0);
  assert_int_equal(r->number[3], 10);
  assert_close(r->real[0], 1, 1e-12);
  assert_close(r->real[1], 10, 1e-12);
  assert_close(r->real[2], 100, 1e-12);
  assert_close(r->real[3], 55, 1e-12);
  assert_close(r->real[4], 55, 1e-12);
  siox__statistics_free(s);
}

static void the_average_is_weighted_by_time(void **state) {
  (void)state;
  struct siox__statistics *s = begun("1s");
  cycle(s, 100, 100, 10); /* 100 W */
  cycle(s, 900, 800, 8);  /* 10 W */
  siox__statistics_free(s);
  assert_close(interval(0)->real[3], (100 * 0.1 + 10 * 0.8) / 0.9, 1e-12);
}

static void the_end_puts_what_is_open(void **state) {
  (void)state;
  struct siox__statistics *s = begun("10min");
  cycle(s, 100, 100, 3);
  assert_null(interval(0));
  siox__statistics_free(s);
  assert_close(interval(0)->real[4], 3, 0);
}

/* Readings fail for 3 s; the next one has all of their joules, and its middle lies in an interval
 * that has been put. */
static void a_late_reading_is_not_lost_and_puts_no_interval_twice(void **state) {
  (void)state;
  struct siox__statistics *s = begun("100ms");
  double sum = 0;
  cycle(s, 100, 100, 1);
  cycle(s, 200, 100, 1);
  cycle(s, 300, 100, 1);
  cycle(s, 3300, 3000, 30);
  cycle(s, 3400, 100, 1);
  cycle(s, 3500, 3100, 7); /* in the midst of what was put already */
  siox__statistics_free(s);
  int64_t last = -1;
  for (int i = 0; interval(i); i++) {
    assert_true(interval(i)->number[2] > last);
    last = interval(i)->number[2];
    sum += interval(i)->real[4];
  }
  assert_close(sum, 41, 1e-12);
}

static void what_stands_where_another_was_is_another_metric(void **state) {
  (void)state;
  struct siox__statistics *s = begun("1s");
  cycle(s, 100, 100, 1);
  series.generation++;
  strcpy(series.metric.where, "package-1");
  cycle(s, 200, 100, 5);
  siox__statistics_free(s);
  assert_close(interval(0)->real[4], 1, 0);
  assert_close(interval(1)->real[4], 5, 0);
  assert_true(interval(0)->number[0] != interval(1)->number[0]);
}

static void a_sample_that_is_not_valid_counts_for_nothing(void **state) {
  (void)state;
  struct siox__statistics *s = begun("1s");
  cycle(s, 100, 100, 1);
  series.last.state = SIOX_SAMPLE_LOST;
  const struct siox_cycle c = {
      .now_ns = 200000000, .dt_ns = 100000000, .series = &series, .nseries = 1};
  siox__statistics_cycle(s, &c);
  siox__statistics_free(s);
  assert_int_equal(interval(0)->number[3], 1);
}

static void off_is_nothing_and_a_wrong_length_is_refused(void **state) {
  (void)state;
  struct siox__statistics *s;
  struct siox_diag diag;
  char *items[] = {"off", "1s"};
  struct siox_config config = {.database = "a.db", .statistics = {items, 1}};
  nput = 0;
  assert_int_equal(siox__statistics_new(&s, &config, NULL, &diag), 0);
  assert_null(s);
  assert_int_equal(nput, 0);
  config.statistics.count = 2;
  assert_int_equal(siox__statistics_new(&s, &config, NULL, &diag), SIOX_EINVAL);
  items[0] = "2s";
  assert_int_equal(siox__statistics_new(&s, &config, NULL, &diag), SIOX_EINVAL);
  config.statistics = (struct siox_config_list){items + 1, 1};
  config.database = NULL;
  assert_int_equal(siox__statistics_new(&s, &config, NULL, &diag), 0);
  assert_null(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_second_is_put_when_it_is_over),
      cmocka_unit_test(the_average_is_weighted_by_time),
      cmocka_unit_test(the_end_puts_what_is_open),
      cmocka_unit_test(a_late_reading_is_not_lost_and_puts_no_interval_twice),
      cmocka_unit_test(what_stands_where_another_was_is_another_metric),
      cmocka_unit_test(a_sample_that_is_not_valid_counts_for_nothing),
      cmocka_unit_test(off_is_nothing_and_a_wrong_length_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
