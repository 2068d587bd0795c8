/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* siox db rollup and purge: what is old is kept shorter, or not at all. */
#include "common/clock.h"
#include "db.h"
#include "siox/reductions.h"
#include "store/maintain.h"

#define HOUR INT64_C(3600000000000)

struct rolling {
  json_t *list;
  int64_t rows, made;
};

static void take_step(void *context, const struct siox__rolled *step) {
  struct rolling *all = context;
  all->rows += step->rows;
  all->made += step->made;
  if (step->rows > 0)
    json_array_append_new(all->list,
                          json_pack("{s:f, s:f, s:I, s:I}", "from_s", 1e-9 * (double)step->from_ns,
                                    "to_s", 1e-9 * (double)step->to_ns, "rows",
                                    (json_int_t)step->rows, "made", (json_int_t)step->made));
}

int siox__db_rollup(struct siox__db *db) {
  static const struct {
    enum siox_reduction to;
    int64_t older;
  } usual[] = {{SIOX_REDUCTION_1S, HOUR},
               {SIOX_REDUCTION_10S, 24 * HOUR},
               {SIOX_REDUCTION_1MIN, 7 * 24 * HOUR},
               {SIOX_REDUCTION_10MIN, 90 * 24 * HOUR}};
  struct rolling all = {json_array(), 0, 0};
  struct siox_diag diag = {""};
  if (!siox__db_open(db, SIOX__BASE_MIGRATE)) {
    json_decref(all.list);
    return 1;
  }
  const int64_t now = siox__wall_ns();
  int r = 0;
  if (db->older >= 0)
    r = siox__store_rollup(db->base, db->to ? db->to : siox_reduction_ns(SIOX_NREDUCTIONS - 1),
                           now - db->older, take_step, &all, &diag);
  /* The oldest first: what becomes 10 min at once need not become 1 s before. */
  for (int i = sizeof usual / sizeof *usual - 1; i >= 0 && db->older < 0 && r == 0; i--)
    r = siox__store_rollup(db->base, siox_reduction_ns(usual[i].to), now - usual[i].older,
                           take_step, &all, &diag);
  if (r == 0 && db->json) {
    siox__db_print(json_pack("{s:s, s:I, s:I, s:O}", "place", db->name, "rows",
                             (json_int_t)all.rows, "made", (json_int_t)all.made, "steps",
                             all.list));
  } else if (r == 0) {
    for (size_t i = 0; i < json_array_size(all.list); i++) {
      const json_t *o = json_array_get(all.list, i);
      printf("%lld intervals of %g s became %lld of %g s\n",
             (long long)json_integer_value(json_object_get(o, "rows")),
             json_number_value(json_object_get(o, "from_s")),
             (long long)json_integer_value(json_object_get(o, "made")),
             json_number_value(json_object_get(o, "to_s")));
    }
    if (!all.rows)
      puts("nothing is old enough");
  }
  json_decref(all.list);
  return r < 0 ? siox__db_fail(db, r, &diag) : 0;
}

struct purged {
  json_t *tables;
  int64_t rows;
};

static void take_table(void *context, const char *table, int64_t rows) {
  struct purged *all = context;
  json_object_set_new(all->tables, table, json_integer((json_int_t)rows));
  all->rows += rows;
}

int siox__db_purge(struct siox__db *db) {
  struct purged all = {json_object(), 0};
  struct siox_diag diag = {""};
  const struct siox__purge how = {siox__wall_ns() - db->older, db->runs, db->dry_run};
  int status = 1;
  if (siox__db_open(db, SIOX__BASE_MIGRATE)) {
    int r = siox__store_purge(db->base, &how, take_table, &all, &diag);
    status = r < 0 ? siox__db_fail(db, r, &diag) : 0;
  }
  if (status == 0 && db->json) {
    siox__db_print(json_pack("{s:s, s:b, s:I, s:O}", "place", db->name, "dry_run", db->dry_run,
                             "rows", (json_int_t)all.rows, "tables", all.tables));
  } else if (status == 0) {
    const char *table;
    json_t *rows;
    json_object_foreach(all.tables, table, rows)
        printf("%-14s %lld\n", table, (long long)json_integer_value(rows));
    printf("%lld rows %s\n", (long long)all.rows, db->dry_run ? "would be deleted" : "deleted");
  }
  json_decref(all.tables);
  return status;
}
