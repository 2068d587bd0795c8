/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads that do what triggers ask for. */
#include "daemon/act.h"
#include "common/worker.h"
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { QUEUE = 32, NWORKERS = 3, SAID = 256 };

struct worker {
  struct siox__act *act;
  int (*run)(const struct siox__doing *, const struct siox__action *, const struct siox__event *,
             struct siox_diag *);
  bool started;
  pthread_t thread;
  struct {
    const struct siox__action *action;
    struct siox__event event;
  } queue[QUEUE]; /* a ring */
  uint32_t first, waiting;
};
struct siox__act {
  struct siox__doing doing;
  pthread_mutex_t lock;
  pthread_cond_t work;
  bool ending;
  struct worker worker[NWORKERS];
  struct siox__act_counts counts;
  const struct siox__action *said[SAID]; /* those whose failure the log knows */
  uint32_t nsaid;
};

const char *siox__level_name(enum siox_reasoner_level level) {
  static const char *const names[] = {"process", "node", "system"};
  return (unsigned)level < 3 ? names[level] : "?";
}

int siox__act_new(struct siox__act **out, const char *file, const char *root,
                  const struct siox__log *log) {
  static int (*const run[])(const struct siox__doing *, const struct siox__action *,
                            const struct siox__event *, struct siox_diag *) = {
      siox__act_command, siox__act_syslog, siox__act_webhook};
  struct siox__act *a = calloc(1, sizeof *a);
  *out = NULL;
  if (!a)
    return SIOX_ENOMEM;
  a->doing = (struct siox__doing){
      .file = file, .root = root, .log = log, .end_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  if (a->doing.end_fd < 0) {
    free(a);
    return SIOX_EIO;
  }
  pthread_mutex_init(&a->lock, NULL);
  pthread_cond_init(&a->work, NULL);
  for (int i = 0; i < NWORKERS; i++) {
    a->worker[i].act = a;
    a->worker[i].run = run[i];
  }
  *out = a;
  return 0;
}

/* A failure, said the first time; under the lock. */
static void failed(struct siox__act *a, const struct siox__action *action,
                   const struct siox_diag *why) {
  a->counts.failed++;
  for (uint32_t i = 0; i < a->nsaid; i++)
    if (a->said[i] == action)
      return;
  if (a->nsaid == SAID)
    return;
  a->said[a->nsaid++] = action;
  siox__log(a->doing.log, SIOX__LOG_ERROR, "%s:%u: %s; it is not said again", a->doing.file,
            action->line, why->text);
}

static void *run(void *context) {
  struct worker *w = context;
  struct siox__act *a = w->act;
  pthread_mutex_lock(&a->lock);
  while (!a->ending) {
    if (w->waiting == 0) {
      pthread_cond_wait(&a->work, &a->lock);
      continue;
    }
    const struct siox__action *action = w->queue[w->first].action;
    const struct siox__event event = w->queue[w->first].event;
    w->first = (w->first + 1) % QUEUE;
    w->waiting--;
    a->counts.waiting--;
    pthread_mutex_unlock(&a->lock);
    struct siox_diag why = {""};
    const int e = w->run(&a->doing, action, &event, &why);
    pthread_mutex_lock(&a->lock);
    if (e == 0)
      a->counts.done++;
    else if (!a->ending)
      failed(a, action, &why);
  }
  pthread_mutex_unlock(&a->lock);
  return NULL;
}

/* The thread comes with the first thing to do. Under the lock. */
static bool start(struct worker *w) {
  if (!w->started)
    w->started = siox__worker_start(&w->thread, run, w) == 0;
  return w->started;
}

void siox__act_do(struct siox__act *a, const struct siox__action *action,
                  const struct siox__event *event) {
  struct worker *w = &a->worker[action->kind - SIOX__ACTION_COMMAND];
  pthread_mutex_lock(&a->lock);
  if (a->ending || w->waiting == QUEUE || !start(w)) {
    a->counts.dropped++;
  } else {
    const uint32_t at = (w->first + w->waiting++) % QUEUE;
    w->queue[at].action = action;
    w->queue[at].event = *event;
    a->counts.waiting++;
    pthread_cond_broadcast(&a->work);
  }
  pthread_mutex_unlock(&a->lock);
}

struct siox__act_counts siox__act_counts(struct siox__act *a) {
  pthread_mutex_lock(&a->lock);
  const struct siox__act_counts counts = a->counts;
  pthread_mutex_unlock(&a->lock);
  return counts;
}

void siox__act_free(struct siox__act *a) {
  if (!a)
    return;
  pthread_mutex_lock(&a->lock);
  a->ending = true;
  pthread_cond_broadcast(&a->work);
  pthread_mutex_unlock(&a->lock);
  while (write(a->doing.end_fd, &(uint64_t){1}, sizeof(uint64_t)) < 0 && errno == EINTR)
    ;
  for (int i = 0; i < NWORKERS; i++)
    if (a->worker[i].started)
      pthread_join(a->worker[i].thread, NULL);
  close(a->doing.end_fd);
  pthread_cond_destroy(&a->work);
  pthread_mutex_destroy(&a->lock);
  free(a);
}
