/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The process's tally: made once, kept through reconnects, never a parent's. What a descriptor is
 * gets asked of the kernel once and is remembered until it is closed here. A descriptor that libc
 * closes by itself (but by fclose) and that becomes something else is taken for what it was. */
#include "client/real.h"
#include "client/report.h"
#include "client/tally_quick.h"
#include "common/random.h"
#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>

_Atomic(struct siox_tally *) siox__tally_at;

_Atomic uint64_t siox__key_of_fd[SIOX_MAX_FD];

static pthread_key_t at_thread_end;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static _Atomic bool have_key;

static void thread_end(void *number) {
  struct siox_tally *t = atomic_load(&siox__tally_at);
  if (t && t != SIOX_TALLY_DUE)
    siox__tally_thread_ends(t, (unsigned)(uintptr_t)number);
  siox__self.shown = false; /* destructors after this one may do I/O */
  siox__thread_number_end();
}
static void make_key(void) { have_key = pthread_key_create(&at_thread_end, thread_end) == 0; }

/* A memfd that nobody can cut, or memory without a descriptor where there are none. */
static struct siox_tally *make(int *out) {
  const size_t size = sizeof(struct siox_tally);
  struct rlimit file;
  /* What passes RLIMIT_FSIZE ends the program with SIGXFSZ. */
  const bool room = getrlimit(RLIMIT_FSIZE, &file) == 0 && file.rlim_cur >= size;
  int fd = room ? memfd_create("siox tally", MFD_CLOEXEC | MFD_ALLOW_SEALING) : -1;
  if (fd >= 0)
    fd = siox__fd_high(fd);
  if (fd >= 0 &&
      (ftruncate(fd, (off_t)size) < 0 ||
       siox__real()->fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0))
    siox__fd_close(&fd);
  void *at = siox__real()->mmap(NULL, size, PROT_READ | PROT_WRITE,
                                fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, fd, 0);
  if (at == MAP_FAILED) {
    siox__fd_close(&fd);
    return NULL;
  }
  *out = fd;
  return at;
}

void siox__tally_begin(void) {
  struct siox_tally *t = atomic_load(&siox__tally_at);
  if ((t && t != SIOX_TALLY_DUE) || siox__borrowed())
    return;
  pthread_once(&key_once, make_key);
  int fd = -1;
  struct siox_tally *made = make(&fd);
  if (made)
    siox__tally_init(made, siox__client.pid);
  if (atomic_compare_exchange_strong(&siox__tally_at, &t, made)) {
    siox__client.tally = fd;
  } else if (made) { /* another thread was faster */
    munmap(made, sizeof *made);
    siox__fd_close(&fd);
  }
}

struct siox_tally *siox__tally_due(void) {
  if (siox__borrowed() || !siox__enter())
    return NULL;
  int saved = errno;
  if (siox__report_wanted())
    siox__tally_begin();
  else
    siox__client_ready(); /* makes it before it says HELLO */
  struct siox_tally *due = SIOX_TALLY_DUE;
  atomic_compare_exchange_strong(&siox__tally_at, &due, NULL);
  siox__exit();
  errno = saved;
  return atomic_load(&siox__tally_at);
}

void siox__tally_reset(void) {
  struct siox_tally *t = atomic_load(&siox__tally_at);
  if (t && t != SIOX_TALLY_DUE)
    munmap(t, sizeof *t);
  siox__fd_close(&siox__client.tally);
  atomic_store(&siox__tally_at, t ? SIOX_TALLY_DUE : NULL);
  siox__self.vforked = siox__self.shown = false;
}

/* After fork.c's, which says whose memory this is. */
__attribute__((constructor(103))) static void begin_early(void) {
  if (siox__report_wanted() && siox__enter()) {
    int saved = errno;
    siox__tally_begin();
    siox__exit();
    errno = saved;
  }
}

/* A thread that is cancelled in a call leaves it running for ever. */
unsigned siox__tally_thread(struct siox_tally *t) {
  const unsigned number = siox__thread_number(), own = number - 1, last = SIOX_TALLY_SHARDS - 1;
  siox__tally_shard(t, own < last ? own : last);
  siox__self.shown = true;
  if (have_key)
    pthread_setspecific(at_thread_end, (void *)(uintptr_t)number);
  return number;
}

uint64_t siox__key_find(int fd) {
  uint64_t key = atomic_load_explicit(&siox__key_of_fd[fd], memory_order_relaxed);
  if (key == SIOX__KEY_UNKNOWN) {
    struct stat st;
    int saved = errno;
    if (fstat(fd, &st) < 0) {
      errno = saved;
      return 0;
    }
    key = SIOX__KEY_OTHER;
    if (S_ISREG(st.st_mode)) {
      key = siox__scramble((uint64_t)st.st_ino * UINT64_C(0x9e3779b97f4a7c15) + st.st_dev);
      key >>= 11; /* 53 bits, which any reader of JSON takes */
      key = key < SIOX__KEY_LEAST ? SIOX__KEY_LEAST : key;
    }
    atomic_store_explicit(&siox__key_of_fd[fd], key, memory_order_relaxed);
  }
  return key == SIOX__KEY_OTHER ? 0 : key;
}

void siox__posix_forget(int fd) {
  if ((unsigned)fd < SIOX_MAX_FD &&
      atomic_load_explicit(&siox__key_of_fd[fd], memory_order_relaxed) != SIOX__KEY_UNKNOWN)
    atomic_store_explicit(&siox__key_of_fd[fd], SIOX__KEY_UNKNOWN, memory_order_relaxed);
}

bool siox__counts_after_vfork(void) {
  if (siox__borrowed())
    return false;
  siox__self.vforked = SIOX_VFORK_UNSEEN;
  return true;
}

bool siox__posix_start(struct siox__span *s, struct siox_tally *tally, enum siox_posix_call call,
                       int fd, uint64_t bytes) {
  return siox__posix_quick_start(s, tally, call, fd, bytes);
}

void siox__posix_failed(struct siox__span *s, int64_t offset, bool unseen) {
  if (s->running)
    atomic_store_explicit(&s->running->start, 0, memory_order_release);
  siox__tally_add(s->tally, s->thread, s->row, 0, s->end - s->start, true);
  if (unseen && siox__wanted(SIOX_WANT_POSIX))
    siox__record_posix(s, -1, offset);
}

void siox__posix_over(struct siox__span *s, int64_t result, int64_t offset, bool unseen) {
  if (!s->end)
    s->end = siox__tally_now();
  siox__posix_quick_over(s, result, offset, unseen);
}

void siox__posix_open_began(struct siox__span *s, enum siox_posix_call call) {
  s->tally = siox__tally();
  s->end = 0;
  if (s->tally && siox__counts())
    siox__span_runs(s, s->tally, siox__tally_row(SIOX_LAYER_POSIX, call), 0, 0);
  else
    s->tally = NULL;
}

void siox__posix_open_over(struct siox__span *s) {
  if (s->tally)
    s->end = siox__tally_now();
}

void siox__posix_opened(struct siox__span *s, int fd, bool managed) {
  if (!s->tally)
    return;
  s->file = (unsigned)fd < SIOX_MAX_FD ? siox__key_of(fd) : 0;
  if (fd < 0 || s->file)
    siox__posix_over(s, fd < 0 ? -1 : 0, -1, !managed);
  else if (s->running)
    atomic_store_explicit(&s->running->start, 0, memory_order_release);
}
