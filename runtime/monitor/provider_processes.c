/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The processes that the collector is told to watch: processor time, memory, I/O. A pid that
 * another process took over is another place.
 *
 * There may be thousands, and reading one costs microseconds. So the provider measures what it
 * takes itself, and reads no more of them in a cycle than its budget has room for: processor time
 * first, which joules are shared out by and whose clock is the cheapest to read, then memory and
 * I/O with what is left. The others are held until it is their turn; differences of counters are
 * over their true time then. */
#include "monitor/adpi.h"
#include "monitor/builtin.h"
#include "monitor/input.h"
#include "monitor/metrics.h"
#include "monitor/pace.h"
#include "monitor/process.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* So much Linux reads ahead where a program touches one byte that is not in memory
 * (VM_READAHEAD_PAGES, 128 KiB unless a device is told otherwise); and less than that written says
 * no more. */
static const double AT_ONCE = 128 * 1024;
/* Processes wake each other by writes of 8 bytes to event descriptors and pipes: that is no I/O. */
static const double LEAST_ASKED = 4096;
enum { BUSY, RESIDENT, ASKED_READ, ASKED_WRITTEN, READ, WRITTEN, NMETRICS };
static const struct {
  const char *name, *unit;
  enum siox_metric_kind kind;
} columns[NMETRICS] = {
    [BUSY] = {"process_cpu", "s", SIOX_METRIC_COUNTER},
    [RESIDENT] = {"process_resident", "B", SIOX_METRIC_GAUGE},
    [ASKED_READ] = {"process_bytes_asked_read", "B", SIOX_METRIC_COUNTER},
    [ASKED_WRITTEN] = {"process_bytes_asked_written", "B", SIOX_METRIC_COUNTER},
    [READ] = {"process_bytes_read", "B", SIOX_METRIC_COUNTER},
    [WRITTEN] = {"process_bytes_written", "B", SIOX_METRIC_COUNTER},
};

/* Of the budget, at most so much is for processor times: memory and I/O come round, too. */
static const double TIMES_PART = 0.7;
static const int64_t LONGEST_NS = 1000000000; /* a late cycle has not saved up more than this */
enum { MOST_FILES = 4096 };                   /* kept open */

struct watched {
  int32_t pid;
  bool by_file; /* no clock of it answers here (a captured tree) */
  bool known;   /* memory and I/O have been read */
  uint64_t started, busy_ns;
  uint64_t resident_pages; /* by_file */
  struct siox__process_files files;
};
struct processes {
  struct siox_provider_env env;
  double budget;                  /* of one core */
  struct siox__metrics metrics;   /* NMETRICS for each */
  struct watched *watched, *next; /* by rising pid; next: while a list is made */
  int32_t *pids;                  /* of the watched ones */
  size_t n, room;
  bool news;         /* there may be some of which not all is known */
  uint32_t *written; /* numbers of readings, of the last read() */
  size_t nwritten;
  size_t files, most_files;
  int64_t last_ns, period_ns;
  struct siox__pace times, details;
};

static void forget(struct processes *p, struct watched *w) {
  p->files -= (size_t)(w->files.io >= 0) + (size_t)(w->files.statm >= 0);
  siox__process_files_close(&w->files);
}

static void close_processes(void *state) {
  struct processes *p = state;
  for (size_t i = 0; i < p->n; i++)
    forget(p, &p->watched[i]);
  siox__metrics_free(&p->metrics);
  free(p->watched);
  free(p->next);
  free(p->pids);
  free(p->written);
  free(p);
}

/* Clients of the daemon need descriptors, too. */
static size_t most_files(const char *root) {
  struct rlimit limit;
  if (*root || getrlimit(RLIMIT_NOFILE, &limit) != 0)
    return 0; /* files of a captured tree may be replaced by others */
  return limit.rlim_cur / 8 < MOST_FILES ? (size_t)(limit.rlim_cur / 8) : MOST_FILES;
}

