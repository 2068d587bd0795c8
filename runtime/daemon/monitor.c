/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The monitor's thread. */
#include "common/clock.h"
#include "common/worker.h"
#include "daemon/activities.h"
#include "daemon/drives.h"
#include "daemon/energies.h"
#include "daemon/monitor_internal.h"
#include "daemon/names.h"
#include "daemon/nodes.h"
#include "daemon/statistics.h"
#include "daemon/triggers.h"
#include "monitor/metrics.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* So long the daemon waits at its end for a cycle that has begun. */
static const int64_t PATIENCE_NS = INT64_C(2000000000);

/* What the triggers that fire in this cycle, or did before, want of the monitor. */
static void wish(struct siox__monitor *m, int64_t now_ns) {
  const enum siox_record mode = m->env.config->record_activities;
  struct siox__wishes wishes;
  if (!m->triggers)
    return;
  siox__triggers_cycle(m->triggers, now_ns, &m->judged.levels, m->known, m->nknown, &wishes);
  siox_keep_window(&m->kept.keep, wishes.window);
  siox_keep_mode(&m->kept.keep, wishes.mode > mode ? wishes.mode : mode);
  atomic_store_explicit(&m->mode, m->kept.keep.mode, memory_order_relaxed);
  m->period_ns = wishes.period_ns > 0 ? wishes.period_ns : m->usual_ns;
}

/* What providers have to say of how they read; under the lock. */
static void take_notes(struct siox__monitor *m) {
  char text[256];
  const char *name;
  for (size_t i = 0; (name = siox_collector_note(m->collector, i, text, sizeof text)); i++)
    for (size_t k = 0; k < json_array_size(m->sources); k++) {
      json_t *o = json_array_get(m->sources, k);
      if (strcmp(json_string_value(json_object_get(o, "name")), name) != 0)
        continue;
      if (*text)
        json_object_set_new(o, "note", json_string(text));
      else
        json_object_del(o, "note");
    }
}

/* One more cycle's worth of what others ask for; under the lock. */
static void publish(struct siox__monitor *m, const struct siox_cycle *cycle) {
  m->cycles++;
  siox__watched_copy(&m->told, &m->judged);
  siox__findings_take(&m->findings, &m->told, cycle->now_ns);
  siox__domains_take(&m->domains, cycle);
  if (!m->ending) /* a thread that is left behind has no store any more */
    siox__statistics_cycle(m->statistics, cycle);
  if (!m->last && !m->ending) {
    struct siox__reasoners_input about = {
        .cycle = cycle, .processes = m->known, .nprocesses = m->nknown};
    about.issues = siox__watch_issues(m->watch, &about.nissues);
    siox__cycles_take(&m->kept, &about, &m->judged.levels);
    wish(m, cycle->now_ns);
    if (m->env.wake)
      m->env.wake(m->env.context);
  }
  (void)siox__ledger_take(&m->ledger, cycle, m->owners, m->nprocesses);
  if (!m->ending)
    siox__energies_cycle(m->energies, &m->ledger, cycle->now_ns);
  if (cycle->now_ns - m->copied_ns >= 1000000000 &&
      siox__ledger_copy(&m->each_second, &m->ledger) == 0) {
    take_notes(m);
    m->copied_ns = cycle->now_ns;
    m->domains_each_second = m->domains;
  }
  json_object_clear(m->utilisation);
  for (size_t i = siox_cycle_next(cycle, 0); i < cycle->nseries;
       i = siox_cycle_next(cycle, i + 1)) {
    const struct siox_series *s = &cycle->series[i];
    if (!s->gone && siox__is_named(&s->metric, "utilisation"))
      json_object_set_new(m->utilisation, s->metric.where,
                          s->last.state == SIOX_SAMPLE_VALID ? json_real(s->last.value)
                                                             : json_null());
  }
}

/* The collector and the reasoners get the list of processes where it has changed; under the lock.
 */
static void hand_over(struct siox__monitor *m) {
  if (!m->changed)
    return;
  int32_t *pids = malloc((m->nprocesses + 1) * sizeof *pids);
  struct siox__process *known = malloc((m->nprocesses + 1) * sizeof *known);
  for (size_t i = 0; pids && i < m->nprocesses; i++)
    pids[i] = m->processes[i].pid;
  if (pids && known && siox_collector_processes(m->collector, pids, m->nprocesses) == 0) {
    if (m->nprocesses > 0)
      memcpy(known, m->processes, m->nprocesses * sizeof *known);
    free(m->known);
    m->known = known;
    m->nknown = m->nprocesses;
    m->known_lists++;
    m->changed = false;
    known = NULL;
  }
  free(known);
  free(pids);
}

