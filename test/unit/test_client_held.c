/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Files that a program opens by itself: what is said of their disks, and when, while descriptors
 * are copied, inherited and closed in every way there is. Files lie on disks 1, 2 and 3, but the
 * first 64 KiB on disk 1 alone. Gaps pay from 100 s on, so what is held is held as long as a test
 * lasts. */
#include "daemon_double.h"
#include "siox/policy.h"
#include "siox/siox.h"
#include "support.h"
#include <aio.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)

struct claim {
  struct siox_claim_header head;
  struct siox_claim_run run[64];
};
struct word {
  int32_t flag; /* -1: nothing was said */
  int64_t need_by, until, at;
};
static struct word said[6]; /* last of each disk, over one connection */

/* Takes what is in a connection's ring. */
static void hear(int connection) {
  static unsigned char record[16384];
  struct siox_rec_head head;
  struct claim c;
  while (double_record(connection, record, sizeof record) > 0) {
    memcpy(&head, record, sizeof head);
    if (head.type != SIOX_REC_CLAIM)
      continue;
    memcpy(&c.head, record + sizeof head, sizeof c.head);
    memcpy(c.run, record + sizeof head + sizeof c.head, c.head.nruns * sizeof *c.run);
    for (uint32_t i = 0; i < c.head.nruns; i++)
      for (uint32_t d = c.run[i].first; d < c.run[i].first + c.run[i].count; d++)
        said[d] = (struct word){c.run[i].flag, c.run[i].need_by, c.run[i].until, c.head.time};
  }
}
static void forget(int connection) {
  hear(connection);
  for (int d = 0; d < 6; d++)
    said[d].flag = -1;
}

/* The flag said last of each disk, '.': nothing. */
static void expect(const char *flags) {
  char got[7] = "";
  hear(0);
  for (int d = 0; d < 6; d++)
    got[d] = said[d].flag < 0 ? '.' : (char)('0' + said[d].flag);
  assert_string_equal(got, flags);
}

static const char *path(const char *name) {
  static char text[256];
  snprintf(text, sizeof text, "%s/%s", double_mount(), name);
  return text;
}

static void hint(const char *disks, int32_t flag) {
  struct siox_mask mask;
  assert_int_equal(siox_mask_parse(&mask, disks), 0);
  assert_int_equal(siox_set_speed(&mask, 0, flag), 0);
  siox_mask_free(&mask);
}

