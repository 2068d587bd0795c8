/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In the SQL that both databases share. A time of the wall becomes one of a run's clock by what the
 * two were when the run began. */
#include "store/maintain.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int64_t lengths[] = {
#define SIOX_REDUCTION(name, text, ns, kept) INT64_C(ns),
#include "siox/reductions.def"
#undef SIOX_REDUCTION
};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

/* One statement: its first value, or how many rows it changed. */
static int ask(struct siox__base *base, int64_t *number, int64_t *changed, struct siox_diag *diag,
               const char *format, ...) __attribute__((format(printf, 5, 6)));
static int ask(struct siox__base *base, int64_t *number, int64_t *changed, struct siox_diag *diag,
               const char *format, ...) {
  char sql[1536];
  va_list list;
  va_start(list, format);
  const int n = vsnprintf(sql, sizeof sql, format, list);
  va_end(list);
  if (n >= (int)sizeof sql)
    return SIOX_ERANGE;
  return siox__base_query(base, sql, number ? siox__base_take_number : NULL, number, changed, diag);
}

/* ended: what the last function of the transaction said. */
static int end(struct siox__base *base, int ended, struct siox_diag *diag) {
  return ended < 0 ? ended : siox__base_commit(base, 0, 0, diag);
}

static int roll(struct siox__base *base, struct siox__rolled *step, int64_t last_ns, int64_t before,
                struct siox_diag *diag) {
  const long long from = step->from_ns, to = step->to_ns, last = last_ns, wall = before;
  /* Only whole intervals of the last length, so that none is made of a part and then made again. */
  int r = ask(base, NULL, &step->made, diag,
              "INSERT INTO statistic (run, series, length, start, samples, seconds, min, max, "
              "average, sum) SELECT s.run, s.series, %lld, s.start / %lld * %lld, SUM(s.samples), "
              "SUM(s.seconds), MIN(s.min), MAX(s.max), SUM(s.average * s.seconds) / "
              "SUM(s.seconds), SUM(s.sum) FROM statistic s JOIN run r ON r.run = s.run WHERE "
              "s.length = %lld AND s.start < (%lld - r.wall_start + r.start) / %lld * %lld AND NOT "
              "EXISTS (SELECT 1 FROM statistic t WHERE t.run = s.run AND t.series = s.series AND "
              "t.length = %lld AND t.start = s.start / %lld * %lld) GROUP BY s.run, s.series, "
              "s.start / %lld * %lld",
              to, to, to, from, wall, last, last, to, to, to, to, to);
  if (r == 0)
    r = ask(base, NULL, &step->rows, diag,
            "DELETE FROM statistic WHERE length = %lld AND start < (SELECT (%lld - r.wall_start + "
            "r.start) / %lld * %lld FROM run r WHERE r.run = statistic.run)",
            from, wall, last, last);
  return r;
}

int siox__store_rollup(struct siox__base *base, int64_t to_ns, int64_t before,
                       void (*each)(void *context, const struct siox__rolled *step), void *context,
                       struct siox_diag *diag) {
  struct siox__rolled step[LENGTHS];
  int r = siox__base_begin(base, diag), n = 0;
  for (int l = 0; r == 0 && l + 1 < LENGTHS && lengths[l] < to_ns; l++) {
    step[n] = (struct siox__rolled){.from_ns = lengths[l], .to_ns = lengths[l + 1]};
    r = roll(base, &step[n++], to_ns, before, diag);
  }
  r = end(base, r, diag);
  for (int i = 0; i < n && r == 0; i++)
    each(context, &step[i]);
  return r;
}

/* Tables whose rows have a time, and when a row's was over. */
static const struct {
  const char *table, *over;
} timed[] = {
    {"activity", "finish"}, {"level", "finish"},
    {"claim", "time"},      {"statistic", "start + length"},
    {"anomaly", "time"},    {"cycle", "time"},
    {"opened", "time"},
};
enum { TIMED = sizeof timed / sizeof *timed };

/* Runs that are over and have nothing left; the condition of a subquery. */
static int old_runs(char *sql, size_t size, int64_t before) {
  int n =
      snprintf(sql, size,
               "SELECT r.run FROM run r WHERE r.wall_start < %lld AND r.run NOT IN (SELECT "
               "MAX(run) FROM run GROUP BY node) AND NOT EXISTS (SELECT 1 FROM process p WHERE "
               "p.run = r.run AND COALESCE(p.finish, p.start) >= %lld - r.wall_start + r.start)",
               (long long)before, (long long)before);
  for (int i = 0; i < TIMED && n < (int)size; i++)
    n += snprintf(sql + n, size - (size_t)n,
                  " AND NOT EXISTS (SELECT 1 FROM %s t WHERE t.run = r.run AND t.%s >= %lld - "
                  "r.wall_start + r.start)",
                  timed[i].table, timed[i].over, (long long)before);
  return n < (int)size ? 0 : SIOX_ERANGE;
}

static int is_timed(const char *table) {
  for (int i = 0; i < TIMED; i++)
    if (!strcmp(timed[i].table, table))
      return 1;
  return 0;
}

struct purging {
  struct siox__base *base;
  const struct siox__purge *how;
  void (*each)(void *context, const char *table, int64_t rows);
  void *context;
  int64_t rows[SIOX__ROW_KINDS];
};

