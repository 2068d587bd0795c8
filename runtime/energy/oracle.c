/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The optimum, service by service. Without delay the disk is at full speed in every service, so
 * gaps are independent of each other. With a price on delay it may be at any serving level: dynamic
 * programming over that level, one row a price.
 *
 * A delay may also shorten the gap behind it, when what comes next does not wait for it. A gap g
 * shorter by d saves at most the idle watts of the level before it times d, because the disk could
 * stand there for d and then do as in the shorter gap. Each delay is credited that much, so that
 * the bound holds whether what follows moves or not. */
#include "energy/oracle_internal.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct state { /* best so far that ends at one level */
  double cost, joules, delay_s;
};
struct siox_oracle {
  struct siox_oracle_options o;
  struct siox__graph graph;
  uint32_t top, at;  /* at: level after the last service, without delay */
  int64_t end, free; /* of the last service; from when on the disk can serve without delay */
  bool finished;
  double greatest_w; /* idle */
  struct siox_oracle_result result;
  double joules_lost; /* of the sum's low bits (Kahan) */
  struct state *row;  /* nprices rows of nlevels */
  /* Of the service at hand, for every level before it and every level of its own. */
  struct siox__choice *choice;
  uint32_t most_choices, nchoices[SIOX_MAX_LEVELS][SIOX_MAX_LEVELS];
};

static int check(const struct siox_oracle_options *o) {
  if (!o || !o->drive || o->drive->nlevels == 0 || o->drive->nlevels > SIOX_MAX_LEVELS ||
      (o->nprices && !o->price) || o->ways > SIOX_ORACLE_DIRECT)
    return SIOX_EINVAL;
  if (o->initial_level >= o->drive->nlevels || o->end_level >= o->drive->nlevels)
    return SIOX_ERANGE;
  for (uint32_t k = 0; k < o->nprices; k++)
    if (!(o->price[k] > 0 && o->price[k] < INFINITY))
      return SIOX_ERANGE;
  return 0;
}

static int set_up(struct siox_oracle *oracle) {
  const struct siox_oracle_options *o = &oracle->o;
  const struct siox_drive *d = o->drive;
  oracle->top = d->nlevels - 1;
  oracle->at = o->initial_level;
  int64_t up =
      siox_drive_transition_ns(d, d->level[o->initial_level].speed, d->level[oracle->top].speed);
  if (up < 0)
    return SIOX_EUNKNOWN;
  oracle->end = o->start;
  oracle->free = o->start + up;
  for (uint32_t l = 0; l < d->nlevels; l++)
    oracle->greatest_w = fmax(oracle->greatest_w, d->level[l].idle_w);
  int rc = siox__graph_make(&oracle->graph, d, o->ways);
  if (rc < 0)
    return rc;
  oracle->row = calloc((size_t)o->nprices * d->nlevels + 1, sizeof *oracle->row);
  oracle->most_choices = siox__most_choices(&oracle->graph);
  oracle->choice =
      malloc((size_t)d->nlevels * d->nlevels * oracle->most_choices * sizeof *oracle->choice);
  if (!oracle->row || !oracle->choice)
    return SIOX_ENOMEM;
  for (uint32_t i = 0; i < o->nprices * d->nlevels; i++)
    oracle->row[i].cost = i % d->nlevels == o->initial_level ? 0 : INFINITY;
  return 0;
}

int siox_oracle_create(struct siox_oracle **out, const struct siox_oracle_options *options) {
  int rc = check(options);
  if (rc < 0)
    return rc;
  struct siox_oracle *oracle = calloc(1, sizeof *oracle);
  if (!oracle)
    return SIOX_ENOMEM;
  oracle->o = *options;
  rc = set_up(oracle);
  if (rc < 0) {
    siox_oracle_destroy(oracle);
    return rc;
  }
  *out = oracle;
  return 0;
}

void siox_oracle_destroy(struct siox_oracle *oracle) {
  if (!oracle)
    return;
  siox__graph_free(&oracle->graph);
  free(oracle->row);
  free(oracle->choice);
  free(oracle);
}

