/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The store: what happened, as SQL, for people and tools that come later (docs/store.md has tables
 * and views). Rows are put into a bounded queue and written by the store's own thread; a database
 * that is not there, full or broken is tried again once a second, said once in the log, and never
 * waited for. put, layouts and close are for one thread. */
#ifndef SIOX_STORE_STORE_H
#define SIOX_STORE_STORE_H
#include "common/log.h"
#include "siox/error.h"
#include <stdint.h>

#define SIOX__STORE_VERSION 1 /* schema_version.version */

enum siox__row_kind {
  SIOX__ROW_RUN,     /* text: policy, program */
  SIOX__ROW_JOB,     /* text: key */
  SIOX__ROW_PROCESS, /* text: program */
  SIOX__ROW_PROCESS_END,
  SIOX__ROW_SITE,     /* text: file, function, call */
  SIOX__ROW_DISK,     /* text: profile */
  SIOX__ROW_LAYOUT,   /* text: path, layout */
  SIOX__ROW_ACTIVITY, /* text: layer ("io", "mpiio", "sync", "message", "wait") */
  SIOX__ROW_LEVEL,    /* text: state */
  SIOX__ROW_CLAIM,
  SIOX__ROW_STATISTIC, /* text: name */
};
enum { SIOX__ROW_NUMBERS = 14, SIOX__ROW_REALS = 4, SIOX__ROW_TEXTS = 3 };

/* Columns in the order of the table's row in store_sql.c: integers, then reals, then texts. */
struct siox__store_row {
  enum siox__row_kind kind;
  int64_t number[SIOX__ROW_NUMBERS];
  double real[SIOX__ROW_REALS];
  const char *text[SIOX__ROW_TEXTS]; /* copied */
};

struct siox__store;
/* path NULL: a store that takes nothing. The database need not be writable; nothing is waited for.
 */
int siox__store_open(struct siox__store **store, const char *path, const struct siox__log *log);
void siox__store_put(struct siox__store *store, const struct siox__store_row *row);
/* Layouts stored by earlier runs, read at once (a start-up act); a database that cannot be read has
 * none. */
void siox__store_layouts(struct siox__store *store,
                         void (*each)(void *context, uint64_t dev, uint64_t ino, const char *path,
                                      const char *layout),
                         void *context);
struct siox__store_counts {
  uint64_t written, waiting, dropped;
  int broken; /* the last attempt failed */
};
struct siox__store_counts siox__store_counts(struct siox__store *store);
/* Writes what is waiting if the database lets it, otherwise drops it; at most about two seconds. */
void siox__store_close(struct siox__store *store);

/* store_sql.c: one connection, used by the thread. Messages of SQLite's go into diag. */
struct siox__sql;
int siox__sql_open(struct siox__sql **sql, const char *path, struct siox_diag *diag);
void siox__sql_close(struct siox__sql *sql);
/* One transaction. run: in and out, the number of the run that rows belong to (0: none yet). */
int siox__sql_write(struct siox__sql *sql, const struct siox__store_row *rows, uint32_t count,
                    int64_t *run, struct siox_diag *diag);

#endif
