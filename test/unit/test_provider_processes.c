/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Processes that are watched: each in each cycle, or in turns. */
#include "monitor/process.h"
#include "provider_support.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void put_stat(const struct tree *t, int pid, const char *name, unsigned user,
                     unsigned started, unsigned memory) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  tree_put(t, path,
           "%d (%s) S 1 1 1 0 -1 4194304 10 20 0 0 %u 5 700 800 20 0 4 0 %u %u %u "
           "18446744073709551615 1\n",
           pid, name, user, started, memory, memory / 40000);
}
static void put_process(const struct tree *t, int pid, const char *name, unsigned user,
                        unsigned started, const char *io) {
  char path[64];
  put_stat(t, pid, name, user, started, 1000000); /* 25 pages of it are there */
  snprintf(path, sizeof path, "/proc/%d/io", pid);
  tree_put(t, path, "%s", io);
}
static const char some_io[] =
    "rchar: 100\nwchar: 200\nsyscr: 1\nsyscw: 2\nread_bytes: 4096\nwrite_bytes: 8192\n";
static const char more_io[] =
    "rchar: 1100\nwchar: 200\nsyscr: 1\nsyscw: 2\nread_bytes: 4096\nwrite_bytes: 16384\n";

static void a_watched_process_is_measured_whatever_its_name(void **unused) {
  (void)unused;
  struct tree t;
  tree_new(&t);
  put_process(&t, 42, "a) R 1 (b", 100, 5000, some_io);
  struct siox_collector *c = collector_on(&t, "processes");
  assert_int_equal(siox_collector_processes(c, (int32_t[]){42, 43}, 2), 0); /* 43 has ended */
  cycle_at(c, 0);
  put_process(&t, 42, "a) R 1 (b", 150, 5000, more_io);
  cycle_at(c, 1000);
  assert_near(value_of(c, "process_cpu", "42@5000"), 0.5, 1e-12);
  assert_near(value_of(c, "process_bytes_asked_read", "42@5000"), 1000, 1e-9);
  assert_near(value_of(c, "process_bytes_written", "42@5000"), 8192, 1e-9);
  assert_near(value_of(c, "process_resident", "42@5000"), 25. * (double)sysconf(_SC_PAGESIZE), 0);
  siox_collector_free(c);
  tree_free(&t);
}

/* The kernel takes its memory first; until somebody waits for it, it is there. */
static void a_process_that_ends_has_no_memory_to_speak_of(void **unused) {
  (void)unused;
  struct tree t;
  tree_new(&t);
  put_process(&t, 42, "x", 100, 5000, some_io);
  struct siox_collector *c = collector_on(&t, "processes");
  assert_int_equal(siox_collector_processes(c, (int32_t[]){42}, 1), 0);
  cycle_at(c, 0);
  put_stat(&t, 42, "x", 110, 5000, 0);
  cycle_at(c, 100);
  assert_int_equal(series_of(c, "process_resident", "42@5000")->last.state, SIOX_SAMPLE_LOST);
  assert_near(value_of(c, "process_cpu", "42@5000"), 1, 1e-12);
  siox_collector_free(c);
  tree_free(&t);
}

static void a_process_that_nobody_waits_for_has_no_memory(void **unused) {
  (void)unused;
  const pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0)
    _exit(0);
  siginfo_t ended;
  assert_int_equal(waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOWAIT), 0);
  uint64_t pages;
  struct siox__process_stat stat;
  assert_int_equal(siox__process_resident("", pid, NULL, &pages), 0);
  assert_true(pages == SIOX__NO_MEMORY);
  assert_int_equal(siox__process_stat("", pid, &stat), 0);
  assert_true(stat.resident_pages == SIOX__NO_MEMORY);
  assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void bytes_say_something_in_steps_of_pages_and_of_a_read_ahead(void **unused) {
  (void)unused;
  struct tree t;
  tree_new(&t);
  put_process(&t, 42, "x", 100, 5000, some_io);
  struct siox_collector *c = collector_on(&t, "processes");
  assert_int_equal(siox_collector_processes(c, (int32_t[]){42}, 1), 0);
  cycle_at(c, 0);
  assert_near(series_of(c, "process_bytes_read", "42@5000")->metric.step, 131072, 0);
  assert_near(series_of(c, "process_bytes_written", "42@5000")->metric.step, 131072, 0);
  assert_near(series_of(c, "process_bytes_asked_read", "42@5000")->metric.step, 4096, 0);
  siox_collector_free(c);
  tree_free(&t);
}

