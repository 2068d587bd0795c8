/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Communicators: uid and sequence number cached as an attribute (docs/client.md). */
#include "client/mpi.h"
#include "common/hash.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static int key = MPI_KEYVAL_INVALID;
static _Atomic uint32_t
    generation; /* grows when a communicator goes, to void the threads' caches */

static _Thread_local struct {
  MPI_Comm comm;
  uint32_t generation;
  struct siox__comm *known;
} last __attribute__((tls_model("initial-exec")));

static int forget(MPI_Comm comm, int keyval, void *value, void *extra) {
  (void)comm, (void)keyval, (void)extra;
  atomic_fetch_add(&generation, 1);
  free(value);
  return MPI_SUCCESS;
}

static struct siox__comm *attach(MPI_Comm comm, uint64_t uid) {
  struct siox__comm *c = calloc(1, sizeof *c);
  int inter = 0;
  if (!c)
    return NULL;
  c->uid = uid;
  PMPI_Comm_test_inter(comm, &inter);
  c->inter = inter;
  PMPI_Comm_size(comm, &c->size);
  PMPI_Comm_rank(comm, &c->self);
  if (PMPI_Comm_set_attr(comm, key, c) != MPI_SUCCESS) {
    free(c);
    return NULL;
  }
  return c;
}

/* Members' ranks in the world, hashed: the best that is known of one whose making was not seen. */
uint64_t siox__comm_members(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL)
    return 0;
  MPI_Group group = MPI_GROUP_NULL, world = MPI_GROUP_NULL;
  uint64_t hash = 1;
  int size = 0;
  if (PMPI_Comm_group(comm, &group) != MPI_SUCCESS)
    return hash;
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Group_size(group, &size);
  int *ranks = malloc(2 * ((size_t)size + 1) * sizeof *ranks);
  if (ranks) {
    for (int i = 0; i < size; i++)
      ranks[i] = i;
    PMPI_Group_translate_ranks(group, size, ranks, world, ranks + size);
    hash = siox__fnv1a(ranks + size, (size_t)size * sizeof *ranks);
    free(ranks);
  }
  PMPI_Group_free(&group);
  PMPI_Group_free(&world);
  return siox__mix(hash, siox__fnv1a(siox__job_key(), strlen(siox__job_key())));
}

/* Communicators of unseen making with the same members are told apart by the order of first use,
 * which members of one program nearly always share. */
static uint64_t unseen_uid(uint64_t members) {
  static struct same {
    struct same *next;
    uint64_t members, count;
  } * known;
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  uint64_t count = 0;
  pthread_mutex_lock(&lock);
  struct same *s = known;
  while (s && s->members != members)
    s = s->next;
  if (!s && (s = calloc(1, sizeof *s))) {
    s->members = members;
    s->next = known;
    known = s;
  }
  if (s)
    count = ++s->count;
  pthread_mutex_unlock(&lock);
  return siox__mix(members, count);
}

struct siox__comm *siox__comm(MPI_Comm comm) {
  uint32_t now = atomic_load_explicit(&generation, memory_order_acquire);
  if (last.known && last.comm == comm && last.generation == now)
    return last.known;
  struct siox__comm *c = NULL;
  int found = 0;
  if (key == MPI_KEYVAL_INVALID || comm == MPI_COMM_NULL ||
      PMPI_Comm_get_attr(comm, key, &c, &found) != MPI_SUCCESS)
    return NULL;
  if (!found && !(c = attach(comm, unseen_uid(siox__comm_members(comm)))))
    return NULL;
  last.comm = comm;
  last.generation = now;
  last.known = c;
  return c;
}

void siox__comm_made(MPI_Comm comm, uint64_t uid, uint64_t seq, uint64_t distinction) {
  if (key != MPI_KEYVAL_INVALID && comm != MPI_COMM_NULL)
    attach(comm, siox__mix(siox__mix(uid, seq), distinction));
}

void siox__comm_start(void) {
  if (key != MPI_KEYVAL_INVALID ||
      PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &key, NULL) != MPI_SUCCESS)
    return;
  const char *job = siox__job_key();
  uint64_t hash = siox__fnv1a(job, strlen(job));
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  attach(MPI_COMM_WORLD, siox__mix(hash, 0));
  attach(MPI_COMM_SELF, siox__mix(hash, 1 + (uint64_t)rank));
}

void siox__comm_stop(void) {
  if (key != MPI_KEYVAL_INVALID)
    PMPI_Comm_free_keyval(&key);
  key = MPI_KEYVAL_INVALID;
  atomic_fetch_add(&generation, 1);
}
