/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The thread of the store. What is at the queue's front is written in one transaction and only then
 * let go of, so a database that comes back has everything that fitted the queue. */
#include "store/store.h"
#include "common/clock.h"
#include "common/url.h"
#include "common/worker.h"
#include "store/base.h"
#include "store/queue.h"
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SECOND INT64_C(1000000000)
/* Rows of so long make one transaction; with the time to write them a daemon that is killed loses
 * less than a second. */
static const int64_t GATHER_NS = SECOND / 2;
static const int64_t RETRY_NS = SECOND, RETRY_END_NS = SECOND / 5;
/* At the end, for a database that works and for one that does not. */
static const int64_t END_NS = 5 * SECOND, END_BROKEN_NS = 2 * SECOND;

struct siox__store {
  char *place, *name; /* as it is opened, and as it is told */
  const struct siox__log *log;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t work, ended;
  _Atomic int64_t end; /* what waits for a database gives up then; 0: not yet */
  /* under the lock */
  struct siox__queue queue;
  bool closing, over; /* over: the thread has ended */
  struct siox__store_counts counts;
  /* the thread's own */
  struct siox__base *base;
  int64_t run, batch; /* of the rows, and how many were written; 0: none yet */
  int64_t doubtful;   /* run that a commit without an answer belongs to; 0: there is none */
  bool broken, said, said_dropped, said_refused;
  uint32_t limit; /* rows of a transaction, less where a row may be what the database refuses */
};

static struct timespec at(int64_t ns) { return (struct timespec){ns / SECOND, ns % SECOND}; }

/* Waits with the lock held: for work, or until it is time to try again. */
static void wait_for_work(struct siox__store *s) {
  if ((s->closing && !s->broken) || (s->limit < UINT32_MAX && s->queue.rows))
    return;
  if (s->broken) {
    const struct timespec until = at(siox__now_ns() + (s->closing ? RETRY_END_NS : RETRY_NS));
    const bool closing = s->closing;
    while (s->closing == closing && pthread_cond_timedwait(&s->work, &s->lock, &until) != ETIMEDOUT)
      ;
    return;
  }
  while (!s->queue.rows && !s->closing)
    pthread_cond_wait(&s->work, &s->lock);
  const struct timespec until = at(siox__now_ns() + GATHER_NS);
  while (s->queue.bytes <= SIOX__CHUNK_BYTES && !s->closing &&
         pthread_cond_timedwait(&s->work, &s->lock, &until) != ETIMEDOUT)
    ;
}

static void say_name(struct siox__store *s, enum siox__log_level level, const char *what) {
  siox__log(s->log, level, "database %s: %s", s->name, what);
}

/* Tells the log when the database stops or starts to work, and when rows begin to be lost. */
static void tell(struct siox__store *s, const struct siox_diag *diag) {
  if (s->broken && !s->said)
    siox__log(s->log, SIOX__LOG_ERROR, "database %s: %s; records wait and it is tried again",
              s->name, diag->text);
  else if (!s->broken && s->said)
    say_name(s, SIOX__LOG_WARN, "works again");
  s->said = s->broken;
}

static struct siox__patience patience(struct siox__store *s) {
  return (struct siox__patience){
      .connect_ns = 5 * SECOND, .statement_ns = 20 * SECOND, .end = &s->end};
}

/* The last commit had no answer: was it made? 1 or 0, or negative. */
static int was_made(struct siox__store *s, struct siox_diag *diag) {
  char sql[80];
  int64_t batch = -1;
  snprintf(sql, sizeof sql, "SELECT batch FROM run WHERE run = %lld", (long long)s->doubtful);
  int r = siox__base_query(s->base, sql, siox__base_take_number, &batch, NULL, diag);
  return r < 0 ? r : batch == s->batch + 1;
}

