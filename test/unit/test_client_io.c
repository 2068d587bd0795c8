/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* libsiox below a program: which accesses are charged and with what extent, and that the program's
 * calls do and say what they would without it. */
#include "daemon_double.h"
#include "siox/policy.h"
#include "siox/siox.h"
#include "support.h"
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static const char *path(const char *name) {
  static char text[256];
  snprintf(text, sizeof text, "%s/%s", double_mount(), name);
  return text;
}

static int made(const char *name, size_t bytes) { /* a file with known content, opened for both */
  int fd = open(path(name), O_RDWR | O_CREAT | O_TRUNC, 0600);
  char *content = malloc(bytes + 1);
  for (size_t i = 0; i < bytes; i++)
    content[i] = (char)('a' + i % 26);
  assert_true(fd >= 0 && pwrite(fd, content, bytes, 0) == (ssize_t)bytes);
  free(content);
  double_forget();
  return fd;
}

/* The one I/O message that came. */
static struct siox_msg_io the_io(void) {
  struct double_message m;
  struct siox_msg_io io;
  assert_int_equal(double_count(SIOX_MSG_IO, &m), 1);
  memcpy(&io, m.body, sizeof io);
  assert_int_equal(io.file, DOUBLE_FILE);
  return io;
}
static void expect(int op, int64_t offset, int64_t bytes) {
  struct siox_msg_io io = the_io();
  assert_int_equal(io.op, op);
  assert_int_equal(io.offset, offset);
  assert_int_equal(io.bytes, bytes);
}

static int set_up(void **state) {
  (void)state;
  double_delay(0);
  double_forget();
  return 0;
}

static void an_open_below_the_mount_is_announced(void **state) {
  (void)state;
  struct double_message m;
  struct siox_msg_open open_;
  int fd = open(path("opened"), O_RDWR | O_CREAT, 0600);
  assert_int_equal(double_count(SIOX_MSG_OPEN, &m), 1);
  memcpy(&open_, m.body, sizeof open_);
  assert_int_equal(open_.created, 1);
  assert_int_equal(open_.path_length, strlen(path("opened")));
  assert_memory_equal(m.body + sizeof open_, path("opened"), open_.path_length);
  close(fd);
  fd = open(path("opened"), O_RDWR | O_CREAT, 0600);
  double_count(SIOX_MSG_OPEN, &m);
  memcpy(&open_, m.body, sizeof open_);
  assert_int_equal(open_.created, 0);
  close(fd);
}

static void a_file_elsewhere_is_left_alone(void **state) {
  (void)state;
  char name[] = "/tmp/siox-elsewhere.XXXXXX";
  int fd = mkstemp(name);
  int again = open(name, O_RDWR);
  assert_int_equal(write(again, "x", 1), 1);
  assert_int_equal(double_count(SIOX_MSG_OPEN, NULL) + double_count(SIOX_MSG_IO, NULL), 0);
  close(fd);
  close(again);
  unlink(name);
}

static void a_directory_whose_name_begins_like_the_mount_is_elsewhere(void **state) {
  (void)state;
  char name[256];
  snprintf(name, sizeof name, "%s-not", double_mount());
  int fd = open(name, O_RDWR | O_CREAT, 0600);
  assert_int_equal(double_count(SIOX_MSG_OPEN, NULL), 0);
  close(fd);
}

static void write_is_charged_at_the_descriptors_position(void **state) {
  (void)state;
  int fd = made("w", 100);
  assert_int_equal(lseek(fd, 40, SEEK_SET), 40);
  assert_int_equal(write(fd, "0123456789", 10), 10);
  expect(SIOX_IO_WRITE, 40, 10);
  close(fd);
}

static void append_is_charged_at_the_end(void **state) {
  (void)state;
  close(made("a", 100));
  int fd = open(path("a"), O_WRONLY | O_APPEND);
  assert_int_equal(write(fd, "0123456789", 10), 10);
  expect(SIOX_IO_WRITE, 100, 10);
  close(fd);
}

static void a_read_is_charged_up_to_the_end_of_file(void **state) {
  (void)state;
  char buffer[200];
  int fd = made("r", 100);
  assert_int_equal(pread(fd, buffer, sizeof buffer, 70), 30);
  expect(SIOX_IO_READ, 70, 30);
  assert_memory_equal(buffer, "stuvwxyzabcdefghijklmnopqrstuv", 30);
  close(fd);
}

