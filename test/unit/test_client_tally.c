/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What libsiox counts of a program's calls, as the daemon sees it: in the tally that came with
 * HELLO. */
#include "daemon_double.h"
#include "support.h"
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct siox_tally *t;
static char elsewhere[] = "/tmp/siox-tally.XXXXXX"; /* no emulated store */

static struct siox_tally_sum in(const struct siox_tally *tally, enum siox_posix_call call) {
  struct siox_tally_sum all = {0}, one;
  for (unsigned i = 0, row, c; i < siox__tally_slots(tally); i++)
    if (siox__tally_what(tally, i, &row, &c) && row == siox__tally_row(SIOX_LAYER_POSIX, call)) {
      siox__tally_sum(tally, i, &one);
      all.calls += one.calls;
      all.bytes += one.bytes;
      all.errors += one.errors;
      all.total_ns += one.total_ns;
    }
  return all;
}
static struct siox_tally_sum of(enum siox_posix_call call) { return in(t, call); }
static int file(void) {
  const int fd = open(elsewhere, O_RDWR);
  assert_true(fd >= 0);
  return fd;
}

static void the_tally_is_sealed(void **unused) {
  (void)unused;
  int seals;
  assert_non_null(double_tally(0, &seals));
  assert_int_equal(seals & (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL),
                   F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  assert_int_equal(t->pid, getpid());
}

static void calls_on_files_anywhere_are_counted(void **unused) {
  (void)unused;
  char b[3000] = "";
  char path[256];
  snprintf(path, sizeof path, "%s/managed", double_mount());
  const struct siox_tally_sum w = of(SIOX_POSIX_pwrite), r = of(SIOX_POSIX_pread),
                              v = of(SIOX_POSIX_writev), s = of(SIOX_POSIX_fsync),
                              o = of(SIOX_POSIX_open), c = of(SIOX_POSIX_close);
  const int fds[] = {file(), open(path, O_RDWR | O_CREAT, 0600)};
  for (int i = 0; i < 2; i++) {
    assert_int_equal(pwrite(fds[i], b, 3000, 0), 3000);
    assert_int_equal(pread(fds[i], b, 3000, 1000), 2000); /* cut at the end of the file */
    struct iovec parts[2] = {{b, 100}, {b, 28}};
    assert_int_equal(writev(fds[i], parts, 2), 128);
    assert_int_equal(fsync(fds[i]), 0);
    assert_int_equal(close(fds[i]), 0);
  }
  assert_int_equal(of(SIOX_POSIX_open).calls - o.calls, 2);
  assert_int_equal(of(SIOX_POSIX_pwrite).calls - w.calls, 2);
  assert_int_equal(of(SIOX_POSIX_pwrite).bytes - w.bytes, 6000);
  assert_int_equal(of(SIOX_POSIX_pread).bytes - r.bytes, 4000);
  assert_int_equal(of(SIOX_POSIX_writev).bytes - v.bytes, 256);
  assert_int_equal(of(SIOX_POSIX_fsync).calls - s.calls, 2);
  assert_int_equal(of(SIOX_POSIX_close).calls - c.calls, 2);
}

static void pipes_sockets_and_devices_are_not(void **unused) {
  (void)unused;
  char b[8];
  int p[2], s[2], null = open("/dev/null", O_RDWR);
  assert_true(pipe(p) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, s) == 0 && null >= 0);
  const uint64_t w = of(SIOX_POSIX_write).calls, r = of(SIOX_POSIX_read).calls,
                 c = of(SIOX_POSIX_close).calls;
  assert_true(write(p[1], "x", 1) == 1 && read(p[0], b, 1) == 1);
  assert_true(write(s[1], "x", 1) == 1 && read(s[0], b, 1) == 1);
  assert_true(write(null, "x", 1) == 1 && read(null, b, 1) == 0);
  for (int i = 0; i < 2; i++)
    assert_true(close(p[i]) == 0 && close(s[i]) == 0);
  close(null);
  assert_int_equal(of(SIOX_POSIX_write).calls, w);
  assert_int_equal(of(SIOX_POSIX_read).calls, r);
  assert_int_equal(of(SIOX_POSIX_close).calls, c);
}

