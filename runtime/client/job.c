/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which job and rank this process is, from what launchers leave in the environment. One mpiexec is
 * one job: under `siox run`, which may start several, its launcher's pid and start time are part of
 * the key. A child of fork keeps its parent's key; so does one of exec under a launcher. */
#include "client/client.h"
#include "client/real.h"
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

static bool is_launcher(const char *name) {
  static const char *const names[] = {"hydra_pmi_proxy", "mpiexec", "slurmstepd",
                                      "orted",           "prted",   "mpirun"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strncmp(name, names[i], strlen(names[i])))
      return true;
  return false;
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
    if (is_launcher(name)) {
      chosen = pid;
      chosen_start = start;
      break;
    }
  }
  snprintf(out, size, "%ld-%llu", chosen, chosen_start);
}

const char *siox__job_key(void) {
  char *key = siox__client.job;
  if (*key)
    return key;
  size_t size = sizeof siox__client.job;
  const char *run = getenv("SIOX_JOB"), *slurm = getenv("SLURM_JOB_ID"),
             *step = getenv("SLURM_STEP_ID"), *pmi = getenv("PMI_JOBID");
  int32_t rank, ranks;
  char parent[48];
  siox__job_rank(&rank, &ranks);
  launcher(parent, sizeof parent);
  if (run && *run && rank >= 0)
    snprintf(key, size, "%.44s/%s", run, parent);
  else if (run && *run)
    snprintf(key, size, "%.90s", run);
  else if (slurm && *slurm)
    snprintf(key, size, "slurm/%.40s.%.20s", slurm, step ? step : "");
  else if (pmi && *pmi)
    snprintf(key, size, "pmi/%.40s/%s", pmi, parent);
  else if (rank >= 0)
    snprintf(key, size, "mpi/%s", parent);
  else {
    long ignored;
    unsigned long long start = 0;
    char name[32];
    process(getpid(), &ignored, &start, name);
    snprintf(key, size, "pid/%ld-%llu", (long)getpid(), start);
  }
  return key;
}
