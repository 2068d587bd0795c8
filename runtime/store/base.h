/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One connection to a database, whichever it is: the writing thread of the store has one, tools
 * have one. A base that failed can only be closed. For one thread; functions return 0 or SIOX_E...
 * with a message in diag, in which no password stands. */
#ifndef SIOX_STORE_BASE_H
#define SIOX_STORE_BASE_H
#include "store/schema.h"

enum siox__base_use {
  SIOX__BASE_READ,    /* rows of any version are only looked at */
  SIOX__BASE_WRITE,   /* made if it is not there, migrated if it is old */
  SIOX__BASE_CREATE,  /* made; SIOX_EEXIST when it is there */
  SIOX__BASE_MIGRATE, /* migrated if it is old; SIOX_ENOENT when it is not there */
};

/* How long a server, or whoever writes a file, is waited for; 0: for ever. end: the time (CLOCK_MONOTONIC) from which on
 * nothing is waited for, while it holds one; may be NULL. */
struct siox__patience {
  int64_t connect_ns, statement_ns;
  const _Atomic int64_t *end;
};

struct siox__base; /* each kind has its own behind this */
struct siox__base_type {
  enum siox__dialect dialect;
  int (*open)(struct siox__base **base, const char *where, enum siox__base_use use,
              const struct siox__patience *patience, struct siox_diag *diag);
  void (*close)(struct siox__base *base);
  int (*begin)(struct siox__base *base, struct siox_diag *diag);
  int (*put)(struct siox__base *base, const struct siox__store_row *row, int64_t *run,
             struct siox_diag *diag);
  int (*commit)(struct siox__base *base, int64_t run, int64_t batch, struct siox_diag *diag);
  /* Statements with ; between them, the rows of the last one each as texts, NULL for NULL; each
   * returns not 0 to end it. changed: rows that the last one changed. NULL: not a database. */
  int (*query)(struct siox__base *base, const char *sql,
               int (*each)(void *context, const char *const *value), void *context,
               int64_t *changed, struct siox_diag *diag);
  /* Is there a table, negative: cannot say. */
  int (*has_table)(struct siox__base *base, const char *table, struct siox_diag *diag);
};
/* What each kind's own begins with. */
struct siox__base {
  const struct siox__base_type *type;
  char node[65];
};
extern const struct siox__base_type siox__base_sqlite, siox__base_postgres, siox__base_csv;

/* where: a path, csv:DIRECTORY or a URL of PostgreSQL's. patience NULL: for ever. On an error *base
 * is NULL. */
int siox__base_open(struct siox__base **base, const char *where, enum siox__base_use use,
                    const struct siox__patience *patience, struct siox_diag *diag);
void siox__base_close(struct siox__base *base); /* NULL is fine */
/* A transaction of rows. run: in and out, the number of the run that rows belong to (0: none yet).
 * SIOX_EINVAL: the database is well, but takes no such row. */
int siox__base_begin(struct siox__base *base, struct siox_diag *diag);
int siox__base_put(struct siox__base *base, const struct siox__store_row *row, int64_t *run,
                   struct siox_diag *diag);
/* batch: a number that the run's row keeps, where commits may be made without an answer; that is
 * SIOX_EUNKNOWN. 0: none is kept. */
int siox__base_commit(struct siox__base *base, int64_t run, int64_t batch, struct siox_diag *diag);
int siox__base_query(struct siox__base *base, const char *sql,
                     int (*each)(void *context, const char *const *value), void *context,
                     int64_t *changed, struct siox_diag *diag);
/* For a query's each: the first column into the int64_t that context is; NULL leaves it. */
int siox__base_take_number(void *context, const char *const *value);
const char *siox__base_node(const struct siox__base *base);

/* migrate.c: for open(): makes or migrates the schema, as the use has it, in one transaction. */
int siox__schema_ready(struct siox__base *base, enum siox__base_use use, struct siox_diag *diag);
/* The version there, 0: no database of Siox's; or negative. */
int siox__schema_version(struct siox__base *base, struct siox_diag *diag);

#endif
