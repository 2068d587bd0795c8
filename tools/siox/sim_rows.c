/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The rows of a comparison: base, every static level, the schemes, and what nobody can do better
 * than (docs/oracle.md). */
#include "sim.h"
#include "timeline.h"
#include <math.h>
#include <siox/oracle.h>
#include <stdlib.h>
#include <string.h>

enum { PRICES = 24 };
static const double budgets[] = {0.01, 0.02, 0.05}; /* added I/O time of the bounds */

struct maker {
  struct sim_rows *rows;
  struct sim_scenario *s;
  const struct sim_watch *watch;
  struct siox_replay_result base;
  const char *scheme;          /* under way */
  struct siox_oracle **oracle; /* one a disk, fed by the base replay */
  double price[PRICES];
  uint32_t most_pieces; /* of one request */
  int oracle_code;
  int64_t *risen; /* of each disk in base, when its last speed-up was done */
  bool drawing;
  int drawn_code;
};

static struct sim_row *new_row(struct maker *m, const char *name, enum sim_kind kind) {
  struct sim_row *more = realloc(m->rows->row, (m->rows->count + 1) * sizeof *more);
  if (!more)
    return NULL;
  m->rows->row = more;
  struct sim_row *row = &more[m->rows->count++];
  *row = (struct sim_row){.kind = kind};
  snprintf(row->name, sizeof row->name, "%s", name);
  return row;
}

static void fill(struct sim_row *row, const struct siox_replay_result *r,
                 const struct siox_replay_result *base, bool waits_untold) {
  int64_t worst = 0, io = 0;
  double all = 0, all_base = 0;
  for (uint32_t i = 0; i < base->nranks; i++)
    all_base += (double)base->rank[i].io_ns;
  for (uint32_t i = 0; i < r->nranks; i++) {
    all += (double)r->rank[i].io_ns;
    worst = r->rank[i].worst_ns > worst ? r->rank[i].worst_ns : worst;
    io = r->rank[i].io_ns > io ? r->rank[i].io_ns : io;
  }
  row->timed = true;
  row->joules = r->joules;
  row->saved = base->joules > 0 ? 1 - r->joules / base->joules : 0;
  struct siox_added added = siox_added(r, base);
  row->added_io = added.io;
  row->slow_down = waits_untold ? NAN : added.run;
  row->delay_seconds = (double)added.io_ns / 1e9;
  row->less_io = all < all_base ? 1 - all / all_base : 0;
  if (r->end - r->start < base->end - base->start)
    row->less_run = 1 - (double)(r->end - r->start) / (double)(base->end - base->start);
  row->seconds = (double)(r->end - r->start) / 1e9;
  row->io_seconds = (double)io / 1e9;
  row->worst_seconds = (double)worst / 1e9;
  memcpy(row->joules_state, r->joules_state, sizeof row->joules_state);
  row->transitions = r->transitions;
  row->requests = r->requests;
  row->missed = r->missed;
  row->released = r->released;
  row->cache = r->cache;
  row->hit_rate = r->cache.read ? (double)r->cache.hit / (double)r->cache.read : 0;
}

static void progress(void *context, double part) {
  struct maker *m = context;
  m->watch->progress(m->watch->context, m->scheme, part);
}

/* Of one request, on all disks: an array with parity reads two and writes one, a cache asks for
 * what it lacks in between. */
static uint32_t most_pieces(struct sim_scenario *s) {
  uint32_t pieces = siox_sim_most_pieces(s->sim);
  return (pieces > s->widest ? pieces : s->widest) * (s->cache.size ? 8 : 1);
}

