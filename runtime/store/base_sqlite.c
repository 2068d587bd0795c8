/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* SQLite: a file, with a write-ahead log beside it. */
#include "store/base.h"
#include <fcntl.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATIENCE_MS = 500 }; /* for another one that writes, unless it is waited for for ever */

struct sqlite {
  struct siox__base base;
  sqlite3 *db;
  sqlite3_stmt *insert[SIOX__ROW_KINDS], *change_run;
};

static int fail(struct sqlite *b, struct siox_diag *diag) {
  snprintf(diag->text, sizeof diag->text, "%s", b->db ? sqlite3_errmsg(b->db) : "out of memory");
  return SIOX_EIO;
}

static int prepare(struct sqlite *b, char *text, sqlite3_stmt **statement, struct siox_diag *diag) {
  int r = text ? 0 : SIOX_ENOMEM;
  if (r == 0 && sqlite3_prepare_v3(b->db, text, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL))
    r = fail(b, diag);
  free(text);
  return r;
}

/* A new file is its owner's and group's: what is stored tells of all users, and meters read often
 * tell more than others may know (daemon/monitor.h). */
static void make_file(const char *where) {
  int fd = *where == ':' ? -1 : open(where, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
  if (fd >= 0)
    close(fd);
}

static int sqlite_open(struct siox__base **out, const char *where, enum siox__base_use use,
                       const struct siox__patience *patience, struct siox_diag *diag) {
  struct sqlite *b = calloc(1, sizeof *b);
  if (!b)
    return SIOX_ENOMEM;
  b->base.type = &siox__base_sqlite;
  *out = &b->base;
  if (gethostname(b->base.node, sizeof b->base.node - 1) < 0)
    b->base.node[0] = 0;
  const int flags = use == SIOX__BASE_READ      ? SQLITE_OPEN_READONLY
                    : use == SIOX__BASE_MIGRATE ? SQLITE_OPEN_READWRITE
                                                : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  if (flags & SQLITE_OPEN_CREATE)
    make_file(where);
  if (sqlite3_open_v2(where, &b->db, flags, NULL) != SQLITE_OK)
    return fail(b, diag);
  /* What functions a view or trigger of a file may call, that somebody else may have made. */
  sqlite3_db_config(b->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  sqlite3_db_config(b->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite3_busy_timeout(b->db, patience->statement_ns ? PATIENCE_MS : INT_MAX);
  if (use == SIOX__BASE_READ)
    return siox__schema_ready(&b->base, use, diag);
  /* A power cut may take the last second, as the end of the daemon does; the file stays whole. */
  if (sqlite3_exec(b->db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL", NULL, NULL,
                   NULL))
    return fail(b, diag);
  int r = siox__schema_ready(&b->base, use, diag);
  for (int i = 0; i < SIOX__ROW_KINDS && r == 0; i++)
    r = prepare(b, siox__schema_insert((enum siox__row_kind)i, SIOX__SQLITE), &b->insert[i], diag);
  if (r == 0)
    r = prepare(b, siox__schema_change_run(SIOX__SQLITE), &b->change_run, diag);
  return r;
}

static void sqlite_close(struct siox__base *base) {
  struct sqlite *b = (struct sqlite *)base;
  for (int i = 0; i < SIOX__ROW_KINDS; i++)
    sqlite3_finalize(b->insert[i]);
  sqlite3_finalize(b->change_run);
  sqlite3_close(b->db); /* what is not committed is as if it had not been */
  free(b);
}

static int execute(struct sqlite *b, const char *sql, struct siox_diag *diag) {
  return sqlite3_exec(b->db, sql, NULL, NULL, NULL) ? fail(b, diag) : 0;
}

static int sqlite_begin(struct siox__base *base, struct siox_diag *diag) {
  return execute((struct sqlite *)base, "BEGIN IMMEDIATE", diag);
}

static int sqlite_commit(struct siox__base *base, int64_t run, int64_t batch,
                         struct siox_diag *diag) {
  (void)run, (void)batch; /* a commit always has its answer */
  return execute((struct sqlite *)base, "COMMIT", diag);
}

static int sqlite_put(struct siox__base *base, const struct siox__store_row *row, int64_t *run,
                      struct siox_diag *diag) {
  struct sqlite *b = (struct sqlite *)base;
  const struct siox__table *t = &siox__tables[row->kind];
  const int is_run = row->kind == SIOX__ROW_RUN, again = is_run && *run > 0;
  sqlite3_stmt *insert = again ? b->change_run : b->insert[row->kind];
  int at = 1, n = 0, x = 0, s = 0;
  for (unsigned i = 0; i < t->ncolumns; i++)
    switch (t->column[i].type) {
    case SIOX__COLUMN_RUN:
      sqlite3_bind_int64(insert, at++, *run);
      break;
    case SIOX__COLUMN_NODE:
      sqlite3_bind_text(insert, at++, b->base.node, -1, SQLITE_STATIC);
      break;
    case SIOX__COLUMN_MAYBE:
      if (row->number[n] == SIOX__ROW_NONE) {
        sqlite3_bind_null(insert, at++);
        n++;
        break;
      }
      /* fallthrough */
    case SIOX__COLUMN_NUMBER:
      sqlite3_bind_int64(insert, at++, row->number[n++]);
      break;
    case SIOX__COLUMN_REAL:
      sqlite3_bind_double(insert, at++, row->real[x++]);
      break;
    case SIOX__COLUMN_TEXT:
      sqlite3_bind_text(insert, at++, row->text[s++], -1, SQLITE_STATIC);
      break;
    case SIOX__COLUMN_SERIAL:
    case SIOX__COLUMN_LATER:
      break;
    }
  if (again)
    sqlite3_bind_int64(insert, at, *run);
  int r = sqlite3_step(insert);
  if (r == SQLITE_ROW) { /* the new run's number */
    *run = sqlite3_column_int64(insert, 0);
    r = sqlite3_step(insert);
  }
  if (r != SQLITE_DONE)
    fail(b, diag);
  sqlite3_reset(insert);
  const bool data = r == SQLITE_CONSTRAINT || r == SQLITE_MISMATCH || r == SQLITE_TOOBIG;
  return r == SQLITE_DONE ? 0 : data ? SIOX_EINVAL : SIOX_EIO;
}

static int sqlite_query(struct siox__base *base, const char *sql,
                        int (*each)(void *context, const char *const *value), void *context,
                        int64_t *changed, struct siox_diag *diag) {
  struct sqlite *b = (struct sqlite *)base;
  enum { COLUMNS = 32 };
  while (*sql) {
    sqlite3_stmt *query = NULL;
    if (sqlite3_prepare_v2(b->db, sql, -1, &query, &sql) != SQLITE_OK)
      return fail(b, diag);
    int r = query ? SQLITE_ROW : SQLITE_DONE, ended = 0;
    while (r == SQLITE_ROW && !ended && (r = sqlite3_step(query)) == SQLITE_ROW && each) {
      const char *value[COLUMNS] = {NULL};
      for (int i = 0; i < sqlite3_column_count(query) && i < COLUMNS; i++)
        value[i] = (const char *)sqlite3_column_text(query, i);
      ended = each(context, value);
    }
    if (!ended && r != SQLITE_DONE && r != SQLITE_ROW) {
      fail(b, diag);
      sqlite3_finalize(query);
      return SIOX_EIO;
    }
    sqlite3_finalize(query);
    if (changed && query)
      *changed = sqlite3_changes(b->db);
  }
  return 0;
}

static int take_any(void *context, const char *const *value) {
  (void)value;
  *(int *)context = 1;
  return 1;
}

static int sqlite_has_table(struct siox__base *base, const char *table, struct siox_diag *diag) {
  char sql[128];
  int found = 0;
  snprintf(sql, sizeof sql, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '%.40s'",
           table);
  int r = sqlite_query(base, sql, take_any, &found, NULL, diag);
  return r < 0 ? r : found;
}

const struct siox__base_type siox__base_sqlite = {
    .dialect = SIOX__SQLITE,
    .open = sqlite_open,
    .close = sqlite_close,
    .begin = sqlite_begin,
    .put = sqlite_put,
    .commit = sqlite_commit,
    .query = sqlite_query,
    .has_table = sqlite_has_table,
};