static void a_read_beyond_the_end_is_not_charged(void **state) {
  (void)state;
  char buffer[10];
  int fd = made("e", 100);
  assert_int_equal(pread(fd, buffer, sizeof buffer, 100), 0);
  assert_int_equal(double_count(SIOX_MSG_IO, NULL), 0);
  close(fd);
}

static void nothing_to_write_is_not_charged(void **state) {
  (void)state;
  int fd = made("z", 10);
  assert_int_equal(write(fd, "", 0), 0);
  assert_int_equal(double_count(SIOX_MSG_IO, NULL), 0);
  close(fd);
}

static void vectors_are_charged_in_one(void **state) {
  (void)state;
  int fd = made("v", 100);
  struct iovec part[2] = {{"abc", 3}, {"defgh", 5}};
  assert_int_equal(pwritev(fd, part, 2, 20), 8);
  expect(SIOX_IO_WRITE, 20, 8);
  close(fd);
}

static void a_copied_descriptor_means_the_same_file(void **state) {
  (void)state;
  int fd = made("d", 100), copy = dup(fd);
  close(fd);
  assert_int_equal(pwrite(copy, "x", 1, 3), 1);
  expect(SIOX_IO_WRITE, 3, 1);
  close(copy);
}

static void a_write_that_cannot_succeed_fails_the_same_and_is_not_charged(void **state) {
  (void)state;
  close(made("ro", 10));
  int fd = open(path("ro"), O_RDONLY);
  double_forget();
  errno = 0;
  assert_int_equal(write(fd, "x", 1), -1);
  assert_int_equal(errno, EBADF);
  assert_int_equal(double_count(SIOX_MSG_IO, NULL), 0);
  close(fd);
}

static void errno_is_kept(void **state) {
  (void)state;
  int fd = made("errno", 10);
  errno = ENOTTY;
  assert_int_equal(write(fd, "x", 1), 1);
  assert_int_equal(errno, ENOTTY);
  close(fd);
}

static void a_call_returns_when_the_disks_are_done(void **state) {
  (void)state;
  int fd = made("s", 10);
  double_delay(20000000);
  int64_t begin = now();
  assert_int_equal(pwrite(fd, "x", 1, 0), 1);
  assert_true(now() - begin >= 20000000);
  assert_true(now() >= the_io().arrival + 20000000);
  double_delay(0);
  close(fd);
}

static void on_alarm(int number) { (void)number; }
static void a_signal_does_not_cut_the_wait_short(void **state) {
  (void)state;
  int fd = made("sig", 10);
  struct sigaction action = {.sa_handler = on_alarm}, before;
  sigaction(SIGALRM, &action, &before);
  double_delay(30000000);
  int64_t begin = now();
  struct itimerspec soon = {.it_value = {.tv_nsec = 5000000}};
  timer_t timer;
  assert_int_equal(timer_create(CLOCK_MONOTONIC, NULL, &timer), 0);
  timer_settime(timer, 0, &soon, NULL);
  assert_int_equal(pwrite(fd, "x", 1, 0), 1);
  assert_true(now() - begin >= 30000000);
  double_delay(0);
  timer_delete(timer);
  sigaction(SIGALRM, &before, NULL);
  close(fd);
}

static int handler_fd;
static ssize_t handler_wrote;
static void writing_handler(int number) {
  (void)number;
  handler_wrote = write(handler_fd, "h", 1);
}
static void a_signal_handler_may_write(void **state) {
  (void)state;
  handler_fd = made("handler", 0);
  int fd = made("handled", 10);
  struct sigaction action = {.sa_handler = writing_handler}, before;
  sigaction(SIGUSR1, &action, &before);
  for (int i = 0; i < 200; i++) { /* from another thread, so that it strikes anywhere */
    handler_wrote = 0;
    pthread_kill(pthread_self(), SIGUSR1);
    assert_int_equal(handler_wrote, 1);
    assert_int_equal(pwrite(fd, "x", 1, 0), 1);
  }
  sigaction(SIGUSR1, &before, NULL);
  assert_int_equal(lseek(handler_fd, 0, SEEK_END), 200);
  close(handler_fd);
  close(fd);
}

