/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* See drives.h. Of each drive, "disk0" and so on: requests (pieces of what programs ask for) and
 * bytes, the seconds that one request takes on average to be served, without waiting for others,
 * and joules, which are the drive model's.
 *
 * One request alone says little of how fast a drive is: it may be the one that seeks. So the
 * average is over FEW at least: where a cycle has less, the rest are taken to be like the average
 * before.
 *
 * The bank tells of a stretch of rest when it is over: with the next request, which may be minutes
 * later. So that joules do not come in bursts that nobody's work explains, a reading adds what the
 * drive takes at rest since the last stretch that was told. It never says less than before: a drive
 * that has begun to slow down takes less than that, and its joules stand still until what is told
 * has caught up. */
#include "daemon/drives.h"
#include "monitor/builtin.h"
#include "monitor/metrics.h"
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

/* Written by the loop alone. */
struct counts {
  _Atomic uint64_t requests, bytes, service_ns;
  /* The three after it belong together; odd: they are being written. Their stores release and their
   * loads acquire, so that who has seen a new one sees that turn has moved. */
  _Atomic uint32_t turn;
  _Atomic uint64_t joules_nj, rest_nw; /* rest_nw: taken from end_ns on, if nothing else happens */
  _Atomic int64_t end_ns;
  double less_nj; /* the loop's own: what is less than a count */
};
struct siox__drives {
  uint32_t n;
  const struct siox_drive *const *drive; /* NULL: nothing is added for rest */
  struct counts of[];
};
enum { REQUESTS, BYTES, TIME, ENERGY, METRICS };
enum { FEW = 4 };
struct reader {
  const struct siox__drives *drives;
  struct siox__metrics metrics;
  struct { /* at the reading before */
    uint64_t requests, service_ns, joules_nj;
    double time_ns; /* of one; 0: none was yet */
  } *before;
};

struct siox__drives *siox__drives_new(uint32_t ndisks, const struct siox_drive *const *drive) {
  struct siox__drives *d = calloc(1, sizeof *d + ndisks * sizeof d->of[0]);
  if (d) {
    d->n = ndisks;
    d->drive = drive;
  }
  return d;
}

void siox__drives_free(struct siox__drives *drives) { free(drives); }

static void grow(_Atomic uint64_t *count, uint64_t by, memory_order order) {
  const uint64_t before = atomic_load_explicit(count, memory_order_relaxed);
  atomic_store_explicit(count, before + by, order);
}

/* Watts at rest; 0 of a speed that the profile does not list. */
static double rest_watts(const struct siox_drive *drive, double speed) {
  for (uint32_t l = 0; l < drive->nlevels; l++)
    if (drive->level[l].speed == speed)
      return drive->level[l].idle_w;
  return speed == 0 && drive->has_standby ? drive->standby_w : 0;
}

static void turn(struct counts *c) {
  const uint32_t before = atomic_load_explicit(&c->turn, memory_order_relaxed);
  atomic_store_explicit(&c->turn, before + 1, memory_order_release);
}

static void rest(struct counts *c, int64_t end_ns, double watts) {
  atomic_store_explicit(&c->end_ns, end_ns, memory_order_release);
  atomic_store_explicit(&c->rest_nw, (uint64_t)(fmax(watts, 0) * 1e9), memory_order_release);
}

void siox__drives_tell(struct siox__drives *drives, const struct siox_segment *segment) {
  if (segment->disk >= drives->n)
    return;
  struct counts *c = &drives->of[segment->disk];
  const double nj = c->less_nj + fmax(segment->joules, 0) * 1e9;
  turn(c);
  grow(&c->joules_nj, (uint64_t)nj, memory_order_release);
  if (drives->drive)
    rest(c, segment->end, rest_watts(drives->drive[segment->disk], segment->to_speed));
  turn(c);
  c->less_nj = nj - floor(nj);
  if (segment->state != SIOX_ACTIVE)
    return;
  grow(&c->bytes, segment->bytes, memory_order_relaxed);
  grow(&c->service_ns, (uint64_t)(segment->end - segment->start), memory_order_relaxed);
  grow(&c->requests, 1, memory_order_relaxed); /* last: a reading between the two has the time too
                                                  early, not too late */
}

void siox__drives_end(struct siox__drives *drives) {
  for (uint32_t i = 0; i < drives->n; i++) {
    struct counts *c = &drives->of[i];
    turn(c);
    rest(c, 0, 0);
    turn(c);
  }
}

/* nJ up to now_ns; 0 if the loop was in the way each time. */
static uint64_t joules_at(const struct counts *c, int64_t now_ns) {
  for (int tries = 0; tries < 16; tries++) {
    const uint32_t before = atomic_load_explicit(&c->turn, memory_order_acquire);
    const uint64_t told = atomic_load_explicit(&c->joules_nj, memory_order_acquire),
                   rest_nw = atomic_load_explicit(&c->rest_nw, memory_order_acquire);
    const int64_t end_ns = atomic_load_explicit(&c->end_ns, memory_order_acquire);
    if (before % 2 == 0 && atomic_load_explicit(&c->turn, memory_order_relaxed) == before)
      return told +
             (now_ns > end_ns ? (uint64_t)((double)rest_nw * (double)(now_ns - end_ns) * 1e-9) : 0);
  }
  return 0;
}