static void a_number_that_means_another_file_is_looked_at_again(void **unused) {
  (void)unused;
  int p[2], fd = file();
  assert_true(pipe(p) == 0);
  const uint64_t w = of(SIOX_POSIX_write).calls;
  assert_int_equal(write(fd, "x", 1), 1);
  assert_int_equal(dup2(p[1], fd), fd);
  assert_int_equal(write(fd, "x", 1), 1); /* into the pipe */
  assert_int_equal(of(SIOX_POSIX_write).calls, w + 1);
  const int again = file();
  assert_int_equal(dup2(again, p[1]), p[1]);
  assert_int_equal(write(p[1], "x", 1), 1); /* into the file */
  assert_int_equal(of(SIOX_POSIX_write).calls, w + 2);
  close(fd);
  close(again);
  close(p[0]);
  close(p[1]);
}

static void a_stream_that_is_closed_gives_its_number_back(void **unused) {
  (void)unused;
  int p[2];
  FILE *stream = fopen(elsewhere, "r+");
  assert_non_null(stream);
  const uint64_t w = of(SIOX_POSIX_write).calls;
  const int fd = fileno(stream);
  assert_int_equal(write(fd, "x", 1), 1);
  assert_int_equal(of(SIOX_POSIX_write).calls, w + 1);
  assert_int_equal(fclose(stream), 0);
  assert_true(pipe(p) == 0);
  assert_true(p[0] == fd || p[1] == fd);
  assert_int_equal(write(p[1], "xx", 2), 2);
  char b[2];
  assert_int_equal(read(p[0], b, 2), 2);
  assert_int_equal(of(SIOX_POSIX_write).calls, w + 1);
  close(p[0]);
  close(p[1]);
}

static void errors_are_counted_apart_and_errno_is_the_programs(void **unused) {
  (void)unused;
  const int fd = open(elsewhere, O_RDONLY);
  const struct siox_tally_sum w = of(SIOX_POSIX_pwrite), o = of(SIOX_POSIX_open);
  errno = 0;
  assert_int_equal(pwrite(fd, "x", 1, 0), -1);
  assert_int_equal(errno, EBADF);
  assert_int_equal(open("/nowhere/at/all", O_RDONLY), -1);
  assert_int_equal(errno, ENOENT);
  assert_int_equal(of(SIOX_POSIX_pwrite).calls - w.calls, 1);
  assert_int_equal(of(SIOX_POSIX_pwrite).errors - w.errors, 1);
  assert_int_equal(of(SIOX_POSIX_pwrite).bytes, w.bytes);
  assert_int_equal(of(SIOX_POSIX_open).errors - o.errors, 1);
  errno = 4711;
  char b;
  assert_int_equal(pread(fd, &b, 1, 0), 1);
  assert_int_equal(errno, 4711);
  close(fd);
}

static void asynchronous_operations_are_counted_with_their_bytes(void **unused) {
  (void)unused;
  char b[100] = "";
  const int fd = file();
  struct aiocb op = {.aio_fildes = fd, .aio_buf = b, .aio_nbytes = sizeof b};
  const struct aiocb *const list[] = {&op};
  const struct siox_tally_sum w = of(SIOX_POSIX_aio_write), r = of(SIOX_POSIX_aio_return);
  assert_int_equal(aio_write(&op), 0);
  while (aio_error(&op) == EINPROGRESS)
    aio_suspend(list, 1, NULL);
  assert_int_equal(aio_return(&op), 100);
  assert_int_equal(of(SIOX_POSIX_aio_write).bytes - w.bytes, 100);
  assert_int_equal(of(SIOX_POSIX_aio_return).calls - r.calls, 1);
  close(fd);
}

/* A child's own, when it has one. */
static const struct siox_tally *of_child(int before) {
  int seals;
  return double_connections() > before ? double_tally(double_connections() - 1, &seals) : NULL;
}

