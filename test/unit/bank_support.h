/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A bank to play with: drives built here from the figures of paper Table I, one client per job
 * unless said otherwise, and a record of everything the bank tells its observer. Times in the tests
 * are seconds. */
#ifndef SIOX_TEST_UNIT_BANK_SUPPORT_H
#define SIOX_TEST_UNIT_BANK_SUPPORT_H
#include "arbiter/bank_internal.h"
#include "arbiter/rule.h"
#include "support.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SECOND INT64_C(1000000000)
#define KB 1024
#define MAX_DISKS 64

static inline int64_t ns(double seconds) { return llround(seconds * 1e9); }

/* IBM Ultrastar 36Z15: idle 2.5 + 7.7 (rpm/15000)^2 W, active 3.3 W more, 10.9 s per 15000 rpm. */
static inline double idle_w(double rpm) { return 2.5 + 7.7 * (rpm / 15000) * (rpm / 15000); }
static inline double ramp_s(double from, double to) { return 10.9 * fabs(from - to) / 15000; }
/* Rule b: the integral of idle_w along the ramp, by its antiderivative. */
static inline double ramp_j(double from, double to) {
  double a = from / 15000, b = to / 15000;
  return 10.9 * fabs(2.5 * (b - a) + 7.7 * (b * b * b - a * a * a) / 3);
}
static inline double service_s(double rpm, double bytes, bool sequential) {
  return (sequential ? 0 : 0.0034) + 30 / rpm + bytes / (55e6 * rpm / 15000);
}

static inline void make_drive(struct siox_drive *d, const int32_t *speed, uint32_t n) {
  memset(d, 0, sizeof *d);
  strcpy(d->name, "test");
  d->nlevels = n;
  for (uint32_t l = 0; l < n; l++)
    d->level[l] = (struct siox_level){.speed = speed[l],
                                      .serves = speed[l] > 0,
                                      .idle_w = idle_w(speed[l]),
                                      .active_w = idle_w(speed[l]) + 3.3,
                                      .rate = 55e6 * speed[l] / 15000,
                                      .rotation_ns = speed[l] ? 30e9 / speed[l] : 0};
  d->seek_ns = 3.4e6;
  d->ramp = true;
  d->ramp_ns_per_speed = 10.9e9 / 15000;
  d->base_w = 2.5;
  d->span_w = 7.7;
  d->rule = SIOX_RULE_B;
  d->kinetic_j = 148.056;
  d->kinetic_up_share = 135.0 / 148;
  d->time_scale = 1;
}

static const int32_t FOUR_SPEEDS[] = {6000, 9000, 12000, 15000};

/* The same changes as a table: no turning round. */
static inline void make_table(struct siox_drive *d) {
  for (uint32_t f = 0; f < d->nlevels; f++)
    for (uint32_t t = 0; t < d->nlevels; t++)
      d->table[f][t] = (struct siox_transition){ns(ramp_s(d->level[f].speed, d->level[t].speed)),
                                                ramp_j(d->level[f].speed, d->level[t].speed)};
  d->ramp = false;
}

struct lab {
  struct siox_drive drive;
  struct siox_bank *bank;
  uint32_t ndisks;
  uint64_t seq;
  struct siox_segment *seen;
  size_t nseen, room;
  struct siox_layout layout; /* disk 0 alone, unless changed */
  struct siox_limits limits; /* before lab_start */
  uint64_t site;             /* of the hints */
};

static inline void lab_see(void *context, const struct siox_segment *segment) {
  struct lab *lab = context;
  if (lab->nseen == lab->room) {
    lab->room = lab->room ? 2 * lab->room : 64;
    lab->seen = realloc(lab->seen, lab->room * sizeof *lab->seen);
    assert_non_null(lab->seen);
  }
  lab->seen[lab->nseen++] = *segment;
}

static inline void lab_start(struct lab *lab, const char *policy, uint32_t ndisks,
                             const uint32_t *initial, double hold_factor) {
  const struct siox_drive *drives[MAX_DISKS];
  for (uint32_t d = 0; d < ndisks; d++)
    drives[d] = &lab->drive;
  struct siox_bank_options options = {.ndisks = ndisks,
                                      .drive = drives,
                                      .initial_level = initial,
                                      .policy = policy,
                                      .hold_factor = hold_factor,
                                      .segment = lab_see,
                                      .context = lab,
                                      .limits = lab->limits};
  lab->ndisks = ndisks;
  assert_int_equal(siox_bank_create(&lab->bank, &options), 0);
  assert_int_equal(siox_layout_triplet(&lab->layout, ndisks, 0, 1, 64 * KB), 0);
}

/* n disks of the four-speed drive, at full speed at time 0. */
static inline struct lab *lab_open(const char *policy, uint32_t ndisks) {
  struct lab *lab = calloc(1, sizeof *lab);
  make_drive(&lab->drive, FOUR_SPEEDS, 4);
  lab_start(lab, policy, ndisks, NULL, 0);
  return lab;
}

/* The same with changes that cannot be turned midway. */
static inline struct lab *lab_open_table(const char *policy, uint32_t ndisks) {
  struct lab *lab = calloc(1, sizeof *lab);
  make_drive(&lab->drive, FOUR_SPEEDS, 4);
  make_table(&lab->drive);
  lab_start(lab, policy, ndisks, NULL, 0);
  return lab;
}

