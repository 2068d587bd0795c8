/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The bank's life: creation, jobs and clients, totals, the end. What happens in between is in
 * bank_event.c (time, policy, commands), bank_claim.c, bank_access.c and bank_share.c (whose joules
 * they are). */
#include "arbiter/bank_limit.h"
#include "arbiter/claims.h"
#include <stdlib.h>
#include <string.h>

const char *siox_state_name(enum siox_state state) {
  static const char *const names[SIOX_NSTATES] = {"idle", "active", "up", "down"};
  return (unsigned)state < SIOX_NSTATES ? names[state] : "?";
}

/* The shortest wait for a level that does not serve; 0: all do. */
static int64_t least_wait(const struct siox_drive *drive) {
  const struct siox_level *level = drive->level, *top = &level[drive->nlevels - 1];
  int64_t least = SIOX_NEVER;
  for (uint32_t l = 0; l + 1 < drive->nlevels; l++) {
    int64_t up = level[l].serves ? -1 : siox_drive_transition_ns(drive, level[l].speed, top->speed);
    least = up >= 0 && up < least ? up : least;
  }
  return least < SIOX_NEVER ? least : 0;
}

/* While a request waits for one disk, nothing is decided of the others that have done their part:
 * such a wait is no pause. */
static int64_t hold_ns(const struct siox_drive *drive, double factor) {
  int64_t unit = siox_drive_break_even(drive), wait = least_wait(drive);
  if (unit == SIOX_NEVER)
    return SIOX_NEVER;
  unit = wait > unit ? wait : unit;
  double hold = (double)unit * (factor > 0 ? factor : 10);
  return hold < 9e18 ? (int64_t)(hold + 0.5) : SIOX_NEVER;
}

static int check(const struct siox_bank_options *o) {
  if (o->ndisks == 0 || o->ndisks > SIOX_MAX_DISKS || !o->drive || !o->policy)
    return SIOX_EINVAL;
  for (uint32_t d = 0; d < o->ndisks; d++) {
    if (!o->drive[d] || o->drive[d]->nlevels == 0 || o->drive[d]->nlevels > SIOX_MAX_LEVELS)
      return SIOX_EINVAL;
    if (o->initial_level && o->initial_level[d] >= o->drive[d]->nlevels)
      return SIOX_ERANGE;
  }
  return 0;
}

static int allocate(struct siox_bank *bank, uint32_t n) {
  bank->disk = calloc(n, sizeof *bank->disk);
  bank->shown = calloc(n, sizeof *bank->shown);
  bank->totals = calloc(n, sizeof *bank->totals);
  bank->initial = calloc(n, sizeof *bank->initial);
  bank->hold = calloc(n, sizeof *bank->hold);
  bank->moves_memory = malloc(siox__due_size(n));
  bank->extent = calloc(3 * (size_t)n, sizeof *bank->extent); /* siox_layout_most_pieces */
  bank->run = calloc(n, sizeof *bank->run);
  bank->holders = calloc(n, sizeof *bank->holders);
  bank->commands.item = calloc(n, sizeof *bank->commands.item);
  bank->commands.max = n;
  if (!bank->disk || !bank->shown || !bank->totals || !bank->initial || !bank->hold ||
      !bank->moves_memory || !bank->extent || !bank->run || !bank->holders || !bank->commands.item)
    return SIOX_ENOMEM;
  siox__due_init(&bank->moves, bank->moves_memory, n);
  struct siox_mask *mask[] = {&bank->mask, &bank->missed, &bank->changed};
  for (size_t i = 0; i < sizeof mask / sizeof *mask; i++) {
    int rc = siox_mask_init(mask[i], n);
    if (rc < 0)
      return rc;
  }
  int rc = siox_claims_create(&bank->claims, n);
  return rc < 0 ? rc : siox_claims_create(&bank->unknown, n);
}