static void take_segment(void *context, const struct siox_segment *s) {
  struct maker *m = context;
  if (m->drawing && m->drawn_code == 0)
    m->drawn_code = siox__timeline_add(m->watch->timeline, s);
  if (!m->oracle || m->scheme[0] != 'b')
    return;
  if (s->state == SIOX_UP)
    m->risen[s->disk] = s->end;
  if (s->state != SIOX_ACTIVE || m->oracle_code)
    return;
  m->rows->late |= s->start == m->risen[s->disk];
  /* A request is as late as its latest piece at least, so as the mean of its pieces. Prices are
   * made for no more of them than this. */
  uint32_t pieces = s->pieces < m->most_pieces ? s->pieces : m->most_pieces;
  double weight = 1.0 / (pieces > m->s->widest ? pieces : m->s->widest);
  m->oracle_code = siox_oracle_serve(
      m->oracle[s->disk],
      &(struct siox_oracle_service){
          .arrival = s->start, .ns = s->end - s->start, .bytes = s->bytes, .weight = weight});
}

static int replay(struct maker *m, const char *policy, struct siox_replay_result *r,
                  struct siox_diag *diag) {
  m->scheme = policy;
  m->drawing = m->watch->timeline && m->watch->drawn && !strcmp(policy, m->watch->drawn);
  struct siox_replay_options o = {.policy = policy, .prepared = true, .context = m};
  if (m->drawing || (m->oracle && !strcmp(policy, "base")))
    o.segment = take_segment;
  if (!strcmp(policy, "base")) {
    o.request = m->watch->request;
    o.request_context = m->watch->request_context;
  }
  if (m->watch->progress) {
    o.progress = progress;
    o.progress_context = m;
  }
  int rc = siox_sim_run(m->s->sim, &o, r, diag);
  if (m->drawing && rc == 0 && m->drawn_code)
    rc = m->drawn_code;
  else if (m->drawing && rc == 0)
    siox__timeline_done(m->watch->timeline, policy, r->cut);
  return rc;
}

static int add_replay(struct maker *m, const char *policy, enum sim_kind kind) {
  struct siox_replay_result r;
  struct siox_diag diag = {""};
  struct sim_row *row = new_row(m, policy, kind);
  if (!row)
    return SIOX_ENOMEM;
  int rc = replay(m, policy, &r, &diag);
  if (rc == 0)
    fill(row, &r, &m->base, m->s->waits_untold);
  else
    snprintf(row->wrong, sizeof row->wrong, "%.250s", *diag.text ? diag.text : siox_strerror(rc));
  siox_replay_free(&r);
  return rc == SIOX_ENOMEM ? rc : 0;
}

static int add_refused(struct maker *m, const char *policy, const char *why) {
  struct sim_row *row = new_row(m, policy, SIM_SCHEME);
  if (!row)
    return SIOX_ENOMEM;
  snprintf(row->wrong, sizeof row->wrong, "%s: %s", policy, why);
  return 0;
}

static int add_statics(struct maker *m) {
  char name[SIM_STATIC_NAME];
  int32_t speed = -1;
  int rc = 0;
  while (rc == 0 && sim_static_next(m->s, &speed, name))
    rc = add_replay(m, name, SIM_STATIC);
  struct sim_row *best = NULL;
  for (uint32_t i = 0; i < m->rows->count; i++) {
    struct sim_row *row = &m->rows->row[i];
    if (row->kind == SIM_STATIC && row->timed && (!best || row->joules < best->joules))
      best = row;
  }
  if (best)
    best->best = true;
  return rc;
}

static int open_oracles(struct maker *m) {
  struct sim_scenario *s = m->s;
  m->most_pieces = most_pieces(s);
  m->oracle = calloc(s->ndisks, sizeof(struct siox_oracle *));
  m->risen = malloc((s->ndisks + 1) * sizeof *m->risen);
  if (!m->oracle || !m->risen)
    return SIOX_ENOMEM;
  for (uint32_t d = 0; d < s->ndisks; d++)
    m->risen[d] = INT64_MIN;
  m->oracle_code = siox_oracle_prices(s->drive, s->ndisks, 1.0 / m->most_pieces, m->price, PRICES);
  for (uint32_t d = 0; d < s->ndisks && m->oracle_code == 0; d++)
    m->oracle_code = siox_oracle_create(
        &m->oracle[d], &(struct siox_oracle_options){.drive = s->drive[d],
                                                     .initial_level = s->initial_level[d],
                                                     .end_level = s->initial_level[d],
                                                     .price = m->price,
                                                     .nprices = PRICES});
  return m->oracle_code == SIOX_ENOMEM ? m->oracle_code : 0;
}

