/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Point-to-point messages. The replay needs them where they order I/O: a receive ends no sooner
 * than its send began, the nth receive of a pair and tag matching the nth send. So every send is
 * recorded, nonblocking ones when they are posted, and every receive when its call or its request
 * has ended. Persistent requests, matched probes and partitioned messages are not recorded. */
#include "client/mpi.h"
#include <pthread.h>
#include <stdlib.h>

struct message {
  struct siox__comm *comm;
  int64_t start;
};

static bool start(struct message *m, MPI_Comm comm) {
  m->comm = NULL;
  if (!siox__welcomed() || siox__self.depth)
    return false;
  int saved = errno;
  m->comm = siox__comm(comm);
  if (m->comm && m->comm->inter)
    m->comm = NULL;
  m->start = siox__now_ns();
  errno = saved;
  return m->comm != NULL;
}

static void put(uint64_t uid, int self, int64_t begin, int peer, int tag, bool receive) {
  if (peer < 0 || !siox__enter()) /* MPI_PROC_NULL */
    return;
  int saved = errno;
  struct siox_rec_message record = {.start = begin,
                                    .end = siox__now_ns(),
                                    .uid = uid,
                                    .peer = peer,
                                    .self = self,
                                    .tag = tag,
                                    .receive = receive};
  siox__record_activity(SIOX_REC_MESSAGE, 0, record.end, &record, sizeof record);
  siox__exit();
  siox__predict_beat(record.end);
  errno = saved;
}

#define SEND(name)                                                                                 \
  SIOX_EXPORT int name(const void *buffer, int count, MPI_Datatype type, int to, int tag,          \
                       MPI_Comm comm) {                                                            \
    struct message m;                                                                              \
    bool on = start(&m, comm);                                                                     \
    int result = P##name(buffer, count, type, to, tag, comm);                                      \
    if (on && result == MPI_SUCCESS)                                                               \
      put(m.comm->uid, m.comm->self, m.start, to, tag, false);                                     \
    return result;                                                                                 \
  }
SEND(MPI_Send)
SEND(MPI_Ssend)
SEND(MPI_Rsend)
SEND(MPI_Bsend)

#define ISEND(name)                                                                                \
  SIOX_EXPORT int name(const void *buffer, int count, MPI_Datatype type, int to, int tag,          \
                       MPI_Comm comm, MPI_Request *request) {                                      \
    struct message m;                                                                              \
    bool on = start(&m, comm);                                                                     \
    int result = P##name(buffer, count, type, to, tag, comm, request);                             \
    if (on && result == MPI_SUCCESS)                                                               \
      put(m.comm->uid, m.comm->self, m.start, to, tag, false);                                     \
    return result;                                                                                 \
  }
ISEND(MPI_Isend)
ISEND(MPI_Issend)
ISEND(MPI_Irsend)
ISEND(MPI_Ibsend)

SIOX_EXPORT int MPI_Recv(void *buffer, int count, MPI_Datatype type, int from, int tag,
                         MPI_Comm comm, MPI_Status *status) {
  struct message m;
  MPI_Status own;
  if (!start(&m, comm))
    return PMPI_Recv(buffer, count, type, from, tag, comm, status);
  MPI_Status *s = status == MPI_STATUS_IGNORE ? &own : status;
  int result = PMPI_Recv(buffer, count, type, from, tag, comm, s);
  if (result == MPI_SUCCESS)
    put(m.comm->uid, m.comm->self, m.start, s->MPI_SOURCE, s->MPI_TAG, true);
  return result;
}

SIOX_EXPORT int MPI_Sendrecv(const void *send, int nsend, MPI_Datatype send_type, int to,
                             int send_tag, void *receive, int nreceive, MPI_Datatype receive_type,
                             int from, int receive_tag, MPI_Comm comm, MPI_Status *status) {
  struct message m;
  MPI_Status own;
  if (!start(&m, comm))
    return PMPI_Sendrecv(send, nsend, send_type, to, send_tag, receive, nreceive, receive_type,
                         from, receive_tag, comm, status);
  MPI_Status *s = status == MPI_STATUS_IGNORE ? &own : status;
  int result = PMPI_Sendrecv(send, nsend, send_type, to, send_tag, receive, nreceive, receive_type,
                             from, receive_tag, comm, s);
  if (result == MPI_SUCCESS) {
    put(m.comm->uid, m.comm->self, m.start, to, send_tag, false);
    put(m.comm->uid, m.comm->self, m.start, s->MPI_SOURCE, s->MPI_TAG, true);
  }
  return result;
}