static int set_up(struct siox_bank *bank, const struct siox_bank_options *o) {
  int rc = allocate(bank, o->ndisks);
  if (rc < 0)
    return rc;
  const char *argument;
  bank->policy = siox_policy_find(o->policy, &argument);
  if (!bank->policy)
    return SIOX_ENOENT;
  bank->gap = bank->policy->lead == SIOX_LEAD_GAP;
  bank->now = o->start;
  bank->wake = SIOX_NEVER;
  bank->segment = o->segment;
  bank->context = o->context;
  bank->view = (struct siox_view){.ndisks = o->ndisks,
                                  .disk = bank->shown,
                                  .claims = bank->claims,
                                  .unknown = bank->unknown,
                                  .hold = bank->hold,
                                  .silent = INT64_MIN,
                                  .limits = o->limits};
  bank->last_silent = SIOX_NOBODY;
  for (uint32_t d = 0; d < o->ndisks; d++) {
    const struct siox_drive *drive = o->drive[d];
    bank->max_levels = drive->nlevels > bank->max_levels ? drive->nlevels : bank->max_levels;
    bank->initial[d] = o->initial_level ? o->initial_level[d] : drive->nlevels - 1;
    bank->hold[d] = hold_ns(drive, o->hold_factor);
    siox__disk_init(&bank->disk[d], d, drive, bank->initial[d], o->start, siox__bank_piece, bank);
    bank->shown[d].drive = drive;
    bank->shown[d].decayed = bank->shown[d].orphaned = INT64_MIN;
    for (int w = 0; w < SIOX_NWEAR; w++)
      bank->shown[d].wear_from[w] = INT64_MIN;
    siox__bank_show(bank, d);
  }
  siox__claims_follow(bank->claims, bank->hold);
  if (bank->policy->limits && argument) {
    rc = bank->policy->limits(argument, &bank->view.limits);
    if (rc < 0)
      return rc;
  }
  if (bank->view.limits.delay_budget > 0 || bank->view.limits.measure) {
    bank->full = calloc(o->ndisks, sizeof *bank->full);
    bank->job_view = calloc(1, sizeof *bank->job_view);
    bank->view.job = bank->job_view;
    if (!bank->full || !bank->job_view)
      return SIOX_ENOMEM;
  }
  rc = siox__limit_create(bank);
  if (rc < 0)
    return rc;
  bank->state = calloc(1, bank->policy->state_size(o->ndisks));
  if (!bank->state)
    return SIOX_ENOMEM;
  rc = bank->policy->init(bank->state, argument, &bank->view);
  if (rc < 0)
    return rc;
  struct siox_event event = {.kind = SIOX_EVENT_START, .client = SIOX_NOBODY, .job = SIOX_NOBODY};
  siox__bank_ask(bank, &event);
  siox__bank_obey(bank, &event);
  return 0;
}

int siox_bank_create(struct siox_bank **out, const struct siox_bank_options *options) {
  int rc = check(options);
  if (rc < 0)
    return rc;
  struct siox_bank *bank = calloc(1, sizeof *bank);
  if (!bank)
    return SIOX_ENOMEM;
  rc = set_up(bank, options);
  if (rc < 0) {
    siox_bank_destroy(bank);
    return rc;
  }
  *out = bank;
  return 0;
}

void siox_bank_destroy(struct siox_bank *bank) {
  if (!bank)
    return;
  for (uint32_t i = 0; i < bank->njobs; i++)
    free((char *)bank->job[i].totals.key);
  void *owned[] = {
      bank->disk,         bank->shown,  bank->totals,      bank->initial,       bank->hold,
      bank->moves_memory, bank->extent, bank->run,         bank->commands.item, bank->state,
      bank->job,          bank->client, bank->free_client, bank->sharer,        bank->edge,
      bank->holders,      bank->user,   bank->owner,       bank->full,          bank->job_view,
      bank->counted,      bank->lag,    bank->unflushed,   bank->pin,           bank->free_job};
  siox__limit_destroy(bank->limit);
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
    free(owned[i]);
  siox_mask_free(&bank->mask);
  siox_mask_free(&bank->missed);
  siox_mask_free(&bank->changed);
  siox_claims_destroy(bank->claims);
  siox_claims_destroy(bank->unknown);
  free(bank);
}