static int open_processes(const struct siox_provider_env *env, void **state,
                          struct siox_diag *diag) {
  static const struct siox__number numbers[] = {
      {"budget", offsetof(struct processes, budget), 0.003, 0, 1}};
  struct processes *p = calloc(1, sizeof *p);
  if (!p)
    return SIOX_ENOMEM;
  const int e = siox__numbers_read(env->origin, env->settings, env->nsettings, "processes", numbers,
                                   1, p, NULL, NULL, diag);
  if (e < 0) {
    free(p);
    return e;
  }
  p->env = *env;
  p->period_ns = env->period_ns > 0 ? env->period_ns : 100000000;
  p->most_files = most_files(env->root);
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
  p->news = true;
  for (size_t i = 0; i < p->n; i++) {
    p->pids[i] = p->watched[i].pid;
    for (int column = 0; column < NMETRICS; column++) {
      char where[56];
      snprintf(where, sizeof where, "%d@%llu", p->watched[i].pid,
               (unsigned long long)p->watched[i].started);
      struct siox_metric *m = siox__metrics_add(&p->metrics, columns[column].kind,
                                                columns[column].name, where, columns[column].unit);
      if (!m)
        return SIOX_ENOMEM;
      if (column == BUSY) {
        m->scale = 1e-9;
        m->step = p->watched[i].by_file ? 1e-9 * SIOX__TICK_NS : 0;
      }
      if (column == READ || column == WRITTEN)
        m->step = AT_ONCE;
      if (column == ASKED_READ || column == ASKED_WRITTEN)
        m->step = LEAST_ASKED;
    }
  }
  return 1;
}

static int make_room(struct processes *p, size_t n) {
  if (n <= p->room)
    return 0;
  struct watched *watched = realloc(p->watched, n * sizeof *watched);
  if (watched)
    p->watched = watched;
  struct watched *next = realloc(p->next, n * sizeof *next);
  if (next)
    p->next = next;
  int32_t *pids = realloc(p->pids, n * sizeof *pids);
  if (pids)
    p->pids = pids;
  uint32_t *written = realloc(p->written, n * NMETRICS * sizeof *written);
  if (written)
    p->written = written;
  if (!watched || !next || !pids || !written)
    return SIOX_ENOMEM;
  p->room = n;
  return 0;
}

/* It ended, or is hidden. */
static bool is_gone(int e) { return e == SIOX_ENOENT || e == SIOX_EPERM; }

/* 1: it is there. */
static int begin(const struct processes *p, int32_t pid, struct watched *w) {
  struct siox__process_stat stat;
  uint64_t busy_ns;
  const int e = siox__process_stat(p->env.root, pid, &stat);
  if (e < 0)
    return is_gone(e) ? 0 : e;
  *w = (struct watched){.pid = pid, .started = stat.started, .files = {-1, -1}};
  w->by_file = *p->env.root || siox__process_clock(pid, &busy_ns) < 0;
  return 1;
}

/* Those that are wanted and there; 1: they are others than before. */
static int follow(struct processes *p, const int32_t *pids, size_t wanted) {
  if (wanted == p->n && (wanted == 0 || memcmp(pids, p->pids, wanted * sizeof *pids) == 0))
    return 0;
  if (make_room(p, wanted) < 0)
    return SIOX_ENOMEM;
  size_t n = 0, old = 0;
  bool changed = false;
  for (size_t i = 0; i < wanted; i++) {
    while (old < p->n && p->watched[old].pid < pids[i])
      old++;
    if (old < p->n && p->watched[old].pid == pids[i]) {
      p->next[n++] = p->watched[old++];
      continue;
    }
    const int e = begin(p, pids[i], &p->next[n]);
    if (e < 0) /* no descriptors are left, say: nobody has ended for that */
      return e;
    n += (size_t)e;
    changed |= e > 0;
  }
  for (size_t i = 0, kept = 0; i < p->n; i++) {
    while (kept < n && p->next[kept].pid < p->watched[i].pid)
      kept++;
    if (kept == n || p->next[kept].pid != p->watched[i].pid) {
      forget(p, &p->watched[i]);
      changed = true;
    }
  }
  struct watched *now = p->next;
  p->next = p->watched;
  p->watched = now;
  p->n = n;
  return changed;
}

/* Whether it is still the process that it was; 0: it has ended. What the file says is in w then. */
static int look_again(const struct processes *p, struct watched *w) {
  struct siox__process_stat stat;
  const int e = siox__process_stat(p->env.root, w->pid, &stat);
  if (e < 0)
    return is_gone(e) ? 0 : e;
  if (stat.started != w->started)
    return 0;
  if (stat.busy_ns > w->busy_ns)
    w->busy_ns = stat.busy_ns;
  w->resident_pages = stat.resident_pages;
  return 1;
}