static void *keep_signalling(void *target) {
  for (int i = 0; i < 2000; i++) {
    pthread_kill(*(pthread_t *)target, SIGUSR1);
    sched_yield();
  }
  return NULL;
}
static void a_signal_handler_may_write_while_libsiox_works(void **state) {
  (void)state;
  handler_fd = made("struck", 0);
  int fd = made("strike", 10);
  struct sigaction action = {.sa_handler = writing_handler, .sa_flags = SA_RESTART}, before;
  sigaction(SIGUSR1, &action, &before);
  pthread_t self = pthread_self(), other;
  pthread_create(&other, NULL, keep_signalling, &self);
  for (int i = 0; i < 2000; i++)
    assert_int_equal(pwrite(fd, "x", 1, i % 10), 1);
  pthread_join(other, NULL);
  sigaction(SIGUSR1, &before, NULL);
  assert_int_equal(double_count(SIOX_MSG_HELLO, NULL), 0); /* still the first connection */
  close(handler_fd);
  close(fd);
}

static void *many_writes(void *name) {
  int fd = open(path(name), O_RDWR | O_CREAT, 0600);
  for (int i = 0; i < 200; i++)
    if (pwrite(fd, name, 1, i) != 1)
      return NULL;
  close(fd);
  return name;
}
static void threads_may_write_at_once(void **state) {
  (void)state;
  close(made("threads", 0));
  pthread_t other[4];
  void *result;
  for (int i = 0; i < 4; i++)
    pthread_create(&other[i], NULL, many_writes, "threads");
  for (int i = 0; i < 4; i++) {
    pthread_join(other[i], &result);
    assert_non_null(result);
  }
  assert_int_equal(double_count(SIOX_MSG_IO, NULL), 800);
}

static void aio_is_in_progress_until_the_disks_are_done(void **state) {
  (void)state;
  int fd = made("aio", 100);
  double_delay(500000000); /* long enough to be asked in between on a busy machine */
  int64_t begin = now();
  struct aiocb block = {
      .aio_fildes = fd, .aio_buf = "0123456789", .aio_nbytes = 10, .aio_offset = 50};
  assert_int_equal(aio_write(&block), 0);
  assert_int_equal(aio_error(&block), EINPROGRESS);
  expect(SIOX_IO_WRITE, 50, 10);
  assert_int_equal(the_io().flags, SIOX_IO_ASYNC);
  const struct aiocb *list[1] = {&block};
  assert_int_equal(aio_suspend(list, 1, NULL), 0);
  assert_true(now() - begin >= 500000000);
  assert_int_equal(aio_error(&block), 0);
  assert_int_equal(aio_return(&block), 10);
  double_delay(0);
  close(fd);
}

static void aio_suspend_honours_its_time_limit(void **state) {
  (void)state;
  int fd = made("aiolimit", 100);
  double_delay(200000000);
  struct aiocb block = {.aio_fildes = fd, .aio_buf = "0", .aio_nbytes = 1};
  assert_int_equal(aio_write(&block), 0);
  const struct aiocb *list[1] = {&block};
  struct timespec limit = {.tv_nsec = 5000000};
  assert_int_equal(aio_suspend(list, 1, &limit), -1);
  assert_int_equal(errno, EAGAIN);
  assert_int_equal(aio_suspend(list, 1, NULL), 0);
  aio_return(&block);
  double_delay(0);
  close(fd);
}

static void a_forked_child_joins_by_itself(void **state) {
  (void)state;
  int fd = made("fork", 100), status;
  int before = double_connections();
  pid_t child = fork();
  if (!child)
    _exit(pwrite(fd, "child", 5, 60) == 5 ? 0 : 1);
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  struct double_message m;
  struct siox_msg_hello hello;
  assert_int_equal(double_connections(), before + 1);
  assert_int_equal(double_count(SIOX_MSG_HELLO, &m), 1);
  memcpy(&hello, m.body, sizeof hello);
  assert_int_equal(hello.pid, child);
  assert_int_equal(hello.flags & SIOX_HELLO_REJOIN, SIOX_HELLO_REJOIN);
  expect(SIOX_IO_WRITE, 60, 5);
  double_forget();
  assert_int_equal(pwrite(fd, "parent", 6, 0), 6); /* the parent's connection is untouched */
  expect(SIOX_IO_WRITE, 0, 6);
  close(fd);
}

