/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What others ask of the monitor. */
#include "common/clock.h"
#include "daemon/drives.h"
#include "daemon/energies.h"
#include "daemon/monitor_internal.h"
#include "daemon/nodes.h"
#include "daemon/triggers.h"
#include <stdio.h>

size_t siox__monitor_notes(struct siox__monitor *m, struct siox__cycle_note *notes, size_t max) {
  pthread_mutex_lock(&m->lock);
  const size_t n = siox__cycles_notes(&m->kept, notes, max);
  pthread_mutex_unlock(&m->lock);
  return n;
}

enum siox_record siox__monitor_mode(const struct siox__monitor *m) {
  return (enum siox_record)atomic_load_explicit(&m->mode, memory_order_relaxed);
}

void siox__monitor_cycles(struct siox__monitor *m, json_t *o) {
  if (!m)
    return;
  pthread_mutex_lock(&m->lock);
  siox__cycles_json(&m->kept, o);
  pthread_mutex_unlock(&m->lock);
}

void siox__monitor_view(struct siox__monitor *m, bool fresh) {
  if (m)
    m->fresh = fresh;
}

json_t *siox__monitor_json(struct siox__monitor *m) {
  if (!m)
    return json_null();
  pthread_mutex_lock(&m->lock);
  const struct siox__ledger *l = m->fresh ? &m->ledger : &m->each_second;
  json_t *o = json_pack("{s:f, s:I, s:I, s:o, s:o}", "period", 1e-9 * (double)m->period_ns,
                        "cycles", (json_int_t)m->cycles, "late", (json_int_t)m->late, "sources",
                        json_deep_copy(m->sources), "utilisation", json_deep_copy(m->utilisation));
  json_object_set_new(
      o, "processors",
      l->source ? json_pack("{s:s, s:b, s:f, s:f, s:f, s:f, s:f, s:f}", "source", l->source,
                            "estimated", l->estimated, "joules", l->joules, "idle", l->idle_j,
                            "unattributed", l->unattributed_j, "forgotten", l->forgotten_j,
                            "seconds_lost", l->joules_lost_s, "idle_watts", l->idle_power.watts)
                : json_null());
  siox__domains_json(m->fresh ? &m->domains : &m->domains_each_second, o);
  if (m->fresh)
    json_object_set_new(o, "findings", siox__findings_json(&m->findings, siox__now_ns()));
  siox__watched_json(&m->told, siox__now_ns(), m->fresh, o);
  json_object_set_new(o, "etcd", siox__nodes_json(m->nodes, m->fresh));
  if (m->fresh)
    json_object_set_new(o, "triggers", siox__triggers_json(m->triggers, siox__now_ns()));
  pthread_mutex_unlock(&m->lock);
  return o;
}

void siox__monitor_job(struct siox__monitor *m, uint32_t job, double *joules, double *busy_s) {
  *joules = *busy_s = 0;
  if (!m)
    return;
  pthread_mutex_lock(&m->lock);
  const struct siox__ledger *l = m->fresh ? &m->ledger : &m->each_second;
  for (size_t i = 0; i < l->njobs; i++)
    if (l->job[i].job == job) {
      *joules = l->job[i].joules;
      *busy_s = l->job[i].busy_s;
    }
  pthread_mutex_unlock(&m->lock);
}

void siox__monitor_told(struct siox__monitor *m, int32_t pid, int64_t since_ns,
                        struct siox_msg_totals *totals) {
  pthread_mutex_lock(&m->lock);
  const struct siox__ledger *l = m->fresh ? &m->ledger : &m->each_second;
  totals->flags |= SIOX_TOTALS_MONITORED;
  if (l->source) {
    totals->flags |= SIOX_TOTALS_PROCESSORS | (l->estimated ? SIOX_TOTALS_ESTIMATED : 0);
    snprintf(totals->source, sizeof totals->source, "%s", l->source);
  }
  siox__findings_of(&m->findings, pid, since_ns, m->fresh, totals);
  pthread_mutex_unlock(&m->lock);
}

void siox__monitor_forget(struct siox__monitor *m, uint32_t job) {
  if (!m)
    return;
  pthread_mutex_lock(&m->lock);
  siox__energies_forget(m->energies, &m->ledger, job);
  siox__ledger_forget(&m->ledger, job);
  siox__ledger_forget(&m->each_second, job);
  pthread_mutex_unlock(&m->lock);
}