/* Some services are the servers' own: who serves them later or slower need not delay anybody, and
 * nothing is known of the least that takes. */
static bool nobody_waits(const struct sim_scenario *s) {
  return s->cache.size && (s->cache.write_back || s->cache.read_ahead);
}

/* Bounds are for delays against services at full speed. Base has others when disks begin slower. */
static bool bounded(const struct maker *m) { return !nobody_waits(m->s) && !m->rows->late; }

/* Of each replay the least that anyone takes who adds as much I/O time. */
static void fill_bounds(struct maker *m, const struct siox_oracle_point *sum, double joules) {
  for (uint32_t i = 0; i < m->rows->count; i++) {
    struct sim_row *row = &m->rows->row[i];
    row->bound = bounded(m) ? joules : 0;
    if (row->bound > 0 && row->delay_seconds > 0)
      row->bound = fmin(joules, siox_oracle_bound(sum, m->price, PRICES, row->delay_seconds));
  }
}

static int add_oracles(struct maker *m) {
  double joules = 0, all_io = 0;
  uint64_t commands = 0;
  struct siox_oracle_point sum[PRICES] = {{0}};
  for (uint32_t d = 0; d < m->s->ndisks && m->oracle_code == 0; d++) {
    struct siox_oracle_result one;
    struct siox_oracle_point point[PRICES];
    m->oracle_code = siox_oracle_finish(m->oracle[d], m->base.end, &one, point);
    joules += m->oracle_code ? 0 : one.joules;
    commands += m->oracle_code ? 0 : one.commands;
    for (int k = 0; k < PRICES && m->oracle_code == 0; k++) {
      sum[k].cost += point[k].cost;
      sum[k].joules += point[k].joules;
      sum[k].delay_s += point[k].delay_s;
    }
  }
  if (m->oracle_code == 0)
    fill_bounds(m, sum, joules);
  struct sim_row *row = new_row(m, "oracle", SIM_ORACLE);
  if (!row)
    return SIOX_ENOMEM;
  if (m->oracle_code) {
    snprintf(row->wrong, sizeof row->wrong, "%s", siox_strerror(m->oracle_code));
    return 0;
  }
  row->joules = joules;
  row->saved = m->base.joules > 0 ? 1 - joules / m->base.joules : 0;
  row->transitions = commands;
  row->seconds = (double)(m->base.end - m->base.start) / 1e9;
  for (uint32_t i = 0; i < m->base.nranks; i++)
    all_io += (double)m->base.rank[i].io_ns / 1e9;
  for (size_t k = 0; k < sizeof budgets / sizeof *budgets && bounded(m); k++) {
    char name[32];
    snprintf(name, sizeof name, "bound at %.0f %%", budgets[k] * 100);
    if (!(row = new_row(m, name, SIM_BOUND)))
      return SIOX_ENOMEM;
    row->joules = siox_oracle_bound(sum, m->price, PRICES, budgets[k] * all_io);
    row->joules = row->joules < joules ? row->joules : joules;
    row->saved = m->base.joules > 0 ? 1 - row->joules / m->base.joules : 0;
    row->added_io = budgets[k];
  }
  return 0;
}

static void measure_base(struct maker *m) {
  double seconds = (double)(m->base.end - m->base.start) / 1e9, busy = 0;
  for (uint32_t d = 0; d < m->base.ndisks; d++)
    if (m->base.disk[d].requests) {
      m->rows->used++;
      busy += (double)m->base.disk[d].busy_ns / 1e9;
    } else {
      for (int k = 0; k < SIOX_NSTATES; k++)
        m->rows->unused_joules += m->base.disk[d].joules[k];
    }
  m->rows->busy = m->rows->used && seconds > 0 ? busy / seconds / m->rows->used : 0;
  m->rows->cut = m->base.cut;
  m->rows->ranks = m->base.nranks;
}