static int write_rows(struct siox__store *s, const unsigned char *from, uint32_t count,
                      int64_t *run, struct siox_diag *diag) {
  struct siox__store_row row;
  int r = siox__base_begin(s->base, diag);
  for (uint32_t i = 0; i < count && r == 0; i++) {
    from += siox__row_unpack(from, &row);
    r = siox__base_put(s->base, &row, run, diag);
  }
  return r < 0 ? r : siox__base_commit(s->base, *run, s->batch + 1, diag);
}

/* A base that failed is closed, whatever the failure: the next try opens it anew. */
static int write_batch(struct siox__store *s, const unsigned char *from, uint32_t count,
                       struct siox_diag *diag) {
  int64_t run = s->run;
  const struct siox__patience p = patience(s);
  int r = s->base ? 0 : siox__base_open(&s->base, s->place, SIOX__BASE_WRITE, &p, diag), made = 0;
  if (r == 0 && s->doubtful && (made = was_made(s, diag)) < 0)
    r = made;
  if (r == 0 && made)
    run = s->doubtful;
  else if (r == 0)
    r = write_rows(s, from, count, &run, diag);
  if (r == SIOX_EUNKNOWN)
    s->doubtful = run;
  else if (r == 0)
    s->doubtful = 0, s->run = run, s->batch++;
  if (r < 0) {
    siox__base_close(s->base);
    s->base = NULL;
  }
  return r;
}

/* So many rows of the chunk; their bytes. */
static uint32_t rows_of(const struct siox__store *s, const struct siox__chunk *c, size_t *bytes) {
  const uint32_t left = c->rows - c->done_rows, count = left < s->limit ? left : s->limit;
  struct siox__store_row row;
  *bytes = c->used - c->done;
  if (count < left) {
    *bytes = 0;
    for (uint32_t i = 0; i < count; i++)
      *bytes += siox__row_unpack(c->data + c->done + *bytes, &row);
  }
  return count;
}

/* One transaction, with the lock held but while it is written. */
static void write_some(struct siox__store *s) {
  struct siox__chunk *c = siox__queue_first(&s->queue);
  struct siox_diag diag = {""};
  size_t bytes;
  if (!c)
    return;
  const uint32_t count = rows_of(s, c, &bytes);
  const uint64_t dropped = s->counts.dropped;
  pthread_mutex_unlock(&s->lock);
  if (dropped && !s->said_dropped) {
    say_name(s, SIOX__LOG_ERROR,
             "more comes than it takes: records are dropped, status counts them");
    s->said_dropped = true;
  }
  int r = write_batch(s, c->data + c->done, count, &diag);
  /* A row that no database takes must not keep back the others: it is looked for, and dropped. */
  const bool refused = r == SIOX_EINVAL;
  if (refused && count == 1 && !s->said_refused) {
    siox__log(s->log, SIOX__LOG_ERROR,
              "database %s: a record is refused and dropped, status counts others: %s", s->name,
              diag.text);
    s->said_refused = true;
  }
  s->broken = r < 0 && !refused;
  if (!refused)
    tell(s, &diag);
  if (refused)
    s->limit = (count + 1) / 2;
  else if (r == 0 && s->limit < UINT32_MAX) /* what failed is tried again as it was */
    s->limit = s->limit < SIOX__CHUNK_BYTES / 2 ? 2 * s->limit : UINT32_MAX;
  pthread_mutex_lock(&s->lock);
  s->counts.broken = s->broken;
  if (r == 0)
    s->counts.written += count;
  else if (refused && count == 1)
    s->counts.dropped++;
  if (r == 0 || (refused && count == 1))
    siox__queue_done(&s->queue, count, bytes);
}

