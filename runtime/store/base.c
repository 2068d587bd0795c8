/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which kind of database a place is. */
#include "store/base.h"
#include "common/url.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int siox__base_open(struct siox__base **base, const char *where, enum siox__base_use use,
                    const struct siox__patience *patience, struct siox_diag *diag) {
  static const struct siox__patience endless;
  *base = NULL;
  diag->text[0] = 0;
  const struct siox__base_type *type = &siox__base_sqlite;
  if (!strncmp(where, SIOX__CSV_PREFIX, strlen(SIOX__CSV_PREFIX)))
    type = &siox__base_csv;
  if (siox__url_of_server(where)) {
#ifdef SIOX_HAVE_LIBPQ
    type = &siox__base_postgres;
#else
    snprintf(
        diag->text, sizeof diag->text,
        "this Siox was built without PostgreSQL (libpq-dev): a path or csv:DIRECTORY is wanted");
    return SIOX_EUNKNOWN;
#endif
  }
  int r = type->open(base, where, use, patience ? patience : &endless, diag);
  if (r < 0 && *base) {
    type->close(*base);
    *base = NULL;
  }
  if (r == SIOX_ENOMEM && !*diag->text)
    snprintf(diag->text, sizeof diag->text, "out of memory");
  return r;
}

void siox__base_close(struct siox__base *base) {
  if (base)
    base->type->close(base);
}

int siox__base_begin(struct siox__base *base, struct siox_diag *diag) {
  return base->type->begin(base, diag);
}

int siox__base_put(struct siox__base *base, const struct siox__store_row *row, int64_t *run,
                   struct siox_diag *diag) {
  return base->type->put(base, row, run, diag);
}

int siox__base_commit(struct siox__base *base, int64_t run, int64_t batch, struct siox_diag *diag) {
  return base->type->commit(base, run, batch, diag);
}

int siox__base_query(struct siox__base *base, const char *sql,
                     int (*each)(void *context, const char *const *value), void *context,
                     int64_t *changed, struct siox_diag *diag) {
  if (base->type->query)
    return base->type->query(base, sql, each, context, changed, diag);
  snprintf(diag->text, sizeof diag->text, "no database that can be asked");
  return SIOX_EINVAL;
}

int siox__base_take_number(void *context, const char *const *value) {
  if (value[0])
    *(int64_t *)context = strtoll(value[0], NULL, 10);
  return 0;
}

const char *siox__base_node(const struct siox__base *base) { return base->node; }