/* A clock that went back is another process': pids come back only after all others were used, so
 * one whose clock is ahead already is found when its kept files say that theirs has ended. */
static int read_time(const struct processes *p, struct watched *w, struct siox_reading *r) {
  uint64_t busy_ns;
  if (!w->by_file && siox__process_clock(w->pid, &busy_ns) == 0 && busy_ns >= w->busy_ns) {
    w->busy_ns = busy_ns;
  } else {
    const int e = look_again(p, w);
    if (e <= 0)
      return e;
  }
  *r = (struct siox_reading){.count = w->busy_ns};
  return 1;
}

static struct siox__process_files *files_of(struct processes *p, struct watched *w) {
  return w->files.io >= 0 || w->files.statm >= 0 || p->files + 2 <= p->most_files ? &w->files
                                                                                  : NULL;
}

static int read_details(struct processes *p, struct watched *w, double page,
                        struct siox_reading *r) {
  struct siox__process_files *files = files_of(p, w);
  struct siox__process_io io;
  const struct siox__process_files before = w->files;
  int e = w->by_file ? 0 : siox__process_resident(p->env.root, w->pid, files, &w->resident_pages);
  const int io_error = siox__process_io(p->env.root, w->pid, files, &io);
  p->files += (size_t)(w->files.io >= 0 && before.io < 0) +
              (size_t)(w->files.statm >= 0 && before.statm < 0);
  if (e < 0 || io_error == SIOX_ENOENT)
    e = look_again(p, w);
  else
    e = 1;
  if (e <= 0)
    return e;
  const uint64_t counts[NMETRICS] = {
      [ASKED_READ] = io.bytes_asked_read,
      [ASKED_WRITTEN] = io.bytes_asked_written,
      [READ] = io.bytes_read,
      [WRITTEN] = io.bytes_written,
  };
  for (uint32_t i = RESIDENT; i < NMETRICS; i++)
    p->written[p->nwritten++] = (uint32_t)(w - p->watched) * NMETRICS + i;
  for (int i = ASKED_READ; i < NMETRICS; i++)
    r[i] = (struct siox_reading){.count = counts[i], .error = io_error};
  r[RESIDENT] = w->resident_pages == SIOX__NO_MEMORY
                    ? (struct siox_reading){.error = SIOX_ENOENT}
                    : (struct siox_reading){.value = page * (double)w->resident_pages};
  w->known = true;
  return 1;
}

static double own_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* One that ended is none of them any more: 1, the list is another one. Where one has ended, others
 * may have, as all of a job do: they go with it, for a list that changes for each of them would
 * change too often for one cycle. */
static int drop(struct processes *p, size_t ended) {
  struct siox_reading ignored;
  size_t n = 0;
  for (size_t i = 0; i < p->n; i++)
    if (i == ended || read_time(p, &p->watched[i], &ignored) == 0)
      forget(p, &p->watched[i]);
    else
      p->watched[n++] = p->watched[i];
  p->n = n;
  return list(p);
}

/* Those whose turn it is, from the first one on and round, then those of which not all is known. */
struct turn {
  size_t first, many, k;
};

static struct turn turn_of(const struct processes *p, const struct siox__pace *pace,
                           double room_ns) {
  return (struct turn){.first = p->n > 0 ? pace->next % p->n : 0,
                       .many = siox__pace_many(pace, p->n, room_ns)};
}

/* The next one; NULL: that was all. */
static struct watched *take_turn(const struct processes *p, struct turn *t) {
  for (; t->k < (p->news ? p->n : t->many); t->k++) {
    const size_t at = t->first + t->k, i = at < p->n ? at : at - p->n;
    if (t->k >= t->many && p->watched[i].known)
      continue;
    t->k++;
    return &p->watched[i];
  }
  return NULL;
}

/* 0, 1 (the list has changed), or negative. */
static int read_times(struct processes *p, double room_ns, int64_t now_ns, double begin_ns,
                      double *end_ns, struct siox_reading *readings) {
  struct turn turn = turn_of(p, &p->times, room_ns);
  size_t of = 0;
  for (struct watched *w; (w = take_turn(p, &turn)); of++) {
    const uint32_t at = (uint32_t)(w - p->watched) * NMETRICS + BUSY;
    const int e = read_time(p, w, readings + at);
    if (e <= 0)
      return e < 0 ? e : drop(p, (size_t)(w - p->watched));
    p->written[p->nwritten++] = at;
  }
  *end_ns = own_ns();
  siox__pace_took(&p->times, p->n, turn.many, of, *end_ns - begin_ns, now_ns);
  return 0;
}

