/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the files of siox db share. */
#ifndef SIOX_TOOLS_DB_H
#define SIOX_TOOLS_DB_H
#include "siox_tool.h"
#include "store/base.h"

struct siox__db {
  const char *what;  /* "purge" */
  const char *place; /* as it was given; not to be shown */
  char *name;        /* the same without a password */
  bool json, runs, dry_run;
  int64_t older; /* ns; negative: not given */
  int64_t to;    /* length of intervals, ns; 0: not given */
  struct siox__base *base;
};

/* db_keep.c, db_info.c: the exit status, after a message unless it is 0. */
int siox__db_rollup(struct siox__db *db);
int siox__db_purge(struct siox__db *db);
int siox__db_info(struct siox__db *db);

/* db.c */
/* Opens db->base; false after a message. */
bool siox__db_open(struct siox__db *db, enum siox__base_use use);
int siox__db_fail(const struct siox__db *db, int code, const struct siox_diag *diag); /* 1 */
void siox__db_print(json_t *o); /* and lets go of it */

#endif
