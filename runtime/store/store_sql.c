/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The schema and its statements. Each table is written once, in TABLES: its definition and how a
 * row becomes one. Keys are as in the trace (job and client numbers of one run); the views are the
 * stable part. Version 1. */
#include "store/store.h"
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char schema[] =
    "CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL);"
    "INSERT INTO schema_version SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM schema_version);"
    /* times are ns of CLOCK_MONOTONIC, wall_start ns of CLOCK_REALTIME */
    "CREATE TABLE IF NOT EXISTS run (run INTEGER PRIMARY KEY, start INTEGER, wall_start INTEGER, "
    "ndisks INTEGER,"
    " time_scale REAL, policy TEXT, program TEXT);"
    "CREATE TABLE IF NOT EXISTS job (run INTEGER, job INTEGER, uid INTEGER, key TEXT, PRIMARY KEY "
    "(run, job));"
    "CREATE TABLE IF NOT EXISTS process (run INTEGER, client INTEGER, job INTEGER, rank INTEGER, "
    "size INTEGER,"
    " pid INTEGER, start INTEGER, finish INTEGER, program TEXT, PRIMARY KEY (run, client));"
    "CREATE TABLE IF NOT EXISTS site (run INTEGER, site INTEGER, line INTEGER, col INTEGER, file "
    "TEXT, function TEXT,"
    " call TEXT, PRIMARY KEY (run, site));"
    "CREATE TABLE IF NOT EXISTS disk (run INTEGER, disk INTEGER, initial_speed INTEGER, profile "
    "TEXT,"
    " PRIMARY KEY (run, disk));"
    "CREATE TABLE IF NOT EXISTS layout (dev INTEGER, ino INTEGER, path TEXT, layout TEXT, PRIMARY "
    "KEY (dev, ino));"
    "CREATE TABLE IF NOT EXISTS activity (run INTEGER, client INTEGER, thread INTEGER, start "
    "INTEGER, finish INTEGER,"
    " file INTEGER, offset INTEGER, bytes INTEGER, site INTEGER, coll_uid INTEGER, coll_seq "
    "INTEGER, op INTEGER,"
    " result INTEGER, layer TEXT);"
    "CREATE TABLE IF NOT EXISTS statistic (run INTEGER, time INTEGER, value REAL, name TEXT);"
    "CREATE TABLE IF NOT EXISTS anomaly (run INTEGER, time INTEGER, job INTEGER, client INTEGER, "
    "site INTEGER,"
    " cause TEXT, detail TEXT);"
    /* what each disk did; job NULL: unattributed; several rows share one stretch of time when jobs
       share its joules */
    "CREATE TABLE IF NOT EXISTS level (run INTEGER, disk INTEGER, start INTEGER, finish INTEGER, "
    "bytes INTEGER,"
    " job INTEGER, from_speed REAL, to_speed REAL, share REAL, joules REAL, state TEXT);"
    "CREATE TABLE IF NOT EXISTS claim (run INTEGER, client INTEGER, time INTEGER, seq INTEGER, "
    "first_disk INTEGER,"
    " count INTEGER, speed INTEGER, flag INTEGER, need_by INTEGER, until INTEGER, site INTEGER);"
    "CREATE INDEX IF NOT EXISTS level_of_disk ON level (run, disk);"
    "CREATE INDEX IF NOT EXISTS activity_of_client ON activity (run, client, start);"
    "CREATE VIEW IF NOT EXISTS v_disk_energy AS SELECT run, disk, SUM(joules) AS joules,"
    " SUM(joules * (state = 'idle')) AS idle_j, SUM(joules * (state = 'active')) AS active_j,"
    " SUM(joules * (state = 'up')) AS up_j, SUM(joules * (state = 'down')) AS down_j FROM level "
    "GROUP BY run, disk;"
    "CREATE VIEW IF NOT EXISTS v_job_energy AS SELECT l.run, l.job, j.key, j.uid, SUM(l.joules) AS "
    "joules"
    " FROM level l LEFT JOIN job j ON j.run = l.run AND j.job = l.job GROUP BY l.run, l.job;";

/* How a row of a kind is written: `run` is bound first unless the table has none; then numbers,
 * reals, texts. */
static const struct table {
  const char *insert;
  int numbers, reals, texts, has_run;
} tables[] = {
    [SIOX__ROW_RUN] = {"INSERT INTO run (start, wall_start, ndisks, time_scale, policy, program) "
                       "VALUES (?,?,?,?,?,?)",
                       3, 1, 2, 0},
    [SIOX__ROW_JOB] = {"INSERT OR IGNORE INTO job VALUES (?,?,?,?)", 2, 0, 1, 1},
    [SIOX__ROW_PROCESS] =
        {"INSERT OR IGNORE INTO process (run, client, job, rank, size, pid, start, program) "
         "VALUES (?,?,?,?,?,?,?,?)",
         6, 0, 1, 1},
    [SIOX__ROW_PROCESS_END] = {"UPDATE process SET finish = ?3 WHERE run = ?1 AND client = ?2", 2,
                               0, 0, 1},
    [SIOX__ROW_SITE] = {"INSERT OR IGNORE INTO site VALUES (?,?,?,?,?,?,?)", 3, 0, 3, 1},
    [SIOX__ROW_DISK] = {"INSERT OR IGNORE INTO disk VALUES (?,?,?,?)", 2, 0, 1, 1},
    [SIOX__ROW_LAYOUT] = {"INSERT OR REPLACE INTO layout VALUES (?,?,?,?)", 2, 0, 2, 0},
    [SIOX__ROW_ACTIVITY] = {"INSERT INTO activity VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)", 12, 0, 1,
                            1},
    [SIOX__ROW_LEVEL] = {"INSERT INTO level VALUES (?,?,?,?,?,NULLIF(?,4294967295),?,?,?,?,?)", 5,
                         4, 1, 1},
    [SIOX__ROW_CLAIM] = {"INSERT INTO claim VALUES (?,?,?,?,?,?,?,?,?,?,?)", 10, 0, 0, 1},
    [SIOX__ROW_STATISTIC] = {"INSERT INTO statistic VALUES (?,?,?,?)", 1, 1, 1, 1},
};
enum { TABLES = sizeof tables / sizeof *tables };

