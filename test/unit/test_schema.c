/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The schema's two dialects, and a database of version 1 that becomes one of today. */
#include "store/base.h"
#include "support.h"
#include <math.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[64];

static int with_file(void **state) {
  (void)state;
  strcpy(path, "/tmp/siox-schema-XXXXXX");
  int fd = mkstemp(path);
  if (fd < 0)
    return -1;
  close(fd);
  unlink(path);
  return 0;
}

static int without_file(void **state) {
  char beside[80];
  (void)state;
  for (const char *const *end = (const char *const[]){"", "-wal", "-shm", NULL}; *end; end++) {
    snprintf(beside, sizeof beside, "%s%s", path, *end);
    unlink(beside);
  }
  return 0;
}

static void execute(const char *sql) {
  sqlite3 *db;
  char *message = NULL;
  assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
  if (sqlite3_exec(db, sql, NULL, NULL, &message))
    fail_msg("%s: %s", sql, message);
  sqlite3_close(db);
}

/* The first value of the first row, as a number or a text. */
static double number(const char *sql) {
  sqlite3 *db;
  sqlite3_stmt *query;
  assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
  if (sqlite3_prepare_v2(db, sql, -1, &query, NULL) || sqlite3_step(query) != SQLITE_ROW)
    fail_msg("%s: %s", sql, sqlite3_errmsg(db));
  double value = sqlite3_column_double(query, 0);
  sqlite3_finalize(query);
  sqlite3_close(db);
  return value;
}

static void expect_insert(enum siox__row_kind kind, enum siox__dialect dialect, const char *text) {
  char *made = siox__schema_insert(kind, dialect);
  assert_string_equal(made, text);
  free(made);
}

static void a_row_of_a_table_with_a_key_does_not_come_twice(void **state) {
  (void)state;
  expect_insert(SIOX__ROW_JOB, SIOX__SQLITE,
                "INSERT INTO \"job\" (\"run\", \"job\", \"uid\", \"key\") VALUES (?1, ?2, ?3, ?4)"
                " ON CONFLICT DO NOTHING");
  expect_insert(SIOX__ROW_JOB, SIOX__POSTGRESQL,
                "INSERT INTO \"job\" (\"run\", \"job\", \"uid\", \"key\") VALUES ($1, $2, $3, $4)"
                " ON CONFLICT DO NOTHING");
}

static void a_row_that_replaces_changes_all_but_the_key(void **state) {
  (void)state;
  expect_insert(SIOX__ROW_LAYOUT, SIOX__POSTGRESQL,
                "INSERT INTO \"layout\" (\"node\", \"dev\", \"ino\", \"path\", \"layout\") VALUES"
                " ($1, $2, $3, $4, $5) ON CONFLICT (\"node\", \"dev\", \"ino\") DO UPDATE SET"
                " \"path\" = excluded.\"path\", \"layout\" = excluded.\"layout\"");
}

static void a_change_finds_its_row_by_the_key(void **state) {
  (void)state;
  expect_insert(SIOX__ROW_PROCESS_END, SIOX__SQLITE,
                "UPDATE \"process\" SET \"finish\" = ?3 WHERE \"run\" = ?1 AND \"client\" = ?2");
}

static void types_are_each_databases_own(void **state) {
  (void)state;
  char *lite = siox__schema_tables(SIOX__SQLITE), *post = siox__schema_tables(SIOX__POSTGRESQL);
  assert_non_null(strstr(lite, "CREATE TABLE IF NOT EXISTS \"total\" (\"run\" INTEGER, \"time\" "
                               "INTEGER, \"value\" REAL, \"name\" TEXT);"));
  assert_non_null(strstr(post, "CREATE TABLE IF NOT EXISTS \"total\" (\"run\" BIGINT, \"time\" "
                               "BIGINT, \"value\" DOUBLE PRECISION, \"name\" TEXT);"));
  free(lite);
  free(post);
}

static struct siox__base *opened(enum siox__base_use use) {
  struct siox__base *base;
  struct siox_diag diag;
  if (siox__base_open(&base, path, use, NULL, &diag) < 0)
    fail_msg("%s", diag.text);
  return base;
}

static int refused(enum siox__base_use use, struct siox_diag *diag) {
  struct siox__base *base;
  int r = siox__base_open(&base, path, use, NULL, diag);
  assert_null(base);
  return r;
}

static int take_count(void *context, const char *const *value) {
  *(int *)context = atoi(value[0]);
  return 0;
}

static int count(struct siox__base *base, const char *sql) {
  struct siox_diag diag;
  int n = -1;
  if (siox__base_query(base, sql, take_count, &n, NULL, &diag) < 0)
    fail_msg("%s: %s", sql, diag.text);
  return n;
}