/* What other nodes said since the cycle before. */
static void hear(struct siox__monitor *m) {
  enum { AT_ONCE = 256 };
  struct siox__node_news news[AT_ONCE];
  struct siox__reasoners *reasoners = siox__watch_reasoners(m->watch);
  const size_t n = siox__nodes_news(m->nodes, news, AT_ONCE);
  for (size_t i = 0; i < n; i++) {
    if (news[i].forget || news[i].gone)
      siox__reasoners_forget(reasoners, news[i].report.name);
    if (!news[i].gone)
      (void)siox__reasoners_hear(reasoners, &news[i].report);
  }
}

static void judge(struct siox__monitor *m) {
  hear(m);
  const struct siox_cycle *cycle = siox_collector_last(m->collector);
  const struct siox__reasoners_input about = {
      .cycle = cycle,
      .activities = siox__activities_cycle(m->activities, cycle->now_ns),
      .activities_of = siox__activities_of,
      .context = m->activities,
      .processes = m->known,
      .nprocesses = m->nknown,
      .lists = m->known_lists,
      .ranks = atomic_load_explicit(&m->ranks, memory_order_relaxed),
      .stripes = atomic_load_explicit(&m->stripes, memory_order_relaxed)};
  siox__watch_cycle(m->watch, &about, &m->judged, m->log);
  siox__nodes_tell(m->nodes, siox__reasoners_own(siox__watch_reasoners(m->watch)));
}

static void *run(void *context) {
  struct siox__monitor *m = context;
  int64_t due = siox__now_ns();
  pthread_mutex_lock(&m->lock);
  while (!m->ending) {
    hand_over(m);
    pthread_mutex_unlock(&m->lock);
    const int64_t boot = siox__boot_ns();
    const int e = siox_collector_cycle(m->collector, siox__now_ns(), boot);
    if (e == 0)
      judge(m);
    pthread_mutex_lock(&m->lock);
    if (e == 0)
      publish(m, siox_collector_last(m->collector));
    /* Cycles are due at multiples of the period after the first, however long they take; those that
     * were missed are not made up for. */
    const int64_t behind = siox__now_ns() - due;
    m->late += (uint64_t)(behind / m->period_ns);
    due += (behind / m->period_ns + 1) * m->period_ns;
    const struct timespec until = {due / 1000000000, due % 1000000000};
    while (!m->ending && pthread_cond_timedwait(&m->end, &m->lock, &until) != ETIMEDOUT)
      ;
  }
  m->ended = true;
  pthread_cond_signal(&m->end);
  pthread_mutex_unlock(&m->lock);
  return NULL;
}

static void destroy(struct siox__monitor *m) {
  siox__statistics_free(m->statistics);
  siox__triggers_free(m->triggers);
  siox__nodes_free(m->nodes);
  siox__watch_free(m->watch);
  siox_collector_free(m->collector);
  siox__activities_free(m->activities);
  siox__drives_free(m->drives);
  siox_modules_free(&m->modules);
  siox__energies_free(m->energies, &m->ledger);
  siox__ledger_free(&m->ledger);
  siox__ledger_free(&m->each_second);
  free(m->processes);
  free(m->owners);
  free(m->known);
  json_decref(m->sources);
  json_decref(m->utilisation);
  free(m);
}

static int begin(struct siox__monitor *m) {
  pthread_mutex_init(&m->lock, NULL);
  siox__cond_start(&m->end);
  return siox__worker_start(&m->thread, run, m);
}