struct siox__sql {
  sqlite3 *db;
  sqlite3_stmt *insert[TABLES];
};

static int fail(struct siox__sql *sql, struct siox_diag *diag) {
  snprintf(diag->text, sizeof diag->text, "%s",
           sql->db ? sqlite3_errmsg(sql->db) : "out of memory");
  return SIOX_EIO;
}

static int check_version(struct siox__sql *sql, struct siox_diag *diag) {
  sqlite3_stmt *query = NULL;
  int version = -1;
  if (sqlite3_prepare_v2(sql->db, "SELECT MAX(version) FROM schema_version", -1, &query, NULL) ==
          SQLITE_OK &&
      sqlite3_step(query) == SQLITE_ROW)
    version = sqlite3_column_int(query, 0);
  sqlite3_finalize(query);
  if (version == SIOX__STORE_VERSION)
    return 0;
  snprintf(diag->text, sizeof diag->text, "schema version %d, this Siox writes %d", version,
           SIOX__STORE_VERSION);
  return SIOX_EVERSION;
}

int siox__sql_open(struct siox__sql **out, const char *path, struct siox_diag *diag) {
  struct siox__sql *sql = calloc(1, sizeof *sql);
  if (!sql) {
    snprintf(diag->text, sizeof diag->text, "out of memory");
    return SIOX_ENOMEM;
  }
  int r = 0;
  if (sqlite3_open_v2(path, &sql->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) !=
      SQLITE_OK)
    r = fail(sql, diag);
  if (r == 0) {
    sqlite3_busy_timeout(sql->db, 500);
    if (sqlite3_exec(sql->db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;", NULL, NULL,
                     NULL) ||
        sqlite3_exec(sql->db, schema, NULL, NULL, NULL))
      r = fail(sql, diag);
  }
  if (r == 0)
    r = check_version(sql, diag);
  for (int i = 0; i < TABLES && r == 0; i++)
    if (sqlite3_prepare_v3(sql->db, tables[i].insert, -1, SQLITE_PREPARE_PERSISTENT,
                           &sql->insert[i], NULL))
      r = fail(sql, diag);
  if (r < 0)
    siox__sql_close(sql);
  else
    *out = sql;
  return r;
}

void siox__sql_close(struct siox__sql *sql) {
  for (int i = 0; i < TABLES; i++)
    sqlite3_finalize(sql->insert[i]);
  sqlite3_close(sql->db);
  free(sql);
}

static int write_row(struct siox__sql *sql, const struct siox__store_row *row, int64_t *run) {
  const struct table *t = &tables[row->kind];
  sqlite3_stmt *insert = sql->insert[row->kind];
  int at = 1;
  if (t->has_run)
    sqlite3_bind_int64(insert, at++, *run);
  for (int i = 0; i < t->numbers; i++)
    sqlite3_bind_int64(insert, at++, row->number[i]);
  for (int i = 0; i < t->reals; i++)
    sqlite3_bind_double(insert, at++, row->real[i]);
  for (int i = 0; i < t->texts; i++)
    sqlite3_bind_text(insert, at++, row->text[i], -1, SQLITE_STATIC);
  int r = sqlite3_step(insert);
  sqlite3_reset(insert);
  if (r == SQLITE_DONE && row->kind == SIOX__ROW_RUN)
    *run = sqlite3_last_insert_rowid(sql->db);
  return r == SQLITE_DONE ? 0 : SIOX_EIO;
}

int siox__sql_write(struct siox__sql *sql, const struct siox__store_row *rows, uint32_t count,
                    int64_t *run, struct siox_diag *diag) {
  int64_t before = *run;
  int r = sqlite3_exec(sql->db, "BEGIN IMMEDIATE", NULL, NULL, NULL) ? SIOX_EIO : 0;
  for (uint32_t i = 0; i < count && r == 0; i++)
    r = write_row(sql, &rows[i], run);
  if (r == 0 && sqlite3_exec(sql->db, "COMMIT", NULL, NULL, NULL))
    r = SIOX_EIO;
  if (r < 0) {
    fail(sql, diag);
    sqlite3_exec(sql->db, "ROLLBACK", NULL, NULL, NULL);
    *run = before;
  }
  return r;
}
