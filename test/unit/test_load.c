/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What kept the processors busy while a command ran, and what the report makes of it. */
#include "siox_tool.h"
#include "support.h"
#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

/* A NaN: it is not known how much longer I/O took. */
static json_t *machine_where(const struct siox__load *load, double added_io_time) {
  json_t *report =
      json_pack("{s:f, s:{s:o}, s:{}}", "wall_seconds", 10.0, "run", "added_io_time",
                isnan(added_io_time) ? json_null() : json_real(added_io_time), "unavailable");
  assert_non_null(report);
  siox__report_machine(report, load);
  json_t *its = json_incref(json_object_get(report, "machine"));
  json_decref(report);
  return its;
}

static json_t *machine(const struct siox__load *load) { return machine_where(load, 0.5); }

static double real(const json_t *o, const char *key) {
  return json_number_value(json_object_get(o, key));
}

/* A process that ends itself when we end. */
static pid_t waiting(int *end) {
  int fd[2];
  char byte;
  assert_int_equal(pipe(fd), 0);
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    close(fd[1]);
    _exit(read(fd[0], &byte, 1) != 0);
  }
  close(fd[0]);
  *end = fd[1];
  return pid;
}

static void a_daemon_that_ends_meanwhile_leaves_its_time_unknown(void **state) {
  (void)state;
  struct siox__load load;
  int end;
  pid_t pid = waiting(&end);
  siox__load_begin(&load, pid);
  close(end);
  assert_int_equal(waitpid(pid, NULL, 0), pid);
  siox__load_end(&load, pid);
  assert_true(load.daemon < 0);
}

static void a_daemon_that_stays_has_a_time(void **state) {
  (void)state;
  struct siox__load load;
  siox__load_begin(&load, getpid());
  siox__load_end(&load, getpid());
  assert_true(load.daemon >= 0);
}

/* 16 of 20 processor seconds, 10 by the command: 0.1 cores were the daemon's, 0.5 others'. */
static void what_is_nobody_elses_is_others(void **state) {
  (void)state;
  json_t *m =
      machine(&(struct siox__load){.seconds = 10, .busy = 16, .own = 10, .daemon = 1, .cores = 2});
  assert_true(real(m, "other_cores") > 0.4999 && real(m, "other_cores") < 0.5001);
  assert_string_equal(json_string_value(json_object_get(m, "busy")),
                      "other processes kept 0.5 of 2 cores busy");
  json_decref(m);
}

static void nobody_is_blamed_for_what_a_daemon_may_have_taken(void **state) {
  (void)state;
  json_t *m =
      machine(&(struct siox__load){.seconds = 10, .busy = 16, .own = 10, .daemon = -1, .cores = 2});
  assert_true(real(m, "command_cores") == 1);
  assert_true(json_is_null(json_object_get(m, "daemon_cores")));
  assert_true(json_is_null(json_object_get(m, "other_cores")));
  assert_true(json_is_null(json_object_get(m, "busy")));
  json_decref(m);
}

static bool notable(double others, double added_io_time) {
  json_t *m =
      machine_where(&(struct siox__load){.seconds = 10, .busy = 10 + others, .own = 10, .cores = 2},
                    added_io_time);
  bool its = json_is_true(json_object_get(m, "notable"));
  json_decref(m);
  return its;
}

/* From 0.2 cores of others and 1 % of I/O time on. */
static void a_busy_machine_is_notable_where_io_took_longer(void **state) {
  (void)state;
  assert_true(notable(2.1, 0.0101));
  assert_false(notable(2.1, 0.0099));
  assert_false(notable(2.1, NAN));
  assert_false(notable(1.9, 0.5));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_daemon_that_ends_meanwhile_leaves_its_time_unknown),
      cmocka_unit_test(a_daemon_that_stays_has_a_time),
      cmocka_unit_test(what_is_nobody_elses_is_others),
      cmocka_unit_test(a_busy_machine_is_notable_where_io_took_longer),
      cmocka_unit_test(nobody_is_blamed_for_what_a_daemon_may_have_taken),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