static void add(struct siox_oracle *oracle, double joules) {
  double more = joules - oracle->joules_lost, sum = oracle->result.joules + more;
  oracle->joules_lost = (sum - oracle->result.joules) - more;
  oracle->result.joules = sum;
}

static void take_gap(struct siox_oracle *oracle, const struct siox__plan *plan, int64_t end) {
  add(oracle, plan->joules);
  oracle->result.gaps += end > oracle->end;
  uint32_t commands = siox__plan_tell(&oracle->graph, oracle->at, plan, oracle->end, end,
                                      oracle->o.command, oracle->o.context);
  oracle->result.used += commands > 0;
  oracle->result.commands += commands;
}

/* Time of a service at a level, from that at full speed: the seek stays, the rest is of the level.
 */
static int64_t service_ns(const struct siox_drive *d, uint32_t level,
                          const struct siox_oracle_service *s, int64_t full_ns) {
  const struct siox_level *l = &d->level[level], *top = &d->level[d->nlevels - 1];
  if (level == d->nlevels - 1)
    return full_ns;
  double more = l->rotation_ns - top->rotation_ns;
  if (s->bytes)
    more += (double)s->bytes * 1e9 / l->rate - (double)s->bytes * 1e9 / top->rate;
  int64_t ns = full_ns + (more < 9e18 ? llround(more) : SIOX_NEVER / 2);
  return ns > 0 ? ns : 0;
}

static struct siox__choice *choices(const struct siox_oracle *oracle, uint32_t l, uint32_t m) {
  return oracle->choice + ((size_t)l * oracle->o.drive->nlevels + m) * oracle->most_choices;
}

/* A service at one level: what it takes itself, whatever came before. */
struct own {
  double joules, slower_s;
};

/* One row: the service at every level, from every level before it. */
static void extend(const struct siox_oracle *oracle, struct state *row, double price, double weight,
                   const struct own *own) {
  const struct siox_drive *d = oracle->o.drive;
  struct state next[SIOX_MAX_LEVELS];
  for (uint32_t m = 0; m < d->nlevels; m++) {
    next[m] = (struct state){.cost = INFINITY};
    if (!d->level[m].serves)
      continue;
    double net = price * weight - d->level[m].idle_w; /* joules a second late, at least 0 */
    uint32_t from = 0;
    struct siox__choice best = {0, 0};
    for (uint32_t l = 0; l < d->nlevels; l++) {
      const struct siox__choice *c = choices(oracle, l, m);
      for (uint32_t i = 0; i < oracle->nchoices[l][m]; i++) {
        double cost = row[l].cost + c[i].joules + net * c[i].late_s;
        if (cost < next[m].cost) {
          next[m].cost = cost;
          best = c[i];
          from = l;
        }
      }
    }
    next[m].cost += own[m].joules + net * own[m].slower_s;
    next[m].joules = row[from].joules + best.joules + own[m].joules;
    next[m].delay_s = row[from].delay_s + weight * (best.late_s + own[m].slower_s);
  }
  memcpy(row, next, d->nlevels * sizeof *row);
}

static void price_it(struct siox_oracle *oracle, const struct siox_oracle_service *s,
                     int64_t full_ns, int64_t gap) {
  const struct siox_drive *d = oracle->o.drive;
  struct own own[SIOX_MAX_LEVELS];
  for (uint32_t m = 0; m < d->nlevels; m++) {
    if (!d->level[m].serves)
      continue;
    int64_t ns = service_ns(d, m, s, full_ns);
    own[m] = (struct own){d->level[m].active_w * (double)ns * 1e-9, (double)(ns - full_ns) * 1e-9};
    for (uint32_t l = 0; l < d->nlevels; l++)
      oracle->nchoices[l][m] = siox__choices(&oracle->graph, l, m, gap, choices(oracle, l, m));
  }
  for (uint32_t k = 0; k < oracle->o.nprices; k++)
    extend(oracle, oracle->row + (size_t)k * d->nlevels, oracle->o.price[k],
           s->weight > 0 ? s->weight : 1, own);
}

