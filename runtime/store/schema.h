/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What schema.def and views.def say, and the statements of a database made from it. Pure; texts are
 * the caller's to free, NULL: no memory. Thread-safe. */
#ifndef SIOX_STORE_SCHEMA_H
#define SIOX_STORE_SCHEMA_H
#include "store/store.h"

enum siox__dialect { SIOX__SQLITE, SIOX__POSTGRESQL };

enum siox__column_type {
  SIOX__COLUMN_SERIAL,
  SIOX__COLUMN_RUN,
  SIOX__COLUMN_NODE,
  SIOX__COLUMN_NUMBER,
  SIOX__COLUMN_MAYBE,
  SIOX__COLUMN_REAL,
  SIOX__COLUMN_TEXT,
  SIOX__COLUMN_LATER,
};
struct siox__column {
  const char *name;
  enum siox__column_type type;
};
enum siox__repeated { SIOX__REPEATED_ADD, SIOX__REPEATED_KEEP, SIOX__REPEATED_REPLACE };
struct siox__table {
  const char *kind;       /* of row; in small letters: name of its file of CSV */
  const char *name, *key; /* key "": none; "run, job" */
  enum siox__repeated repeated;
  int change; /* the row changes one of the table */
  unsigned numbers, reals, texts, ncolumns;
  const struct siox__column *column;
};
extern const struct siox__table siox__tables[SIOX__ROW_KINDS];

/* A row gives a value for it, or the store does: all but SERIAL and LATER. */
int siox__column_is_put(const struct siox__column *column);
const char *siox__column_sql(enum siox__column_type type, enum siox__dialect dialect);

/* All tables and indexes that are not there; the views, after those of any version have gone; the
 * version. */
char *siox__schema_tables(enum siox__dialect dialect);
char *siox__schema_drop_views(void);
char *siox__schema_views(void);
/* How a row gets into its table, with parameters ?1 or $1 in the order of those columns that are
 * put. RUN makes a run; its change has the run's number as the last parameter. */
char *siox__schema_insert(enum siox__row_kind kind, enum siox__dialect dialect);
char *siox__schema_change_run(enum siox__dialect dialect);

#endif