static void processor_time_has_the_steps_of_where_it_is_read(void **unused) {
  (void)unused;
  struct tree t;
  tree_new(&t);
  put_process(&t, 42, "x", 100, 5000, some_io);
  struct siox_collector *c = collector_on(&t, "processes"); /* no clock answers for a tree */
  assert_int_equal(siox_collector_processes(c, (int32_t[]){42}, 1), 0);
  cycle_at(c, 0);
  assert_near(series_of(c, "process_cpu", "42@5000")->metric.step, 0.01, 1e-12);
  siox_collector_free(c);
  tree_free(&t);
}

static void a_pid_that_another_process_has_taken_over_is_another_place(void **unused) {
  (void)unused;
  struct tree t;
  tree_new(&t);
  put_process(&t, 42, "old", 100, 5000, some_io);
  struct siox_collector *c = collector_on(&t, "processes");
  assert_int_equal(siox_collector_processes(c, (int32_t[]){42}, 1), 0);
  cycle_at(c, 0);
  put_process(&t, 42, "new", 900, 6000, some_io);
  cycle_at(c, 100);
  assert_true(series_of(c, "process_cpu", "42@5000")->gone);
  assert_int_equal(series_of(c, "process_cpu", "42@6000")->last.state, SIOX_SAMPLE_FIRST);
  siox_collector_free(c);
  tree_free(&t);
}

static void io_of_other_users_processes_is_lost_and_their_time_is_not(void **unused) {
  (void)unused;
  struct tree t;
  tree_new(&t);
  put_process(&t, 42, "x", 100, 5000, some_io);
  tree_remove(&t, "/proc/42/io");
  tree_link(&t, "/proc/1/mem/no", "/proc/42/io");
  struct siox_collector *c = collector_on(&t, "processes");
  assert_int_equal(siox_collector_processes(c, (int32_t[]){42}, 1), 0);
  cycle_at(c, 0);
  cycle_at(c, 100);
  assert_near(value_of(c, "process_cpu", "42@5000"), 0, 0);
  assert_int_equal(series_of(c, "process_bytes_read", "42@5000")->last.state, SIOX_SAMPLE_LOST);
  siox_collector_free(c);
  tree_free(&t);
}

/* The kernel's own clock of this process is the independent twin. */
static void this_process_is_measured_as_its_own_clock_does(void **unused) {
  (void)unused;
  struct tree machine = {""};
  struct siox_collector *c = collector_on(&machine, "processes");
  assert_int_equal(siox_collector_processes(c, (int32_t[]){getpid()}, 1), 0);
  struct timespec before, now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
  cycle_at(c, 0);
  do
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  while ((double)(now.tv_sec - before.tv_sec) + 1e-9 * (double)(now.tv_nsec - before.tv_nsec) <
         0.2);
  const struct siox_cycle *last = cycle_at(c, 1000);
  double used = 0;
  for (size_t i = 0; i < last->nseries; i++)
    if (strncmp(last->series[i].metric.name, "process_cpu", 12) == 0)
      used += last->series[i].last.amount;
  assert_near(used, 0.2, 0.011); /* accounted at ticks, of 10 ms at most */
  siox_collector_free(c);
}

/* A collector whose provider has so much of a core; "0": one process has its turn in each cycle. */
static struct siox_collector *with_budget(const struct tree *t, const char *budget) {
  struct siox_collector *c;
  struct siox_diag diag;
  const struct siox_option setting = {"budget", budget, 1};
  assert_int_equal(siox_collector_new(&c), 0);
  assert_int_equal(siox_collector_add(c, siox_provider_find("processes"),
                                      &(struct siox_provider_env){.root = t->root,
                                                                  .origin = "monitor.yaml",
                                                                  .settings = &setting,
                                                                  .nsettings = 1,
                                                                  .period_ns = 100000000},
                                      &diag),
                   0);
  return c;
}
static const char *place(int pid) {
  static char where[32];
  snprintf(where, sizeof where, "%d@5000", pid);
  return where;
}
static void put_times(const struct tree *t, int n, const unsigned *ticks) {
  for (int i = 0; i < n; i++)
    put_process(t, 100 + i, "x", ticks[i], 5000, some_io);
}

