/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The processes that the collector is told to watch: processor time, memory, I/O. A pid that
 * another process took over is another place. */
#include "monitor/builtin.h"
#include "monitor/input.h"
#include "monitor/metrics.h"
#include "monitor/process.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { USER_HZ = 100 };
enum { USER, SYSTEM, RESIDENT, ASKED_READ, ASKED_WRITTEN, READ, WRITTEN, NMETRICS };
static const struct {
  const char *name, *unit;
  enum siox_metric_kind kind;
} columns[NMETRICS] = {
    [USER] = {"process_user", "s", SIOX_METRIC_COUNTER},
    [SYSTEM] = {"process_system", "s", SIOX_METRIC_COUNTER},
    [RESIDENT] = {"process_resident", "B", SIOX_METRIC_GAUGE},
    [ASKED_READ] = {"process_bytes_asked_read", "B", SIOX_METRIC_COUNTER},
    [ASKED_WRITTEN] = {"process_bytes_asked_written", "B", SIOX_METRIC_COUNTER},
    [READ] = {"process_bytes_read", "B", SIOX_METRIC_COUNTER},
    [WRITTEN] = {"process_bytes_written", "B", SIOX_METRIC_COUNTER},
};

struct watched {
  int32_t pid;
  uint64_t started;
};
struct processes {
  struct siox_provider_env env;
  struct siox__metrics metrics; /* NMETRICS for each */
  struct watched *watched;
  struct siox__process_use *uses; /* room for all that are to be watched */
  size_t n, room;
};

static void close_processes(void *state) {
  struct processes *p = state;
  siox__metrics_free(&p->metrics);
  free(p->watched);
  free(p->uses);
  free(p);
}

static int open_processes(const struct siox_provider_env *env, void **state,
                          struct siox_diag *diag) {
  static const char *const known[] = {NULL};
  const int e = siox__settings_known(env, "processes", known, diag);
  if (e < 0)
    return e;
  struct processes *p = calloc(1, sizeof *p);
  if (!p)
    return SIOX_ENOMEM;
  p->env = *env;
  *state = p;
  return 0;
}

static size_t metrics_of_processes(void *state, const struct siox_metric **out) {
  struct processes *p = state;
  *out = p->metrics.list;
  return p->metrics.n;
}

static int list(struct processes *p) {
  p->metrics.n = 0;
  for (size_t i = 0; i < p->n; i++)
    for (int column = 0; column < NMETRICS; column++) {
      char where[56];
      snprintf(where, sizeof where, "%d@%llu", p->watched[i].pid,
               (unsigned long long)p->watched[i].started);
      struct siox_metric *m = siox__metrics_add(&p->metrics, columns[column].kind,
                                                columns[column].name, where, columns[column].unit);
      if (!m)
        return SIOX_ENOMEM;
      if (column == USER || column == SYSTEM)
        m->scale = 1.0 / USER_HZ;
    }
  return 1;
}

static int make_room(struct processes *p, size_t n) {
  if (n <= p->room)
    return 0;
  struct watched *watched = realloc(p->watched, n * sizeof *watched);
  if (watched)
    p->watched = watched;
  struct siox__process_use *uses = realloc(p->uses, n * sizeof *uses);
  if (uses)
    p->uses = uses;
  if (!watched || !uses)
    return SIOX_ENOMEM;
  p->room = n;
  return 0;
}

static void readings_of(const struct siox__process_use *u, double page, struct siox_reading *r) {
  const uint64_t counts[NMETRICS] = {
      [USER] = u->user_ticks,
      [SYSTEM] = u->system_ticks,
      [ASKED_READ] = u->bytes_asked_read,
      [ASKED_WRITTEN] = u->bytes_asked_written,
      [READ] = u->bytes_read,
      [WRITTEN] = u->bytes_written,
  };
  for (int i = 0; i < NMETRICS; i++)
    r[i] = (struct siox_reading){.count = counts[i], .error = i >= ASKED_READ ? u->io_error : 0};
  r[RESIDENT].value = page * (double)u->resident_pages;
}

static int read_processes(void *state, int64_t now_ns, struct siox_reading *readings) {
  struct processes *p = state;
  const int32_t *pids = NULL;
  (void)now_ns;
  const size_t wanted = p->env.processes ? p->env.processes(p->env.collector, &pids) : 0;
  if (make_room(p, wanted) < 0)
    return SIOX_ENOMEM;
  bool same = true;
  size_t n = 0;
  for (size_t i = 0; i < wanted; i++) {
    struct siox__process_use u;
    const int e = siox__process_read(p->env.root, pids[i], &u);
    if (e == SIOX_ENOENT || e == SIOX_EPERM)
      continue; /* it ended, or is hidden */
    if (e < 0) {
      p->n = 0; /* no descriptors are left, say: nobody has ended for that */
      return e;
    }
    same &= n < p->n && p->watched[n].pid == pids[i] && p->watched[n].started == u.started;
    p->watched[n] = (struct watched){pids[i], u.started};
    p->uses[n++] = u;
  }
  same &= n == p->n;
  p->n = n;
  if (!same)
    return list(p);
  const double page = (double)sysconf(_SC_PAGESIZE);
  for (size_t i = 0; i < n; i++)
    readings_of(&p->uses[i], page, readings + i * NMETRICS);
  return 0;
}

static void probe_processes(const struct siox_provider_env *env, struct siox_probe *probe) {
  siox__probe_file(env, "/proc/self/io", probe);
  probe->resolution_s = 1.0 / USER_HZ;
}

const struct siox_provider siox__provider_processes = {
    .abi = SIOX_PROVIDER_ABI,
    .name = "processes",
    .about =
        "processor time, memory and I/O of each process of a job (/proc/PID/stat, /proc/PID/io)",
    .probe = probe_processes,
    .open = open_processes,
    .metrics = metrics_of_processes,
    .read = read_processes,
    .close = close_processes,
};