static void probe_drives(const struct siox_provider_env *env, struct siox_probe *probe) {
  (void)env;
  *probe = (struct siox_probe){.resolution_s = 1e-9};
}

static void close_drives(void *state) {
  struct reader *r = state;
  siox__metrics_free(&r->metrics);
  free(r->before);
  free(r);
}

static bool add(struct reader *r, enum siox_metric_kind kind, const char *name, const char *where,
                const char *unit, double scale, enum siox_polarity polarity) {
  struct siox_metric *m = siox__metrics_add(&r->metrics, kind, name, where, unit);
  if (!m)
    return false;
  m->scale = scale;
  m->polarity = polarity;
  if (unit[0] == 'J') {
    m->domain = SIOX_DOMAIN_DISK;
    m->flags = SIOX_METRIC_ESTIMATED | SIOX_METRIC_OUTSIDE;
  }
  return true;
}

static int open_drives(const struct siox_provider_env *env, void **state, struct siox_diag *diag) {
  const struct siox__drives *drives = env->own;
  if (env->nsettings > 0) {
    snprintf(diag->text, sizeof diag->text, "%s:%u: %s: drives has no settings", env->origin,
             env->settings[0].line, env->settings[0].key);
    return SIOX_EINVAL;
  }
  if (!drives || drives->n > SIOX__DRIVES_MOST) {
    snprintf(diag->text, sizeof diag->text, "%u drives; up to %d are measured one by one",
             drives ? drives->n : 0, SIOX__DRIVES_MOST);
    return SIOX_ENOENT;
  }
  struct reader *r = calloc(1, sizeof *r);
  if (r)
    r->before = calloc(drives->n + 1, sizeof *r->before);
  bool whole = r && r->before;
  for (uint32_t i = 0; whole && i < drives->n; i++) {
    char where[24];
    snprintf(where, sizeof where, "disk%u", i);
    whole = add(r, SIOX_METRIC_COUNTER, "disk_requests", where, "1", 1, SIOX_NEITHER_IS_BETTER) &&
            add(r, SIOX_METRIC_COUNTER, "disk_bytes", where, "B", 1, SIOX_NEITHER_IS_BETTER) &&
            add(r, SIOX_METRIC_SAMPLED, "disk_request_time", where, "s", 1, SIOX_LESS_IS_BETTER) &&
            add(r, SIOX_METRIC_COUNTER, "energy", where, "J", 1e-9, SIOX_LESS_IS_BETTER);
  }
  if (!whole) {
    if (r)
      close_drives(r);
    snprintf(diag->text, sizeof diag->text, "%s", siox_strerror(SIOX_ENOMEM));
    return SIOX_ENOMEM;
  }
  r->drives = drives;
  *state = r;
  return 0;
}

static size_t metrics_drives(void *state, const struct siox_metric **list) {
  const struct reader *r = state;
  *list = r->metrics.list;
  return r->metrics.n;
}

/* So many requests took so long; those of the reading before took `before` each, 0: nobody knows.
 */
static double time_of_one(double requests, double ns, double before) {
  const double more = before > 0 && requests < FEW ? FEW - requests : 0;
  return (ns + more * before) / (requests + more);
}

static int read_drives(void *state, int64_t now_ns, struct siox_reading *readings) {
  struct reader *r = state;
  for (uint32_t i = 0; i < r->drives->n; i++, readings += METRICS) {
    const struct counts *c = &r->drives->of[i];
    const uint64_t requests = atomic_load_explicit(&c->requests, memory_order_relaxed),
                   service_ns = atomic_load_explicit(&c->service_ns, memory_order_relaxed),
                   more = requests - r->before[i].requests;
    readings[REQUESTS] = (struct siox_reading){.count = requests};
    readings[BYTES] =
        (struct siox_reading){.count = atomic_load_explicit(&c->bytes, memory_order_relaxed)};
    const uint64_t joules_nj = joules_at(c, now_ns);
    if (joules_nj > r->before[i].joules_nj)
      r->before[i].joules_nj = joules_nj;
    readings[ENERGY] = (struct siox_reading){.count = r->before[i].joules_nj};
    readings[TIME] =
        (struct siox_reading){.error = SIOX_EUNKNOWN}; /* of no request there is none */
    if (more > 0) {
      r->before[i].time_ns = time_of_one(
          (double)more, (double)(service_ns - r->before[i].service_ns), r->before[i].time_ns);
      readings[TIME] = (struct siox_reading){.value = r->before[i].time_ns * 1e-9};
      r->before[i].requests = requests;
      r->before[i].service_ns = service_ns;
    }
  }
  return 0;
}

const struct siox_provider siox__provider_drives = {
    .abi = SIOX_PROVIDER_ABI,
    .name = SIOX__DRIVES_NAME,
    .about = SIOX__DRIVES_ABOUT,
    .priority = SIOX__DRIVES_PRIORITY,
    .probe = probe_drives,
    .open = open_drives,
    .metrics = metrics_drives,
    .read = read_drives,
    .close = close_drives,
};
