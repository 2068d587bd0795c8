/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tallies of processes: who comes and who leaves. */
#include "common/clock.h"
#include "daemon/activities_internal.h"
#include "siox/error.h"
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>

enum {
  TMPFS = 0x01021994, /* TMPFS_MAGIC: what memfds are made of, unless of huge pages, which may run
                         out under the reader */
  LEFT_MOST = 4096,   /* that wait for their last cycle */
};
static const int SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

int siox__activities_new(struct siox__activities **out, bool cycles) {
  struct siox__activities *a = *out = calloc(1, sizeof *a);
  if (!a)
    return SIOX_ENOMEM;
  a->kind = calloc(SIOX_TALLY_ROWS, sizeof *a->kind);
  a->one = calloc(SIOX_TALLY_ROWS, sizeof *a->one);
  if (!a->kind || !a->one) {
    free(a->kind);
    free(a->one);
    free(a);
    *out = NULL;
    return SIOX_ENOMEM;
  }
  pthread_mutex_init(&a->lock, NULL);
  a->cycles = cycles;
  a->owners = 1;
  return 0;
}

struct siox__activities *siox__activities_hold(struct siox__activities *a) {
  pthread_mutex_lock(&a->lock);
  a->owners++;
  pthread_mutex_unlock(&a->lock);
  return a;
}

void siox__tallied_discard(struct siox__activities *a, struct siox__tallied *p) {
  a->all[p->at] = a->all[--a->nall];
  a->all[p->at]->at = p->at;
  if (p->like)
    p->like->like_b = p->like_b;
  *(p->like_b ? &p->like_b->like : siox__tallied_chain(a, p->pid)) = p->like;
  a->left -= p->left;
  if (p->tally)
    munmap((void *)(uintptr_t)p->tally, sizeof *p->tally);
  free(p->slot);
  free(p->seen);
  free(p);
}

void siox__activities_free(struct siox__activities *a) {
  if (!a)
    return;
  pthread_mutex_lock(&a->lock);
  const bool last = --a->owners == 0;
  pthread_mutex_unlock(&a->lock);
  if (!last)
    return;
  while (a->nall > 0)
    siox__tallied_discard(a, a->all[a->nall - 1]);
  for (int i = 0; i < SIOX__ACTIVITY_CHAINS; i++)
    for (struct siox__active_job *j = a->chain[i], *next; j; j = next) {
      next = j->next;
      free(j->row);
      free(j);
    }
  pthread_mutex_destroy(&a->lock);
  free(a->all);
  free(a->kind);
  free(a->one);
  free(a);
}

struct siox__active_job **siox__active_job(struct siox__activities *a, uint32_t serial) {
  struct siox__active_job **at = &a->chain[serial % SIOX__ACTIVITY_CHAINS];
  while (*at && (*at)->serial != serial)
    at = &(*at)->next;
  return at;
}

/* What is not sealed may shrink under the reader. */
static const struct siox_tally *map(int fd, const char **why) {
  struct stat st;
  struct statfs fs;
  const int seals = fcntl(fd, F_GET_SEALS);
  *why = "its tally is not sealed memory";
  if (seals < 0 || (seals & SEALS) != SEALS || fstatfs(fd, &fs) < 0 || fs.f_type != TMPFS)
    return NULL;
  *why = "its tally is of another size";
  if (fstat(fd, &st) < 0 || st.st_size != sizeof(struct siox_tally))
    return NULL;
  *why = "its tally cannot be mapped";
  void *at = mmap(NULL, sizeof(struct siox_tally), PROT_READ, MAP_SHARED, fd, 0);
  if (at == MAP_FAILED)
    return NULL;
  const struct siox_tally *t = at;
  *why = "its tally is of another version";
  if (t->magic == SIOX_TALLY_MAGIC && t->version == SIOX_TALLY_VERSION)
    return t;
  munmap(at, sizeof(struct siox_tally));
  return NULL;
}

/* For one more. */
static bool make_room(struct siox__activities *a) {
  if (a->nall < a->room)
    return true;
  const size_t room = a->room ? 2 * a->room : 64;
  struct siox__tallied **more = realloc(a->all, room * sizeof *more);
  if (!more)
    return false;
  a->all = more;
  a->room = room;
  return true;
}

int siox__activities_enter(struct siox__activities *a, int fd, int32_t pid, int32_t rank,
                           uint32_t job, struct siox__tallied **out, const char **why) {
  *out = NULL;
  const struct siox_tally *tally = map(fd, why);
  if (!tally)
    return SIOX_EPROTO;
  struct siox__tallied *p = calloc(1, sizeof *p);
  pthread_mutex_lock(&a->lock);
  struct siox__active_job **at = siox__active_job(a, job);
  if (p && !*at && (*at = calloc(1, sizeof **at)))
    (*at)->serial = job;
  if (!p || !*at || !make_room(a)) {
    pthread_mutex_unlock(&a->lock);
    munmap((void *)(uintptr_t)tally, sizeof *tally);
    free(p);
    return SIOX_ENOMEM;
  }
  *p = (struct siox__tallied){.tally = tally,
                              .pid = pid,
                              .rank = rank,
                              .came_ns = siox__now_ns(),
                              .job = job,
                              .at = a->nall,
                              .like = *siox__tallied_chain(a, pid),
                              .sibling = (*at)->processes};
  a->all[a->nall++] = p;
  if (p->like)
    p->like->like_b = p;
  *siox__tallied_chain(a, pid) = p;
  if (p->sibling)
    p->sibling->sibling_b = p;
  (*at)->processes = p;
  pthread_mutex_unlock(&a->lock);
  *out = p;
  return 0;
}

void siox__activities_leave(struct siox__activities *a, struct siox__tallied *p) {
  if (!p)
    return;
  pthread_mutex_lock(&a->lock);
  struct siox__active_job *job = *siox__active_job(a, p->job);
  if (job) {
    siox__active_job_keep(job, p);
    if (p->sibling)
      p->sibling->sibling_b = p->sibling_b;
    *(p->sibling_b ? &p->sibling_b->sibling : &job->processes) = p->sibling;
  }
  if (a->cycles && a->left < LEFT_MOST) {
    p->left = true;
    a->left++;
  } else if (!a->cycles) {
    siox__tallied_discard(a, p);
  } else { /* the cycles do not come: it has the mapping no longer, they have the rest */
    munmap((void *)(uintptr_t)p->tally, sizeof *p->tally);
    free(p->slot);
    free(p->seen);
    p->tally = NULL;
    p->slot = NULL;
    p->seen = NULL;
    p->nseen = 0;
    p->left = true;
    a->left++;
  }
  pthread_mutex_unlock(&a->lock);
}

void siox__activities_forget(struct siox__activities *a, uint32_t serial) {
  pthread_mutex_lock(&a->lock);
  struct siox__active_job **at = siox__active_job(a, serial), *job = *at;
  if (job && !job->processes) {
    *at = job->next;
    free(job->row);
    free(job);
  }
  pthread_mutex_unlock(&a->lock);
}

uint64_t siox__activities_refused(struct siox__activities *a) {
  pthread_mutex_lock(&a->lock);
  const uint64_t refused = a->refused;
  pthread_mutex_unlock(&a->lock);
  return refused;
}
