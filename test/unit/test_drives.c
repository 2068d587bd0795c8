/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The emulated drives as a provider: what the loop told is what is read. */
#include "daemon/drives.h"
#include "siox/collector.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const int64_t S = 1000000000;

static struct siox_segment active(uint32_t disk, int64_t from, int64_t to, uint64_t bytes,
                                  double joules) {
  return (struct siox_segment){.disk = disk,
                               .state = SIOX_ACTIVE,
                               .start = from,
                               .end = to,
                               .bytes = bytes,
                               .joules = joules,
                               .share = 1};
}

static const struct siox_series *series(const struct siox_cycle *cycle, const char *name,
                                        const char *where) {
  for (size_t i = 0; i < cycle->nseries; i++)
    if (!strcmp(cycle->series[i].metric.name, name) &&
        !strcmp(cycle->series[i].metric.where, where))
      return &cycle->series[i];
  fail_msg("no %s of %s", name, where);
  return NULL;
}

static struct siox_collector *collect(const struct siox__drives *drives) {
  struct siox_collector *c;
  struct siox_diag diag;
  const struct siox_provider_env env = {.root = "", .origin = "", .own = drives};
  assert_int_equal(siox_collector_new(&c), 0);
  assert_int_equal(siox_collector_add(c, &siox__provider_drives, &env, &diag), 0);
  return c;
}

static void what_a_drive_did_is_read(void **unused) {
  (void)unused;
  struct siox__drives *drives = siox__drives_new(3, NULL);
  struct siox_collector *c = collect(drives);
  siox__drives_tell(drives, &(struct siox_segment){.disk = 1, .state = SIOX_IDLE, .joules = 7});
  assert_int_equal(siox_collector_cycle(c, 10 * S, 10 * S), 0);
  struct siox_segment s = active(1, 11 * S, 11 * S + 4000000, 65536, 0.25);
  siox__drives_tell(drives, &s);
  s = active(1, 12 * S, 12 * S + 8000000, 131072, 0.5);
  siox__drives_tell(drives, &s);
  siox__drives_tell(drives, &(struct siox_segment){.disk = 1, .state = SIOX_IDLE, .joules = 20});
  assert_int_equal(siox_collector_cycle(c, 12 * S, 12 * S), 0);
  const struct siox_cycle *cycle = siox_collector_last(c);
  assert_true(series(cycle, "disk_requests", "disk1")->last.amount == 2);
  assert_true(series(cycle, "disk_bytes", "disk1")->last.amount == 196608);
  assert_true(fabs(series(cycle, "disk_request_time", "disk1")->last.value - 0.006) < 1e-12);
  const struct siox_series *energy = series(cycle, "energy", "disk1");
  assert_true(fabs(energy->last.amount - 20.75) < 1e-6 && energy->counts);
  assert_true(energy->metric.domain == SIOX_DOMAIN_DISK &&
              energy->metric.flags == (SIOX_METRIC_ESTIMATED | SIOX_METRIC_OUTSIDE));
  assert_true(series(cycle, "disk_bytes", "disk2")->last.amount == 0);
  siox_collector_free(c);
  siox__drives_free(drives);
}

static void without_a_request_there_is_no_time_of_one(void **unused) {
  (void)unused;
  struct siox__drives *drives = siox__drives_new(1, NULL);
  struct siox_collector *c = collect(drives);
  const struct siox_segment s = active(0, S, S + 3000000, 4096, 0.1);
  for (int i = 1; i <= 4; i++) {
    if (i == 3)
      siox__drives_tell(drives, &s);
    assert_int_equal(siox_collector_cycle(c, i * S, i * S), 0);
    const struct siox_series *time = series(siox_collector_last(c), "disk_request_time", "disk0");
    assert_int_equal(time->last.state == SIOX_SAMPLE_LOST, i != 3);
  }
  siox_collector_free(c);
  siox__drives_free(drives);
}

static double time_of_requests(struct siox_collector *c, struct siox__drives *drives, int64_t now,
                               int requests, int64_t ms) {
  for (int i = 0; i < requests; i++) {
    const struct siox_segment s = active(0, now, now + ms * 1000000, 4096, 0);
    siox__drives_tell(drives, &s);
  }
  assert_int_equal(siox_collector_cycle(c, now, now), 0);
  return series(siox_collector_last(c), "disk_request_time", "disk0")->last.value;
}

