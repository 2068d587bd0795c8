/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A thread of the daemon's beside its loop, and what it waits on. Signals are the loop's, so the
 * thread takes none; times are those of CLOCK_MONOTONIC. */
#ifndef SIOX_COMMON_WORKER_H
#define SIOX_COMMON_WORKER_H
#include "siox/error.h"
#include <pthread.h>
#include <signal.h>
#include <time.h>

static inline void siox__cond_start(pthread_cond_t *cond) {
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(cond, &monotonic);
  pthread_condattr_destroy(&monotonic);
}

/* SIOX_ENOMEM: no thread can be had. */
static inline int siox__worker_start(pthread_t *thread, void *(*run)(void *), void *context) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int error = pthread_create(thread, NULL, run, context);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return error == 0 ? 0 : SIOX_ENOMEM;
}

#endif