/* Receives under way, by request handle. */
#define ROWS 256
struct receive {
  struct receive *next;
  MPI_Request request;
  uint64_t uid;
  int self;
  int64_t start;
};
static struct receive *table[ROWS];
static _Atomic int under_way;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct receive **row_of(MPI_Request request) {
  return &table[((uint32_t)request ^ (uint32_t)request >> 8) % ROWS];
}

static struct receive *take(MPI_Request request) {
  pthread_mutex_lock(&lock);
  struct receive **at = row_of(request), *r;
  while ((r = *at) && r->request != request)
    at = &r->next;
  if (r) {
    *at = r->next;
    atomic_fetch_sub(&under_way, 1);
  }
  pthread_mutex_unlock(&lock);
  return r;
}

SIOX_EXPORT int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int from, int tag,
                          MPI_Comm comm, MPI_Request *request) {
  struct message m;
  bool on = start(&m, comm);
  int result = PMPI_Irecv(buffer, count, type, from, tag, comm, request);
  struct receive *r =
      on && result == MPI_SUCCESS && from != MPI_PROC_NULL ? malloc(sizeof *r) : NULL;
  if (r) {
    *r = (struct receive){
        .request = *request, .uid = m.comm->uid, .self = m.comm->self, .start = m.start};
    free(take(*request)); /* left by one that ended unseen */
    pthread_mutex_lock(&lock);
    r->next = *row_of(*request);
    *row_of(*request) = r;
    atomic_fetch_add(&under_way, 1);
    pthread_mutex_unlock(&lock);
  }
  return result;
}

static void access_ended(MPI_Request request, bool seen) {
  if (request == MPI_REQUEST_NULL ||
      !atomic_load_explicit(&siox__predict_flights, memory_order_relaxed))
    return;
  int saved = errno;
  siox__predict_lands(siox__request_key(request), seen);
  errno = saved;
}

void siox__message_ended(MPI_Request request, const MPI_Status *status) {
  access_ended(request, true);
  if (request == MPI_REQUEST_NULL || !atomic_load_explicit(&under_way, memory_order_relaxed))
    return;
  struct receive *r = take(request);
  if (!r)
    return;
  int cancelled = 0;
  PMPI_Test_cancelled(status, &cancelled);
  if (!cancelled && siox__welcomed())
    put(r->uid, r->self, r->start, status->MPI_SOURCE, status->MPI_TAG, true);
  free(r);
}

/* After a call that failed: the statuses tell nothing of use, but which requests are over can be
 * seen. */
static void some_failed(int n, const MPI_Request *was, const MPI_Request *now) {
  for (int i = 0; i < n; i++) {
    if (was[i] == MPI_REQUEST_NULL || now[i] != MPI_REQUEST_NULL)
      continue;
    access_ended(was[i], true);
    if (atomic_load_explicit(&under_way, memory_order_relaxed))
      free(take(was[i]));
  }
}

/* A freed receive ends unseen, as does an access; its handle may soon mean another request. */
SIOX_EXPORT int MPI_Request_free(MPI_Request *request) {
  access_ended(*request, false);
  if (*request != MPI_REQUEST_NULL && atomic_load_explicit(&under_way, memory_order_relaxed))
    free(take(*request));
  return PMPI_Request_free(request);
}

bool siox__message_watching(void) {
  return (atomic_load_explicit(&under_way, memory_order_relaxed) ||
          atomic_load_explicit(&siox__predict_flights, memory_order_relaxed)) &&
         !siox__self.depth;
}

SIOX_EXPORT int MPI_Wait(MPI_Request *request, MPI_Status *status) {
  if (!siox__message_watching())
    return PMPI_Wait(request, status);
  MPI_Request was = *request;
  MPI_Status own, *s = status == MPI_STATUS_IGNORE ? &own : status;
  int result = PMPI_Wait(request, s);
  if (result == MPI_SUCCESS)
    siox__message_ended(was, s);
  else
    some_failed(1, &was, request);
  return result;
}

SIOX_EXPORT int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status) {
  if (!siox__message_watching())
    return PMPI_Test(request, flag, status);
  MPI_Request was = *request;
  MPI_Status own, *s = status == MPI_STATUS_IGNORE ? &own : status;
  int result = PMPI_Test(request, flag, s);
  if (result != MPI_SUCCESS)
    some_failed(1, &was, request);
  else if (*flag)
    siox__message_ended(was, s);
  return result;
}

