/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The daemon's present as JSON: disks, jobs, counters. Field names are what `siox disks --json`
 * prints (docs/daemon.md). */
#include "daemon/status.h"
#include "daemon/activities.h"
#include "daemon/daemon.h"
#include "daemon/monitor.h"
#include <string.h>

static json_t *joules_of(const double *joules) {
  double total = 0;
  json_t *o = json_object();
  for (int s = 0; s < SIOX_NSTATES; s++) {
    json_object_set_new(o, siox_state_name((enum siox_state)s), json_real(joules[s]));
    total += joules[s];
  }
  json_object_set_new(o, "total", json_real(total));
  return o;
}

/* Times beyond all time are null: JSON has no infinity, and SIOX_NEVER would be read as a date. */
static json_t *time_or_null(int64_t time) {
  return time == SIOX_NEVER || !time ? json_null() : json_integer(time);
}

/* The first so many; how many there are is always told. */
enum { CLAIMS_SHOWN = 64 };

static json_t *claims_on(const struct siox__daemon *d, uint32_t disk, uint32_t *total) {
  json_t *list = json_array();
  uint32_t cursor = 0, client, job;
  struct siox_claim_entry entry;
  while (siox_claims_next(siox_bank_view(d->bank)->claims, disk, &cursor, &client, &job, &entry)) {
    const struct siox__session *s = client < d->nby_client ? d->by_client[client] : NULL;
    if (++*total > CLAIMS_SHOWN)
      continue;
    json_array_append_new(list,
                          json_pack("{s:s, s:I, s:I, s:i, s:i, s:i, s:b, s:o, s:o}", "job",
                                    job < d->njobs ? d->job[job].name : "?", "uid",
                                    (json_int_t)(job < d->njobs ? d->job[job].uid : 0), "client",
                                    (json_int_t)(s ? s->serial : client), "rank", s ? s->rank : -1,
                                    "pid", s ? (int)s->pid : 0, "speed", (int)entry.speed, "needed",
                                    entry.flag == 1, "need_by", time_or_null(entry.need_by),
                                    "until", time_or_null(entry.until)));
  }
  return list;
}

static json_t *levels_of(const struct siox_drive *drive, const struct siox_disk_totals *totals) {
  json_t *list = json_array();
  for (uint32_t l = 0; l < drive->nlevels; l++)
    json_array_append_new(list, json_pack("{s:i, s:I}", "speed", (int)drive->level[l].speed, "ns",
                                          (json_int_t)totals->level_ns[l]));
  return list;
}

/* What wear, power, decay, shares and budgets did to this disk's commands. */
static json_t *limits_of(const struct siox_disk_totals *t) {
  return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "start_stop",
                   (json_int_t)t->worn[SIOX_WEAR_START], "load_unload",
                   (json_int_t)t->worn[SIOX_WEAR_LOAD], "refused_wear", (json_int_t)t->refused_wear,
                   "delayed_power", (json_int_t)t->delayed, "overdue_power", (json_int_t)t->overdue,
                   "worst_delay_ns", (json_int_t)t->worst_delay_ns, "decayed",
                   (json_int_t)t->undercut[SIOX_CAUSE_DECAY], "over_share",
                   (json_int_t)t->undercut[SIOX_CAUSE_SHARE], "within_budget",
                   (json_int_t)t->undercut[SIOX_CAUSE_BUDGET]);
}

/* What is left of the slow-downs that a day has; null where nothing bounds them. */
static json_t *wear_of(const struct siox__daemon *d, uint32_t i, enum siox_wear kind,
                       const struct siox_disk_totals *totals) {
  double a_day, left;
  if (!d->bank || !siox_bank_wear(d->bank, i, kind, &a_day, &left))
    return json_null();
  const struct siox_drive *drive = d->drives.disk[i];
  bool wears = false;
  for (uint32_t l = 0; l < drive->nlevels; l++)
    wears |= siox_drive_wear(drive, l) >= kind;
  return wears ? json_pack("{s:f, s:f, s:I}", "a_day", a_day, "left", left, "today",
                           (json_int_t)totals->worn[kind] - d->midnight[i].worn[kind])
               : json_null();
}