/* Deletes or counts the rows of a table for which the condition holds. */
static int purge_where(struct purging *p, enum siox__row_kind kind, const char *condition,
                       struct siox_diag *diag) {
  const char *table = siox__tables[kind].name;
  char sql[2048];
  int64_t rows = 0;
  snprintf(sql, sizeof sql,
           p->how->dry ? "SELECT COUNT(*) FROM %s WHERE %s" : "DELETE FROM %s WHERE %s", table,
           condition);
  int r = p->how->dry ? siox__base_query(p->base, sql, siox__base_take_number, &rows, NULL, diag)
                      : siox__base_query(p->base, sql, NULL, NULL, &rows, diag);
  p->rows[kind] += rows;
  return r;
}

static int purge_tables(struct purging *p, struct siox_diag *diag) {
  char old[1536], condition[1600];
  int r = old_runs(old, sizeof old, p->how->before);
  snprintf(condition, sizeof condition, "run IN (%s)", old);
  /* Whole runs first, while what tells their end is there; the run itself last. */
  for (int i = SIOX__ROW_KINDS - 1; i >= 0 && r == 0 && p->how->runs; i--)
    if (!siox__tables[i].change && i != SIOX__ROW_LAYOUT && !is_timed(siox__tables[i].name) &&
        i != SIOX__ROW_PROCESS && i != SIOX__ROW_RUN)
      r = purge_where(p, (enum siox__row_kind)i, condition, diag);
  if (r == 0 && p->how->runs)
    r = purge_where(p, SIOX__ROW_PROCESS, condition, diag);
  for (int k = 0; k < TIMED && r == 0; k++)
    for (int i = 0; i < SIOX__ROW_KINDS && r == 0; i++) {
      if (siox__tables[i].change || strcmp(siox__tables[i].name, timed[k].table))
        continue;
      char over[256];
      snprintf(over, sizeof over,
               "%s < (SELECT %lld - r.wall_start + r.start FROM run r WHERE r.run = %s.run)",
               timed[k].over, (long long)p->how->before, timed[k].table);
      r = purge_where(p, (enum siox__row_kind)i, over, diag);
    }
  if (r == 0 && p->how->runs)
    r = purge_where(p, SIOX__ROW_RUN, condition, diag);
  return r;
}

int siox__store_purge(struct siox__base *base, const struct siox__purge *purge,
                      void (*each)(void *context, const char *table, int64_t rows), void *context,
                      struct siox_diag *diag) {
  struct purging p = {base, purge, each, context, {0}};
  int r = siox__base_begin(base, diag);
  if (r == 0)
    r = purge_tables(&p, diag);
  r = end(base, r, diag);
  for (int i = 0; i < SIOX__ROW_KINDS && r == 0; i++)
    if (p.rows[i] > 0)
      each(context, siox__tables[i].name, p.rows[i]);
  return r;
}

static int count_bytes(struct siox__base *base, int64_t *bytes, struct siox_diag *diag) {
  if (base->type->dialect == SIOX__POSTGRESQL)
    return ask(
        base, bytes, NULL, diag,
        "SELECT SUM(pg_total_relation_size(c.oid)) FROM pg_class c WHERE c.relkind = 'r' AND "
        "c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = "
        "to_regclass('schema_version'))");
  int64_t pages = 0, size = 0;
  int r = ask(base, &pages, NULL, diag, "PRAGMA page_count");
  if (r == 0)
    r = ask(base, &size, NULL, diag, "PRAGMA page_size");
  *bytes = pages * size;
  return r;
}

int siox__store_info(struct siox__base *base, struct siox__store_info *info,
                     void (*each)(void *context, const char *table, int64_t rows), void *context,
                     struct siox_diag *diag) {
  *info = (struct siox__store_info){0};
  info->version = siox__schema_version(base, diag);
  int r = info->version < 0 ? info->version : 0;
  for (int i = 0; i < SIOX__ROW_KINDS && r == 0; i++) {
    const char *table = siox__tables[i].name;
    int64_t rows = 0;
    int there = siox__tables[i].change ? 0 : base->type->has_table(base, table, diag);
    r = there < 0 ? there : 0;
    if (there > 0)
      r = ask(base, &rows, NULL, diag, "SELECT COUNT(*) FROM %s", table);
    if (r == 0 && there > 0)
      each(context, table, rows);
    if (i == SIOX__ROW_RUN)
      info->runs = rows;
  }
  if (r == 0)
    r = count_bytes(base, &info->bytes, diag);
  if (r == 0 && info->runs > 0)
    r = ask(base, &info->oldest, NULL, diag, "SELECT MIN(wall_start) FROM run");
  if (r == 0 && info->runs > 0)
    r = ask(base, &info->newest, NULL, diag, "SELECT MAX(wall_start) FROM run");
  for (int i = 0; i < TIMED && r == 0 && info->version == SIOX__STORE_VERSION; i++) {
    int64_t newest = 0;
    r = ask(base, &newest, NULL, diag,
            "SELECT MAX(r.wall_start - r.start + t.newest) FROM run r JOIN (SELECT run, MAX(%s) AS "
            "newest FROM %s GROUP BY run) t ON t.run = r.run",
            timed[i].over, timed[i].table);
    info->newest = newest > info->newest ? newest : info->newest;
  }
  return r;
}