static bool is_job(const struct siox_bank *bank, uint32_t job) {
  return job < bank->njobs && bank->job[job].totals.key;
}

static int grow(void **table, size_t count, size_t size) {
  void *grown = realloc(*table, count * size);
  if (!grown)
    return SIOX_ENOMEM;
  *table = grown;
  return 0;
}

static int grow_jobs(struct siox_bank *bank) {
  uint32_t n = bank->job_capacity ? 2 * bank->job_capacity : 8;
  int rc = grow((void **)&bank->job, n, sizeof *bank->job);
  rc = rc < 0 ? rc : grow((void **)&bank->user, n, sizeof *bank->user);
  rc = rc < 0 ? rc : grow((void **)&bank->owner, n, sizeof *bank->owner);
  if (bank->full) {
    rc = rc < 0 ? rc : grow((void **)&bank->job_view, n, sizeof *bank->job_view);
    rc = rc < 0 ? rc : grow((void **)&bank->counted, n, sizeof *bank->counted);
  }
  bank->view.user = bank->user; /* may have moved, though another table has no room */
  bank->view.job = bank->job_view;
  if (rc == 0)
    bank->job_capacity = n;
  return rc;
}

/* What policies remember of a disk may still name a forgotten job: its number rests for a while. */
enum { JOBS_REST = 1024 };

int siox_bank_job(struct siox_bank *bank, const char *key, uint32_t *job) {
  if (!key)
    return SIOX_EINVAL;
  for (uint32_t i = 0; i < bank->njobs; i++)
    if (bank->job[i].totals.key && strcmp(bank->job[i].totals.key, key) == 0) {
      *job = i;
      return 0;
    }
  return siox__bank_add_job(bank, key, job);
}

int siox__bank_add_job(struct siox_bank *bank, const char *key, uint32_t *job) {
  bool reuse = bank->nfree_jobs > JOBS_REST;
  if (!reuse && bank->njobs == bank->job_capacity && grow_jobs(bank) < 0)
    return SIOX_ENOMEM;
  char *copy = strdup(key);
  if (!copy)
    return SIOX_ENOMEM;
  if (reuse) {
    *job = bank->free_job[bank->first_free];
    bank->first_free = (bank->first_free + 1) % bank->free_room;
    bank->nfree_jobs--;
  } else {
    *job = bank->njobs++;
  }
  bank->job[*job] = (struct siox__bank_job){.totals.key = copy};
  bank->user[*job] = *job;
  bank->owner[*job] = SIOX_NOBODY;
  if (bank->full) {
    bank->job_view[*job] =
        (struct siox_job_view){.since = INT64_MAX, .budget = bank->view.limits.delay_budget};
    bank->view.unbudgeted += !(bank->view.limits.delay_budget > 0);
    bank->counted[*job] = (struct siox__counted){.real = 0};
  }
  return 0;
}

/* A queue that grows. */
static int keep_number(struct siox_bank *bank, uint32_t job) {
  if (bank->nfree_jobs == bank->free_room) {
    uint32_t room = bank->free_room ? 2 * bank->free_room : 64;
    uint32_t *more = malloc(room * sizeof *more);
    if (!more)
      return SIOX_ENOMEM;
    for (uint32_t i = 0; i < bank->nfree_jobs; i++)
      more[i] = bank->free_job[(bank->first_free + i) % bank->free_room];
    free(bank->free_job);
    bank->free_job = more;
    bank->free_room = room;
    bank->first_free = 0;
  }
  bank->free_job[(bank->first_free + bank->nfree_jobs++) % bank->free_room] = job;
  return 0;
}

/* Others of its user may be numbered by it. */
static void disown(struct siox_bank *bank, uint32_t job) {
  uint32_t next = SIOX_NOBODY;
  for (uint32_t i = 0; i < bank->njobs && bank->owner[job] != SIOX_NOBODY; i++)
    if (i != job && bank->owner[i] == bank->owner[job] && bank->user[i] == job) {
      next = next == SIOX_NOBODY ? i : next;
      bank->user[i] = next;
    }
  bank->user[job] = job;
  bank->owner[job] = SIOX_NOBODY;
}