static json_t *disk(struct siox__daemon *d, uint32_t i, uint32_t *claims) {
  const struct siox_drive *drive = d->drives.disk[i];
  struct siox_disk_totals totals = {0};
  uint32_t level = d->drives.initial_level[i], target = level, pinned = SIOX_NOBODY;
  bool moving = false;
  if (d->bank) {
    siox_bank_disk_totals(d->bank, i, &totals);
    siox_bank_disk_now(d->bank, i, &level, &target, &moving);
    pinned = siox_bank_pinned(d->bank, i);
  }
  json_t *o = json_pack("{s:i, s:s, s:s, s:s, s:n, s:n, s:i, s:i, s:b}", "disk", (int)i, "drive",
                        drive->name, "model", drive->name, "kind", "emulated", "serial", "wwn",
                        "speed", (int)drive->level[level].speed, "target",
                        (int)drive->level[target].speed, "moving", moving);
  json_object_set_new(o, "id", json_sprintf("emulated-%u", i));
  json_object_set_new(
      o, "set", pinned == SIOX_NOBODY ? json_null() : json_integer(drive->level[pinned].speed));
  json_object_set_new(o, "joules", joules_of(totals.joules));
  json_object_set_new(o, "estimated", json_true()); /* modelled, no meter */
  json_object_set_new(o, "levels", levels_of(drive, &totals));
  json_object_set_new(o, "transitions_up", json_integer((json_int_t)totals.transitions_up));
  json_object_set_new(o, "transitions_down", json_integer((json_int_t)totals.transitions_down));
  json_object_set_new(o, "transitions_today",
                      json_integer((json_int_t)(totals.transitions_up + totals.transitions_down) -
                                   d->midnight[i].transitions));
  json_object_set_new(o, "wear",
                      json_pack("{s:o, s:o}", "start_stop", wear_of(d, i, SIOX_WEAR_START, &totals),
                                "load_unload", wear_of(d, i, SIOX_WEAR_LOAD, &totals)));
  json_object_set_new(o, "requests", json_integer((json_int_t)totals.requests));
  json_object_set_new(o, "limits", limits_of(&totals));
  json_object_set_new(o, "bytes", json_integer((json_int_t)totals.bytes));
  json_object_set_new(o, "busy_ns", json_integer(totals.busy_ns));
  json_object_set_new(o, "moving_ns", json_integer(totals.moving_ns));
  json_object_set_new(o, "claims", d->bank ? claims_on(d, i, claims) : json_array());
  json_object_set_new(o, "claims_total", json_integer(*claims));
  json_object_set_new(o, "last_error", json_null()); /* an emulated drive has none */
  return o;
}

json_t *siox__status_disks(struct siox__session *s, uint32_t first, uint32_t most, uint32_t *next) {
  struct siox__daemon *d = s->d;
  json_t *list = json_array();
  uint64_t seen = 0, enough = siox__admin(s) ? UINT64_MAX : 64 * SIOX__WORK_A_TURN;
  uint32_t i = first, end = d->drives.ndisks;
  if (end > first && most < end - first)
    end = first + most;
  for (; i < end && seen < enough; i++) {
    uint32_t claims = 0;
    json_array_append_new(list, disk(d, i, &claims));
    seen += claims;
  }
  *next = i;
  return list;
}

static json_t *job(struct siox__daemon *d, uint32_t number) {
  struct siox_job_totals totals = {0};
  siox_bank_job_totals(d->bank, number, &totals);
  json_t *o;
  if (number >= SIOX_FORGOTTEN) {
    o = json_object();
  } else {
    const struct siox__job *job = &d->job[number];
    o = json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "job", job->name, "uid",
                  (json_int_t)job->uid, "clients", (json_int_t)job->clients, "clients_seen",
                  (json_int_t)job->seen, "hints", (json_int_t)totals.hints, "granted",
                  (json_int_t)totals.granted, "refused", (json_int_t)totals.refused, "requests",
                  (json_int_t)totals.requests, "missed", (json_int_t)totals.missed);
    json_object_set_new(o, "delayed_ns", json_integer(totals.delayed_ns));
    const struct siox_job_view *view = siox_bank_view(d->bank)->job;
    json_object_set_new(o, "delay_budget", json_real(view ? view[number].budget * 100 : 0));
    json_object_set_new(o, "delay_budget_asked",
                        job->asked < 0 ? json_null() : json_real(job->asked * 100));
  }
  json_object_set_new(o, "joules", joules_of(totals.joules));
  if (d->activities && number < SIOX_FORGOTTEN)
    json_object_set_new(o, "calls", siox__activities_json(d->activities, d->job[number].serial));
  if (d->monitor && number < SIOX_FORGOTTEN) {
    double joules, busy_s;
    siox__monitor_job(d->monitor, d->job[number].serial, &joules, &busy_s);
    json_object_set_new(o, "processors",
                        json_pack("{s:f, s:f}", "joules", joules, "seconds", busy_s));
  }
  return o;
}