/* A row of each kind with a value of its own in every column. */
static int64_t put_every_kind(struct siox__base *base) {
  struct siox_diag diag = {""};
  int64_t run = 0;
  char text[SIOX__ROW_TEXTS][16];
  assert_int_equal(siox__base_begin(base, &diag), 0);
  for (int kind = 0; kind < SIOX__ROW_KINDS; kind++) {
    struct siox__store_row row = {.kind = (enum siox__row_kind)kind};
    for (int i = 0; i < SIOX__ROW_NUMBERS; i++)
      row.number[i] = kind == SIOX__ROW_PROCESS_END ? 100 * SIOX__ROW_PROCESS + i : 100 * kind + i;
    for (int i = 0; i < SIOX__ROW_REALS; i++)
      row.real[i] = kind + i / 8.0;
    for (int i = 0; i < SIOX__ROW_TEXTS; i++) {
      snprintf(text[i], sizeof text[i], "%d'\"%d", kind, i);
      row.text[i] = text[i];
    }
    if (siox__base_put(base, &row, &run, &diag) < 0)
      fail_msg("%s: %s", siox__tables[kind].name, diag.text);
  }
  if (siox__base_commit(base, run, 1, &diag) < 0)
    fail_msg("%s", diag.text);
  return run;
}

/* The value that the column of a kind was given, as SQL; n, x, s: how many of each came before. */
static bool wanted(int kind, const struct siox__column *column, int64_t run, unsigned *n,
                   unsigned *x, unsigned *s, char value[32]) {
  switch (column->type) {
  case SIOX__COLUMN_NUMBER:
  case SIOX__COLUMN_MAYBE:
    snprintf(value, 32, "%d",
             100 * (siox__tables[kind].change ? (int)SIOX__ROW_PROCESS : kind) + (int)*n);
    ++*n;
    return true;
  case SIOX__COLUMN_REAL:
    snprintf(value, 32, "%g", kind + *x / 8.0);
    ++*x;
    return true;
  case SIOX__COLUMN_TEXT:
    snprintf(value, 32, "'%d''\"%u'", kind, *s);
    ++*s;
    return true;
  case SIOX__COLUMN_RUN:
  case SIOX__COLUMN_SERIAL:
    snprintf(value, 32, "%lld", (long long)run);
    return true;
  default:
    return false;
  }
}

static void every_kind_in(struct siox__base *base) {
  const int64_t run = put_every_kind(base);
  for (int kind = 0; kind < SIOX__ROW_KINDS; kind++) {
    const struct siox__table *t = &siox__tables[kind];
    unsigned n = 0, x = 0, s = 0;
    for (unsigned i = 0; i < t->ncolumns; i++) {
      char sql[256], value[32];
      if (!wanted(kind, &t->column[i], run, &n, &x, &s, value))
        continue;
      snprintf(sql, sizeof sql, "SELECT COUNT(*) FROM \"%s\" WHERE \"%s\" = %s", t->name,
               t->column[i].name, value);
      if (count(base, sql) != 1)
        fail_msg("%s", sql);
    }
    assert_int_equal(n, t->numbers);
    assert_int_equal(x, t->reals);
    assert_int_equal(s, t->texts);
  }
}

/* Limits that there are none of, and a value that is none. */
static void reals_without_bounds_in(struct siox__base *base) {
  struct siox_diag diag = {""};
  int64_t run = 1;
  const struct siox__store_row row = {.kind = SIOX__ROW_ANOMALY,
                                      .number = {1, SIOX__ROW_NONE, SIOX__ROW_NONE},
                                      .real = {NAN, -INFINITY, INFINITY},
                                      .text = {"node"}};
  assert_int_equal(siox__base_begin(base, &diag), 0);
  assert_int_equal(siox__base_put(base, &row, &run, &diag), 0);
  if (siox__base_commit(base, run, 2, &diag) < 0)
    fail_msg("%s", diag.text);
  assert_int_equal(count(base,
                         "SELECT COUNT(*) FROM v_anomaly WHERE level = 'node' AND job IS NULL "
                         "AND low < -1e308 AND high > 1e308 AND subject IS NULL"),
                   1);
}

static void every_kind_of_row_is_stored_in_its_columns(void **state) {
  (void)state;
  struct siox__base *base = opened(SIOX__BASE_WRITE);
  every_kind_in(base);
  reals_without_bounds_in(base);
  siox__base_close(base);
}

/* The same in what SIOX_TEST_DATABASE names: e2e/store.py starts a server. */
static void every_kind_of_row_is_stored_there(void **state) {
  (void)state;
  struct siox__base *base;
  struct siox_diag diag;
  if (siox__base_open(&base, getenv("SIOX_TEST_DATABASE"), SIOX__BASE_WRITE, NULL, &diag) < 0)
    fail_msg("%s", diag.text);
  every_kind_in(base);
  reals_without_bounds_in(base);
  siox__base_close(base);
}

