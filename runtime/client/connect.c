/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The connection's state. A program runs on the same with or without a daemon, and at most one line
 * a job says that there is none.
 *
 *   NEW ── found ──► READY ── hung up, silent for a second ──► LOST ── it came back ──► READY
 *    └─ none there ──► GONE ◄── malformed answers; other disks or another mount than before ──┘ */
#include "client/client.h"
#include "client/report.h"
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct siox__client siox__client = {.socket = -1, .wake = -1, .dial = -1, .tally = -1, .rank = -1};
_Thread_local struct siox__thread siox__self
    __attribute__((tls_model("initial-exec"))) = {.vforked = SIOX_VFORK_UNSEEN};

/* A program that was started without stderr, or closes it, may have a data file under number 2:
 * only what was there at the start, or was put there by dup2, is written to. */
static struct stat messages;
static bool messages_known;

void siox__stderr_is(void) { messages_known = fstat(STDERR_FILENO, &messages) == 0; }

__attribute__((constructor(101))) static void stderr_at_start(void) {
  int saved = errno;
  siox__stderr_is();
  errno = saved;
}

/* How often a hint asks whether the daemon is still there. */
#define GLANCE_NS INT64_C(100000000)

bool siox__stderr_still_is(void) {
  struct stat now;
  return messages_known && fstat(STDERR_FILENO, &now) == 0 && now.st_dev == messages.st_dev &&
         now.st_ino == messages.st_ino && now.st_rdev == messages.st_rdev;
}

void siox__warn_once(const char *format, ...) {
  bool first = siox__client.welcome.client || siox__client.welcome.ring_bytes
                   ? siox__client.welcome.first_of_job != 0
                   : siox__job_first_local();
  if (siox__client.warned || siox__client.forked || !first)
    return;
  siox__client.warned = true;
  if (!siox__stderr_still_is())
    return;
  char line[512] = "siox: ";
  const int most = (int)sizeof line - 9;
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(line + 6, sizeof line - 8, format, arguments);
  va_end(arguments);
  length = length < 0 ? 0 : length > most ? most : length;
  line[6 + length] = '\n';
  /* stderr as a descriptor: the program's stdio buffers are not ours to touch. */
  siox__report_write(NULL, line, 7 + (size_t)length);
}

void siox__client_lost(const char *why, bool for_good) {
  int expected = SIOX_STATUS_READY;
  int next = for_good ? SIOX_STATUS_GONE : SIOX_STATUS_LOST;
  atomic_store(&siox__client.retry, 0);
  if (!atomic_compare_exchange_strong(&siox__client.status, &expected, next))
    return;
  siox__fd_close(&siox__client.socket); /* the eventfd stays: another thread may be writing to it */
  siox__warn_once("%s; the program runs on without disk hints and emulated disks%s", why,
                  for_good ? "" : " until it is back");
}

/* Under the socket lock. */
static void look(void) {
  struct pollfd watch = {.fd = siox__client.socket, .events = POLLIN};
  if (siox__connected() && poll(&watch, 1, 0) > 0 && (watch.revents & (POLLHUP | POLLERR)))
    siox__client_lost("sioxd is gone", false);
}

void siox__client_check(void) {
  siox__socket_lock();
  look();
  siox__socket_unlock();
}

void siox__client_glance(void) {
  static _Atomic int64_t last;
  int64_t now = siox__now_ns(), then = atomic_load_explicit(&last, memory_order_relaxed);
  if (now - then < GLANCE_NS || !siox__connected() || !siox__socket_trylock())
    return;
  atomic_store_explicit(&last, now, memory_order_relaxed);
  look();
  siox__socket_unlock();
}

int siox__client_ready(void) {
  int status = atomic_load_explicit(&siox__client.status, memory_order_acquire);
  if (status == SIOX_STATUS_READY)
    return 1;
  if (status == SIOX_STATUS_GONE || siox__borrowed() ||
      (status == SIOX_STATUS_LOST && siox__now_ns() < atomic_load(&siox__client.retry)))
    return 0;
  bool again = false;
  siox__socket_lock();
  if (atomic_load(&siox__client.status) == SIOX_STATUS_NEW) {
    /* A launcher carries libsiox where it is preloaded; its accesses are no part of the job. */
    const int64_t begin = siox__now_ns();
    int result = siox__job_launches() ? SIOX_ENOENT : siox__join();
    siox__client.joining_ns = siox__now_ns() - begin;
    if (result >= 0)
      siox__fault_read();
    else
      siox__fd_close(&siox__client.tally); /* nobody will ask for it */
    atomic_fetch_add(&siox__client.epoch, 1);
    atomic_fetch_add(&siox__client.connection, 1);
    atomic_fetch_add(&siox__client.telling, 1);
    atomic_store_explicit(&siox__client.status, result < 0 ? SIOX_STATUS_GONE : SIOX_STATUS_READY,
                          memory_order_release);
  } else if (atomic_load(&siox__client.status) == SIOX_STATUS_LOST) {
    again = siox__rejoin() == 0;
  }
  siox__socket_unlock();
  if (again)
    siox__hint_again();
  return siox__connected();
}

bool siox__client_usable(void) {
  if (siox__connected())
    return true;
  int saved = errno;
  bool usable = false;
  int status = atomic_load(&siox__client.status);
  if ((status == SIOX_STATUS_NEW || status == SIOX_STATUS_LOST) && siox__enter()) {
    usable = siox__client_ready();
    siox__exit();
  }
  errno = saved;
  return usable;
}

void siox__client_reset(void) {
  if (siox__client.ring)
    munmap(siox__client.ring, siox__ring_size(siox__client.ring_bytes));
  if (siox__client.levels)
    munmap((void *)(uintptr_t)siox__client.levels, siox__client.levels_bytes);
  siox__fd_close(&siox__client.socket);
  siox__fd_close(&siox__client.wake);
  siox__fd_close(&siox__client.dial);
  siox__client.ring = NULL;
  siox__client.levels = NULL;
  if (atomic_load(&siox__client.status) != SIOX_STATUS_NEW)
    siox__client.forked = true;
  atomic_fetch_add(&siox__client.epoch, 1);
  atomic_fetch_add(&siox__client.connection, 1);
  atomic_fetch_add(&siox__client.telling, 1);
  if (siox__welcomed())
    atomic_store(&siox__client.status, SIOX_STATUS_NEW);
}

__attribute__((destructor)) static void farewell(void) {
  siox__report_end("exit");
  if (siox__borrowed() || !siox__enter())
    return;
  siox__client_check();
  siox__notify(SIOX_MSG_BYE, NULL, 0, NULL, 0);
  siox__exit();
}
