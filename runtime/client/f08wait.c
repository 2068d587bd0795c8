/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ends of requests in mpi_f08. The library's own routine is called, because the places that it says
 * count from 1 by MPI 4.0 section 3.7.5 and from 0 in MPICH 4.0: a program gets what it would get
 * without us. A request has ended where its handle has become null. */
#include "client/f08.h"
#include <dlfcn.h>
#include <stdlib.h>

SIOX_WEAK(MPI_F08_STATUS_IGNORE)
SIOX_WEAK(MPI_F08_STATUSES_IGNORE)

typedef MPI_F08_status *statuses;

/* The requests before the call, and statuses of our own where the program wants none. */
struct ends {
  int n;
  MPI_Fint *was;
  statuses status, made;
};

static bool ends_begin(struct ends *e, int n, const MPI_Fint *requests, statuses status,
                       bool ignored, int nstatuses) {
  *e = (struct ends){.n = n, .status = status};
  if (!siox__message_watching() || n <= 0)
    return false;
  e->was = malloc((size_t)n * sizeof *e->was);
  if (ignored)
    e->status = e->made = malloc((size_t)nstatuses * sizeof *e->made);
  if (!e->was || !e->status) {
    free(e->was);
    free(e->made);
    e->was = NULL;
    e->status = status;
    e->made = NULL;
    return false;
  }
  for (int i = 0; i < n; i++)
    e->was[i] = requests[i];
  return true;
}

static bool has_ended(const struct ends *e, const MPI_Fint *requests, int i) {
  return e->was[i] != (MPI_Fint)MPI_REQUEST_NULL && requests[i] == (MPI_Fint)MPI_REQUEST_NULL;
}

static void say(const struct ends *e, int i, int k) {
  siox__message_ended((MPI_Request)e->was[i], (const MPI_Status *)&e->status[k]);
}

static void ends_free(struct ends *e) {
  free(e->was);
  free(e->made);
}

/* One status for the one that ended. */
static void ends_one(struct ends *e, const MPI_Fint *requests) {
  for (int i = 0; e->was && i < e->n; i++)
    if (has_ended(e, requests, i))
      say(e, i, 0);
  ends_free(e);
}

/* A status for each. */
static void ends_all(struct ends *e, const MPI_Fint *requests) {
  for (int i = 0; e->was && i < e->n; i++)
    if (has_ended(e, requests, i))
      say(e, i, i);
  ends_free(e);
}

/* A status for each of those at these places; where they count from follows from their sum. */
static void ends_some(struct ends *e, const MPI_Fint *requests, int done, in indices) {
  int64_t sum = 0, ended = 0;
  for (int i = 0; e->was && i < e->n; i++)
    if (has_ended(e, requests, i)) {
      sum -= i;
      ended++;
    }
  for (int k = 0; e->was && done != MPI_UNDEFINED && k < done; k++)
    sum += indices[k];
  if (ended && done == ended && (sum == 0 || sum == ended))
    for (int k = 0; k < done; k++)
      say(e, indices[k] - (int)(sum / ended), k);
  ends_free(e);
}

static bool no_one(statuses s) { return &MPI_F08_STATUS_IGNORE && s == MPI_F08_STATUS_IGNORE; }
static bool no_all(statuses s) { return &MPI_F08_STATUSES_IGNORE && s == MPI_F08_STATUSES_IGNORE; }

/* END: the library's routine between the two looks at its requests. */
#define END(name, parameters, arguments, n, requests, status, ignored, nstatuses, ...)             \
  SIOX_EXPORT void mpi_##name##_f08_ parameters SIOX_AS_WRAPPER(mpi_##name##_f08_);                \
  void mpi_##name##_f08_ parameters {                                                              \
    static void(*_Atomic real) parameters;                                                         \
    if (!real)                                                                                     \
      real = (void(*) parameters)dlsym(RTLD_NEXT, "mpi_" #name "_f08_");                           \
    struct ends e;                                                                                 \
    if (!ends_begin(&e, n, requests, status, ignored, nstatuses)) {                                \
      real arguments;                                                                              \
      return;                                                                                      \
    }                                                                                              \
    status = e.status;                                                                             \
    real arguments;                                                                                \
    __VA_ARGS__;                                                                                   \
  }

END(wait, (out request, statuses status, out ierror), (request, status, ierror), 1, request, status,
    no_one(status), 1, ends_one(&e, request))
END(test, (out request, out flag, statuses status, out ierror), (request, flag, status, ierror), 1,
    request, status, no_one(status), 1, ends_one(&e, request))
END(waitall, (in n, out requests, statuses status, out ierror), (n, requests, status, ierror), *n,
    requests, status, no_all(status), *n, ends_all(&e, requests))
END(testall, (in n, out requests, out flag, statuses status, out ierror),
    (n, requests, flag, status, ierror), *n, requests, status, no_all(status), *n,
    ends_all(&e, requests))
END(waitany, (in n, out requests, out index, statuses status, out ierror),
    (n, requests, index, status, ierror), *n, requests, status, no_one(status), 1,
    ends_one(&e, requests))
END(testany, (in n, out requests, out index, out flag, statuses status, out ierror),
    (n, requests, index, flag, status, ierror), *n, requests, status, no_one(status), 1,
    ends_one(&e, requests))
END(waitsome, (in n, out requests, out done, out indices, statuses status, out ierror),
    (n, requests, done, indices, status, ierror), *n, requests, status, no_all(status), *n,
    ends_some(&e, requests, *done, indices))
END(testsome, (in n, out requests, out done, out indices, statuses status, out ierror),
    (n, requests, done, indices, status, ierror), *n, requests, status, no_all(status), *n,
    ends_some(&e, requests, *done, indices))

SIOX_EXPORT void mpi_request_free_f08_(out request, out ierror)
    SIOX_AS_WRAPPER(mpi_request_free_f08_);
void mpi_request_free_f08_(out request, out ierror) {
  siox__f08_end(ierror, MPI_Request_free(request));
}
