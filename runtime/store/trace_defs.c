/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The trace's header (with complete drive profiles, so that a trace can be replayed anywhere) and
 * its definitions. */
#include "store/trace_wire.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void put_profile(struct siox__out *out, const struct siox_drive *d) {
  siox__out_string(out, d->name);
  siox__out_varint(out, d->nlevels);
  for (uint32_t i = 0; i < d->nlevels; i++) {
    const struct siox_level *l = &d->level[i];
    siox__out_varint(out, (uint64_t)l->speed);
    siox__out_varint(out, l->serves);
    siox__out_double(out, l->idle_w);
    siox__out_double(out, l->active_w);
    siox__out_double(out, l->rate);
    siox__out_double(out, l->rotation_ns);
  }
  siox__out_double(out, d->seek_ns);
  siox__out_varint(out, d->ramp);
  siox__out_double(out, d->ramp_ns_per_speed);
  siox__out_double(out, d->base_w);
  siox__out_double(out, d->span_w);
  siox__out_varint(out, d->rule);
  siox__out_double(out, d->kinetic_j);
  siox__out_double(out, d->kinetic_up_share);
  if (!d->ramp)
    for (uint32_t i = 0; i < d->nlevels; i++)
      for (uint32_t k = 0; k < d->nlevels; k++) {
        siox__out_varint(out, siox__zigzag((uint64_t)d->table[i][k].ns));
        siox__out_double(out, d->table[i][k].joules);
      }
  siox__out_varint(out, d->has_standby);
  siox__out_double(out, d->standby_w);
  siox__out_varint(out, siox__zigzag((uint64_t)d->spin_down.ns));
  siox__out_double(out, d->spin_down.joules);
  siox__out_varint(out, siox__zigzag((uint64_t)d->spin_up.ns));
  siox__out_double(out, d->spin_up.joules);
  siox__out_double(out, d->start_stop_per_day);
  siox__out_double(out, d->load_unload_per_day);
  siox__out_double(out, d->time_scale);
}

static void get_levels(struct siox__in *in, struct siox_drive *d) {
  d->nlevels = siox__in_number(in, SIOX_MAX_LEVELS, "a drive has too many levels");
  if (!d->nlevels)
    siox__in_fail(in, "a drive has no level");
  for (uint32_t i = 0; i < d->nlevels && !in->failed; i++) {
    struct siox_level *l = &d->level[i];
    l->speed = (int32_t)siox__in_number(in, INT32_MAX, "a drive's speed is out of range");
    l->serves = siox__in_number(in, 1, "a flag is neither 0 nor 1");
    l->idle_w = siox__in_double(in);
    l->active_w = siox__in_double(in);
    l->rate = siox__in_double(in);
    l->rotation_ns = siox__in_double(in);
    if (i && l->speed <= d->level[i - 1].speed)
      siox__in_fail(in, "a drive's speeds do not grow");
    if (l->idle_w < 0 || l->active_w < 0 || l->rotation_ns < 0 || (l->serves && !(l->rate > 0)))
      siox__in_fail(in, "a drive's level has a negative power, delay or rate");
  }
  if (!in->failed && !d->level[d->nlevels - 1].serves)
    siox__in_fail(in, "a drive's highest level does not serve");
}

static void get_transition(struct siox__in *in, struct siox_transition *t) {
  t->ns = (int64_t)siox__unzigzag(siox__in_varint(in));
  t->joules = siox__in_double(in);
}

/* Sums of a few of these and of times of the trace fit in 63 bits. Profiles from files keep to it.
 */
static void check_durations(struct siox__in *in, const struct siox_drive *d) {
  const double longest = 1e15; /* ns, 11 days */
  double most = fmax(d->seek_ns, fmax((double)d->spin_down.ns, (double)d->spin_up.ns));
  most = fmax(most, d->ramp ? d->ramp_ns_per_speed * d->level[d->nlevels - 1].speed : 0);
  for (uint32_t i = 0; i < d->nlevels; i++) {
    most = fmax(most, d->level[i].rotation_ns);
    for (uint32_t k = 0; k < d->nlevels; k++)
      most = fmax(most, (double)d->table[i][k].ns);
  }
  if (!(most <= longest))
    siox__in_fail(in, "a drive takes longer than 10^15 ns for something");
}