static void *writer(void *argument) {
  struct siox__store *s = argument;
  struct siox_diag diag = {""};
  /* Opened at once: that it cannot be written is known before the first rows are due. The log hears
   * of it when rows have to wait. */
  const struct siox__patience p = patience(s);
  s->broken = siox__base_open(&s->base, s->place, SIOX__BASE_WRITE, &p, &diag) < 0;
  pthread_mutex_lock(&s->lock);
  s->counts.broken = s->broken;
  for (;;) {
    wait_for_work(s);
    const int64_t end = s->end, now = siox__now_ns();
    if (s->closing &&
        (!s->queue.rows || now >= end || (s->broken && now >= end - END_NS + END_BROKEN_NS)))
      break;
    write_some(s);
  }
  if (s->queue.rows)
    siox__log(s->log, SIOX__LOG_ERROR, "database %s: %llu records are lost", s->name,
              (unsigned long long)s->queue.rows);
  pthread_mutex_unlock(&s->lock);
  siox__base_close(s->base);
  pthread_mutex_lock(&s->lock);
  s->over = true;
  pthread_cond_signal(&s->ended);
  pthread_mutex_unlock(&s->lock);
  return NULL;
}

static void destroy(struct siox__store *s) {
  siox__queue_free(&s->queue);
  free(s->place);
  free(s->name);
  free(s);
}

static int begin(struct siox__store *s) {
  pthread_mutex_init(&s->lock, NULL);
  siox__cond_start(&s->work);
  siox__cond_start(&s->ended);
  return siox__worker_start(&s->thread, writer, s);
}

int siox__store_open(struct siox__store **store, const char *place, const struct siox__log *log) {
  struct siox__store *s = calloc(1, sizeof *s);
  *store = s;
  if (!s)
    return SIOX_ENOMEM;
  s->log = log;
  s->limit = UINT32_MAX;
  if (!place)
    return 0;
  s->place = strdup(place);
  s->name = siox__url_public(place);
  if (s->place && s->name && begin(s) == 0)
    return 0;
  destroy(s);
  *store = NULL;
  return SIOX_ENOMEM;
}

void siox__store_put(struct siox__store *s, const struct siox__store_row *row) {
  if (!s || !s->place)
    return;
  pthread_mutex_lock(&s->lock);
  const size_t before = s->queue.bytes;
  if (siox__queue_put(&s->queue, row) < 0)
    s->counts.dropped++;
  else if (s->queue.rows == 1 || s->queue.bytes != before)
    pthread_cond_signal(&s->work);
  pthread_mutex_unlock(&s->lock);
}

struct siox__store_counts siox__store_counts(struct siox__store *s) {
  struct siox__store_counts counts = {0};
  if (!s || !s->place)
    return counts;
  pthread_mutex_lock(&s->lock);
  counts = s->counts;
  counts.waiting = s->queue.rows;
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
  const struct siox__patience p = {.connect_ns = 2 * SECOND, .statement_ns = 2 * SECOND};
  if (!s || !s->place)
    return;
  int r = siox__base_open(&l.base, s->place, SIOX__BASE_READ, &p, &diag);
  if (r < 0) { /* a file that is not there yet, or files of CSV, have none */
    if (r != SIOX_ENOENT && siox__url_of_server(s->place))
      siox__log(s->log, SIOX__LOG_WARN,
                "database %s: %s; layouts that earlier runs stored there are not known", s->name,
                diag.text);
    return;
  }
  /* The thread may be about to migrate it: both questions are asked of one state. Those of any node
   * come first, since the last one of an inode holds. */
  r = siox__base_query(l.base, "BEGIN", NULL, NULL, NULL, &diag);
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
  if (!s->place) {
    free(s);
    return;
  }
  pthread_mutex_lock(&s->lock);
  s->end = siox__now_ns() + END_NS;
  s->closing = true;
  pthread_cond_signal(&s->work);
  const struct timespec until = at(s->end + SECOND);
  while (!s->over && pthread_cond_timedwait(&s->ended, &s->lock, &until) != ETIMEDOUT)
    ;
  const bool over = s->over;
  pthread_mutex_unlock(&s->lock);
  if (!over) { /* a file system or a name server does not answer: the thread has all that is its own
                  until the process ends */
    say_name(s, SIOX__LOG_ERROR, "does not answer: it is left behind, with its records");
    pthread_detach(s->thread);
    return;
  }
  pthread_join(s->thread, NULL);
  pthread_cond_destroy(&s->work);
  pthread_cond_destroy(&s->ended);
  pthread_mutex_destroy(&s->lock);
  destroy(s);
}
