/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A connection to PostgreSQL that is never waited for longer than one has patience: libpq's own
 * calls wait for ever. Functions return 0 or SIOX_E... with a message. For one thread. */
#ifndef SIOX_STORE_POSTGRES_H
#define SIOX_STORE_POSTGRES_H
#include "store/base.h"
#include <libpq-fe.h>

struct siox__pg {
  PGconn *c;
  struct siox__patience patience;
};

int siox__pg_connect(struct siox__pg *pg, const char *url, struct siox_diag *diag);
void siox__pg_close(struct siox__pg *pg);
/* What libpq says, in one line. SIOX_EIO. */
int siox__pg_fail(struct siox__pg *pg, struct siox_diag *diag);
/* The next result, *result NULL: no more of this statement. A result that is an error is freed and
 * becomes SIOX_EINVAL where the data are to blame, else SIOX_EIO; SIOX_EGONE: there is no answer.
 */
int siox__pg_result(struct siox__pg *pg, PGresult **result, struct siox_diag *diag);
/* Whether a statement was given to libpq (its 1 or 0), then all its results; each for rows of the
 * last statement, changed as its command says. */
int siox__pg_finish(struct siox__pg *pg, int sent,
                    int (*each)(void *context, const char *const *value), void *context,
                    int64_t *changed, struct siox_diag *diag);
/* Data of COPY ... FROM STDIN. */
int siox__pg_copy(struct siox__pg *pg, const void *data, size_t bytes, struct siox_diag *diag);

#endif