static void get_profile(struct siox__in *in, struct siox_drive *d) {
  char *name = NULL;
  memset(d, 0, sizeof *d);
  siox__in_string(in, &name);
  if (name)
    strncpy(d->name, name, sizeof d->name - 1);
  free(name);
  get_levels(in, d);
  d->seek_ns = siox__in_double(in);
  d->ramp = siox__in_number(in, 1, "a flag is neither 0 nor 1");
  d->ramp_ns_per_speed = siox__in_double(in);
  d->base_w = siox__in_double(in);
  d->span_w = siox__in_double(in);
  d->rule = (enum siox_transition_rule)siox__in_number(in, SIOX_RULE_C,
                                                       "a drive's transition rule is not known");
  d->kinetic_j = siox__in_double(in);
  d->kinetic_up_share = siox__in_double(in);
  if (d->seek_ns < 0 || d->ramp_ns_per_speed < 0)
    siox__in_fail(in, "a drive's seek or ramp time is negative");
  if (!d->ramp)
    for (uint32_t i = 0; i < d->nlevels && !in->failed; i++)
      for (uint32_t k = 0; k < d->nlevels; k++)
        get_transition(in, &d->table[i][k]);
  d->has_standby = siox__in_number(in, 1, "a flag is neither 0 nor 1");
  d->standby_w = siox__in_double(in);
  get_transition(in, &d->spin_down);
  get_transition(in, &d->spin_up);
  d->start_stop_per_day = siox__in_double(in);
  d->load_unload_per_day = siox__in_double(in);
  d->time_scale = siox__in_double(in);
  if (!in->failed)
    check_durations(in, d);
}

/* Disks are written as runs of equal (profile, initial level). Profiles are told apart by address
 * first, which makes the usual case (one profile for all) one comparison, and then by their bytes.
 */
static int find_profile(const struct siox_drive *const *seen, uint32_t n,
                        const struct siox_drive *d) {
  for (uint32_t i = 0; i < n; i++)
    if (seen[i] == d || memcmp(seen[i], d, sizeof *d) == 0)
      return (int)i;
  return -1;
}

/* Parts that may follow, each with its length: who does not know one passes over it. */
enum part { PART_LIMITS = 1, PART_WAITS = 2, PART_JOINED = 3 };

static void put_part(struct siox__out *out, enum part tag, struct siox__out *part) {
  siox__out_varint(out, tag);
  siox__out_varint(out, part->length);
  siox__out_bytes(out, part->data, part->length);
  if (part->failed)
    out->failed = part->failed;
  free(part->data);
}

static void put_parts(struct siox__out *out, const struct siox_trace_header *h) {
  const struct siox_limits *l = h->limits;
  if (l) {
    struct siox__out part = {0};
    siox__out_double(&part, l->early);
    siox__out_varint(&part, l->wear);
    siox__out_double(&part, l->start_stop_per_day);
    siox__out_double(&part, l->load_unload_per_day);
    siox__out_double(&part, l->inrush_w);
    siox__out_varint(&part, l->power_group);
    siox__out_varint(&part, l->array);
    siox__out_varint(&part, siox__zigzag((uint64_t)l->inrush_wait_ns));
    siox__out_double(&part, l->user_share);
    siox__out_double(&part, l->delay_budget);
    siox__out_varint(&part, l->measure);
    put_part(out, PART_LIMITS, &part);
    part = (struct siox__out){0};
    siox__out_varint(&part, siox__zigzag((uint64_t)l->hold_joined_ns));
    put_part(out, PART_JOINED, &part);
  }
  if (h->waits != SIOX_WAITS_UNSAID) {
    struct siox__out part = {0};
    siox__out_varint(&part, h->waits == SIOX_WAITS_TOLD);
    put_part(out, PART_WAITS, &part);
  }
}

