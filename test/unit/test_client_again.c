/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A daemon that comes back: the program finds it at its next calls and tells it all it wants,
 * whatever it said before and meanwhile. The double stays and plays each daemon in turn. */
#include "daemon_double.h"
#include "siox/siox.h"
#include "support.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { DISKS = 4 };
static int fd;

static bool transfers(void) {
  char back[5] = "";
  return pwrite(fd, "data", 4, 0) == 4 && pread(fd, back, 4, 0) == 4 && !strcmp(back, "data");
}

/* Calls go on until the program has a connection more; each of them is right. */
static void comes_back(int connections) {
  time_t last = time(NULL) + 20;
  while (double_connections() < connections || !double_count(SIOX_MSG_IO, NULL)) {
    assert_true(transfers());
    assert_true(time(NULL) < last);
  }
}

static void hint(const char *disks, int32_t speed, int32_t flag, int64_t need_by, int expected) {
  struct siox_mask mask;
  siox_mask_parse(&mask, disks);
  assert_int_equal(siox_set_speed_at(&mask, speed, flag, need_by, SIOX_NEVER, NULL), expected);
  siox_mask_free(&mask);
}

/* The last whole vector that a connection sent, as runs. */
static uint32_t whole(int connection, struct siox_claim_run *runs) {
  struct double_message m;
  struct siox_claim_header head;
  assert_int_equal(double_count(SIOX_MSG_CLAIM, &m), 1);
  assert_int_equal(m.connection, connection);
  memcpy(&head, m.body, sizeof head);
  assert_int_equal(head.flags, SIOX_CLAIM_WHOLE);
  memcpy(runs, m.body + sizeof head, head.nruns * sizeof *runs);
  return head.nruns;
}

static void a_daemon_that_comes_back_is_told_the_whole_vector(void **state) {
  (void)state;
  hint("1100", SIOX_SPEED_FULL, 1, 0, 0);
  hint("0001", 6000, 0, 5000, 0);
  assert_true(transfers());
  int before = double_connections();
  double_forget();
  double_hang_up();
  comes_back(before + 1);
  struct siox_claim_run runs[DISKS];
  assert_int_equal(whole(before, runs), 2);
  assert_true(runs[0].first == 0 && runs[0].count == 2 && runs[0].flag == 1 &&
              runs[0].speed == SIOX_SPEED_FULL);
  assert_true(runs[1].first == 3 && runs[1].count == 1 && runs[1].flag == 0 &&
              runs[1].speed == 6000 && runs[1].need_by == 5000);
}

static void its_files_are_opened_there_again(void **state) {
  (void)state;
  struct double_message io;
  assert_true(double_count(SIOX_MSG_OPEN, NULL) == 1 && double_count(SIOX_MSG_IO, &io) > 0);
  assert_int_equal(io.connection, double_connections() - 1);
}

static void what_was_said_while_it_was_away_is_in_the_vector(void **state) {
  (void)state;
  int before = double_connections();
  double_silent(true);
  double_hang_up();
  assert_true(transfers());
  hint("0100", 9000, 1, 7000, SIOX_EGONE);
  assert_int_equal(siox_ndisks(), DISKS); /* what it knew holds */
  double_forget();
  double_silent(false);
  double_hang_up(); /* of the one that never answered */
  comes_back(before + 1);
  struct siox_claim_run runs[DISKS];
  assert_int_equal(whole(double_connections() - 1, runs), 3);
  assert_true(runs[1].first == 1 && runs[1].speed == 9000 && runs[1].need_by == 7000);
}

static void a_hint_alone_finds_a_daemon_that_came_back(void **state) {
  (void)state;
  int before = double_connections();
  double_forget();
  double_hang_up();
  time_t last = time(NULL) + 20;
  for (int64_t i = 1; double_connections() == before || !double_count(SIOX_MSG_CLAIM, NULL); i++) {
    struct siox_mask mask;
    siox_mask_parse(&mask, "0010");
    siox_set_speed_at(&mask, 9000, 1, i, SIOX_NEVER, NULL);
    siox_mask_free(&mask);
    assert_true(time(NULL) < last);
  }
}

static void a_file_opened_while_it_was_away_is_charged_when_it_is_back(void **state) {
  (void)state;
  int before = double_connections();
  double_silent(true);
  double_hang_up();
  assert_true(transfers());
  char path[256];
  snprintf(path, sizeof path, "%s/late", double_mount());
  close(fd);
  fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
  assert_true(transfers());
  double_silent(false);
  double_hang_up();
  double_forget();
  comes_back(before + 1);
  struct double_message m;
  struct siox_msg_open opened;
  assert_int_equal(double_count(SIOX_MSG_OPEN, &m), 1);
  memcpy(&opened, m.body, sizeof opened);
  assert_memory_equal(m.body + sizeof opened + opened.path_length - 5, "/late", 5);
}

int main(void) {
  const struct double_options options = {
      .ndisks = DISKS, .ring_bytes = 4096, .first_of_job = true, .layout = "0:4:64K"};
  double_start(&options);
  char path[256];
  snprintf(path, sizeof path, "%s/f", double_mount());
  fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_daemon_that_comes_back_is_told_the_whole_vector),
      cmocka_unit_test(its_files_are_opened_there_again),
      cmocka_unit_test(what_was_said_while_it_was_away_is_in_the_vector),
      cmocka_unit_test(a_hint_alone_finds_a_daemon_that_came_back),
      cmocka_unit_test(a_file_opened_while_it_was_away_is_charged_when_it_is_back),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  double_stop();
  return failed;
}