static void what_a_vfork_child_closes_stays_managed_in_the_parent(void **state) {
  (void)state;
  int fd = made("vfork", 10), status;
  pid_t child = vfork();
  if (!child) {
    close(fd);
    _exit(0);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(pwrite(fd, "x", 1, 4), 1);
  expect(SIOX_IO_WRITE, 4, 1);
  close(fd);
}

static void a_vfork_child_that_writes_leaves_the_parents_connection(void **state) {
  (void)state;
  int fd = made("parent", 10), status, connections = double_connections();
  pid_t child = vfork();
  if (!child)
    _exit(pwrite(fd, "child", 5, 0) == 5 && close(open("/tmp", O_RDONLY)) == 0 ? 0 : 1);
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  assert_int_equal(double_count(SIOX_MSG_IO, NULL), 0);
  assert_int_equal(pwrite(fd, "parent", 6, 0), 6);
  assert_int_equal(double_count(SIOX_MSG_IO, NULL), 1);
  assert_int_equal(double_connections(), connections);
  close(fd);
}

static void closing_every_descriptor_leaves_the_connection(void **state) {
  (void)state;
  for (int fd = 900; fd < 70000; fd++) /* what daemons do; the double's own are below */
    close(fd);
  int fd = made("after", 10);
  assert_int_equal(pwrite(fd, "x", 1, 2), 1);
  expect(SIOX_IO_WRITE, 2, 1);
  close(fd);
}

static void a_mapping_is_said_to_be_unseen(void **state) {
  (void)state;
  unsigned char record[4096];
  while (double_record(0, record, sizeof record) > 0)
    ;
  int fd = made("map", 4096);
  void *at = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
  struct siox_rec_head head;
  struct siox_rec_missing missing;
  do { /* that it is open was said before */
    assert_true(double_record(0, record, sizeof record) > 0);
    memcpy(&head, record, sizeof head);
  } while (head.type == SIOX_REC_CLAIM);
  memcpy(&missing, record + sizeof head, sizeof missing);
  assert_int_equal(head.type, SIOX_REC_MISSING);
  assert_int_equal(missing.what, SIOX_MISSING_MMAP);
  munmap(at, 4096);
  close(fd);
}

int main(void) {
  const struct double_options options = {
      .ndisks = 6, .lead_kind = SIOX_LEAD_GAP, .ring_bytes = 65536, .layout = "1:3:64K"};
  double_start(&options);
#define T(name) cmocka_unit_test_setup(name, set_up)
  const struct CMUnitTest tests[] = {
      T(an_open_below_the_mount_is_announced),
      T(a_file_elsewhere_is_left_alone),
      T(a_directory_whose_name_begins_like_the_mount_is_elsewhere),
      T(write_is_charged_at_the_descriptors_position),
      T(append_is_charged_at_the_end),
      T(a_read_is_charged_up_to_the_end_of_file),
      T(a_read_beyond_the_end_is_not_charged),
      T(nothing_to_write_is_not_charged),
      T(vectors_are_charged_in_one),
      T(a_copied_descriptor_means_the_same_file),
      T(a_write_that_cannot_succeed_fails_the_same_and_is_not_charged),
      T(errno_is_kept),
      T(a_call_returns_when_the_disks_are_done),
      T(a_signal_does_not_cut_the_wait_short),
      T(a_signal_handler_may_write),
      T(a_signal_handler_may_write_while_libsiox_works),
      T(threads_may_write_at_once),
      T(aio_is_in_progress_until_the_disks_are_done),
      T(aio_suspend_honours_its_time_limit),
      T(a_forked_child_joins_by_itself),
      T(what_a_vfork_child_closes_stays_managed_in_the_parent),
      T(a_vfork_child_that_writes_leaves_the_parents_connection),
      T(closing_every_descriptor_leaves_the_connection),
      T(a_mapping_is_said_to_be_unseen),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  double_stop();
  return failed;
}