static void get_limits(struct siox__in *in, struct siox_limits *l) {
  static const char flag[] = "a flag is neither 0 nor 1";
  l->early = siox__in_double(in);
  l->wear = siox__in_number(in, 1, flag);
  l->start_stop_per_day = siox__in_double(in);
  l->load_unload_per_day = siox__in_double(in);
  l->inrush_w = siox__in_double(in);
  l->power_group = siox__in_number(in, SIOX_MAX_DISKS, "a power group has too many disks");
  l->array = siox__in_number(in, SIOX_MAX_DISKS, "an array has too many disks");
  l->inrush_wait_ns = (int64_t)siox__unzigzag(siox__in_varint(in));
  l->user_share = siox__in_double(in);
  l->delay_budget = siox__in_double(in);
  l->measure = siox__in_number(in, 1, flag);
  const double part[] = {l->early, l->user_share, l->delay_budget};
  const double amount[] = {l->start_stop_per_day, l->load_unload_per_day, l->inrush_w};
  for (int i = 0; i < 3; i++)
    if (!(part[i] >= 0 && part[i] <= 1) || !(amount[i] >= 0))
      siox__in_fail(in, "a limit is out of range");
  if (l->inrush_wait_ns < 0 || l->inrush_wait_ns > INT64_C(1000000000) * 1000000000)
    siox__in_fail(in, "a limit is out of range");
  l->hold_joined_ns = -1; /* traces from before there was such a limit do not say */
}

static void get_parts(struct siox__in *in, struct siox__trace_header *h) {
  while (!in->failed && in->at < in->length) {
    uint64_t tag = siox__in_varint(in), length = siox__in_varint(in);
    if (!in->failed && length > in->length - in->at)
      siox__in_fail(in, "the header block is longer than its contents");
    if (in->failed)
      return;
    size_t whole = in->length, end = in->at + length;
    in->length = end;
    if (tag == PART_LIMITS) {
      get_limits(in, &h->limits);
      h->head.limits = &h->limits;
    } else if (tag == PART_JOINED) { /* stands behind the other limits */
      h->limits.hold_joined_ns = (int64_t)siox__unzigzag(siox__in_varint(in));
      if (h->limits.hold_joined_ns > INT64_C(1000000000) * 1000000000)
        siox__in_fail(in, "a limit is out of range");
    } else if (tag == PART_WAITS) {
      h->head.waits =
          siox__in_number(in, 1, "a flag is neither 0 nor 1") ? SIOX_WAITS_TOLD : SIOX_WAITS_UNTOLD;
    } else {
      in->at = end;
    }
    if (!in->failed && in->at != end)
      siox__in_fail(in, "a part of the header is longer than its contents");
    in->length = whole;
  }
}

void siox__trace_put_header(struct siox__out *out, const struct siox_trace_header *h) {
  const struct siox_drive **seen = calloc((size_t)h->ndisks + 1, sizeof *seen);
  uint32_t *which = calloc((size_t)h->ndisks + 1, sizeof *which), nseen = 0, nruns = 0;
  if (!seen || !which) {
    out->failed = SIOX_ENOMEM;
    free(seen);
    free(which);
    return;
  }
  for (uint32_t i = 0; i < h->ndisks; i++) {
    int k = i && h->drive[i] == h->drive[i - 1] ? (int)which[i - 1]
                                                : find_profile(seen, nseen, h->drive[i]);
    if (k < 0) {
      k = (int)nseen;
      seen[nseen++] = h->drive[i];
    }
    which[i] = (uint32_t)k;
    nruns += !i || which[i] != which[i - 1] || h->initial_level[i] != h->initial_level[i - 1];
  }
  if (nseen > SIOX__TRACE_PROFILES_MAX)
    out->failed = SIOX_ERANGE;
  siox__out_varint(out, SIOX_TRACE_VERSION);
  siox__out_varint(out, h->clock);
  siox__out_varint(out, siox__zigzag((uint64_t)h->start));
  siox__out_varint(out, siox__zigzag((uint64_t)h->wall_start_ns));
  siox__out_double(out, h->hold_factor);
  siox__out_string(out, h->policy);
  size_t length = h->program ? strnlen(h->program, SIOX__TRACE_STRING_MAX) : 0;
  siox__out_varint(out, length); /* a long command line is cut: it is for people */
  siox__out_bytes(out, h->program, length);
  siox__out_varint(out, h->ndisks);
  siox__out_varint(out, nseen);
  for (uint32_t i = 0; i < nseen; i++)
    put_profile(out, seen[i]);
  siox__out_varint(out, nruns);
  for (uint32_t i = 0, end; i < h->ndisks; i = end) {
    for (end = i + 1;
         end < h->ndisks && which[end] == which[i] && h->initial_level[end] == h->initial_level[i];)
      end++;
    siox__out_varint(out, end - i);
    siox__out_varint(out, which[i]);
    siox__out_varint(out, h->initial_level[i]);
  }
  put_parts(out, h);
  free(seen);
  free(which);
}