static void the_time_of_a_request_is_an_average_over_four_at_least(void **unused) {
  (void)unused;
  struct siox__drives *drives = siox__drives_new(1, NULL);
  struct siox_collector *c = collect(drives);
  assert_int_equal(siox_collector_cycle(c, S, S), 0);
  assert_true(fabs(time_of_requests(c, drives, 2 * S, 2, 10) - 0.010) < 1e-12); /* nothing before */
  assert_true(fabs(time_of_requests(c, drives, 3 * S, 8, 2) - 0.002) < 1e-12);
  assert_true(fabs(time_of_requests(c, drives, 4 * S, 1, 6) - 0.003) < 1e-12); /* (6 + 3 * 2) / 4 */
  assert_true(fabs(time_of_requests(c, drives, 5 * S, 4, 9) - 0.009) < 1e-12);
  siox_collector_free(c);
  siox__drives_free(drives);
}

/* A trillion pieces of a third of a nanojoule would be too slow here: a thousand tell it, too. */
static void no_joule_is_lost_to_rounding(void **unused) {
  (void)unused;
  struct siox__drives *drives = siox__drives_new(1, NULL);
  struct siox_collector *c = collect(drives);
  assert_int_equal(siox_collector_cycle(c, S, S), 0);
  for (int i = 0; i < 3000; i++) {
    const struct siox_segment s = active(0, i, i + 1, 1, 1e-9 / 3);
    siox__drives_tell(drives, &s);
  }
  assert_int_equal(siox_collector_cycle(c, 2 * S, 2 * S), 0);
  assert_true(fabs(series(siox_collector_last(c), "energy", "disk0")->last.amount - 1e-6) < 1.1e-9);
  siox_collector_free(c);
  siox__drives_free(drives);
}

/* Two speeds: 10 W at rest of 9000, 4 W of 3000, 1 W with its spindle stopped. */
static const struct siox_drive two_speeds = {
    .nlevels = 2,
    .level = {{.speed = 3000, .idle_w = 4}, {.speed = 9000, .idle_w = 10}},
    .has_standby = true,
    .standby_w = 1};
static const struct siox_drive *const two_speed_disks[] = {&two_speeds, &two_speeds};

static struct siox_segment stretch(enum siox_state state, int64_t from, int64_t to, double speed,
                                   double joules) {
  return (struct siox_segment){.state = state,
                               .start = from,
                               .end = to,
                               .from_speed = speed,
                               .to_speed = speed,
                               .joules = joules,
                               .share = 1};
}
static double joules_until(struct siox_collector *c, int64_t now) {
  assert_int_equal(siox_collector_cycle(c, now, now), 0);
  return series(siox_collector_last(c), "energy", "disk0")->last.amount;
}

static void joules_of_a_drive_at_rest_come_evenly(void **unused) {
  (void)unused;
  struct siox__drives *drives = siox__drives_new(1, two_speed_disks);
  struct siox_collector *c = collect(drives);
  struct siox_segment s = stretch(SIOX_ACTIVE, S, 2 * S, 9000, 13);
  siox__drives_tell(drives, &s);
  joules_until(c, 2 * S);
  for (int i = 1; i <= 50; i++) /* 10 W for five seconds */
    assert_true(fabs(joules_until(c, 2 * S + i * S / 10) - 1) < 1e-6);
  s = stretch(SIOX_IDLE, 2 * S, 7 * S + S / 20, 9000, 50.5);
  siox__drives_tell(drives, &s);
  s = stretch(SIOX_ACTIVE, 7 * S + S / 20, 7 * S + S / 10, 9000, 0.65);
  siox__drives_tell(drives, &s);
  assert_true(fabs(joules_until(c, 7 * S + S / 10) - 1.15) < 1e-6);
  siox_collector_free(c);
  siox__drives_free(drives);
}

