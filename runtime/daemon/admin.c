/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What root and the daemon's own user may do to it while it runs: set levels, take a stuck job's
 * claims away, drain, end. Everybody else is told who may. */
#include "common/clock.h"
#include "common/conf/text.h"
#include "daemon/daemon.h"
#include "daemon/status.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool siox__admin(const struct siox__session *s) { return s->uid == 0 || s->uid == geteuid(); }

json_t *siox__admin_refusal(const struct siox__session *s) {
  return json_pack("{s:o}", "error",
                   json_sprintf("%s: only root%s may do this; you are user %u",
                                siox_strerror(SIOX_EPERM),
                                geteuid() ? " and the daemon's own user" : "", (unsigned)s->uid));
}

static json_t *wrong(const char *what) { return json_pack("{s:s}", "error", what); }

/* {"ask": "level", "disks": [[first, last], ...], "speed": N | "full" | "lowest" | "auto"} */
static uint32_t level_of(const struct siox_drive *drive, const json_t *speed) {
  const char *word = json_string_value(speed);
  int32_t named;
  if (!word)
    return (uint32_t)siox_drive_level_at(drive, (int32_t)json_integer_value(speed));
  return siox__speed_of(word, &named) ? siox_drive_level(drive, named) : SIOX_NOBODY;
}

static bool is_speed(const json_t *speed) {
  const char *word = json_string_value(speed);
  int32_t named;
  if (word)
    return siox__speed_of(word, &named) || !strcmp(word, SIOX__SPEED_AUTO);
  return json_is_integer(speed) && json_integer_value(speed) >= 0 &&
         json_integer_value(speed) <= INT32_MAX;
}

/* What is wrong with the speed for one of the disks, NULL: every one has it. */
static json_t *no_such_speed(const struct siox__daemon *d, const json_t *range,
                             const json_t *speed) {
  char speeds[192];
  json_int_t last = json_integer_value(json_array_get(range, 1));
  for (json_int_t n = json_integer_value(json_array_get(range, 0)); n <= last; n++) {
    const struct siox_drive *drive = d->drives.disk[n];
    if (json_is_string(speed) ||
        siox_drive_level_at(drive, (int32_t)json_integer_value(speed)) >= 0)
      continue;
    siox_drive_speeds(drive, speeds, sizeof speeds);
    return json_pack("{s:o}", "error",
                     json_sprintf("level: disk %d (%s) does not serve at %d; it does at %s", (int)n,
                                  drive->name, (int)json_integer_value(speed), speeds));
  }
  return NULL;
}

/* What is wrong with [[first, last], ...], NULL: nothing. */
static json_t *no_such_disks(const struct siox__daemon *d, const char *what, const json_t *ranges) {
  json_t *range;
  size_t i;
  json_array_foreach((json_t *)(uintptr_t)ranges, i, range) {
    json_int_t first = json_integer_value(json_array_get(range, 0)),
               last = json_integer_value(json_array_get(range, 1));
    if (json_array_size(range) != 2 || first < 0 || last < first || last >= d->drives.ndisks)
      return json_pack("{s:o}", "error",
                       json_sprintf("%s: disks: the last is %u", what, d->drives.ndisks - 1));
  }
  return NULL;
}

json_t *siox__admin_level(struct siox__session *s, json_t *ask) {
  struct siox__daemon *d = s->d;
  const json_t *ranges = json_object_get(ask, "disks"), *speed = json_object_get(ask, "speed");
  json_t *range, *no;
  size_t i;
  if (!json_array_size(ranges) || !is_speed(speed))
    return wrong("level: disks [[first, last], ...] and a speed, \"full\", \"lowest\" or \"auto\"");
  if ((no = no_such_disks(d, "level", ranges)))
    return no;
  json_array_foreach(ranges, i, range) {
    if ((no = no_such_speed(d, range, speed)))
      return no; /* of some other disk, too: then none is set */
  }
  int64_t now = siox__now_ns();
  int r = siox__daemon_begin(d, now, "siox admin");
  if (r < 0)
    return wrong(siox_strerror(r));
  uint32_t set = 0;
  now = siox__daemon_stamp(d, d->stamped ? siox_bank_now(d->bank) : now);
  for (i = 0; i < json_array_size(ranges); i++) {
    range = json_array_get(ranges, i);
    json_int_t last = json_integer_value(json_array_get(range, 1));
    for (json_int_t n = json_integer_value(json_array_get(range, 0)); n <= last; n++)
      set += siox_bank_pin(d->bank, now, (uint32_t)n, level_of(d->drives.disk[n], speed)) == 0;
  }
  d->dirty = true;
  if (d->trace) /* a replay would not know */
    siox__record_lost(d, "an administrator has set levels of disks");
  siox__log(&d->log, SIOX__LOG_WARN, "user %u sets the level of %u disks", (unsigned)s->uid, set);
  return json_pack("{s:i}", "set", (int)set);
}