static void get_disks(struct siox__in *in, struct siox__trace_header *h) {
  uint32_t nprofiles =
      siox__in_number(in, SIOX__TRACE_PROFILES_MAX, "there are too many drive profiles");
  h->profiles = calloc((size_t)nprofiles + 1, sizeof *h->profiles);
  h->drive = calloc((size_t)h->head.ndisks + 1, sizeof *h->drive);
  h->level = calloc((size_t)h->head.ndisks + 1, sizeof *h->level);
  if (!h->profiles || !h->drive || !h->level) {
    in->failed = SIOX_ENOMEM;
    in->why = "out of memory";
    return;
  }
  for (uint32_t i = 0; i < nprofiles && !in->failed; i++)
    get_profile(in, &h->profiles[i]);
  uint32_t nruns = siox__in_number(in, h->head.ndisks, "there are more disk runs than disks"),
           disk = 0;
  for (uint32_t i = 0; i < nruns && !in->failed; i++) {
    uint32_t count = siox__in_number(in, h->head.ndisks - disk, "the disk runs pass the last disk");
    uint32_t which = siox__in_number(in, nprofiles ? nprofiles - 1 : 0,
                                     "a disk names a profile that is not there");
    if (!nprofiles)
      siox__in_fail(in, "a disk names a profile that is not there");
    if (in->failed)
      return;
    uint32_t level =
        siox__in_number(in, h->profiles[which].nlevels - 1, "a disk's initial level is not there");
    for (uint32_t k = 0; k < count; k++, disk++) {
      h->drive[disk] = &h->profiles[which];
      h->level[disk] = level;
    }
  }
  if (disk != h->head.ndisks)
    siox__in_fail(in, "some disk has no drive");
}

int siox__trace_get_header(struct siox__in *in, struct siox__trace_header *h) {
  memset(h, 0, sizeof *h);
  h->head.version = siox__in_number(in, UINT32_MAX, "the version is out of range");
  if (!in->failed && h->head.version != SIOX_TRACE_VERSION) {
    in->failed = SIOX_EVERSION;
    in->why = "the trace's version is not supported";
    return in->failed;
  }
  h->head.clock = siox__in_number(in, UINT32_MAX, "the clock is out of range");
  h->head.start = (int64_t)siox__unzigzag(siox__in_varint(in));
  h->head.wall_start_ns = (int64_t)siox__unzigzag(siox__in_varint(in));
  h->head.hold_factor = siox__in_double(in);
  siox__in_string(in, &h->policy);
  siox__in_string(in, &h->program);
  h->head.ndisks = siox__in_number(in, SIOX_MAX_DISKS, "there are too many disks");
  if (!in->failed)
    get_disks(in, h);
  get_parts(in, h);
  h->head.drive = h->drive;
  h->head.initial_level = h->level;
  h->head.policy = h->policy;
  h->head.program = h->program;
  return in->failed;
}

