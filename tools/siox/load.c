/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How busy this machine's processors were, and with what: /proc/stat counts everybody, getrusage
 * the command, /proc/PID/stat the daemon; the rest is other people's. */
#include "siox_tool.h"
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* Sums columns first to last (from 1) of what follows in a line of numbers; idle and iowait, 4 and
 * 5 of /proc/stat, are nobody's. */
static bool ticks(const char *text, int first, int last, bool stat, double *sum) {
  unsigned long long value;
  int n = 0, column = 0;
  *sum = 0;
  while (column < last && sscanf(text, "%llu%n", &value, &n) == 1) {
    text += n;
    if (++column >= first && !(stat && (column == 4 || column == 5)))
      *sum += (double)value / (double)sysconf(_SC_CLK_TCK);
  }
  return column == last;
}

static bool line_of(const char *path, char *text, int size) {
  FILE *in = fopen(path, "re");
  bool good = in && fgets(text, size, in);
  if (in)
    fclose(in);
  return good;
}

/* Also of interrupts and of what a hypervisor gave to others: it is not there for the command. */
static bool everybody(double *seconds) {
  char text[512];
  return line_of("/proc/stat", text, sizeof text) && !strncmp(text, "cpu ", 4) &&
         ticks(text + 4, 1, 8, true, seconds);
}

/* User and system time, columns 14 and 15; the second is a name that may hold anything. -1: there
 * is no such process, or it is not shown to us. */
static double of_process(int pid) {
  char path[64], text[1024];
  double seconds = 0;
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  const char *end = pid > 0 && line_of(path, text, sizeof text) ? strrchr(text, ')') : NULL;
  int skipped = 0; /* the state is a letter, what follows may be negative */
  long long ignored;
  if (!end || sscanf(end + 1, " %*c%n", &skipped) < 0)
    return -1;
  end += 1 + skipped;
  for (int column = 4, n = 0; column < 14; column++, end += n)
    if (sscanf(end, "%lld%n", &ignored, &n) != 1)
      return -1;
  return ticks(end, 1, 2, false, &seconds) ? seconds : -1;
}

static double of_children(void) {
  struct rusage usage;
  if (getrusage(RUSAGE_CHILDREN, &usage) < 0)
    return 0;
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void siox__load_begin(struct siox__load *load, int daemon) {
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  *load = (struct siox__load){.cores = cores > 0 ? (uint32_t)cores : 1};
  if (!everybody(&load->busy))
    return;
  load->own = of_children();
  load->daemon = daemon > 0 ? of_process(daemon) : 0;
  load->seconds = now();
}

void siox__load_end(struct siox__load *load, int daemon) {
  double busy;
  const bool known = load->seconds > 0 && everybody(&busy);
  load->seconds = known ? now() - load->seconds : 0;
  load->busy = known ? busy - load->busy : 0;
  load->own = known ? of_children() - load->own : 0;
  /* Once it has ended nobody can say what it took. */
  const double its = daemon > 0 ? of_process(daemon) : 0;
  load->daemon = its < 0 || load->daemon < 0 ? -1 : known ? its - load->daemon : 0;
}