/* {"ask": "slow", "disks": [[first, last], ...], "factor": F, "seconds": S}: a fault, for trials of
 * what watches the disks. */
json_t *siox__admin_slow(struct siox__session *s, json_t *ask) {
  struct siox__daemon *d = s->d;
  const json_t *ranges = json_object_get(ask, "disks");
  const double factor = json_number_value(json_object_get(ask, "factor")),
               seconds = json_number_value(json_object_get(ask, "seconds"));
  json_t *range, *no;
  size_t i;
  if (!json_array_size(ranges) || !(factor >= 1 && factor <= 1e6) ||
      !(seconds >= 0 && seconds <= 1e6))
    return wrong("slow: disks [[first, last], ...], a factor from 1 to 1e6 and seconds up to 1e6");
  if ((no = no_such_disks(d, "slow", ranges)))
    return no;
  int r = siox__daemon_begin(d, siox__now_ns(), "siox admin");
  if (r < 0)
    return wrong(siox_strerror(r));
  uint32_t slowed = 0;
  int64_t until = (d->stamped ? siox_bank_now(d->bank) : siox__now_ns()) + (int64_t)(seconds * 1e9);
  json_array_foreach(ranges, i, range) {
    json_int_t last = json_integer_value(json_array_get(range, 1));
    for (json_int_t n = json_integer_value(json_array_get(range, 0)); n <= last; n++)
      slowed += siox_bank_slow(d->bank, (uint32_t)n, factor, until) == 0;
  }
  if (d->trace) /* a replay would not know */
    siox__record_lost(d, "an administrator has made disks slow");
  siox__log(&d->log, SIOX__LOG_WARN, "user %u makes %u disks %g times as slow for %g s",
            (unsigned)s->uid, slowed, factor, seconds);
  return json_pack("{s:i}", "slowed", (int)slowed);
}

/* {"ask": "release", "job": KEY, "uid": N}: all the job's processes are as if they had just come.
 */
json_t *siox__admin_release(struct siox__session *s, json_t *ask) {
  struct siox__daemon *d = s->d;
  const char *name = json_string_value(json_object_get(ask, "job"));
  const json_t *uid = json_object_get(ask, "uid");
  int processes = 0, jobs = 0;
  if (!name)
    return wrong("release: a job is wanted");
  for (uint32_t j = 0; j < d->njobs; j++)
    jobs += d->job[j].seen && !d->job[j].forgotten && !strcmp(d->job[j].name, name) &&
            (!uid || d->job[j].uid == (uid_t)json_integer_value(uid));
  if (jobs != 1)
    return json_pack("{s:o}", "error",
                     json_sprintf(jobs ? "release: job %s: %d users have one; say whose"
                                       : "release: there is no job %s",
                                  name, jobs));
  for (struct siox__session *peer = d->sessions; peer; peer = peer->next) {
    const struct siox__job *job = peer->joined ? &d->job[peer->job] : NULL;
    if (job && !strcmp(job->name, name) && (!uid || job->uid == (uid_t)json_integer_value(uid)))
      processes += siox__session_renew(peer) == 0;
  }
  siox__log(&d->log, SIOX__LOG_WARN, "user %u takes the claims of job %s away (%d processes)",
            (unsigned)s->uid, name, processes);
  return json_pack("{s:i}", "processes", processes);
}

/* {"ask": "drain", "on": true | false}: no process is taken in any more; when the last has left,
 * the daemon ends. */
json_t *siox__admin_drain(struct siox__session *s, json_t *ask) {
  struct siox__daemon *d = s->d;
  const json_t *on = json_object_get(ask, "on");
  d->draining = !on || json_is_true(on);
  siox__log(&d->log, SIOX__LOG_WARN, "user %u: drain %s", (unsigned)s->uid,
            d->draining ? "on" : "off");
  json_t *answer = json_pack("{s:b, s:i}", "draining", d->draining, "clients", (int)d->njoined);
  siox__daemon_drained(d);
  return answer;
}
