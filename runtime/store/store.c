/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The queue and the thread of the store. A batch is taken from the queue's front, written in one
 * transaction and only then let go of, so a database that comes back has everything that fitted the
 * queue. */
#include "store/store.h"
#include "store/base.h"
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { QUEUE = 65536, BATCH = 4096, RETRY_S = 1, CLOSE_TRIES = 2 };

struct siox__store {
  char *path;
  const struct siox__log *log;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t work;
  struct siox__store_row *queue; /* ring of QUEUE rows; [first, first + waiting) */
  uint32_t first, waiting;
  bool closing;
  struct siox__store_counts counts;
};

static void free_texts(struct siox__store_row *row) {
  for (int i = 0; i < SIOX__ROW_TEXTS; i++)
    free((char *)row->text[i]);
}

/* Waits with the lock held: for work, or RETRY_S when the database is broken. */
static void wait_for_work(struct siox__store *s, bool broken) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec += RETRY_S;
  if (broken) {
    while (!s->closing && pthread_cond_timedwait(&s->work, &s->lock, &until) != ETIMEDOUT)
      ;
    return;
  }
  while (!s->waiting && !s->closing)
    pthread_cond_wait(&s->work, &s->lock);
  /* A second's rows make one transaction: an fsync a second, not one a row. */
  while (s->waiting < BATCH && !s->closing &&
         pthread_cond_timedwait(&s->work, &s->lock, &until) != ETIMEDOUT)
    ;
}

/* A base that failed is closed, whatever the failure: the next try opens it anew. */
static int write_batch(struct siox__store *s, struct siox__base **base,
                       const struct siox__store_row *rows, uint32_t count, int64_t *run,
                       struct siox_diag *diag) {
  const int64_t before = *run;
  int r = *base ? 0 : siox__base_open(base, s->path, SIOX__BASE_WRITE, diag);
  if (r == 0)
    r = siox__base_begin(*base, diag);
  for (uint32_t i = 0; i < count && r == 0; i++)
    r = siox__base_put(*base, &rows[i], run, diag);
  if (r == 0)
    r = siox__base_commit(*base, diag);
  if (r < 0) {
    siox__base_close(*base);
    *base = NULL;
    *run = before;
  }
  return r;
}

/* Tells the log when the database stops or starts to work. */
static void tell(struct siox__store *s, bool broken, bool *said, const struct siox_diag *diag) {
  if (broken && !*said)
    siox__log(s->log, SIOX__LOG_ERROR, "database %s: %s; records wait and it is tried again",
              s->path, diag->text);
  else if (!broken && *said)
    siox__log(s->log, SIOX__LOG_WARN, "database %s: works again", s->path);
  *said = broken;
}

static void *writer(void *argument) {
  struct siox__store *s = argument;
  struct siox__base *base = NULL;
  int64_t run = 0;
  bool broken = false, said = false;
  int tries = 0;
  struct siox_diag diag = {""};
  /* Opened at once: that it cannot be written is known before the first second's rows are due. The
   * log hears of it when rows have to wait. */
  broken = siox__base_open(&base, s->path, SIOX__BASE_WRITE, &diag) < 0;
  pthread_mutex_lock(&s->lock);
  s->counts.broken = broken;
  for (;;) {
    if (!s->closing)
      wait_for_work(s, broken);
    uint32_t count = s->waiting < BATCH ? s->waiting : BATCH;
    if (!count && s->closing)
      break;
    if (!count)
      continue;
    if (count > QUEUE - s->first)
      count = QUEUE - s->first;
    struct siox__store_row *rows = &s->queue[s->first]; /* put never touches rows in the queue */
    pthread_mutex_unlock(&s->lock);
    diag.text[0] = 0;
    int r = write_batch(s, &base, rows, count, &run, &diag);
    broken = r < 0;
    tell(s, broken, &said, &diag);
    for (uint32_t i = 0; i < count && !broken; i++)
      free_texts(&rows[i]);
    pthread_mutex_lock(&s->lock);
    s->counts.broken = broken;
    if (!broken) {
      s->first = (s->first + count) % QUEUE;
      s->waiting -= count;
      s->counts.written += count;
    } else if (s->closing && ++tries == CLOSE_TRIES) {
      break;
    }
  }
  pthread_mutex_unlock(&s->lock);
  siox__base_close(base);
  return NULL;
}