static void
a_process_that_is_not_read_is_held_and_its_next_sample_is_over_all_of_its_time(void **unused) {
  (void)unused;
  struct tree t;
  tree_new(&t);
  put_times(&t, 2, (unsigned[]){0, 0});
  struct siox_collector *c = with_budget(&t, "0");
  assert_int_equal(siox_collector_processes(c, (int32_t[]){100, 101}, 2), 0);
  cycle_at(c, 0); /* both are new */
  put_times(&t, 2, (unsigned[]){10, 20});
  cycle_at(c, 100);
  put_times(&t, 2, (unsigned[]){30, 40});
  cycle_at(c, 200);
  put_times(&t, 2, (unsigned[]){40, 45});
  cycle_at(c, 300);
  /* Who came first is not said; one was read at 100 and 300, the other one at 200. */
  const struct siox_series *a = series_of(c, "process_cpu", place(100)),
                           *b = series_of(c, "process_cpu", place(101));
  const bool first = a->last.state == SIOX_SAMPLE_VALID;
  const struct siox_sample *read = first ? &a->last : &b->last, *held = first ? &b->last : &a->last;
  assert_int_equal(read->state, SIOX_SAMPLE_VALID);
  assert_int_equal(read->span_ns, 200000000);
  assert_near(read->amount, first ? 0.3 : 0.25, 1e-12);
  assert_near(read->value, first ? 1.5 : 1.25, 1e-12);
  assert_int_equal(held->state, SIOX_SAMPLE_HELD);
  assert_int_equal(held->error, 0);
  assert_near(held->value, first ? 2 : 1.5, 1e-12); /* as of the 200 ms before */
  assert_near(held->amount, 0, 0);
  siox_collector_free(c);
  tree_free(&t);
}

static void what_is_read_in_turns_adds_up_to_what_was_used(void **unused) {
  (void)unused;
  enum { N = 7 };
  struct tree t;
  tree_new(&t);
  unsigned ticks[N] = {0};
  int32_t pids[N];
  uint64_t seed = 5;
  put_times(&t, N, ticks);
  for (int i = 0; i < N; i++)
    pids[i] = 100 + i;
  struct siox_collector *c = with_budget(&t, "0");
  assert_int_equal(siox_collector_processes(c, pids, N), 0);
  cycle_at(c, 0);
  for (int k = 1; k <= 30 * N; k++) {
    for (int i = 0; i < N; i++)
      ticks[i] += (unsigned)test_below(&seed, 11);
    put_times(&t, N, ticks);
    cycle_at(c, 100 * k);
  }
  for (int k = 1; k <= N; k++)
    cycle_at(c, 100 * (30 * N + k));
  for (int i = 0; i < N; i++)
    assert_near(series_of(c, "process_cpu", place(pids[i]))->total, 0.01 * ticks[i], 1e-9);
  siox_collector_free(c);
  tree_free(&t);
}

static void what_is_read_in_turns_is_said_and_what_is_not_is_not(void **unused) {
  (void)unused;
  for (int k = 0; k < 2; k++) {
    struct tree t;
    tree_new(&t);
    put_times(&t, 3, (unsigned[]){0, 0, 0});
    struct siox_collector *c = with_budget(&t, k ? "100 %" : "0");
    assert_int_equal(siox_collector_processes(c, (int32_t[]){100, 101, 102}, 3), 0);
    for (int i = 0; i < 10; i++)
      cycle_at(c, 100 * i);
    char text[256];
    assert_string_equal(siox_collector_note(c, 0, text, sizeof text), "processes");
    assert_string_equal(text, k ? ""
                                : "processor time read every 0.3 s, memory and I/O every 0.3 s: 3 "
                                  "processes within 0 % of a core");
    assert_null(siox_collector_note(c, 1, text, sizeof text));
    siox_collector_free(c);
    tree_free(&t);
  }
}

static void a_process_that_ends_between_its_turns_is_gone_and_the_others_are_not(void **unused) {
  (void)unused;
  struct tree t;
  tree_new(&t);
  put_times(&t, 3, (unsigned[]){0, 0, 0});
  struct siox_collector *c = with_budget(&t, "0");
  assert_int_equal(siox_collector_processes(c, (int32_t[]){100, 101, 102}, 3), 0);
  cycle_at(c, 0);
  tree_remove(&t, "/proc/101/stat");
  tree_remove(&t, "/proc/101/io");
  put_process(&t, 100, "x", 100, 5000, some_io);
  put_process(&t, 102, "x", 200, 5000, some_io);
  for (int i = 1; i <= 4; i++)
    cycle_at(c, 100 * i);
  assert_true(series_of(c, "process_cpu", place(101))->gone);
  assert_near(series_of(c, "process_cpu", place(100))->total, 1, 1e-12);
  assert_near(series_of(c, "process_cpu", place(102))->total, 2, 1e-12);
  siox_collector_free(c);
  tree_free(&t);
}