static int read_rest(struct processes *p, double room_ns, int64_t now_ns, double begin_ns,
                     struct siox_reading *readings) {
  const double page = (double)sysconf(_SC_PAGESIZE);
  struct turn turn = turn_of(p, &p->details, room_ns);
  size_t of = 0;
  for (struct watched *w; (w = take_turn(p, &turn)); of++) {
    const int e = read_details(p, w, page, readings + (size_t)(w - p->watched) * NMETRICS);
    if (e <= 0)
      return e < 0 ? e : drop(p, (size_t)(w - p->watched));
  }
  p->news = false;
  siox__pace_took(&p->details, p->n, turn.many, of, own_ns() - begin_ns, now_ns);
  return 0;
}

static int read_processes(void *state, int64_t now_ns, struct siox_reading *readings) {
  struct processes *p = state;
  const int32_t *pids = NULL;
  const size_t wanted = p->env.processes ? p->env.processes(p->env.collector, &pids) : 0;
  int e = follow(p, pids, wanted);
  if (e != 0)
    return e < 0 ? e : list(p);
  if (p->last_ns > 0 && now_ns > p->last_ns)
    p->period_ns = now_ns - p->last_ns < LONGEST_NS ? now_ns - p->last_ns : LONGEST_NS;
  p->nwritten = 0;
  const double room_ns = p->budget * (double)p->period_ns, begin_ns = own_ns();
  double then_ns = begin_ns;
  e = read_times(p, TIMES_PART * room_ns, now_ns, begin_ns, &then_ns, readings);
  const double left_ns = room_ns - (then_ns - begin_ns);
  if (e == 0)
    e = read_rest(p, left_ns > 0 ? left_ns : 0, now_ns, then_ns, readings);
  if (e == 0)
    p->last_ns = now_ns;
  return e;
}

static size_t written_of_processes(void *state, const uint32_t **out) {
  const struct processes *p = state;
  *out = p->written;
  return p->nwritten;
}

/* "0.1 s", as coarse as it is. */
static void every(char *text, size_t size, const struct siox__pace *pace, int64_t period_ns) {
  const int64_t ns = pace->round_ns > period_ns ? pace->round_ns : period_ns;
  snprintf(text, size, "%.2g s", 1e-9 * (double)ns);
}

static void note_of_processes(void *state, char *text, size_t size) {
  const struct processes *p = state;
  char times[24], details[24];
  *text = 0;
  if (p->details.round_ns <= p->period_ns + p->period_ns / 2 || p->n < 2)
    return; /* all of them each time */
  every(times, sizeof times, &p->times, p->period_ns);
  every(details, sizeof details, &p->details, p->period_ns);
  snprintf(text, size,
           "processor time read every %s, memory and I/O every %s: %zu processes within %.3g %% of "
           "a core",
           times, details, p->n, 100 * p->budget);
}

int siox__processes_measure(const char *metric) {
  for (int i = 0; i < NMETRICS; i++)
    if (strcmp(columns[i].name, metric) == 0)
      return 1;
  return 0;
}

static void probe_processes(const struct siox_provider_env *env, struct siox_probe *probe) {
  uint64_t busy_ns;
  siox__probe_file(env, "/proc/self/io", probe);
  probe->resolution_s =
      !*env->root && siox__process_clock((int32_t)getpid(), &busy_ns) == 0 ? 0.001 : 0.01;
}

const struct siox_provider siox__provider_processes = {
    .abi = SIOX_PROVIDER_ABI,
    .name = "processes",
    .about = "processor time (its clock), memory and I/O of each process of a job "
             "(/proc/PID/statm, /proc/PID/io), in turns where there are many",
    .flags = SIOX_PROVIDER_OF_PROCESSES,
    .probe = probe_processes,
    .open = open_processes,
    .metrics = metrics_of_processes,
    .read = read_processes,
    .close = close_processes,
    .written = written_of_processes,
    .note = note_of_processes,
};