int siox__store_open(struct siox__store **store, const char *path, const struct siox__log *log) {
  struct siox__store *s = calloc(1, sizeof *s);
  *store = s;
  if (!s)
    return SIOX_ENOMEM;
  s->log = log;
  if (!path)
    return 0;
  s->path = strdup(path);
  s->queue = calloc(QUEUE, sizeof *s->queue); /* pages are touched as they are used */
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_mutex_init(&s->lock, NULL);
  pthread_cond_init(&s->work, &monotonic);
  if (s->path && s->queue && pthread_create(&s->thread, NULL, writer, s) == 0)
    return 0;
  free(s->path);
  free(s->queue);
  free(s);
  *store = NULL;
  return SIOX_ENOMEM;
}

void siox__store_put(struct siox__store *s, const struct siox__store_row *row) {
  if (!s || !s->path)
    return;
  struct siox__store_row copy = *row;
  for (int i = 0; i < SIOX__ROW_TEXTS; i++)
    copy.text[i] = row->text[i] ? strdup(row->text[i]) : NULL;
  pthread_mutex_lock(&s->lock);
  bool full = s->waiting == QUEUE;
  if (full)
    s->counts.dropped++;
  else
    s->queue[(s->first + s->waiting++) % QUEUE] = copy;
  if (s->waiting == 1 || s->waiting == BATCH)
    pthread_cond_signal(&s->work);
  pthread_mutex_unlock(&s->lock);
  if (full)
    free_texts(&copy);
}

struct siox__store_counts siox__store_counts(struct siox__store *s) {
  struct siox__store_counts counts = {0};
  if (!s || !s->path)
    return counts;
  pthread_mutex_lock(&s->lock);
  counts = s->counts;
  counts.waiting = s->waiting;
  pthread_mutex_unlock(&s->lock);
  return counts;
}

struct layouts {
  void (*each)(void *context, uint64_t dev, uint64_t ino, const char *path, const char *layout);
  void *context;
  struct siox__base *base;
};

static int take_layout(void *context, const char *const *v) {
  const struct layouts *l = context;
  const char *node = v[0] ? v[0] : "";
  if (v[1] && v[2] && v[3] && v[4] && (!*node || !strcmp(node, siox__base_node(l->base))))
    l->each(l->context, (uint64_t)strtoll(v[1], NULL, 10), (uint64_t)strtoll(v[2], NULL, 10), v[3],
            v[4]);
  return 0;
}

void siox__store_layouts(struct siox__store *s,
                         void (*each)(void *context, uint64_t dev, uint64_t ino, const char *path,
                                      const char *layout),
                         void *context) {
  struct layouts l = {each, context, NULL};
  struct siox_diag diag;
  if (!s || !s->path || siox__base_open(&l.base, s->path, SIOX__BASE_READ, &diag) < 0)
    return;
  /* The thread may be about to migrate it: both questions are asked of one state. Those of any node
   * come first, since the last one of an inode holds. */
  int r = siox__base_query(l.base, "BEGIN", NULL, NULL, NULL, &diag);
  if (r == 0)
    r = siox__schema_version(l.base, &diag);
  if (r > 0)
    (void)siox__base_query(l.base,
                           r == 1 ? "SELECT '', dev, ino, path, layout FROM layout"
                                  : "SELECT node, dev, ino, path, layout FROM layout ORDER BY node",
                           take_layout, &l, NULL, &diag);
  siox__base_close(l.base);
}

void siox__store_close(struct siox__store *s) {
  if (!s)
    return;
  if (s->path) {
    pthread_mutex_lock(&s->lock);
    s->closing = true;
    pthread_cond_signal(&s->work);
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->thread, NULL);
    for (; s->waiting; s->waiting--, s->first = (s->first + 1) % QUEUE)
      free_texts(&s->queue[s->first]);
    pthread_cond_destroy(&s->work);
    pthread_mutex_destroy(&s->lock);
    free(s->queue);
    free(s->path);
  }
  free(s);
}