/* A child of this process, which has spun a while, stopped, ended and waited for. */
static void the_others_are_read_in_the_cycle_in_which_many_ended(void **unused) {
  (void)unused;
  struct tree t;
  tree_new(&t);
  enum { MANY = 12 };
  int32_t pids[MANY];
  for (int i = 0; i < MANY; i++) {
    pids[i] = 100 + i;
    put_process(&t, pids[i], "x", 100, 5000, some_io);
  }
  struct siox_collector *c = collector_on(&t, "processes");
  assert_int_equal(siox_collector_processes(c, pids, MANY), 0);
  cycle_at(c, 0);
  for (int i = 0; i < MANY - 1; i++) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/stat", pids[i]);
    tree_remove(&t, path);
  }
  put_process(&t, pids[MANY - 1], "x", 150, 5000, more_io);
  cycle_at(c, 1000);
  assert_near(value_of(c, "process_cpu", "111@5000"), 0.5, 1e-12);
  assert_near(value_of(c, "process_bytes_asked_read", "111@5000"), 1000, 1e-9);
  siox_collector_free(c);
  tree_free(&t);
}

static void the_clock_of_a_process_that_has_ended_says_so(void **unused) {
  (void)unused;
  int ends[2];
  char byte;
  assert_int_equal(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    struct timespec t;
    do
      clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    while (t.tv_nsec < 50000000 && t.tv_sec == 0);
    _exit(write(ends[1], "x", 1) == 1 && pause() ? 0 : 1);
  }
  struct tree machine = {""};
  struct siox_collector *c = collector_on(&machine, "processes");
  assert_int_equal(siox_collector_processes(c, (int32_t[]){(int32_t)child, (int32_t)getpid()}, 2),
                   0);
  cycle_at(c, 0);
  assert_int_equal(read(ends[0], &byte, 1), 1);
  cycle_at(c, 100);
  uint64_t busy_ns;
  assert_int_equal(siox__process_clock((int32_t)child, &busy_ns), 0);
  assert_true(busy_ns >= 40000000); /* accounted at ticks */
  kill(child, SIGKILL);
  assert_int_equal(waitpid(child, NULL, 0), child);
  assert_int_equal(siox__process_clock((int32_t)child, &busy_ns), SIOX_ENOENT);
  const struct siox_cycle *last = cycle_at(c, 200);
  int gone = 0, there = 0;
  for (size_t i = 0; i < last->nseries; i++) {
    gone += last->series[i].gone;
    there += !last->series[i].gone;
  }
  assert_int_equal(gone, there); /* the child's, and ours */
  assert_true(gone > 0);
  siox_collector_free(c);
  close(ends[0]);
  close(ends[1]);
}

static void descriptors_are_closed_with_the_process(void **unused) {
  (void)unused;
  struct tree machine = {""};
  const int before = open("/dev/null", O_RDONLY);
  close(before);
  struct siox_collector *c = collector_on(&machine, "processes");
  assert_int_equal(siox_collector_processes(c, (int32_t[]){(int32_t)getpid()}, 1), 0);
  cycle_at(c, 0);
  cycle_at(c, 100);
  assert_int_equal(siox_collector_processes(c, NULL, 0), 0);
  cycle_at(c, 200);
  int now = open("/dev/null", O_RDONLY);
  assert_int_equal(now, before);
  close(now);
  siox_collector_free(c);
  now = open("/dev/null", O_RDONLY);
  assert_int_equal(now, before);
  close(now);
}

