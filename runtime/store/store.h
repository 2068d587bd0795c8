/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The store: what happened, as rows of tables, for people and tools that come later (docs/store.md
 * has tables and views). Rows are put into a bounded queue and written by the store's own thread; a
 * database that is not there, full or broken is tried again once a second, said once in the log,
 * and never waited for. Any thread may put; open, layouts and close are for one. */
#ifndef SIOX_STORE_STORE_H
#define SIOX_STORE_STORE_H
#include "common/log.h"
#include "siox/error.h"
#include <stdint.h>

#define SIOX__STORE_VERSION 3 /* schema_version.version */

enum siox__row_kind {
#define SIOX_TABLE(kind, name, key, repeated, columns) SIOX__ROW_##kind,
#define SIOX_CHANGE(kind, name, key, columns) SIOX__ROW_##kind,
#include "store/schema.def"
  SIOX__ROW_KINDS
};
enum { SIOX__ROW_NUMBERS = 14, SIOX__ROW_REALS = 5, SIOX__ROW_TEXTS = 8 };
#define SIOX__ROW_NONE INT64_C(4294967295) /* of a SIOX_MAYBE: NULL */

/* Numbers, reals and texts in the order in which schema.def has the table's columns of each. */
struct siox__store_row {
  enum siox__row_kind kind;
  int64_t number[SIOX__ROW_NUMBERS];
  double real[SIOX__ROW_REALS];
  const char *text[SIOX__ROW_TEXTS]; /* copied; NULL: NULL */
};

struct siox__store;
/* place: the setting `database`, NULL: a store that takes nothing. The database need not be
 * writable; nothing is waited for. */
int siox__store_open(struct siox__store **store, const char *place, const struct siox__log *log);
/* From any thread; never waits for the database. */
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
/* Writes what is waiting if the database lets it, otherwise drops it and says so: after two seconds
 * when it does not work, six when it does not answer. */
void siox__store_close(struct siox__store *store);

#endif
