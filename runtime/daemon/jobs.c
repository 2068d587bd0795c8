/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The jobs of users. One that its last process has left can still be asked for, among the last
 * thousand or two; before that it is forgotten, and what it took is told together with what all
 * forgotten ones took. Of users with many such jobs those go first. */
#include "daemon/activities.h"
#include "daemon/daemon.h"
#include "daemon/monitor.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GONE_MOST = 2048, GONE_LEAST = 1024, WATCH_MS = 20 };

static void define(struct siox__daemon *d, uint32_t number, const char *key, const char *name,
                   uid_t uid) {
  struct siox__job *job = &d->job[number];
  if (job->seen && !job->forgotten)
    return;
  *job = (struct siox__job){.uid = uid, .asked = -1, .serial = d->next_job++};
  snprintf(job->key, sizeof job->key, "%s", key);
  snprintf(job->name, sizeof job->name, "%s", name);
  struct siox_trace_event event = {.kind = SIOX_TRACE_JOB};
  event.u.job.job = job->serial;
  event.u.job.uid = uid;
  event.u.job.key = job->key;
  siox__record_event(d, &event);
}

int siox__job_find(struct siox__session *s, const char *given, uint32_t *number) {
  struct siox__daemon *d = s->d;
  char name[96], key[128];
  snprintf(name, sizeof name, "%s", given);
  if (!*name)
    snprintf(name, sizeof name, "pid-%d", (int)s->pid);
  for (char *c = name; *c; c++)
    if (!isgraph((unsigned char)*c))
      *c = '?';
  snprintf(key, sizeof key, "%s@%u", name, (unsigned)s->uid);
  int r = siox_bank_job(d->bank, key, number);
  if (r == 0)
    r = siox_bank_job_user(d->bank, *number, s->uid);
  if (r < 0)
    return r;
  if (*number >= d->njobs) {
    uint32_t room = 2 * *number + 16;
    struct siox__job *more = realloc(d->job, room * sizeof *more);
    if (!more)
      return SIOX_ENOMEM;
    memset(more + d->njobs, 0, (room - d->njobs) * sizeof *more);
    d->job = more;
    d->njobs = room;
  }
  define(d, *number, key, name, s->uid);
  return 0;
}

uint32_t siox__job_serial(const struct siox__daemon *d, uint32_t number) {
  return number < d->njobs ? d->job[number].serial : number;
}

static void tell_monitor(uv_timer_t *watch) {
  struct siox__daemon *d = watch->data;
  struct siox__process *list = malloc((d->njoined + 1) * sizeof *list);
  size_t n = 0;
  for (const struct siox__session *s = d->sessions; list && s && n < d->njoined; s = s->next)
    if (s->joined && s->pid > 0) {
      struct siox__process *p = &list[n++];
      *p = (struct siox__process){.pid = s->pid,
                                  .job = d->job[s->job].serial,
                                  .rank = s->rank,
                                  .client = s->serial,
                                  .ranks = s->size > 0 ? (uint32_t)s->size : 0};
      memcpy(p->program, s->program, sizeof p->program);
      snprintf(p->name, sizeof p->name, "%.47s", d->job[s->job].name);
    }
  if (list) /* without memory the last list stays */
    (void)siox__monitor_processes(d->monitor, list, n);
  free(list);
}

/* Thousands of ranks come and go at once: the monitor hears of them together. */
static void watch_soon(struct siox__daemon *d) {
  if (d->monitor && !d->leaving && !uv_is_active((uv_handle_t *)&d->watch))
    uv_timer_start(&d->watch, tell_monitor, WATCH_MS, 0);
}

void siox__job_enters(struct siox__daemon *d, uint32_t number) {
  struct siox__job *job = &d->job[number];
  d->gone -= job->seen && !job->clients;
  job->clients++;
  job->seen++;
  watch_soon(d);
}

struct gone {
  uint32_t number, newer; /* of the same user */
  uid_t uid;
  uint64_t left;
};

static int by_user(const void *a, const void *b) {
  const struct gone *x = a, *y = b;
  if (x->uid != y->uid)
    return x->uid < y->uid ? -1 : 1;
  return x->left > y->left ? -1 : x->left < y->left;
}
static int by_turn(const void *a, const void *b) {
  const struct gone *x = a, *y = b;
  if (x->newer != y->newer)
    return x->newer > y->newer ? -1 : 1;
  return x->left < y->left ? -1 : x->left > y->left;
}

static void forget_some(struct siox__daemon *d) {
  struct gone *gone = calloc(d->gone, sizeof *gone);
  tell_monitor(&d->watch); /* it would make what is forgotten anew for processes that are gone */
  uint32_t n = 0;
  for (uint32_t i = 0; gone && i < d->njobs && n < d->gone; i++)
    if (d->job[i].seen && !d->job[i].clients && !d->job[i].forgotten)
      gone[n++] = (struct gone){.number = i, .uid = d->job[i].uid, .left = d->job[i].left};
  if (n)
    qsort(gone, n, sizeof *gone, by_user);
  for (uint32_t i = 1; i < n; i++)
    gone[i].newer = gone[i].uid == gone[i - 1].uid ? gone[i - 1].newer + 1 : 0;
  if (n)
    qsort(gone, n, sizeof *gone, by_turn);
  for (uint32_t i = 0; i + GONE_LEAST < n; i++)
    if (siox_bank_job_forget(d->bank, gone[i].number) == 0) {
      d->job[gone[i].number].forgotten = true;
      siox__monitor_forget(d->monitor, d->job[gone[i].number].serial);
      siox__activities_forget(d->activities, d->job[gone[i].number].serial);
      d->count.forgotten_jobs++;
      d->gone--;
    }
  free(gone);
}

void siox__job_leaves(struct siox__daemon *d, uint32_t number) {
  struct siox__job *job = &d->job[number];
  watch_soon(d);
  if (--job->clients)
    return;
  job->left = ++d->leaves;
  if (++d->gone > GONE_MOST)
    forget_some(d);
}
