/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* All ranks' report, from rank 0 in MPI_Finalize.
 *
 * When: MPI_Finalize first deletes the attributes of MPI_COMM_SELF, the last one that was set first
 * (MPI 4.0, 11.4.1). Ours is set in MPI_Init, so it goes last: I/O that libraries do in there is
 * counted, and of this rank all that the program does with MPI is over.
 *
 * How: each rank gives rank 0 a share of one fixed size by one MPI_Igatherv over MPI_COMM_WORLD.
 *  - Messages of collectives lie in a context of their own: rank 0 may still be running, with
 *    receives from MPI_ANY_SOURCE and MPI_ANY_TAG, and gets none of these. Sent one by one with any
 *    tag they would be taken for the program's.
 *  - A communicator of our own would have to be made in MPI_Init by all ranks, and those without
 *    libsiox would be waited for there. Here nobody is: a share is small enough to leave at once,
 *    rank 0 looks for them for a second at most, and uses those that are there: each is valid by
 *    its own hash, whatever became of the others.
 *  - What has not come is left to MPI. Its memory stays. A collective cannot be cancelled;
 * MPI_Finalize takes it that nobody waits for it any more, as MPI libraries do (a test looks). A
 * rank that never comes to MPI_Finalize reports for itself (report.c), or the daemon does. */
#include "client/mpi.h"
#include "client/report.h"
#include <stdlib.h>
#include <time.h>

static const int64_t PATIENCE_NS = INT64_C(1000000000);
enum { RANKS_MOST = 1 << 20 };

static int key = MPI_KEYVAL_INVALID;
/* Until the process ends: a share may leave late. */
static union {
  struct siox__share share;
  char bytes[SIOX__SHARE_BYTES];
} own;

struct gathered {
  int *counts, *places; /* of rank 0; like the shares, until the gathering is over */
  char *shares;
};

static bool room_for(struct gathered *g, int size) {
  g->counts = malloc(2 * (size_t)size * sizeof *g->counts);
  g->shares = calloc((size_t)size, SIOX__SHARE_BYTES);
  if (!g->counts || !g->shares) {
    free(g->counts);
    free(g->shares);
    return false;
  }
  g->places = g->counts + size;
  for (int i = 0; i < size; i++) {
    g->counts[i] = SIOX__SHARE_BYTES;
    g->places[i] = i * SIOX__SHARE_BYTES;
  }
  return true;
}

/* True: it is over. Errors come back, none is fatal: see gather. */
static bool await(MPI_Request *request) {
  const int64_t end = siox__now_ns() + PATIENCE_NS;
  for (long pause = 1000;; pause = pause < 1000000 ? 2 * pause : pause) {
    int over = 0;
    if (PMPI_Test(request, &over, MPI_STATUS_IGNORE) != MPI_SUCCESS)
      return false;
    if (over || siox__now_ns() >= end)
      return over;
    nanosleep(&(struct timespec){0, pause}, NULL);
  }
}

/* Nobody of the program looks at MPI_COMM_WORLD any more: an error there must not end it now. */
static bool gather(const struct gathered *g) {
  MPI_Errhandler before;
  MPI_Request request = MPI_REQUEST_NULL;
  if (PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &before) != MPI_SUCCESS)
    return false;
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const bool over =
      PMPI_Igatherv(own.bytes, SIOX__SHARE_BYTES, MPI_BYTE, g->shares, g->counts, g->places,
                    MPI_BYTE, 0, MPI_COMM_WORLD, &request) == MPI_SUCCESS &&
      await(&request);
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, before);
  if (before != MPI_ERRHANDLER_NULL)
    PMPI_Errhandler_free(&before);
  return over;
}

static void report(int rank, int size) {
  static char text[8192];
  struct gathered g = {0};
  const bool first_local = siox__job_first_local();
  const struct siox__figures *f = siox__figures("MPI_Finalize", first_local || rank == 0);
  siox__share_make(&own.share, f, rank, first_local);
  if (rank == 0 && !room_for(&g, size))
    size = 0; /* takes part all the same */
  const bool over = gather(&g);
  if (rank == 0 && size > 0) {
    struct siox__text t = {text, text + sizeof text};
    siox__joint_text(&t, siox__report_program(), f, g.shares, size);
    siox__report_put(text, (size_t)(t.at - text));
  }
  if (over) {
    free(g.counts);
    free(g.shares);
  }
}

static int finalizing(MPI_Comm comm, int keyval, void *value, void *extra) {
  (void)comm, (void)keyval, (void)value, (void)extra;
  const int saved = errno;
  int rank = 0, size = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size > 0 && size <= RANKS_MOST && siox__report_claim())
    report(rank, size);
  errno = saved;
  return MPI_SUCCESS;
}

void siox__report_mpi_start(void) {
  if (!siox__report_joint() || key != MPI_KEYVAL_INVALID ||
      PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, finalizing, &key, NULL) != MPI_SUCCESS)
    return;
  PMPI_Comm_set_attr(MPI_COMM_SELF, key, &own);
}
