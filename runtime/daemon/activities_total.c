/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What processes did, added up: of one, and of a job with those that left. */
#include "common/clock.h"
#include "daemon/activities_internal.h"
#include "siox/error.h"
#include <stdlib.h>

static void add_sums(struct siox__sums *to, const struct siox_tally_sum *s) {
  siox__tally_grow(&to->calls, s->calls);
  siox__tally_grow(&to->bytes, s->bytes);
  siox__tally_grow(&to->errors, s->errors);
  siox__tally_grow(&to->total_ns, s->total_ns);
  if (s->longest_ns > to->longest_ns)
    to->longest_ns = s->longest_ns;
}

/* All that a process did, by row. */
static void add_all(const struct siox__tallied *p, struct siox__sums *by_row,
                    struct siox__left_out *left_out) {
  unsigned at = 0, row, size_class;
  struct siox_tally_sum sum;
  while (siox__tally_next(p->tally, &at, &row, &size_class, &sum))
    add_sums(&by_row[row], &sum);
  siox__tally_grow(&left_out->partial,
                   atomic_load_explicit(&p->tally->partial, memory_order_relaxed));
  siox__tally_grow(&left_out->unshown,
                   atomic_load_explicit(&p->tally->unshown, memory_order_relaxed));
}

void siox__activities_each(struct siox__activities *a, const struct siox__tallied *p,
                           void (*each)(void *context, unsigned row, unsigned size_class,
                                        const struct siox_tally_sum *sum),
                           void *context) {
  pthread_mutex_lock(&a->lock);
  unsigned at = 0, row, size_class;
  struct siox_tally_sum sum;
  while (p->tally && siox__tally_next(p->tally, &at, &row, &size_class, &sum))
    if (sum.calls > 0)
      each(context, row, size_class, &sum);
  pthread_mutex_unlock(&a->lock);
}

/* What one process did, for how it differs from the others of its job. */
static void spread(const struct siox__tallied *p, struct siox__spread *to) {
  double f[SIOX__NFIGURES] = {0};
  unsigned at = 0, row, size_class;
  struct siox_tally_sum sum;
  while (siox__tally_next(p->tally, &at, &row, &size_class, &sum)) {
    const bool mpiio = row < SIOX_NCALLS;
    const double longest = 1e-9 * (double)sum.longest_ns;
    f[mpiio ? SIOX__FIGURE_mpiio_seconds : SIOX__FIGURE_posix_seconds] +=
        1e-9 * (double)sum.total_ns;
    f[mpiio ? SIOX__FIGURE_mpiio_bytes : SIOX__FIGURE_posix_bytes] += (double)sum.bytes;
    f[SIOX__FIGURE_calls] += (double)sum.calls;
    f[SIOX__FIGURE_errors] += (double)sum.errors;
    if (longest > f[SIOX__FIGURE_longest_seconds])
      f[SIOX__FIGURE_longest_seconds] = longest;
  }
  f[SIOX__FIGURE_seconds] = 1e-9 * (double)(siox__now_ns() - p->came_ns);
  siox__spread_add(to, p->rank, p->pid, f);
}

void siox__active_job_keep(struct siox__active_job *job, const struct siox__tallied *p) {
  struct siox__sums *by_row = calloc(SIOX_TALLY_ROWS, sizeof *by_row);
  if (!by_row)
    return;
  add_all(p, by_row, &job->left_out);
  spread(p, &job->spread);
  for (uint32_t i = 0; i < job->nrows; i++) {
    const struct siox__sums *s = &job->row[i].sums;
    add_sums(
        &by_row[job->row[i].row],
        &(struct siox_tally_sum){s->calls, s->bytes, s->total_ns, s->errors, s->longest_ns, {0}});
  }
  uint32_t n = 0;
  for (unsigned r = 0; r < SIOX_TALLY_ROWS; r++)
    n += by_row[r].calls > 0;
  struct siox__active_row *rows = n ? malloc(n * sizeof *rows) : NULL;
  if (rows) {
    free(job->row);
    job->row = rows;
    job->nrows = 0;
    for (unsigned r = 0; r < SIOX_TALLY_ROWS; r++)
      if (by_row[r].calls > 0)
        rows[job->nrows++] = (struct siox__active_row){(uint16_t)r, by_row[r]};
  }
  free(by_row);
}

int siox__activities_totals(struct siox__activities *a, uint32_t serial,
                            struct siox__activity_total **totals, size_t *ntotals,
                            struct siox__left_out *left_out) {
  struct siox__sums *by_row = calloc(SIOX_TALLY_ROWS, sizeof *by_row);
  struct siox__activity_total *list = calloc(SIOX_TALLY_ROWS, sizeof *list);
  size_t n = 0;
  *totals = NULL;
  *ntotals = 0;
  *left_out = (struct siox__left_out){0};
  if (!by_row || !list) {
    free(by_row);
    free(list);
    return SIOX_ENOMEM;
  }
  pthread_mutex_lock(&a->lock);
  const struct siox__active_job *job = *siox__active_job(a, serial);
  if (job) {
    *left_out = job->left_out;
    for (uint32_t i = 0; i < job->nrows; i++)
      by_row[job->row[i].row] = job->row[i].sums;
    for (const struct siox__tallied *p = job->processes; p; p = p->sibling)
      add_all(p, by_row, left_out);
  }
  pthread_mutex_unlock(&a->lock);
  for (unsigned r = 0; r < SIOX_TALLY_ROWS; r++)
    if (by_row[r].calls > 0)
      list[n++] = (struct siox__activity_total){.layer = siox__row_layer(r),
                                                .call = siox__row_name(r),
                                                .calls = by_row[r].calls,
                                                .bytes = by_row[r].bytes,
                                                .errors = by_row[r].errors,
                                                .seconds = 1e-9 * (double)by_row[r].total_ns,
                                                .longest_s = 1e-9 * (double)by_row[r].longest_ns};
  free(by_row);
  *totals = list;
  *ntotals = n;
  return 0;
}

json_t *siox__activities_processes(struct siox__activities *a, uint32_t serial) {
  struct siox__spread all = {0};
  pthread_mutex_lock(&a->lock);
  const struct siox__active_job *job = *siox__active_job(a, serial);
  if (job) {
    all = job->spread;
    for (const struct siox__tallied *p = job->processes; p; p = p->sibling)
      spread(p, &all);
  }
  pthread_mutex_unlock(&a->lock);
  return siox__spread_json(&all);
}

static json_t *whole(uint64_t x) { return json_integer(x > INT64_MAX ? INT64_MAX : (json_int_t)x); }

json_t *siox__activities_json(struct siox__activities *a, uint32_t job) {
  struct siox__activity_total *total;
  size_t n;
  struct siox__left_out left_out;
  if (siox__activities_totals(a, job, &total, &n, &left_out) < 0)
    return json_null();
  json_t *list = json_array();
  for (size_t i = 0; i < n; i++)
    json_array_append_new(list,
                          json_pack("{s:s, s:s, s:o, s:o, s:o, s:f, s:f}", "layer", total[i].layer,
                                    "call", total[i].call, "calls", whole(total[i].calls), "bytes",
                                    whole(total[i].bytes), "errors", whole(total[i].errors),
                                    "seconds", total[i].seconds, "longest", total[i].longest_s));
  free(total);
  return json_pack("{s:o, s:o, s:o}", "kinds", list, "partial", whole(left_out.partial), "unshown",
                   whole(left_out.unshown));
}