/* Each rule of the disks once, "b" or "a,b"; "-": none of them has one. */
static void note_rules(struct sim_rows *rows, const struct sim_scenario *s) {
  bool seen[SIOX_RULE_C + 1] = {false};
  size_t used = 0;
  for (uint32_t d = 0; d < s->ndisks; d++)
    if (s->drive[d]->ramp)
      seen[s->drive[d]->rule] = true;
  snprintf(rows->rule, sizeof rows->rule, "-");
  for (int rule = SIOX_RULE_A; rule <= SIOX_RULE_C; rule++)
    if (seen[rule])
      used += (size_t)snprintf(rows->rule + used, sizeof rows->rule - used, "%s%s", used ? "," : "",
                               siox_rule_name((enum siox_transition_rule)rule));
}

/* What the store did when the one trace was recorded, against what is played again. */
static void add_recorded(struct maker *m) {
  struct siox_replay_result recorded, open = {0}, closed = {0};
  struct sim_rows *rows = m->rows;
  if (!m->s->only_trace || siox_replay_recorded(m->s->only_trace, &recorded, NULL) < 0)
    return;
  int rc = siox_replay(m->s->only_trace,
                       &(struct siox_replay_options){.open_loop = true, .limits = &m->s->limits},
                       &open, NULL);
  rc = rc ? rc
          : siox_replay(m->s->only_trace, &(struct siox_replay_options){.limits = &m->s->limits},
                        &closed, NULL);
  if (rc == 0 && recorded.joules > 0) {
    rows->recorded = true;
    rows->recorded_joules = recorded.joules;
    rows->recorded_seconds = (double)(recorded.end - recorded.start) / 1e9;
    rows->open_joules = open.joules;
    rows->closed_joules = closed.joules;
    rows->closed_seconds = (double)(closed.end - closed.start) / 1e9;
  }
  siox_replay_free(&closed);
  siox_replay_free(&open);
  siox_replay_free(&recorded);
}

int sim_rows_make(struct sim_rows *rows, struct sim_scenario *s, char *const *scheme,
                  const struct sim_watch *watch, struct siox_diag *diag) {
  struct maker m = {.rows = rows, .s = s, .watch = watch};
  memset(rows, 0, sizeof *rows);
  note_rules(rows, s);
  int rc = open_oracles(&m);
  struct sim_row *row = rc == 0 ? new_row(&m, "base", SIM_BASE) : NULL;
  if (rc == 0)
    rc = row ? replay(&m, "base", &m.base, diag) : SIOX_ENOMEM;
  if (rc == 0) {
    fill(row, &m.base, &m.base, false);
    measure_base(&m);
    rc = add_statics(&m);
  }
  for (; rc == 0 && *scheme; scheme++) {
    bool known = false;
    for (uint32_t i = 0; i < rows->count; i++)
      known |= !strcmp(rows->row[i].name, *scheme);
    if (!known && !strncmp(*scheme, "static:", 7)) /* every level that there is has its row */
      rc = add_refused(&m, *scheme, "no disk serves at this speed");
    else
      rc = known ? 0 : add_replay(&m, *scheme, SIM_SCHEME);
  }
  rc = rc ? rc : add_oracles(&m);
  if (rc == 0)
    add_recorded(&m);
  for (uint32_t d = 0; m.oracle && d < s->ndisks; d++)
    siox_oracle_destroy(m.oracle[d]);
  free(m.oracle);
  free(m.risen);
  siox_replay_free(&m.base);
  if (rc)
    sim_rows_free(rows);
  return rc;
}

void sim_rows_free(struct sim_rows *rows) {
  free(rows->row);
  memset(rows, 0, sizeof *rows);
}
