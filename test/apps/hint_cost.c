/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What hints and charged accesses cost a program: medians of batches in nanoseconds, beside the
 * cost of reading the clock on the same machine at the same time. Wants SIOX_SOCKET, and a FILE
 * below the mount for the accesses.
 *
 * A daemon is asleep two milliseconds after the last hint; hints right behind one that woke it find
 * it awake, or about to be, and write no eventfd. What is visible is the level that every program
 * may read, which is the one that the disk goes to, from when it begins to: no ramp is in it. Wants
 * policy claims and a time scale that lets a disk change in the pause.
 *
 * Who looks for the level all the time needs a core, and on a machine without an idle one the
 * daemon waits for its turn until that of this program or another one is over, milliseconds later.
 * So with the daemon's PID each hint is also told without the time that the kernel says the daemon
 * was ready to run and did not.
 *
 *   hint_cost [FILE [PID]] */
#include "siox/siox.h"
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BATCHES = 101 };

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}
static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}
static void report(const char *what, double *ns) {
  qsort(ns, BATCHES, sizeof *ns, ascending);
  printf("%-24s %9.1f ns median  %9.1f best  %9.1f p95\n", what, ns[BATCHES / 2], ns[0],
         ns[BATCHES * 95 / 100]);
}

#define MEASURE(what, times, statement)                                                            \
  do {                                                                                             \
    static double ns[BATCHES];                                                                     \
    for (int b = 0; b < BATCHES; b++) {                                                            \
      int64_t begin = now();                                                                       \
      for (int i = 0; i < (times); i++)                                                            \
        statement;                                                                                 \
      ns[b] = (double)(now() - begin) / (times);                                                   \
    }                                                                                              \
    report(what, ns);                                                                              \
  } while (0)

static void rest(void) { nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL); }

/* Each wakes the daemon. */
static void asleep(const struct siox_mask *some) {
  static double ns[BATCHES];
  for (int b = 0; b < BATCHES; b++) {
    rest();
    int64_t begin = now();
    siox_set_speed(some, SIOX_SPEED_FULL, b % 2);
    ns[b] = (double)(now() - begin);
  }
  report("hint, changed, asleep", ns);
}

/* Nanoseconds for which the process has waited for a processor: the second number of its
 * /proc/PID/schedstat. */
static int64_t waited(int schedstat) {
  char text[128];
  ssize_t n = pread(schedstat, text, sizeof text - 1, 0);
  text[n > 0 ? n : 0] = 0;
  const char *second = strchr(text, ' ');
  return second ? strtoll(second, NULL, 10) : 0;
}

static bool goes_to(const struct siox_mask *one, int32_t speed, int32_t wanted) {
  siox_set_speed(one, speed, speed == SIOX_SPEED_FULL);
  int32_t now_at = 0;
  for (int i = 0; i < 1000 && siox_disk_speed(0, &now_at) == 0 && now_at != wanted; i++)
    rest();
  return now_at == wanted;
}

/* From the hint that a disk is needed at full speed until the table says so. */
static void until_visible(const struct siox_mask *one, int schedstat) {
  static double ns[BATCHES], alone[BATCHES];
  int32_t full, low, speed;
  siox_disk_speed(0, &full); /* nobody has let it go yet */
  siox_set_speed(one, SIOX_SPEED_LOWEST, 0);
  for (int i = 0; i < 1000 && siox_disk_speed(0, &low) == 0 && low == full; i++)
    rest();
  for (int b = 0; b < BATCHES; b++) {
    if (!goes_to(one, SIOX_SPEED_LOWEST, low)) {
      fprintf(stderr, "hint_cost: the disk does not go back to speed %d: policy claims?\n",
              (int)low);
      return;
    }
    rest();
    int64_t before = waited(schedstat), begin = now();
    siox_set_speed(one, SIOX_SPEED_FULL, 1);
    do
      siox_disk_speed(0, &speed);
    while (speed != full && now() - begin < INT64_C(1000000000));
    ns[b] = (double)(now() - begin);
    alone[b] = ns[b] - (double)(waited(schedstat) - before);
  }
  report("hint, until visible", ns);
  if (schedstat >= 0)
    report("  less waits for a core", alone);
}

int main(int argc, char **argv) {
  uint32_t disks = siox_ndisks();
  struct siox_mask some, one;
  if (!disks) {
    fprintf(stderr, "hint_cost: no daemon\n");
    return 1;
  }
  siox_mask_init(&some, disks);
  siox_mask_init(&one, disks);
  siox_mask_set(&one, 0);
  for (uint32_t d = 0; d < disks && d < 4; d++)
    siox_mask_set(&some, d);
  printf("%u disks, hints for %u of them\n", disks, siox_mask_count(&some));
  MEASURE("clock_gettime", 10000, now());
  MEASURE("two clock_gettime", 10000, (now(), now()));
  siox_set_speed(&some, SIOX_SPEED_FULL, 1);
  MEASURE("hint, unchanged", 10000, siox_set_speed(&some, SIOX_SPEED_FULL, 1));
  MEASURE("hint, changed", 20, siox_set_speed(&some, SIOX_SPEED_FULL, i % 2));
  asleep(&some);
  char path[64] = "";
  if (argc > 2)
    snprintf(path, sizeof path, "/proc/%.20s/schedstat", argv[2]);
  int schedstat = *path ? open(path, O_RDONLY) : -1;
  until_visible(&one, schedstat);
  int fd = argc > 1 && *argv[1] ? open(argv[1], O_RDWR | O_CREAT, 0600) : -1;
  char byte = 0;
  if (fd >= 0)
    MEASURE("pwrite of one byte", 20, (void)!pwrite(fd, &byte, 1, 0));
  siox_mask_free(&some);
  siox_mask_free(&one);
  return 0;
}