static void what_a_process_file_must_say_is_missed(void **unused) {
  (void)unused;
  static const char *const wrong[] = {
      "",
      "rchar: 1\nwchar: 2\nread_bytes: 3\n",
      "rchar: 1\nwchar: x\nread_bytes: 3\nwrite_bytes: 4\n",
      "rchar: 1\nwchar: 2\nread_bytes: 99999999999999999999\nwrite_bytes: 4\n",
      "xrchar: 1\nwchar: 2\nread_bytes: 3\nwrite_bytes: 4\n",
  };
  struct tree t;
  struct siox__process_io io;
  uint64_t pages;
  tree_new(&t);
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    tree_put(&t, "/proc/9/io", "%s", wrong[i]);
    assert_int_equal(siox__process_io(t.root, 9, NULL, &io), SIOX_ESYNTAX);
  }
  tree_put(&t, "/proc/9/io",
           "rchar: 1\nwchar: 2\nsyscr: 7\nsyscw: 8\nread_bytes: 3\n"
           "write_bytes: 18446744073709551615\ncancelled_write_bytes: 0\n");
  assert_int_equal(siox__process_io(t.root, 9, NULL, &io), 0);
  assert_true(io.bytes_asked_read == 1 && io.bytes_asked_written == 2 && io.bytes_read == 3 &&
              io.bytes_written == UINT64_MAX);
  tree_put(&t, "/proc/9/statm", "1000 25 20 1 0 30 0\n");
  assert_int_equal(siox__process_resident(t.root, 9, NULL, &pages), 0);
  assert_int_equal(pages, 25);
  tree_put(&t, "/proc/9/statm", "1000\n");
  assert_int_equal(siox__process_resident(t.root, 9, NULL, &pages), SIOX_ESYNTAX);
  tree_free(&t);
}

/* The kept descriptors say what files that are opened anew do. */
static void kept_files_are_read_from_their_beginning_each_time(void **unused) {
  (void)unused;
  struct siox__process_files files = {-1, -1};
  struct siox__process_io kept, anew;
  uint64_t pages;
  const char *const nothing = "nothing\n";
  const int null = open("/dev/null", O_WRONLY);
  for (int i = 0; i < 3; i++) {
    assert_int_equal(siox__process_io("", (int32_t)getpid(), &files, &kept), 0);
    assert_int_equal(siox__process_resident("", (int32_t)getpid(), &files, &pages), 0);
    assert_true(pages > 0);
    assert_int_equal(write(null, nothing, strlen(nothing)), (int)strlen(nothing));
    assert_int_equal(siox__process_io("", (int32_t)getpid(), NULL, &anew), 0);
    assert_true(anew.bytes_asked_written == kept.bytes_asked_written + strlen(nothing));
  }
  siox__process_files_close(&files);
  assert_true(files.io == -1 && files.statm == -1);
  close(null);
}

static void a_budget_that_is_none_is_named_with_file_and_line(void **unused) {
  (void)unused;
  const struct siox_option setting = {"budget", "200 %", 7};
  struct siox_diag diag;
  void *state;
  const struct siox_provider *p = siox_provider_find("processes");
  assert_int_equal(p->open(
                       &(struct siox_provider_env){
                           .root = "", .origin = "siox.yaml", .settings = &setting, .nsettings = 1},
                       &state, &diag),
                   SIOX_ERANGE);
  assert_non_null(strstr(diag.text, "siox.yaml:7: budget"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_watched_process_is_measured_whatever_its_name),
      cmocka_unit_test(a_process_that_ends_has_no_memory_to_speak_of),
      cmocka_unit_test(a_process_that_nobody_waits_for_has_no_memory),
      cmocka_unit_test(bytes_say_something_in_steps_of_pages_and_of_a_read_ahead),
      cmocka_unit_test(processor_time_has_the_steps_of_where_it_is_read),
      cmocka_unit_test(a_pid_that_another_process_has_taken_over_is_another_place),
      cmocka_unit_test(io_of_other_users_processes_is_lost_and_their_time_is_not),
      cmocka_unit_test(this_process_is_measured_as_its_own_clock_does),
      cmocka_unit_test(
          a_process_that_is_not_read_is_held_and_its_next_sample_is_over_all_of_its_time),
      cmocka_unit_test(what_is_read_in_turns_adds_up_to_what_was_used),
      cmocka_unit_test(what_is_read_in_turns_is_said_and_what_is_not_is_not),
      cmocka_unit_test(a_process_that_ends_between_its_turns_is_gone_and_the_others_are_not),
      cmocka_unit_test(the_others_are_read_in_the_cycle_in_which_many_ended),
      cmocka_unit_test(the_clock_of_a_process_that_has_ended_says_so),
      cmocka_unit_test(descriptors_are_closed_with_the_process),
      cmocka_unit_test(what_a_process_file_must_say_is_missed),
      cmocka_unit_test(kept_files_are_read_from_their_beginning_each_time),
      cmocka_unit_test(a_budget_that_is_none_is_named_with_file_and_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