static void a_drive_rests_at_the_speed_that_it_has(void **unused) {
  (void)unused;
  static const struct {
    double speed, watts;
  } cases[] = {{9000, 10}, {3000, 4}, {0, 1}, {5000, 0} /* no such level */};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct siox__drives *drives = siox__drives_new(1, two_speed_disks);
    struct siox_collector *c = collect(drives);
    struct siox_segment s = stretch(SIOX_DOWN, S, 2 * S, 9000, 5);
    s.to_speed = cases[i].speed;
    siox__drives_tell(drives, &s);
    joules_until(c, 2 * S);
    assert_true(fabs(joules_until(c, 5 * S) - 3 * cases[i].watts) < 1e-6);
    siox_collector_free(c);
    siox__drives_free(drives);
  }
}

/* It slowed down, which the bank tells when it is done: less than was read already. */
static void joules_never_go_back_and_add_up(void **unused) {
  (void)unused;
  struct siox__drives *drives = siox__drives_new(1, two_speed_disks);
  struct siox_collector *c = collect(drives);
  struct siox_segment s = stretch(SIOX_ACTIVE, 0, S, 9000, 13);
  siox__drives_tell(drives, &s);
  joules_until(c, S);
  double all = joules_until(c, 3 * S);
  assert_true(fabs(all - 20) < 1e-6);
  s = stretch(SIOX_DOWN, S, 3 * S, 9000, 14);
  s.to_speed = 3000;
  siox__drives_tell(drives, &s);
  assert_true(joules_until(c, 4 * S) == 0); /* 18 J so far */
  const double more = joules_until(c, 5 * S);
  assert_true(fabs(all + more - (14 + 2 * 4)) < 1e-6);
  siox_collector_free(c);
  siox__drives_free(drives);
}

static void at_the_end_nothing_rests_any_more(void **unused) {
  (void)unused;
  struct siox__drives *drives = siox__drives_new(2, two_speed_disks);
  struct siox_collector *c = collect(drives);
  const struct siox_segment s = stretch(SIOX_ACTIVE, 0, S, 9000, 13);
  siox__drives_tell(drives, &s);
  joules_until(c, S);
  siox__drives_end(drives);
  assert_true(joules_until(c, 60 * S) == 0);
  siox_collector_free(c);
  siox__drives_free(drives);
}

static void a_drive_that_is_not_there_is_left_out(void **unused) {
  (void)unused;
  struct siox__drives *drives = siox__drives_new(1, NULL);
  const struct siox_segment s = active(1, 0, 1, 1, 1);
  siox__drives_tell(drives, &s);
  siox__drives_free(drives);
}

static void too_many_drives_are_not_measured(void **unused) {
  (void)unused;
  struct siox__drives *drives = siox__drives_new(SIOX__DRIVES_MOST + 1, NULL);
  struct siox_diag diag;
  void *state;
  const struct siox_provider_env env = {.root = "", .origin = "", .own = drives};
  assert_int_equal(siox__provider_drives.open(&env, &state, &diag), SIOX_ENOENT);
  assert_non_null(strstr(diag.text, "257 drives; up to 256"));
  siox__drives_free(drives);
}

static void it_has_no_settings(void **unused) {
  (void)unused;
  struct siox__drives *drives = siox__drives_new(1, NULL);
  struct siox_diag diag;
  void *state;
  const struct siox_option option = {.key = "colour", .value = "red", .line = 7};
  const struct siox_provider_env env = {
      .root = "", .origin = "m.yaml", .own = drives, .settings = &option, .nsettings = 1};
  assert_int_equal(siox__provider_drives.open(&env, &state, &diag), SIOX_EINVAL);
  assert_string_equal(diag.text, "m.yaml:7: colour: drives has no settings");
  siox__drives_free(drives);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_a_drive_did_is_read),
      cmocka_unit_test(without_a_request_there_is_no_time_of_one),
      cmocka_unit_test(the_time_of_a_request_is_an_average_over_four_at_least),
      cmocka_unit_test(no_joule_is_lost_to_rounding),
      cmocka_unit_test(joules_of_a_drive_at_rest_come_evenly),
      cmocka_unit_test(a_drive_rests_at_the_speed_that_it_has),
      cmocka_unit_test(joules_never_go_back_and_add_up),
      cmocka_unit_test(at_the_end_nothing_rests_any_more),
      cmocka_unit_test(a_drive_that_is_not_there_is_left_out),
      cmocka_unit_test(too_many_drives_are_not_measured),
      cmocka_unit_test(it_has_no_settings),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