int siox__monitor_start(struct siox__monitor **out, const struct siox__monitor_env *env,
                        struct siox_diag *diag) {
  const struct siox_config *config = env->config;
  *out = NULL;
  if (config->monitor_period < 0)
    return config->etcd.count == 0
               ? 0
               : siox_config_refuse(
                     config, SIOX_SETTING_etcd, diag, SIOX_EINVAL,
                     "nothing is measured (monitor_period), so there is no state to tell");
  if (config->monitor_period < 0.01)
    return siox_config_refuse(config, SIOX_SETTING_monitor_period, diag, SIOX_ERANGE,
                              "seconds from 0.01 on are wanted, or -1: nothing is measured");
  struct siox__monitor *m = calloc(1, sizeof *m);
  if (!m)
    return SIOX_ENOMEM;
  m->env = *env;
  m->log = env->log;
  siox__cycles_start(&m->kept, config->record_activities, config->database ? env->store : NULL);
  m->activities = siox__activities_hold(env->activities);
  m->mode = config->record_activities;
  m->period_ns = m->usual_ns = (int64_t)(config->monitor_period * 1e9);
  m->sources = json_array();
  m->utilisation = json_object();
  const char *root = getenv("SIOX_SYSFS_ROOT");
  root = root ? root : "";
  m->drives = siox__drives_new(config->disks, env->drives);
  int e = m->drives ? siox_collector_new(&m->collector) : SIOX_ENOMEM;
  if (e == 0)
    e = siox__monitor_add_providers(m, config, root, diag);
  if (e == 0)
    e = siox__watch_new(&m->watch, &m->modules, root, config->node, m->period_ns, diag);
  if (e == 0)
    e = siox__energies_new(&m->energies, config, env->store);
  if (e == 0)
    e = siox__statistics_new(&m->statistics, config, env->store, diag);
  if (e == 0)
    e = siox__triggers_new(&m->triggers, m->modules.file, root, m->env.knowledge, m->log, diag);
  if (e == 0)
    e = siox__nodes_start(&m->nodes, config, m->log, diag);
  if (e == 0)
    siox__names_tell(&m->modules, siox_collector_last(m->collector), m->log);
  if (e == 0)
    e = begin(m);
  if (e == 0)
    *out = m;
  else
    destroy(m);
  return e;
}

void siox__monitor_last(struct siox__monitor *m) {
  if (!m)
    return;
  pthread_mutex_lock(&m->lock);
  if (!m->last)
    siox__cycles_end(&m->kept);
  m->last = true;
  pthread_mutex_unlock(&m->lock);
}

void siox__monitor_stop(struct siox__monitor *m) {
  if (!m)
    return;
  pthread_mutex_lock(&m->lock);
  m->ending = true;
  pthread_cond_signal(&m->end);
  const int64_t by = siox__now_ns() + PATIENCE_NS;
  const struct timespec until = {by / 1000000000, by % 1000000000};
  while (!m->ended && pthread_cond_timedwait(&m->end, &m->lock, &until) == 0)
    ;
  const bool ended = m->ended;
  pthread_mutex_unlock(&m->lock);
  if (!ended) { /* a device does not answer: the thread has all that is its own until the process
                   ends */
    siox__log(m->log, SIOX__LOG_WARN, "the monitor's thread does not end: it is left behind");
    siox__triggers_free(m->triggers); /* it looks at none any more; commands end with the daemon */
    siox__nodes_stop(m->nodes);
    pthread_detach(m->thread);
    return;
  }
  pthread_join(m->thread, NULL);
  pthread_cond_destroy(&m->end);
  pthread_mutex_destroy(&m->lock);
  destroy(m);
}

static int by_pid(const void *a, const void *b) {
  const struct siox__process *x = a, *y = b;
  if (x->pid != y->pid)
    return x->pid < y->pid ? -1 : 1;
  return x->job < y->job ? -1 : x->job > y->job;
}

int siox__monitor_processes(struct siox__monitor *m, const struct siox__process *processes,
                            size_t n) {
  if (!m)
    return 0;
  struct siox__process *own = malloc((n + 1) * sizeof *own);
  struct siox__ledger_process *owners = malloc((n + 1) * sizeof *owners);
  if (!own || !owners) {
    free(own);
    free(owners);
    return SIOX_ENOMEM;
  }
  if (n > 0)
    memcpy(own, processes, n * sizeof *own);
  qsort(own, n, sizeof *own, by_pid);
  /* A process with several connections is one. */
  size_t different = 0;
  for (size_t i = 0; i < n; i++)
    if (i == 0 || own[i].pid != own[different - 1].pid)
      own[different++] = own[i];
  for (size_t i = 0; i < different; i++)
    owners[i] = (struct siox__ledger_process){own[i].pid, own[i].job};
  pthread_mutex_lock(&m->lock);
  struct siox__process *before = m->processes;
  struct siox__ledger_process *owners_before = m->owners;
  m->processes = own;
  m->owners = owners;
  m->nprocesses = different;
  m->changed = true;
  pthread_mutex_unlock(&m->lock);
  free(before);
  free(owners_before);
  return 0;
}

void siox__monitor_files(struct siox__monitor *m, uint32_t ranks, uint32_t stripes) {
  if (!m)
    return;
  atomic_store_explicit(&m->ranks, ranks, memory_order_relaxed);
  atomic_store_explicit(&m->stripes, stripes, memory_order_relaxed);
}

void siox__monitor_segment(struct siox__monitor *m, const struct siox_segment *segment) {
  if (m)
    siox__drives_tell(m->drives, segment);
}

void siox__monitor_finished(struct siox__monitor *m) {
  if (m)
    siox__drives_end(m->drives);
}