/* A file of three stripes and a bit; every disk released, and nothing heard of. */
static int set_up(void **state) {
  (void)state;
  int fd = open(path("file"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  assert_true(fd >= 0 && ftruncate(fd, 200000) == 0);
  close(fd);
  fd = open(path("small"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  assert_true(fd >= 0 && write(fd, "parameters", 10) == 10);
  close(fd);
  hint("111111", 0);
  double_delay(0);
  double_forget();
  forget(0);
  return 0;
}

static void an_open_claims_the_disks_of_the_file(void **state) {
  (void)state;
  int fd = open(path("file"), O_RDWR);
  expect(".111..");
  assert_true(said[1].need_by > 0 && said[1].need_by <= said[1].at);
  assert_true(said[1].until >= said[1].at + 1000 * SECOND);
  close(fd);
}

static void one_for_reading_claims_those_of_its_bytes(void **state) {
  (void)state;
  int fd = open(path("small"), O_RDONLY);
  expect(".1....");
  close(fd);
}

static void every_routine_that_opens_claims(void **state) {
  (void)state;
  int fd[4], dir = open(double_mount(), O_RDONLY | O_DIRECTORY);
  for (int i = 0; i < 4; i++) {
    forget(0);
    fd[i] = i == 0   ? open64(path("file"), O_RDWR)
            : i == 1 ? openat(dir, "file", O_RDWR)
            : i == 2 ? openat64(dir, "file", O_RDWR)
                     : creat(path("file"), 0600);
    assert_true(fd[i] >= 0);
    expect(".111..");
    close(fd[i]);
    expect(".000.."); /* what the program has said counts again */
  }
  close(dir);
}

static void a_file_elsewhere_claims_nothing(void **state) {
  (void)state;
  char name[] = "/tmp/siox-elsewhere.XXXXXX";
  int fd = mkstemp(name);
  assert_int_equal(write(fd, "x", 1), 1);
  expect("......");
  close(fd);
  unlink(name);
}

static void a_claim_comes_before_the_access(void **state) {
  (void)state;
  struct double_message m;
  struct siox_msg_io io;
  int fd = open(path("small"), O_RDONLY);
  int grow = open(path("small"), O_WRONLY | O_APPEND);
  char buffer[100000];
  assert_int_equal(write(grow, buffer, sizeof buffer), sizeof buffer);
  close(grow);
  forget(0);
  hint("111111", 0);
  assert_int_equal(read(fd, buffer, sizeof buffer), sizeof buffer);
  double_count(SIOX_MSG_IO, &m);
  memcpy(&io, m.body, sizeof io);
  hear(0);
  for (int d = 1; d < 4; d++)
    assert_true(said[d].flag < 0 || (said[d].flag == 1 && said[d].at <= io.arrival));
  close(fd);
}

static void a_read_beyond_what_was_claimed_claims_the_rest(void **state) {
  (void)state;
  char byte;
  int fd = open(path("small"), O_RDONLY);
  expect(".1....");
  assert_int_equal(truncate(path("small"), 200000), 0);
  assert_int_equal(pread(fd, &byte, 1, 70000), 1);
  expect(".111..");
  close(fd);
}

static void no_release_goes_out_while_it_is_open(void **state) {
  (void)state;
  int fd = open(path("file"), O_RDWR);
  expect(".111..");
  hint("111111", 1);
  expect("111111");
  hint("111111", 0);
  expect("011100");
  close(fd);
  expect("000000");
}

static void a_copy_holds_until_it_is_closed_as_well(void **state) {
  (void)state;
  int fd = open(path("file"), O_RDWR), copy = dup(fd), third = fcntl(fd, F_DUPFD, 100);
  expect(".111..");
  close(fd);
  close(third);
  expect(".111..");
  close(copy);
  expect(".000..");
}

static void one_that_another_is_copied_over_is_closed(void **state) {
  (void)state;
  int fd = open(path("file"), O_RDWR), other = open("/tmp", O_RDONLY);
  expect(".111..");
  assert_int_equal(dup2(other, fd), fd);
  expect(".000..");
  close(fd);
  close(other);
}

static void a_range_of_descriptors_is_closed(void **state) {
  (void)state;
  int fd = open(path("file"), O_RDWR), high = fcntl(fd, F_DUPFD, 300);
  close(fd);
  expect(".111..");
  close_range(300, 320, 0);
  assert_true(high < 320);
  expect(".000..");
}

static void a_stream_around_a_descriptor_closes_it(void **state) {
  (void)state;
  FILE *stream = fdopen(open(path("file"), O_RDWR), "r+");
  expect(".111..");
  fclose(stream);
  expect(".000..");
}

static void opened_twice_it_holds_until_both_are_closed(void **state) {
  (void)state;
  int one = open(path("small"), O_RDONLY), two = open(path("small"), O_RDWR);
  expect(".111..");
  close(one);
  expect(".111..");
  close(two);
  expect(".000..");
}

static void an_open_that_fails_claims_nothing(void **state) {
  (void)state;
  assert_int_equal(open(path("missing"), O_RDONLY), -1);
  expect("......");
}

static void a_child_claims_what_it_has_inherited_when_it_uses_it(void **state) {
  (void)state;
  int fd = open(path("file"), O_RDWR), status, before = double_connections();
  char byte;
  pid_t child = fork();
  if (!child)
    _exit(pread(fd, &byte, 1, 0) == 1 && close(fd) == 0 ? 0 : 1);
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  assert_int_equal(double_connections(), before + 1);
  expect(".111.."); /* the parent's: it has it open still */
  forget(0);
  hear(before);
  assert_int_equal(said[1].flag, 1);
  forget(before);
  close(fd);
  expect(".000..");
}

static void what_a_vfork_child_closes_stays_held(void **state) {
  (void)state;
  int fd = open(path("file"), O_RDWR), status;
  pid_t child = vfork();
  if (!child) {
    close(fd);
    _exit(0);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  expect(".111..");
  close(fd);
  expect(".000..");
}

static void what_a_vfork_child_copies_over_stays_held(void **state) {
  (void)state;
  int fd = open(path("file"), O_RDWR), other = open("/tmp", O_RDONLY), status;
  pid_t child = vfork();
  if (!child)
    _exit(dup2(other, fd) == fd ? 0 : 1);
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  expect(".111..");
  close(other);
  close(fd);
  expect(".000..");
}

static void aio_claims_what_a_read_would(void **state) {
  (void)state;
  static char byte;
  int fd = open(path("small"), O_RDONLY);
  assert_int_equal(truncate(path("small"), 200000), 0);
  struct aiocb block = {.aio_fildes = fd, .aio_buf = &byte, .aio_nbytes = 1, .aio_offset = 70000};
  const struct aiocb *list[] = {&block};
  assert_int_equal(aio_read(&block), 0);
  expect(".111..");
  while (aio_suspend(list, 1, NULL) < 0)
    ;
  assert_int_equal(aio_return(&block), 1);
  close(fd);
}

static void accesses_that_were_foretold_say_nothing_more(void **state) {
  (void)state;
  int fd = open(path("file"), O_RDWR);
  forget(0);
  for (int i = 0; i < 100; i++)
    assert_int_equal(pwrite(fd, "x", 1, i * 1000), 1);
  expect("......");
  close(fd);
}

int main(void) {
  const struct double_options options = {.ndisks = 6,
                                         .lead_kind = SIOX_LEAD_GAP,
                                         .min_gap_ns = 100 * SECOND,
                                         .ring_bytes = 65536,
                                         .layout = "1:3:64K"};
  double_start(&options);
#define T(name) cmocka_unit_test_setup(name, set_up)
  const struct CMUnitTest tests[] = {
      T(an_open_claims_the_disks_of_the_file),
      T(one_for_reading_claims_those_of_its_bytes),
      T(every_routine_that_opens_claims),
      T(a_file_elsewhere_claims_nothing),
      T(a_claim_comes_before_the_access),
      T(a_read_beyond_what_was_claimed_claims_the_rest),
      T(no_release_goes_out_while_it_is_open),
      T(a_copy_holds_until_it_is_closed_as_well),
      T(one_that_another_is_copied_over_is_closed),
      T(a_range_of_descriptors_is_closed),
      T(a_stream_around_a_descriptor_closes_it),
      T(opened_twice_it_holds_until_both_are_closed),
      T(an_open_that_fails_claims_nothing),
      T(a_child_claims_what_it_has_inherited_when_it_uses_it),
      T(what_a_vfork_child_closes_stays_held),
      T(what_a_vfork_child_copies_over_stays_held),
      T(aio_claims_what_a_read_would),
      T(accesses_that_were_foretold_say_nothing_more),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  double_stop();
  return failed;
}