static void a_child_of_fork_counts_in_its_own(void **unused) {
  (void)unused;
  const int fd = file(), before = double_connections();
  const uint64_t w = of(SIOX_POSIX_pwrite).calls;
  assert_int_equal(pwrite(fd, "x", 1, 0), 1);
  pid_t child = fork();
  if (!child) {
    for (int i = 0; i < 5; i++)
      pwrite(fd, "yy", 2, 0);
    _exit(0);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  assert_int_equal(of(SIOX_POSIX_pwrite).calls, w + 1);
  const struct siox_tally *own = of_child(before);
  assert_non_null(own);
  assert_int_equal(own->pid, child);
  assert_int_equal(in(own, SIOX_POSIX_pwrite).calls, 5);
  assert_int_equal(in(own, SIOX_POSIX_pwrite).bytes, 10);
  close(fd);
}

static void a_child_of_vfork_counts_nothing(void **unused) {
  (void)unused;
  const int fd = file(), before = double_connections();
  const uint64_t w = of(SIOX_POSIX_pwrite).calls;
  pid_t child = vfork();
  if (!child) {
    pwrite(fd, "y", 1, 0);
    _exit(0);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(of(SIOX_POSIX_pwrite).calls, w);
  assert_int_equal(pwrite(fd, "x", 1, 0), 1); /* the parent does again */
  assert_int_equal(of(SIOX_POSIX_pwrite).calls, w + 1);
  assert_int_equal(double_connections(), before);
  close(fd);
}

static int shared;
static void *write_some(void *unused) {
  (void)unused;
  for (int i = 0; i < 500; i++)
    if (pwrite(shared, "abc", 3, i) != 3)
      abort();
  return NULL;
}

static void threads_lose_nothing(void **unused) {
  (void)unused;
  pthread_t thread[12];
  shared = file();
  const struct siox_tally_sum w = of(SIOX_POSIX_pwrite);
  for (int i = 0; i < 12; i++)
    assert_int_equal(pthread_create(&thread[i], NULL, write_some, NULL), 0);
  for (int i = 0; i < 12; i++)
    pthread_join(thread[i], NULL);
  assert_int_equal(of(SIOX_POSIX_pwrite).calls - w.calls, 6000);
  assert_int_equal(of(SIOX_POSIX_pwrite).bytes - w.bytes, 18000);
  close(shared);
}

static _Atomic int handled;
static void handler(int number) {
  (void)number;
  handled += (int)pwrite(shared, "h", 1, 0);
}

static void a_signal_handlers_calls_are_counted(void **unused) {
  (void)unused;
  struct sigaction act = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;
  shared = file();
  const struct siox_tally_sum w = of(SIOX_POSIX_pwrite);
  sigaction(SIGUSR1, &act, &old);
  for (int i = 0; i < 200; i++) {
    raise(SIGUSR1);
    assert_int_equal(pwrite(shared, "x", 1, 0), 1);
  }
  sigaction(SIGUSR1, &old, NULL);
  assert_int_equal(handled, 200);
  assert_int_equal(of(SIOX_POSIX_pwrite).calls - w.calls, 400);
  close(shared);
}

static void it_is_the_same_after_a_reconnect(void **unused) {
  (void)unused;
  const int fd = file(), before = double_connections();
  int seals;
  const uint64_t w = of(SIOX_POSIX_pwrite).calls;
  double_hang_up();
  for (int i = 0; i < 5000 && double_connections() == before; i++) {
    char path[256]; /* looks for the daemon now and then */
    snprintf(path, sizeof path, "%s/again", double_mount());
    close(open(path, O_RDWR | O_CREAT, 0600));
    usleep(1000);
  }
  assert_true(double_connections() > before);
  assert_int_equal(pwrite(fd, "x", 1, 0), 1);
  const struct siox_tally *now = NULL;
  for (int i = 0; i < 5000 && !now; i++, usleep(1000)) /* HELLO is on its way */
    now = double_tally(double_connections() - 1, &seals);
  assert_non_null(now);
  assert_int_equal(in(now, SIOX_POSIX_pwrite).calls, w + 1);
  close(fd);
}

int main(void) {
  const struct double_options options = {
      .ndisks = 2, .ring_bytes = 1 << 16, .layout = "", .first_of_job = true};
  double_start(&options);
  const int made = mkstemp(elsewhere);
  char path[256];
  int seals;
  snprintf(path, sizeof path, "%s/first", double_mount());
  close(open(path, O_RDWR | O_CREAT, 0600)); /* meets the daemon */
  t = double_tally(0, &seals);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_tally_is_sealed),
      cmocka_unit_test(calls_on_files_anywhere_are_counted),
      cmocka_unit_test(pipes_sockets_and_devices_are_not),
      cmocka_unit_test(a_number_that_means_another_file_is_looked_at_again),
      cmocka_unit_test(a_stream_that_is_closed_gives_its_number_back),
      cmocka_unit_test(errors_are_counted_apart_and_errno_is_the_programs),
      cmocka_unit_test(asynchronous_operations_are_counted_with_their_bytes),
      cmocka_unit_test(a_child_of_fork_counts_in_its_own),
      cmocka_unit_test(a_child_of_vfork_counts_nothing),
      cmocka_unit_test(threads_lose_nothing),
      cmocka_unit_test(a_signal_handlers_calls_are_counted),
      cmocka_unit_test(it_is_the_same_after_a_reconnect),
  };
  const int failed = t ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
  close(made);
  unlink(elsewhere);
  double_stop();
  return failed;
}