int siox_bank_job_forget(struct siox_bank *bank, uint32_t job) {
  if (!is_job(bank, job) || bank->job[job].clients)
    return SIOX_EINVAL;
  if (keep_number(bank, job) < 0)
    return SIOX_ENOMEM;
  struct siox_job_totals *t = &bank->job[job].totals, *sum = &bank->gone.totals;
  for (int s = 0; s < SIOX_NSTATES; s++)
    sum->joules[s] += t->joules[s];
  sum->hints += t->hints;
  sum->granted += t->granted;
  sum->refused += t->refused;
  sum->requests += t->requests;
  sum->missed += t->missed;
  if (bank->full) {
    sum->delayed_ns += bank->job_view[job].delayed;
    bank->view.unbudgeted -= !(bank->job_view[job].budget > 0);
  }
  disown(bank, job);
  free((char *)t->key);
  bank->job[job] = (struct siox__bank_job){.totals.key = NULL};
  return 0;
}

int siox_bank_job_budget(struct siox_bank *bank, uint32_t job, double budget) {
  if (!is_job(bank, job) || !bank->full || !(budget >= 0 && budget <= 1))
    return SIOX_EINVAL;
  bank->view.unbudgeted -= !(bank->job_view[job].budget > 0);
  bank->view.unbudgeted += !(budget > 0);
  bank->job_view[job].budget = budget;
  return 0;
}

/* Numbers of users are numbers of jobs, so that those who are given and those who are not never
 * meet. */
static uint32_t first_of(const struct siox_bank *bank, uint32_t job) {
  for (uint32_t i = 0; i < job && bank->owner[job] != SIOX_NOBODY; i++)
    if (bank->owner[i] == bank->owner[job])
      return i;
  return job;
}

int siox_bank_job_user(struct siox_bank *bank, uint32_t job, uint32_t user) {
  if (!is_job(bank, job))
    return SIOX_EINVAL;
  bool first = bank->owner[job] == SIOX_NOBODY;
  if (bank->owner[job] == user)
    return 0;
  bank->owner[job] = user;
  for (uint32_t i = 0; i < bank->njobs && first; i++)
    if (i != job && bank->owner[i] == user) {
      bank->user[job] = bank->user[i];
      return 0;
    }
  if (first)
    return 0;                                /* by its own number, as it is */
  for (uint32_t i = 0; i < bank->njobs; i++) /* others may have been numbered by this one */
    bank->user[i] = first_of(bank, i);
  return 0;
}

static int grow_clients(struct siox_bank *bank) {
  uint32_t n = bank->client_capacity ? 2 * bank->client_capacity : 16;
  if (grow((void **)&bank->client, n, sizeof *bank->client) < 0 ||
      grow((void **)&bank->free_client, n, sizeof *bank->free_client) < 0 ||
      (bank->full && grow((void **)&bank->lag, n, sizeof *bank->lag) < 0) ||
      grow((void **)&bank->sharer, n, sizeof *bank->sharer) < 0 ||
      grow((void **)&bank->edge, 2 * (size_t)n, sizeof *bank->edge) < 0)
    return SIOX_ENOMEM;
  bank->client_capacity = n;
  return 0;
}

int siox_bank_join(struct siox_bank *bank, int64_t now, uint32_t job, uint32_t *client) {
  if (!is_job(bank, job) || bank->finished)
    return SIOX_EINVAL;
  if (bank->nfree == 0 && bank->nclients == bank->client_capacity && grow_clients(bank) < 0)
    return SIOX_ENOMEM;
  siox__bank_arrive(bank, now);
  *client = bank->nfree ? bank->free_client[--bank->nfree] : bank->nclients++;
  bank->client[*client] = (struct siox__bank_client){.job = job, .live = true};
  bank->job[job].clients++;
  if (bank->full)
    bank->lag[*client] = (struct siox__lag){.end = {0}};
  if (bank->full && bank->job_view[job].since == INT64_MAX)
    bank->job_view[job].since = bank->now;
  return 0;
}