int siox_oracle_serve(struct siox_oracle *oracle, const struct siox_oracle_service *s) {
  if (oracle->finished || s->ns < 0 || !(s->weight >= 0 && s->weight <= 1))
    return SIOX_EINVAL;
  for (uint32_t k = 0; k < oracle->o.nprices; k++)
    if (oracle->o.price[k] * (s->weight > 0 ? s->weight : 1) < oracle->greatest_w)
      return SIOX_ERANGE;
  const struct siox_drive *d = oracle->o.drive;
  int64_t ns = s->ns ? s->ns : siox_drive_service_ns(d, oracle->top, s->bytes, false);
  int64_t start = s->arrival > oracle->free ? s->arrival : oracle->free, end;
  if (ns < 0 || s->arrival < oracle->o.start || __builtin_add_overflow(start, ns, &end))
    return SIOX_EINVAL;
  struct siox__plan plan =
      siox__plan_gap(&oracle->graph, oracle->at, oracle->top, start - oracle->end);
  take_gap(oracle, &plan, start);
  add(oracle, d->level[oracle->top].active_w * (double)ns * 1e-9);
  if (oracle->o.nprices)
    price_it(oracle, s, ns, start - oracle->end);
  oracle->result.services++;
  oracle->at = oracle->top;
  oracle->end = oracle->free = end;
  return 0;
}

int siox_oracle_finish(struct siox_oracle *oracle, int64_t end, struct siox_oracle_result *result,
                       struct siox_oracle_point *point) {
  if (oracle->finished)
    return SIOX_EINVAL;
  end = end > oracle->end ? end : oracle->end;
  uint32_t n = oracle->o.drive->nlevels;
  struct siox__plan plan[SIOX_MAX_LEVELS];
  for (uint32_t l = 0; l < n; l++)
    plan[l] = siox__plan_end(&oracle->graph, l, oracle->o.end_level, end - oracle->end);
  if (isinf(plan[oracle->at].joules))
    return SIOX_EUNKNOWN;
  take_gap(oracle, &plan[oracle->at], end);
  for (uint32_t k = 0; point && k < oracle->o.nprices; k++) {
    const struct state *row = oracle->row + (size_t)k * n;
    point[k] = (struct siox_oracle_point){.cost = INFINITY};
    for (uint32_t l = 0; l < n; l++)
      if (row[l].cost + plan[l].joules < point[k].cost)
        point[k] = (struct siox_oracle_point){row[l].cost + plan[l].joules,
                                              row[l].joules + plan[l].joules, row[l].delay_s};
  }
  oracle->finished = true;
  *result = oracle->result;
  return 0;
}

int siox_oracle_prices(const struct siox_drive *const *drive, uint32_t ndisks, double least_weight,
                       double *price, uint32_t n) {
  /* Upwards of this a price hardly matters: a whole change saved by one request that waits half a
   * turn longer is some 10^4 times the idle watts. */
  const double span = 1e5;
  double least = 0;
  if (!ndisks || !n || !(least_weight > 0 && least_weight <= 1))
    return SIOX_EINVAL;
  for (uint32_t d = 0; d < ndisks; d++)
    for (uint32_t l = 0; l < drive[d]->nlevels; l++)
      least = fmax(least, drive[d]->level[l].idle_w);
  if (!(least > 0))
    return SIOX_EINVAL;
  least *= (1 + 1e-12) / least_weight; /* price * weight is not below it, however it is rounded */
  for (uint32_t k = 0; k < n; k++)
    price[k] = least * (n > 1 ? pow(span, (double)k / (n - 1)) : 1);
  return 0;
}

double siox_oracle_bound(const struct siox_oracle_point *sum, const double *price, uint32_t n,
                         double delay_s) {
  double most = 0; /* joules are never negative */
  for (uint32_t k = 0; k < n; k++)
    most = fmax(most, sum[k].cost - price[k] * delay_s);
  return most;
}