void siox__trace_free_header(struct siox__trace_header *h) {
  free(h->profiles);
  free(h->drive);
  free(h->level);
  free(h->policy);
  free(h->program);
  memset(h, 0, sizeof *h);
}

void siox__trace_put_definition(struct siox__out *out, const struct siox_trace_event *e) {
  siox__out_varint(out, e->kind);
  switch (e->kind) {
  case SIOX_TRACE_JOB:
    siox__out_varint(out, e->u.job.job);
    siox__out_varint(out, e->u.job.uid);
    siox__out_string(out, e->u.job.key);
    break;
  case SIOX_TRACE_CLIENT:
    siox__out_varint(out, e->u.client_def.client);
    siox__out_varint(out, e->u.client_def.job);
    siox__out_varint(out, siox__zigzag((uint64_t)e->u.client_def.rank));
    siox__out_varint(out, siox__zigzag((uint64_t)e->u.client_def.size));
    siox__out_varint(out, siox__zigzag((uint64_t)e->u.client_def.pid));
    siox__out_string(out, e->u.client_def.program);
    break;
  case SIOX_TRACE_FILE:
    siox__out_varint(out, e->u.file.file);
    siox__out_string(out, e->u.file.path);
    siox__out_string(out, e->u.file.layout);
    break;
  case SIOX_TRACE_SITE:
    siox__out_fixed64(out, e->u.site.key);
    siox__out_varint(out, e->u.site.line);
    siox__out_varint(out, e->u.site.column);
    siox__out_string(out, e->u.site.file);
    siox__out_string(out, e->u.site.function);
    siox__out_string(out, e->u.site.call);
    break;
  default:
    out->failed = SIOX_EINVAL;
  }
}

static int32_t get_signed(struct siox__in *in) {
  int64_t value = (int64_t)siox__unzigzag(siox__in_varint(in));
  if (value >= INT32_MIN && value <= INT32_MAX)
    return (int32_t)value;
  siox__in_fail(in, "a number is wider than 32 bits");
  return 0;
}

void siox__trace_get_definition(struct siox__in *in, struct siox_trace_event *e,
                                struct siox__trace_strings *s) {
  static const char wide[] = "a number is wider than 32 bits";
  memset(e, 0, sizeof *e);
  e->kind = (enum siox_trace_kind)siox__in_number(in, SIOX_TRACE_SITE,
                                                  "a definition's kind is not known");
  switch (e->kind) {
  case SIOX_TRACE_JOB:
    e->u.job.job = siox__in_number(in, UINT32_MAX, wide);
    e->u.job.uid = siox__in_number(in, UINT32_MAX, wide);
    siox__in_string(in, &s->text[0]);
    e->u.job.key = s->text[0];
    break;
  case SIOX_TRACE_CLIENT:
    e->u.client_def.client = siox__in_number(in, UINT32_MAX, wide);
    e->u.client_def.job = siox__in_number(in, UINT32_MAX, wide);
    e->u.client_def.rank = get_signed(in);
    e->u.client_def.size = get_signed(in);
    e->u.client_def.pid = get_signed(in);
    siox__in_string(in, &s->text[0]);
    e->u.client_def.program = s->text[0];
    break;
  case SIOX_TRACE_FILE:
    e->u.file.file = siox__in_varint(in);
    siox__in_string(in, &s->text[0]);
    siox__in_string(in, &s->text[1]);
    e->u.file.path = s->text[0];
    e->u.file.layout = s->text[1];
    break;
  default:
    e->u.site.key = siox__in_fixed64(in);
    e->u.site.line = siox__in_number(in, UINT32_MAX, wide);
    e->u.site.column = siox__in_number(in, UINT32_MAX, wide);
    for (int i = 0; i < 3; i++)
      siox__in_string(in, &s->text[i]);
    e->u.site.file = s->text[0];
    e->u.site.function = s->text[1];
    e->u.site.call = s->text[2];
  }
}

void siox__trace_free_strings(struct siox__trace_strings *s) {
  for (int i = 0; i < 3; i++) {
    free(s->text[i]);
    s->text[i] = NULL;
  }
}