json_t *siox__status_jobs(struct siox__daemon *d, const char *key, uid_t asker) {
  json_t *list = json_array();
  for (uint32_t i = 0; d->bank && i < siox_bank_njobs(d->bank) && i < d->njobs; i++)
    if (d->job[i].forgotten || !d->job[i].seen)
      continue;
    else if (!key || !strcmp(key, d->job[i].key) ||
             (d->job[i].uid == asker && !strcmp(key, d->job[i].name))) {
      json_t *o = job(d, i);
      if (d->activities)
        json_object_set_new(o, "processes",
                            siox__activities_processes(d->activities, d->job[i].serial));
      json_array_append_new(list, o);
    }
  return list;
}

json_t *siox__status_live_jobs(struct siox__session *s, uint32_t first, uint32_t *next) {
  struct siox__daemon *d = s->d;
  json_t *list = json_array();
  uint32_t njobs = d->bank ? siox_bank_njobs(d->bank) : 0, i = first;
  for (uint32_t looks = 0; i < njobs && i < d->njobs && looks < SIOX__WORK_A_TURN; i++, looks++)
    if (d->job[i].clients) {
      json_array_append_new(list, job(d, i));
      looks += 15;
    }
  *next = i < njobs ? i : UINT32_MAX;
  return list;
}

json_t *siox__status_unattributed(struct siox__daemon *d) {
  return d->bank ? job(d, SIOX_NOBODY) : json_object();
}

json_t *siox__status_forgotten(struct siox__daemon *d) {
  struct siox_job_totals totals = {0};
  json_t *o = d->bank ? job(d, SIOX_FORGOTTEN) : json_object();
  if (d->bank)
    siox_bank_job_totals(d->bank, SIOX_FORGOTTEN, &totals);
  json_object_set_new(o, "jobs", json_integer((json_int_t)d->count.forgotten_jobs));
  json_object_set_new(o, "requests", json_integer((json_int_t)totals.requests));
  json_object_set_new(o, "missed", json_integer((json_int_t)totals.missed));
  return o;
}

json_t *siox__status_counters(struct siox__daemon *d) {
  json_t *missing = json_object();
  static const char *const what[] = {"other", "mmap", "threads", "files", "calls"};
  for (size_t i = 0; i < sizeof what / sizeof *what; i++)
    json_object_set_new(missing, what[i], json_integer((json_int_t)d->count.missing[i]));
  uint64_t dropped = d->count.dropped, issued = d->count.issued, refused = d->count.refused_records;
  for (const struct siox__session *s = d->sessions; s; s = s->next) {
    dropped += s->joined ? atomic_load_explicit(&s->ring->dropped, memory_order_relaxed) : 0;
    refused += s->joined ? atomic_load_explicit(&s->ring->refused, memory_order_relaxed) : 0;
    issued += s->joined ? atomic_load_explicit(&s->ring->issued, memory_order_relaxed) : 0;
  }
  struct siox__store_counts store = siox__store_counts(d->store);
  return json_pack(
      "{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:b, s:I, s:I, "
      "s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o}",
      "clients_seen", (json_int_t)d->count.clients, "requests", (json_int_t)d->count.requests,
      "late", (json_int_t)d->count.late, "records_dropped", (json_int_t)dropped, "malformed",
      (json_int_t)d->count.malformed, "turns", (json_int_t)d->turn, "turns_cut",
      (json_int_t)d->count.cut, "most_work_a_turn", (json_int_t)d->count.most_work, "packets",
      (json_int_t)d->count.packets, "records", (json_int_t)d->count.records, "refused_io",
      (json_int_t)d->count.refused_io, "trace_lost", (json_int_t)d->count.trace_lost,
      "store_written", (json_int_t)store.written, "store_waiting", (json_int_t)store.waiting,
      "store_dropped", (json_int_t)store.dropped, "store_broken", store.broken, "hints_issued",
      (json_int_t)issued, "refused_peers", (json_int_t)d->count.refused_peers, "refused_user",
      (json_int_t)d->count.refused_user, "forgotten_communicators",
      (json_int_t)d->count.forgotten_members, "files", (json_int_t)d->files.count,
      "forgotten_files", (json_int_t)d->count.forgotten_files, "unsaid",
      (json_int_t)d->count.unsaid, "tallies", (json_int_t)d->count.tallies, "refused_tallies",
      (json_int_t)d->count.refused_tallies, "refused_counts",
      (json_int_t)siox__activities_refused(d->activities), "records_left_out", (json_int_t)refused,
      "missing", missing);
}