int siox_bank_unflushed(struct siox_bank *bank, uint32_t disk, int64_t until) {
  if (disk >= bank->view.ndisks)
    return SIOX_EINVAL;
  if (!bank->unflushed) {
    if (!(bank->unflushed = malloc(bank->view.ndisks * sizeof *bank->unflushed)))
      return SIOX_ENOMEM;
    for (uint32_t d = 0; d < bank->view.ndisks; d++)
      bank->unflushed[d] = INT64_MIN;
  }
  bank->unflushed[disk] = until;
  siox__bank_show(bank, disk);
  return 0;
}

int64_t siox_bank_advance(struct siox_bank *bank, int64_t now) {
  if (!bank->finished)
    siox__bank_arrive(bank, now);
  return bank->finished ? SIOX_NEVER : bank->wake;
}

int siox_bank_finish(struct siox_bank *bank, int64_t end) {
  if (bank->finished)
    return SIOX_EINVAL;
  end = siox__bank_arrive(bank, end);
  int result = 0;
  for (uint32_t d = 0; d < bank->view.ndisks; d++) {
    int rc = siox__disk_finish(&bank->disk[d], end, bank->initial[d]);
    if (rc < 0)
      result = rc;
  }
  bank->finished = true;
  return result;
}

const struct siox_view *siox_bank_view(const struct siox_bank *bank) { return &bank->view; }
int64_t siox_bank_now(const struct siox_bank *bank) { return bank->now; }
uint32_t siox_bank_njobs(const struct siox_bank *bank) { return bank->njobs; }
const void *siox__bank_policy_state(const struct siox_bank *bank) { return bank->state; }

int siox_bank_disk_totals(struct siox_bank *bank, uint32_t disk, struct siox_disk_totals *out) {
  if (disk >= bank->view.ndisks)
    return SIOX_ERANGE;
  if (!bank->finished)
    siox__disk_settle(&bank->disk[disk], bank->now);
  *out = bank->totals[disk];
  return 0;
}

void siox_bank_totals(struct siox_bank *bank, struct siox_disk_totals *out) {
  *out = (struct siox_disk_totals){0};
  for (uint32_t d = 0; d < bank->view.ndisks; d++) {
    struct siox_disk_totals t;
    (void)siox_bank_disk_totals(bank, d, &t); /* the disk is there */
    for (int s = 0; s < SIOX_NSTATES; s++)
      out->joules[s] += t.joules[s];
    for (int l = 0; l < SIOX_MAX_LEVELS; l++)
      out->level_ns[l] += t.level_ns[l];
    out->transitions_up += t.transitions_up;
    out->transitions_down += t.transitions_down;
    out->requests += t.requests;
    out->bytes += t.bytes;
    out->busy_ns += t.busy_ns;
    out->moving_ns += t.moving_ns;
    out->refused_wear += t.refused_wear;
    for (int w = 0; w < SIOX_NWEAR; w++)
      out->worn[w] += t.worn[w];
    out->delayed += t.delayed;
    out->overdue += t.overdue;
    if (t.worst_delay_ns > out->worst_delay_ns)
      out->worst_delay_ns = t.worst_delay_ns;
    for (int c = 0; c < SIOX_NCAUSES; c++)
      out->undercut[c] += t.undercut[c];
  }
}

int siox_bank_job_totals(struct siox_bank *bank, uint32_t job, struct siox_job_totals *out) {
  if (job < SIOX_FORGOTTEN && !is_job(bank, job))
    return SIOX_ERANGE;
  if (!bank->finished)
    siox__bank_settle(bank, NULL);
  *out = siox__bank_job_of(bank, job)->totals;
  if (bank->full && job < bank->njobs)
    out->delayed_ns = bank->job_view[job].delayed;
  return 0;
}
