/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Collectives that are not I/O, and those that make communicators. The replay needs to know who
 * waited for whom: kind ALL leaves when all have entered, FROM_ROOT when the root has, TO_ROOT lets
 * only the root wait. Prefix scans order ranks in a way of their own and are not recorded. */
#include "client/mpi.h"

void siox__sync_begin(struct siox__sync *s, MPI_Comm comm) {
  s->comm = NULL;
  if (!siox__welcomed() || siox__self.depth)
    return;
  int saved = errno;
  s->comm = siox__comm(comm);
  if (s->comm && s->comm->inter)
    s->comm = NULL;
  if (s->comm) {
    s->seq = atomic_fetch_add(&s->comm->seq, 1) + 1;
    s->enter = siox__now_ns();
  }
  errno = saved;
}

void siox__sync_end(const struct siox__sync *s, enum siox_sync_kind kind, int root) {
  if (!s->comm || !siox__enter())
    return;
  int saved = errno;
  const int64_t leave = siox__now_ns();
  if (siox__record_wants(s->comm->uid)) {
    struct siox_rec_sync record = {.enter = s->enter,
                                   .leave = leave,
                                   .uid = s->comm->uid,
                                   .seq = s->seq,
                                   .kind = kind,
                                   .size = (uint32_t)s->comm->size,
                                   .root = root,
                                   .self = s->comm->self};
    siox__record_activity(SIOX_REC_SYNC, record.uid, leave, &record, sizeof record);
  }
  siox__exit();
  siox__predict_beat(leave);
  errno = saved;
}

#define SYNC(name, kind, root, parameters, arguments)                                              \
  SIOX_EXPORT int name parameters {                                                                \
    struct siox__sync s;                                                                           \
    siox__sync_begin(&s, comm);                                                                    \
    int result = P##name arguments;                                                                \
    siox__sync_end(&s, SIOX_SYNC_##kind, root);                                                    \
    return result;                                                                                 \
  }

SYNC(MPI_Barrier, ALL, -1, (MPI_Comm comm), (comm))
SYNC(MPI_Bcast, FROM_ROOT, root, (void *b, int n, MPI_Datatype t, int root, MPI_Comm comm),
     (b, n, t, root, comm))
SYNC(MPI_Reduce, TO_ROOT, root,
     (const void *s_, void *r, int n, MPI_Datatype t, MPI_Op op, int root, MPI_Comm comm),
     (s_, r, n, t, op, root, comm))
SYNC(MPI_Allreduce, ALL, -1,
     (const void *s_, void *r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm comm),
     (s_, r, n, t, op, comm))
SYNC(MPI_Allgather, ALL, -1,
     (const void *s_, int sn, MPI_Datatype st, void *r, int rn, MPI_Datatype rt, MPI_Comm comm),
     (s_, sn, st, r, rn, rt, comm))
SYNC(MPI_Allgatherv, ALL, -1,
     (const void *s_, int sn, MPI_Datatype st, void *r, const int rn[], const int rd[],
      MPI_Datatype rt, MPI_Comm comm),
     (s_, sn, st, r, rn, rd, rt, comm))
SYNC(MPI_Gather, TO_ROOT, root,
     (const void *s_, int sn, MPI_Datatype st, void *r, int rn, MPI_Datatype rt, int root,
      MPI_Comm comm),
     (s_, sn, st, r, rn, rt, root, comm))
SYNC(MPI_Gatherv, TO_ROOT, root,
     (const void *s_, int sn, MPI_Datatype st, void *r, const int rn[], const int rd[],
      MPI_Datatype rt, int root, MPI_Comm comm),
     (s_, sn, st, r, rn, rd, rt, root, comm))
SYNC(MPI_Scatter, FROM_ROOT, root,
     (const void *s_, int sn, MPI_Datatype st, void *r, int rn, MPI_Datatype rt, int root,
      MPI_Comm comm),
     (s_, sn, st, r, rn, rt, root, comm))
SYNC(MPI_Scatterv, FROM_ROOT, root,
     (const void *s_, const int sn[], const int sd[], MPI_Datatype st, void *r, int rn,
      MPI_Datatype rt, int root, MPI_Comm comm),
     (s_, sn, sd, st, r, rn, rt, root, comm))
SYNC(MPI_Alltoall, ALL, -1,
     (const void *s_, int sn, MPI_Datatype st, void *r, int rn, MPI_Datatype rt, MPI_Comm comm),
     (s_, sn, st, r, rn, rt, comm))
SYNC(MPI_Alltoallv, ALL, -1,
     (const void *s_, const int sn[], const int sd[], MPI_Datatype st, void *r, const int rn[],
      const int rd[], MPI_Datatype rt, MPI_Comm comm),
     (s_, sn, sd, st, r, rn, rd, rt, comm))
SYNC(MPI_Reduce_scatter, ALL, -1,
     (const void *s_, void *r, const int n[], MPI_Datatype t, MPI_Op op, MPI_Comm comm),
     (s_, r, n, t, op, comm))
SYNC(MPI_Reduce_scatter_block, ALL, -1,
     (const void *s_, void *r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm comm),
     (s_, r, n, t, op, comm))

/* MAKE: a collective over `comm` that makes *made; members that got none have MPI_COMM_NULL. */
#define MAKE(name, distinction, parameters, arguments)                                             \
  SIOX_EXPORT int name parameters {                                                                \
    struct siox__sync s;                                                                           \
    siox__sync_begin(&s, comm);                                                                    \
    int result = P##name arguments;                                                                \
    if (s.comm && result == MPI_SUCCESS)                                                           \
      siox__comm_made(*made, s.comm->uid, s.seq, (uint64_t)(distinction));                         \
    siox__sync_end(&s, SIOX_SYNC_ALL, -1);                                                         \
    return result;                                                                                 \
  }

MAKE(MPI_Comm_dup, 0, (MPI_Comm comm, MPI_Comm *made), (comm, made))
MAKE(MPI_Comm_dup_with_info, 0, (MPI_Comm comm, MPI_Info info, MPI_Comm *made), (comm, info, made))
MAKE(MPI_Comm_split, colour, (MPI_Comm comm, int colour, int order, MPI_Comm *made),
     (comm, colour, order, made))
MAKE(MPI_Comm_create, siox__comm_members(*made), (MPI_Comm comm, MPI_Group group, MPI_Comm *made),
     (comm, group, made))
MAKE(MPI_Comm_split_type, siox__comm_members(*made),
     (MPI_Comm comm, int type, int order, MPI_Info info, MPI_Comm *made),
     (comm, type, order, info, made))
MAKE(MPI_Cart_create, 0,
     (MPI_Comm comm, int n, const int dims[], const int periods[], int reorder, MPI_Comm *made),
     (comm, n, dims, periods, reorder, made))
MAKE(MPI_Cart_sub, siox__comm_members(*made), (MPI_Comm comm, const int keep[], MPI_Comm *made),
     (comm, keep, made))