static void what_may_be_missing_is_null(void **state) {
  (void)state;
  struct siox__base *base = opened(SIOX__BASE_WRITE);
  struct siox_diag diag;
  int64_t run = 7;
  const struct siox__store_row row = {.kind = SIOX__ROW_JOB_ENERGY,
                                      .number = {SIOX__ROW_NONE, 1},
                                      .real = {2.5, 1},
                                      .text = {"package"}};
  assert_int_equal(siox__base_begin(base, &diag), 0);
  assert_int_equal(siox__base_put(base, &row, &run, &diag), 0);
  assert_int_equal(siox__base_commit(base, 0, 0, &diag), 0);
  siox__base_close(base);
  assert_true(number("SELECT joules FROM job_energy WHERE run = 7 AND job IS NULL") == 2.5);
}

static void a_second_row_of_the_run_changes_it(void **state) {
  (void)state;
  struct siox__base *base = opened(SIOX__BASE_WRITE);
  struct siox_diag diag;
  int64_t run = 0;
  struct siox__store_row row = {.kind = SIOX__ROW_RUN, .number = {10, 20, 4}, .text = {"siox"}};
  assert_int_equal(siox__base_begin(base, &diag), 0);
  assert_int_equal(siox__base_put(base, &row, &run, &diag), 0);
  int64_t first = run;
  row.text[1] = "solver";
  row.number[0] = 11;
  assert_int_equal(siox__base_put(base, &row, &run, &diag), 0);
  assert_int_equal(siox__base_commit(base, 0, 0, &diag), 0);
  siox__base_close(base);
  assert_int_equal(run, first);
  assert_true(number("SELECT COUNT(*) FROM run") == 1);
  assert_true(number("SELECT start FROM run WHERE program = 'solver' AND policy = 'siox'") == 11);
}

/* What Siox made before there was a version 2. */
static const char version_1[] =
    "CREATE TABLE schema_version (version INTEGER NOT NULL);"
    "INSERT INTO schema_version VALUES (1);"
    "CREATE TABLE run (run INTEGER PRIMARY KEY, start INTEGER, wall_start INTEGER, ndisks INTEGER,"
    " time_scale REAL, policy TEXT, program TEXT);"
    "CREATE TABLE job (run INTEGER, job INTEGER, uid INTEGER, key TEXT, PRIMARY KEY (run, job));"
    "CREATE TABLE process (run INTEGER, client INTEGER, job INTEGER, rank INTEGER, size INTEGER,"
    " pid INTEGER, start INTEGER, finish INTEGER, program TEXT, PRIMARY KEY (run, client));"
    "CREATE TABLE layout (dev INTEGER, ino INTEGER, path TEXT, layout TEXT, PRIMARY KEY (dev, "
    "ino));"
    "CREATE TABLE statistic (run INTEGER, time INTEGER, value REAL, name TEXT);"
    "CREATE TABLE anomaly (run INTEGER, time INTEGER, job INTEGER, client INTEGER, site INTEGER,"
    " cause TEXT, detail TEXT);"
    "CREATE TABLE level (run INTEGER, disk INTEGER, start INTEGER, finish INTEGER, bytes INTEGER,"
    " job INTEGER, from_speed REAL, to_speed REAL, share REAL, joules REAL, state TEXT);"
    "CREATE INDEX level_of_disk ON level (run, disk);"
    "CREATE VIEW v_disk_energy AS SELECT run, disk, SUM(joules) AS joules,"
    " SUM(joules * (state = 'idle')) AS idle_j FROM level GROUP BY run, disk;"
    "CREATE VIEW v_job_energy AS SELECT l.run, l.job, j.key, j.uid, SUM(l.joules) AS joules FROM"
    " level l LEFT JOIN job j ON j.run = l.run AND j.job = l.job GROUP BY l.run, l.job;"
    "INSERT INTO run VALUES (1, 100, 200, 4, 1.0, 'siox', 'mxm');"
    "INSERT INTO job VALUES (1, 0, 1000, 'first');"
    "INSERT INTO layout VALUES (8, 9, '/s/a', '0:4:64K');"
    "INSERT INTO statistic VALUES (1, 300, 17, 'requests');"
    "INSERT INTO level VALUES (1, 0, 100, 200, 4096, 0, 1, 1, 1, 2.5, 'active');"
    "INSERT INTO level VALUES (1, 0, 200, 300, 0, NULL, 1, 1, 1, 1.5, 'idle');";

