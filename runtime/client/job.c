/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which job and rank this process is, from what resource managers and launchers leave in the
 * environment; a name that was given (SIOX_JOB) stands before it. One mpiexec is one job: where the
 * environment does not tell two of them apart, the launcher's pid and start time do. A child of
 * fork keeps its parent's key; so does one of exec under a launcher. */
#include "client/client.h"
#include "client/real.h"
#include "common/launchers.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

static int number(const char *const *names, int32_t *out) {
  for (; *names; names++) {
    const char *text = getenv(*names);
    char *end;
    if (!text || !*text)
      continue;
    long value = strtol(text, &end, 10);
    if (!*end && value >= 0 && value <= INT32_MAX) {
      *out = (int32_t)value;
      return 1;
    }
  }
  return 0;
}

void siox__job_rank(int32_t *rank, int32_t *size) {
  static const char *const ranks[] = {"PMI_RANK", "PMIX_RANK", "SLURM_PROCID", NULL};
  static const char *const sizes[] = {"PMI_SIZE", "SLURM_NTASKS", NULL};
  *rank = -1;
  *size = 0;
  if (number(ranks, rank))
    number(sizes, size);
}

bool siox__job_first_local(void) {
  static const char *const names[] = {"MPI_LOCALRANKID", "SLURM_LOCALID", "PMI_RANK", "PMIX_RANK",
                                      NULL};
  int32_t local = 0;
  number(names, &local);
  return local == 0;
}

/* Parent, start time in clock ticks and name of a process, from /proc/PID/stat. */
static int process(long pid, long *parent, unsigned long long *start, char name[32]) {
  char path[64], text[1024];
  snprintf(path, sizeof path, "/proc/%ld/stat", pid);
  int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return SIOX_ENOENT;
  ssize_t got = syscall(SYS_read, fd, text, sizeof text - 1);
  syscall(SYS_close, fd);
  if (got <= 0)
    return SIOX_EIO;
  text[got] = 0;
  char *open = strchr(text, '('), *close = strrchr(text, ')');
  if (!open || !close || close < open)
    return SIOX_EPROTO;
  snprintf(name, 32, "%.*s", (int)(close - open - 1), open + 1);
  /* After the name: state ppid and 17 more fields, then start time (proc(5), field 22). */
  if (sscanf(close + 1,
             " %*c %ld %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
             parent, start) != 2)
    return SIOX_EPROTO;
  return 0;
}

bool siox__job_launches(void) {
  return siox__launcher(program_invocation_short_name) != SIOX__NO_LAUNCHER;
}

/* The nearest launcher above us (a shell may stand between), else our parent. */
static void launcher(char *out, size_t size) {
  long pid = getppid(), parent = 0, chosen = pid;
  unsigned long long start = 0, chosen_start = 0;
  char name[32];
  for (int up = 0; up < 8 && pid > 1; up++, pid = parent) {
    if (process(pid, &parent, &start, name) < 0)
      break;
    if (up == 0)
      chosen_start = start;
    if (siox__launcher(name) != SIOX__NO_LAUNCHER) {
      chosen = pid;
      chosen_start = start;
      break;
    }
  }
  snprintf(out, size, "%ld-%llu", chosen, chosen_start);
}

static const char *text(const char *name) {
  const char *value = getenv(name);
  return value && *value ? value : NULL;
}

/* Percent, written with a point whatever the program's locale is. */
double siox__job_budget(void) {
  const char *value = text("SIOX_DELAY_BUDGET"), *c = value;
  double sum = 0, place = 1;
  if (!value)
    return -1;
  for (; *c >= '0' && *c <= '9' && sum <= 100; c++)
    sum = sum * 10 + (*c - '0');
  if (*c == '.' && c > value)
    for (c++; *c >= '0' && *c <= '9'; c++)
      sum += (*c - '0') * (place /= 10);
  if (*c || sum > 100) {
    siox__warn_once("SIOX_DELAY_BUDGET: a percentage from 0 to 100 is wanted, \"%s\" is ignored",
                    value);
    return -1;
  }
  return sum / 100;
}

/* What the resource manager or the launcher calls the job; false when there is neither. */
static bool identity(char *out, size_t size) {
  const char *slurm = text("SLURM_JOB_ID"), *step = text("SLURM_STEP_ID"),
             *pmix = text("PMIX_NAMESPACE"), *pmi = text("PMI_JOBID");
  int32_t rank, ranks;
  char parent[48];
  siox__job_rank(&rank, &ranks);
  launcher(parent, sizeof parent);
  if (slurm && step)
    snprintf(out, size, "slurm/%.20s.%.12s", slurm, step);
  else if (slurm) /* an allocation in which several mpiexec may run */
    snprintf(out, size, "slurm/%.20s/%s", slurm, parent);
  else if (pmix)
    snprintf(out, size, "pmix/%.44s", pmix);
  else if (pmi)
    snprintf(out, size, "pmi/%.20s/%s", pmi, parent);
  else if (rank >= 0)
    snprintf(out, size, "mpi/%s", parent);
  else
    return false;
  return true;
}

const char *siox__job_key(void) {
  char *key = siox__client.job, known[64];
  if (*key)
    return key;
  size_t size = sizeof siox__client.job;
  const char *given = text("SIOX_JOB");
  bool is_known = identity(known, sizeof known);
  if (given && is_known) /* the name says what it is for, the rest which one it is */
    snprintf(key, size, "%.31s/%s", given, known);
  else if (given)
    snprintf(key, size, "%.90s", given);
  else if (is_known)
    snprintf(key, size, "%s", known);
  else {
    long ignored;
    unsigned long long start = 0;
    char name[32];
    process(getpid(), &ignored, &start, name);
    snprintf(key, size, "pid/%ld-%llu", (long)getpid(), start);
  }
  return key;
}
