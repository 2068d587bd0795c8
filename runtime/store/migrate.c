/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The schema of a database comes to be, or becomes that of this version: in one transaction, so
 * that an end in its midst leaves what was there. */
#include "store/base.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* From a version to the next: what is done before the tables of today that are not there are made,
 * and after. Version 1 was made without a transaction, so tables of it may be missing. */
static const struct {
  const char *before, *after;
} steps[] = {
    [1] =
        {"CREATE TABLE IF NOT EXISTS run (run INTEGER PRIMARY KEY, start INTEGER, wall_start "
         "INTEGER, ndisks INTEGER, time_scale REAL, policy TEXT, program TEXT);"
         "CREATE TABLE IF NOT EXISTS layout (dev INTEGER, ino INTEGER, path TEXT, layout TEXT,"
         " PRIMARY KEY (dev, ino));"
         "CREATE TABLE IF NOT EXISTS statistic (run INTEGER, time INTEGER, value REAL, name TEXT);"
         "ALTER TABLE run ADD COLUMN node TEXT;"
         "ALTER TABLE run ADD COLUMN batch INTEGER;"
         "ALTER TABLE layout RENAME TO layout_1;"
         "ALTER TABLE statistic RENAME TO total;"
         "DROP TABLE IF EXISTS anomaly;", /* nothing ever wrote it */
         "INSERT INTO layout (node, dev, ino, path, layout)"
         " SELECT '', dev, ino, path, layout FROM layout_1;"
         "DROP TABLE layout_1;"},
    [2] = {NULL, NULL}, /* opened is new */
};
_Static_assert(sizeof steps / sizeof *steps == SIOX__STORE_VERSION, "a step is missing");

int siox__schema_version(struct siox__base *base, struct siox_diag *diag) {
  int64_t version = -1;
  int r = base->type->has_table(base, "schema_version", diag);
  if (r <= 0)
    return r;
  r = siox__base_query(base, "SELECT MAX(version) FROM schema_version", siox__base_take_number,
                       &version, NULL, diag);
  if (r == 0 && (version < 1 || version > INT_MAX)) {
    snprintf(diag->text, sizeof diag->text,
             "has a table schema_version without a version: not a database of Siox's");
    r = SIOX_EVERSION;
  }
  return r < 0 ? r : (int)version;
}

/* Takes text, and frees it. */
static int run_text(struct siox__base *base, char *text, struct siox_diag *diag) {
  int r = text ? siox__base_query(base, text, NULL, NULL, NULL, diag) : SIOX_ENOMEM;
  free(text);
  return r;
}

static int run_step(struct siox__base *base, const char *text, struct siox_diag *diag) {
  return text ? siox__base_query(base, text, NULL, NULL, NULL, diag) : 0;
}

/* Within the transaction. */
static int make(struct siox__base *base, int version, struct siox_diag *diag) {
  int r = run_text(base, siox__schema_drop_views(), diag);
  for (int v = version; v > 0 && v < SIOX__STORE_VERSION && r == 0; v++)
    r = run_step(base, steps[v].before, diag);
  if (r == 0)
    r = run_text(base, siox__schema_tables(base->type->dialect), diag);
  for (int v = version; v > 0 && v < SIOX__STORE_VERSION && r == 0; v++)
    r = run_step(base, steps[v].after, diag);
  if (r == 0)
    r = run_text(base, siox__schema_views(), diag);
  char text[96];
  snprintf(text, sizeof text, "DELETE FROM schema_version; INSERT INTO schema_version VALUES (%d)",
           SIOX__STORE_VERSION);
  if (r == 0)
    r = run_step(base, text, diag);
  return r;
}

static int refuse(int version, enum siox__base_use use, struct siox_diag *diag) {
  diag->text[0] = 0;
  if (version > SIOX__STORE_VERSION) {
    snprintf(diag->text, sizeof diag->text,
             "schema version %d; this Siox knows up to %d: a newer one has written it, and a newer "
             "one is needed",
             version, SIOX__STORE_VERSION);
    return SIOX_EVERSION;
  }
  if (version > 0 && use == SIOX__BASE_CREATE) {
    snprintf(diag->text, sizeof diag->text, "holds a database of Siox's already, version %d",
             version);
    return SIOX_EEXIST;
  }
  if (version == 0 && (use == SIOX__BASE_MIGRATE || use == SIOX__BASE_READ)) {
    snprintf(diag->text, sizeof diag->text, "holds no database of Siox's");
    return SIOX_ENOENT;
  }
  return 0;
}

int siox__schema_ready(struct siox__base *base, enum siox__base_use use, struct siox_diag *diag) {
  int version = siox__schema_version(base, diag);
  int r = version < 0 ? version : refuse(version, use, diag);
  if (r < 0 || version == SIOX__STORE_VERSION || use == SIOX__BASE_READ)
    return r;
  /* Another one may be at it, too: what is there is looked at again with the database its own. */
  r = base->type->begin(base, diag);
  if (r == 0 && base->type->dialect == SIOX__POSTGRESQL) /* many nodes may begin at once */
    r = siox__base_query(base, "SELECT pg_advisory_xact_lock(1936289656)", NULL, NULL, NULL, diag);
  if (r == 0)
    r = version = siox__schema_version(base, diag);
  if (r >= 0)
    r = refuse(version, use, diag);
  if (r == 0 && version < SIOX__STORE_VERSION)
    r = make(base, version, diag);
  if (r == 0)
    r = base->type->commit(base, 0, 0, diag);
  return r;
}