static void version_1_becomes_todays_with_its_rows(void **state) {
  (void)state;
  execute(version_1);
  siox__base_close(opened(SIOX__BASE_WRITE));
  assert_true(number("SELECT SUM(version) FROM schema_version") == SIOX__STORE_VERSION);
  assert_true(number("SELECT value FROM total WHERE name = 'requests'") == 17);
  assert_true(number("SELECT COUNT(*) FROM statistic") == 0);
  assert_true(number("SELECT COUNT(*) FROM layout WHERE node = '' AND ino = 9") == 1);
  assert_true(number("SELECT idle_j FROM v_disk_energy") == 1.5);
  assert_true(number("SELECT joules FROM v_job_energy WHERE key = 'first'") == 2.5);
  assert_true(number("SELECT disk_joules FROM v_job WHERE uid = 1000") == 2.5);
}

static void a_database_just_begun_of_version_1_is_migrated(void **state) {
  (void)state;
  execute("CREATE TABLE schema_version (version INTEGER NOT NULL); INSERT INTO schema_version "
          "VALUES (1)");
  siox__base_close(opened(SIOX__BASE_WRITE));
  assert_true(number("SELECT SUM(version) FROM schema_version") == SIOX__STORE_VERSION);
}

static void version_2_has_opens_then(void **state) {
  (void)state;
  siox__base_close(opened(SIOX__BASE_WRITE));
  execute("DROP TABLE opened; UPDATE schema_version SET version = 2;"
          "INSERT INTO total VALUES (1, 300, 17, 'requests')");
  siox__base_close(opened(SIOX__BASE_WRITE));
  assert_true(number("SELECT SUM(version) FROM schema_version") == SIOX__STORE_VERSION);
  assert_true(number("SELECT COUNT(*) FROM opened") == 0);
  assert_true(number("SELECT value FROM total") == 17);
}

/* The last view cannot be made, since an index has its name: nothing of the migration stays. */
static void a_migration_that_fails_leaves_version_1(void **state) {
  (void)state;
  struct siox_diag diag;
  execute(version_1);
  execute("CREATE INDEX v_activity ON job (uid)");
  double before = number("SELECT SUM(length(sql)) FROM sqlite_master");
  assert_int_equal(refused(SIOX__BASE_WRITE, &diag), SIOX_EIO);
  assert_true(number("SELECT SUM(length(sql)) FROM sqlite_master") == before);
  assert_true(number("SELECT version FROM schema_version") == 1);
  assert_true(number("SELECT value FROM statistic") == 17);
}

static void a_newer_version_is_refused_and_left_alone(void **state) {
  (void)state;
  struct siox_diag diag;
  execute("CREATE TABLE schema_version (version INTEGER); INSERT INTO schema_version VALUES (4)");
  assert_int_equal(refused(SIOX__BASE_WRITE, &diag), SIOX_EVERSION);
  assert_string_equal(diag.text, "schema version 4; this Siox knows up to 3: a newer one has "
                                 "written it, and a newer one is needed");
  assert_true(number("SELECT COUNT(*) FROM sqlite_master") == 1);
}

static void what_is_there_is_not_created_again(void **state) {
  (void)state;
  struct siox_diag diag;
  siox__base_close(opened(SIOX__BASE_CREATE));
  assert_int_equal(refused(SIOX__BASE_CREATE, &diag), SIOX_EEXIST);
}

static void what_is_not_there_is_not_migrated(void **state) {
  (void)state;
  struct siox_diag diag;
  refused(SIOX__BASE_MIGRATE, &diag);
  assert_int_equal(access(path, F_OK), -1);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, with_file, without_file)
int main(void) {
  const struct CMUnitTest there[] = {cmocka_unit_test(every_kind_of_row_is_stored_there)};
  if (getenv("SIOX_TEST_DATABASE"))
    return cmocka_run_group_tests(there, NULL, NULL);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_row_of_a_table_with_a_key_does_not_come_twice),
      cmocka_unit_test(a_row_that_replaces_changes_all_but_the_key),
      cmocka_unit_test(a_change_finds_its_row_by_the_key),
      cmocka_unit_test(types_are_each_databases_own),
      CASE(every_kind_of_row_is_stored_in_its_columns),
      CASE(what_may_be_missing_is_null),
      CASE(a_second_row_of_the_run_changes_it),
      CASE(version_1_becomes_todays_with_its_rows),
      CASE(version_2_has_opens_then),
      CASE(a_database_just_begun_of_version_1_is_migrated),
      CASE(a_migration_that_fails_leaves_version_1),
      CASE(a_newer_version_is_refused_and_left_alone),
      CASE(what_is_there_is_not_created_again),
      CASE(what_is_not_there_is_not_migrated),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