static inline void lab_close(struct lab *lab) {
  siox_layout_free(&lab->layout);
  siox_bank_destroy(lab->bank);
  free(lab->seen);
  free(lab);
}

static inline uint32_t lab_join(struct lab *lab, const char *job) {
  uint32_t j, client;
  assert_int_equal(siox_bank_job(lab->bank, job, &j), 0);
  assert_int_equal(siox_bank_join(lab->bank, siox_bank_now(lab->bank), j, &client), 0);
  return client;
}

/* set_speed(mask, speed, flag) with need_by and until in seconds; need_by 0: none, until 0: never.
 */
static inline void lab_hint(struct lab *lab, double at, uint32_t client, const char *mask,
                            int32_t speed, int32_t flag, double need_by, double until) {
  struct siox_mask m;
  struct siox_claim_run runs[MAX_DISKS];
  assert_int_equal(siox_mask_parse(&m, mask), 0);
  int n = siox_claim_runs(&m, speed, flag, ns(need_by), until > 0 ? ns(until) : SIOX_NEVER, runs,
                          MAX_DISKS);
  assert_true(n >= 0);
  struct siox_claim_header head = {.version = SIOX_CLAIM_VERSION,
                                   .nruns = (uint32_t)n,
                                   .seq = ++lab->seq,
                                   .time = ns(at),
                                   .site = lab->site};
  assert_int_equal(siox_bank_claim(lab->bank, ns(at), client, &head, runs), 0);
  siox_mask_free(&m);
}

static inline struct siox_service lab_read_at(struct lab *lab, double at, uint32_t client,
                                              int64_t offset, int64_t bytes) {
  struct siox_service service;
  struct siox_request request = {.arrival = ns(at),
                                 .client = client,
                                 .file = 1,
                                 .layout = &lab->layout,
                                 .offset = offset,
                                 .bytes = bytes};
  assert_int_equal(siox_bank_access(lab->bank, &request, &service), 0);
  return service;
}
/* A read that pays a seek: it never continues the one before it. */
static inline struct siox_service lab_read(struct lab *lab, double at, uint32_t client,
                                           int64_t bytes) {
  static int64_t offset;
  offset = (offset + 512 * (int64_t)KB * KB) % (INT64_C(1) << 40);
  return lab_read_at(lab, at, client, offset, bytes);
}

static inline int32_t lab_speed(struct lab *lab, double at, uint32_t disk) {
  siox_bank_advance(lab->bank, ns(at));
  return lab->drive.level[siox_bank_view(lab->bank)->disk[disk].level].speed;
}

static inline struct siox_disk_totals lab_disk(struct lab *lab, uint32_t disk) {
  struct siox_disk_totals totals;
  assert_int_equal(siox_bank_disk_totals(lab->bank, disk, &totals), 0);
  return totals;
}
static inline double lab_joules(struct lab *lab, uint32_t disk) {
  struct siox_disk_totals t = lab_disk(lab, disk);
  double sum = 0;
  for (int s = 0; s < SIOX_NSTATES; s++)
    sum += t.joules[s];
  return sum;
}
/* When a disk left its level for a lower one first, in seconds; 0: none did. After
 * siox_bank_finish. */
static inline double lab_first_down(const struct lab *lab) {
  for (size_t i = 0; i < lab->nseen; i++)
    if (lab->seen[i].state == SIOX_DOWN)
      return (double)lab->seen[i].start * 1e-9;
  return 0;
}
static inline struct siox_job_totals lab_job(struct lab *lab, uint32_t job) {
  struct siox_job_totals totals;
  assert_int_equal(siox_bank_job_totals(lab->bank, job, &totals), 0);
  return totals;
}
static inline double lab_job_joules(struct lab *lab, uint32_t job) {
  struct siox_job_totals t = lab_job(lab, job);
  double sum = 0;
  for (int s = 0; s < SIOX_NSTATES; s++)
    sum += t.joules[s];
  return sum;
}

static inline void near(double got, double want) {
  double scale = fmax(fabs(want), 1e-3);
  if (!(fabs(got - want) <= 1e-9 * scale))
    fail_msg("got %.15g, want %.15g", got, want);
}

/* Segments tile each disk's time from 0, shares of one stretch add up to 1, and the sums over
 * disks, over jobs and over segments are the same. */
static inline void lab_check(struct lab *lab) {
  double by_disk = 0, by_job = lab_job_joules(lab, SIOX_NOBODY), by_segment = 0;
  for (uint32_t d = 0; d < lab->ndisks; d++)
    by_disk += lab_joules(lab, d);
  for (uint32_t j = 0; j < siox_bank_njobs(lab->bank); j++)
    by_job += lab_job_joules(lab, j);
  int64_t end[MAX_DISKS] = {0};
  double share[MAX_DISKS];
  for (uint32_t d = 0; d < lab->ndisks; d++)
    share[d] = 1;
  for (size_t i = 0; i < lab->nseen; i++) {
    const struct siox_segment *s = &lab->seen[i];
    by_segment += s->joules;
    if (share[s->disk] > 1 - 1e-9) {
      assert_int_equal(s->start, end[s->disk]);
      share[s->disk] = 0;
    }
    assert_true(s->end >= s->start);
    end[s->disk] = s->end;
    share[s->disk] += s->share;
    assert_true(share[s->disk] < 1 + 1e-9);
  }
  for (uint32_t d = 0; d < lab->ndisks; d++)
    near(share[d], 1);
  near(by_job, by_disk);
  near(by_segment, by_disk);
}
#endif