/* Copies of handles, and statuses of our own where the program wants none. */
struct several {
  MPI_Request *was;
  MPI_Status *status, *made;
};
static bool several(struct several *w, int n, const MPI_Request *request, MPI_Status *status) {
  w->was = n > 0 ? malloc((size_t)n * sizeof *w->was) : NULL;
  w->made = status == MPI_STATUSES_IGNORE && n > 0 ? malloc((size_t)n * sizeof *w->made) : NULL;
  w->status = status == MPI_STATUSES_IGNORE ? w->made : status;
  for (int i = 0; w->was && i < n; i++)
    w->was[i] = request[i];
  return w->was && w->status;
}
static void several_end(struct several *w) {
  free(w->was);
  free(w->made);
}

SIOX_EXPORT int MPI_Waitall(int n, MPI_Request requests[], MPI_Status statuses[]) {
  struct several w = {0};
  int result;
  if (!siox__message_watching() || !several(&w, n, requests, statuses)) {
    result = PMPI_Waitall(n, requests, statuses);
  } else {
    result = PMPI_Waitall(n, requests, w.status);
    for (int i = 0; result == MPI_SUCCESS && i < n; i++)
      siox__message_ended(w.was[i], &w.status[i]);
    if (result != MPI_SUCCESS)
      some_failed(n, w.was, requests);
  }
  several_end(&w);
  return result;
}

SIOX_EXPORT int MPI_Testall(int n, MPI_Request requests[], int *flag, MPI_Status statuses[]) {
  struct several w = {0};
  int result;
  if (!siox__message_watching() || !several(&w, n, requests, statuses)) {
    result = PMPI_Testall(n, requests, flag, statuses);
  } else {
    result = PMPI_Testall(n, requests, flag, w.status);
    for (int i = 0; result == MPI_SUCCESS && *flag && i < n; i++)
      siox__message_ended(w.was[i], &w.status[i]);
    if (result != MPI_SUCCESS)
      some_failed(n, w.was, requests);
  }
  several_end(&w);
  return result;
}

SIOX_EXPORT int MPI_Waitany(int n, MPI_Request requests[], int *index, MPI_Status *status) {
  struct several w = {0};
  MPI_Status own, *s = status == MPI_STATUS_IGNORE ? &own : status;
  int result;
  if (!siox__message_watching() || !several(&w, n, requests, s)) {
    result = PMPI_Waitany(n, requests, index, status);
  } else {
    result = PMPI_Waitany(n, requests, index, s);
    if (result != MPI_SUCCESS)
      some_failed(n, w.was, requests);
    else if (*index != MPI_UNDEFINED)
      siox__message_ended(w.was[*index], s);
  }
  several_end(&w);
  return result;
}

SIOX_EXPORT int MPI_Testany(int n, MPI_Request requests[], int *index, int *flag,
                            MPI_Status *status) {
  struct several w = {0};
  MPI_Status own, *s = status == MPI_STATUS_IGNORE ? &own : status;
  int result;
  if (!siox__message_watching() || !several(&w, n, requests, s)) {
    result = PMPI_Testany(n, requests, index, flag, status);
  } else {
    result = PMPI_Testany(n, requests, index, flag, s);
    if (result != MPI_SUCCESS)
      some_failed(n, w.was, requests);
    else if (*flag && *index != MPI_UNDEFINED)
      siox__message_ended(w.was[*index], s);
  }
  several_end(&w);
  return result;
}

#define SOME(name)                                                                                 \
  SIOX_EXPORT int name(int n, MPI_Request requests[], int *done, int indices[],                    \
                       MPI_Status statuses[]) {                                                    \
    struct several w = {0};                                                                        \
    int result;                                                                                    \
    if (!siox__message_watching() || !several(&w, n, requests, statuses)) {                        \
      result = P##name(n, requests, done, indices, statuses);                                      \
    } else {                                                                                       \
      result = P##name(n, requests, done, indices, w.status);                                      \
      for (int i = 0; result == MPI_SUCCESS && *done != MPI_UNDEFINED && i < *done; i++)           \
        siox__message_ended(w.was[indices[i]], &w.status[i]);                                      \
      if (result != MPI_SUCCESS)                                                                   \
        some_failed(n, w.was, requests);                                                           \
    }                                                                                              \
    several_end(&w);                                                                               \
    return result;                                                                                 \
  }
SOME(MPI_Waitsome)
SOME(MPI_Testsome)
