/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Programs whose daemon is not there, dies or falls silent: they run on, and at most one line says
 * so. Each case is a process of its own that has not met a daemon before. */
#include "daemon_double.h"
#include "siox/siox.h"
#include "support.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Runs body in a child; returns the lines it wrote to stderr; its exit status must be 0. */
static int lines_of(int (*body)(void)) {
  FILE *said = tmpfile();
  int status, lines = 0;
  pid_t child = fork();
  if (!child) {
    dup2(fileno(said), 2);
    exit(body());
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  rewind(said);
  char line[1024];
  while (fgets(line, sizeof line, said)) {
    assert_memory_equal(line, "siox: ", 6);
    lines++;
  }
  fclose(said);
  return lines;
}

static int file(void) {
  char path[256];
  snprintf(path, sizeof path, "%s/f", double_mount());
  return open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
}
static bool writes(int fd) {
  char back[5] = "";
  return pwrite(fd, "data", 4, 0) == 4 && pread(fd, back, 4, 0) == 4 && !strcmp(back, "data");
}

static int hints_and_writes(void) {
  struct siox_mask mask;
  siox_mask_parse(&mask, "1");
  int fd = file();
  bool right = writes(fd) && siox_set_speed(&mask, 1, 1) == SIOX_EGONE && siox_ndisks() == 0 &&
               siox_lead(NULL) == 0 && writes(fd);
  siox_mask_free(&mask);
  return right ? 0 : 1;
}

static void without_a_daemon_the_program_runs_and_one_line_says_so(void **state) {
  (void)state;
  char kept[256];
  snprintf(kept, sizeof kept, "%s", getenv("SIOX_SOCKET"));
  setenv("SIOX_SOCKET", "/nonexistent/socket", 1);
  assert_int_equal(lines_of(hints_and_writes), 1);
  setenv("SIOX_SOCKET", kept, 1);
}

static int asks_for_no_daemon(void) {
  unsetenv("SIOX_SOCKET");
  setenv("XDG_RUNTIME_DIR", "/nonexistent", 1);
  return hints_and_writes();
}

static void without_a_daemon_that_anybody_asked_for_nothing_is_said(void **state) {
  (void)state;
  if (access("/run/siox/siox.sock", F_OK) == 0) {
    print_message("this machine has a daemon: /run/siox/siox.sock\n");
    skip();
  }
  assert_int_equal(lines_of(asks_for_no_daemon), 0);
}

static int to_parent[2], to_child[2];
static void tell(int fd) { assert_int_equal(write(fd, "x", 1), 1); }
static void hear(int fd) {
  char x;
  assert_int_equal(read(fd, &x, 1), 1);
}

/* The child writes, waits while the parent does something to the daemon, and writes again. */
static int twice(void) {
  int fd = file();
  if (!writes(fd))
    return 1;
  tell(to_parent[1]);
  hear(to_child[0]);
  return writes(fd) && writes(fd) ? 0 : 2;
}

static int between(void (*event)(void)) {
  FILE *said = tmpfile();
  int status, lines = 0;
  assert_true(pipe(to_parent) == 0 && pipe(to_child) == 0);
  pid_t child = fork();
  if (!child) {
    dup2(fileno(said), 2);
    exit(twice());
  }
  hear(to_parent[0]);
  event();
  tell(to_child[1]);
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  rewind(said);
  char line[1024];
  while (fgets(line, sizeof line, said))
    lines++;
  fclose(said);
  return lines;
}

static int plain(int flags) {
  char path[256];
  snprintf(path, sizeof path, "%s.plain", double_mount());
  int fd = open(path, flags, 0600);
  unlink(path);
  return fd;
}

/* The program's own file takes every number, those of libsiox's descriptors too. */
static int takes_every_descriptor(void) {
  struct rlimit limit = {128, 128};
  setrlimit(RLIMIT_NOFILE, &limit);
  int fd = file(), data = plain(O_RDWR | O_CREAT | O_TRUNC);
  if (!writes(fd))
    return 1;
  for (int i = 3; i < 128; i++)
    if (i != fd && i != data && dup2(data, i) != i)
      return 2;
  struct siox_mask mask;
  siox_mask_parse(&mask, "1");
  siox_set_speed(&mask, 1, 1);
  siox_mask_free(&mask);
  return writes(fd) && lseek(data, 0, SEEK_END) == 0 ? 0 : 3;
}

static void where_dup2_leaves_no_descriptor_the_daemon_is_left_and_no_file_written(void **state) {
  (void)state;
  assert_int_equal(lines_of(takes_every_descriptor), 1);
}

static int data_under_two(void) {
  setenv("SIOX_SOCKET", "/nonexistent/socket", 1);
  close(2);
  int data = syscall(SYS_openat, AT_FDCWD, double_mount(), O_TMPFILE | O_RDWR, 0600);
  if (data != 2)
    return 1;
  int fd = file();
  return writes(fd) && lseek(data, 0, SEEK_END) == 0 ? 0 : 2;
}

static void a_data_file_under_the_number_of_stderr_gets_no_line(void **state) {
  (void)state;
  assert_int_equal(lines_of(data_under_two), 0);
}

static int small_table(void) {
  struct rlimit limit = {16, 16};
  setrlimit(RLIMIT_NOFILE, &limit);
  int null = open("/dev/null", O_RDONLY);
  while (dup(null) >= 0)
    ;
  close(null);
  int fd = file();
  return writes(fd) && dup(fd) < 0 && close(fd) == 0 && (fd = file()) == null ? 0 : 1;
}

static void a_full_descriptor_table_keeps_its_last_number_for_the_program(void **state) {
  (void)state;
  assert_int_equal(lines_of(small_table), 1);
}

static int heard; /* requests before the daemon fell silent */
static void fall_silent(void) {
  heard = double_count(SIOX_MSG_IO, NULL);
  double_silent(true);
}

static void a_daemon_that_dies_is_left_with_one_line(void **state) {
  (void)state;
  assert_int_equal(between(double_hang_up), 1);
}

static void a_silent_daemon_is_left_after_a_second_with_one_line(void **state) {
  (void)state;
  double begin = seconds();
  assert_int_equal(between(fall_silent), 1);
  assert_true(seconds() - begin >= 1.0);
  assert_true(double_count(SIOX_MSG_IO, NULL) <= heard + 1); /* of four: it is not asked again */
  double_silent(false);
}

static int fork_and_write(void) {
  int fd = file(), status;
  if (!writes(fd))
    return 1;
  tell(to_parent[1]);
  hear(to_child[0]);
  pid_t child = fork();
  if (!child)
    exit(writes(fd) ? 0 : 1);
  waitpid(child, &status, 0);
  return status ? 2 : 0;
}

static void a_forked_child_never_warns(void **state) {
  (void)state;
  FILE *said = tmpfile();
  int status;
  assert_true(pipe(to_parent) == 0 && pipe(to_child) == 0);
  pid_t child = fork();
  if (!child) {
    dup2(fileno(said), 2);
    exit(fork_and_write());
  }
  hear(to_parent[0]);
  double_hang_up();
  tell(to_child[1]);
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  fseek(said, 0, SEEK_END);
  char line[1024];
  int lines = 0;
  rewind(said);
  while (fgets(line, sizeof line, said))
    lines++;
  assert_int_equal(lines, 1); /* the parent's, at its end */
  fclose(said);
}

int main(void) {
  const struct double_options options = {
      .ndisks = 4, .ring_bytes = 4096, .first_of_job = true, .layout = "0:4:64K"};
  double_start(&options);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_a_daemon_the_program_runs_and_one_line_says_so),
      cmocka_unit_test(without_a_daemon_that_anybody_asked_for_nothing_is_said),
      cmocka_unit_test(where_dup2_leaves_no_descriptor_the_daemon_is_left_and_no_file_written),
      cmocka_unit_test(a_data_file_under_the_number_of_stderr_gets_no_line),
      cmocka_unit_test(a_full_descriptor_table_keeps_its_last_number_for_the_program),
      cmocka_unit_test(a_daemon_that_dies_is_left_with_one_line),
      cmocka_unit_test(a_silent_daemon_is_left_after_a_second_with_one_line),
      cmocka_unit_test(a_forked_child_never_warns),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  double_stop();
  return failed;
}
