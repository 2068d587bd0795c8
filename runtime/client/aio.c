/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* POSIX asynchronous I/O. The daemon's completion time is kept with the control block's address;
 * until then the operation is not done, whatever libc says: aio_error answers EINPROGRESS,
 * aio_suspend waits. Notification by signal or thread comes from libc, when the data is there.
 * Everything is async-signal-safe, as POSIX wants of aio_error, aio_return and aio_suspend: a fixed
 * table of atomics. When a row of it is full the operation is not delayed, and counted as missing.
 *
 * On 64-bit glibc aiocb and aiocb64 are the same object, so one implementation serves both names.
 */
#include "client/real.h"
#include "client/tally.h"
#include "client/transfer.h"
#include <time.h>

_Static_assert(sizeof(struct aiocb) == sizeof(struct aiocb64), "aiocb is aiocb64");

#define ROWS 1024
#define WAYS 8

struct pending {
  _Atomic uintptr_t block; /* address of the aiocb, 0 free, 1 being filled */
  _Atomic int64_t completion;
  _Atomic int64_t waited_since; /* when the program first asked for it; 0: not yet */
  _Atomic uint32_t request;
};
static struct pending table[ROWS][WAYS];
static _Atomic uint32_t last_request;

static struct pending *row_of(const void *block) {
  return table[((uintptr_t)block >> 4 ^ (uintptr_t)block >> 14) % ROWS];
}

static struct pending *find(const void *block) {
  struct pending *row = row_of(block);
  for (int i = 0; i < WAYS; i++)
    if (atomic_load_explicit(&row[i].block, memory_order_acquire) == (uintptr_t)block)
      return &row[i];
  return NULL;
}

static void forget(const void *block) {
  struct pending *p = find(block);
  if (p)
    atomic_store(&p->block, 0);
}

static bool remember(const void *block, int64_t completion, uint32_t request) {
  struct pending *row = row_of(block);
  for (int i = 0; i < WAYS; i++) {
    uintptr_t empty = 0;
    if (!atomic_compare_exchange_strong(&row[i].block, &empty, 1))
      continue;
    atomic_store(&row[i].completion, completion);
    atomic_store(&row[i].waited_since, 0);
    atomic_store(&row[i].request, request);
    atomic_store_explicit(&row[i].block, (uintptr_t)block, memory_order_release);
    return true;
  }
  return false;
}

/* Charges the operation; true when its completion was remembered. */
static bool submit(const struct aiocb *block, bool write) {
  struct siox__file *file = siox__managed(block->aio_fildes);
  int saved = errno;
  bool kept = false;
  forget(block); /* reused without aio_return */
  if (file && block->aio_nbytes && siox__enter()) {
    int fd = block->aio_fildes;
    int64_t arrival = siox__now_ns(), offset = block->aio_offset,
            bytes = block->aio_nbytes > INT64_MAX ? INT64_MAX : (int64_t)block->aio_nbytes;
    file = offset < 0 ? NULL : siox__file_live(file, fd);
    if (file && siox__transfer_extent(file, fd, write, &offset, &bytes)) {
      uint32_t request = atomic_fetch_add(&last_request, 1) + 1;
      int64_t completion =
          siox__transfer_charge(file, write, arrival, offset, bytes, SIOX_IO_ASYNC, request);
      if (completion != SIOX_NOT_CHARGED && !(kept = remember(block, completion, request)))
        siox__record_missing(SIOX_MISSING_CALLS);
    }
    siox__exit();
  }
  errno = saved;
  return kept;
}

/* From the real call on the blocks may be gone: whoever is notified that an operation is done may
 * free its block, before the call that began it has returned. */
#define SUBMIT(name, type, write)                                                                  \
  SIOX_EXPORT int name(type *block) {                                                              \
    submit((const struct aiocb *)block, write);                                                    \
    const uint64_t bytes = block->aio_nbytes > INT64_MAX ? INT64_MAX : block->aio_nbytes;          \
    const int64_t offset = block->aio_offset;                                                      \
    const bool unseen = !siox__managed(block->aio_fildes);                                         \
    struct siox__span span;                                                                        \
    siox__posix_begin(&span, SIOX_POSIX_##name, block->aio_fildes, bytes);                         \
    int result = siox__real()->name(block);                                                        \
    siox__posix_end(&span, result < 0 ? -1 : (int64_t)bytes, offset, unseen);                      \
    if (result < 0)                                                                                \
      forget(block);                                                                               \
    return result;                                                                                 \
  }
SUBMIT(aio_read, struct aiocb, false)
SUBMIT(aio_read64, struct aiocb64, false)
SUBMIT(aio_write, struct aiocb, true)
SUBMIT(aio_write64, struct aiocb64, true)

static void asked(struct pending *p) {
  int64_t never = 0;
  atomic_compare_exchange_strong(&p->waited_since, &never, siox__now_ns());
}

/* Time at which the emulated disks are done, or INT64_MIN. */
static int64_t due(const void *block) {
  struct pending *p = find(block);
  if (!p)
    return INT64_MIN;
  asked(p);
  return atomic_load(&p->completion);
}

static int state(const struct aiocb *block, int real) {
  if (real != 0 && real != EINPROGRESS)
    return real;
  return due(block) > siox__now_ns() ? EINPROGRESS : real;
}

SIOX_EXPORT int aio_error(const struct aiocb *block) {
  return state(block, siox__real()->aio_error(block));
}
SIOX_EXPORT int aio_error64(const struct aiocb64 *block) {
  return state((const struct aiocb *)block, siox__real()->aio_error64(block));
}

/* The program takes the result: the wait, if there was one, is over. */
static void taken(const void *block) {
  struct pending *p = find(block);
  if (!p)
    return;
  int saved = errno;
  struct siox_rec_wait wait = {.start = atomic_load(&p->waited_since),
                               .end = siox__now_ns(),
                               .request = atomic_load(&p->request)};
  atomic_store(&p->block, 0);
  if (!wait.start)
    wait.start = wait.end;
  if (siox__enter()) {
    siox__record_activity(SIOX_REC_WAIT, 0, wait.end, &wait, sizeof wait);
    siox__exit();
  }
  errno = saved;
}

/* Its bytes were counted when it was asked for; what became of it shows here. */
#define RETURN(name, type)                                                                         \
  SIOX_EXPORT ssize_t name(type *block) {                                                          \
    taken(block);                                                                                  \
    struct siox__span span;                                                                        \
    siox__posix_begin(&span, SIOX_POSIX_##name, block->aio_fildes, 0);                             \
    ssize_t result = siox__real()->name(block);                                                    \
    siox__posix_end(&span, result < 0 ? -1 : 0, -1, !siox__managed(block->aio_fildes));            \
    return result;                                                                                 \
  }
RETURN(aio_return, struct aiocb)
RETURN(aio_return64, struct aiocb64)

static struct timespec to_timespec(int64_t ns) {
  struct timespec t = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
  return t;
}

/* Waits until one of the list is done both for libc and for the disks. libc is asked to wait only
 * for those it is still busy with, and no longer than until the next deadline of one it has done.
 */
static int suspend(const struct aiocb *const list[], int n, const struct timespec *timeout) {
  int64_t limit = SIOX_NEVER;
  bool any = false;
  for (int i = 0; i < n && !any; i++)
    any = list[i] && find(list[i]);
  if (!any)
    return siox__real()->aio_suspend(list, n, timeout);
  if (timeout)
    limit = siox__now_ns() + timeout->tv_sec * INT64_C(1000000000) + timeout->tv_nsec;
  for (;;) {
    int64_t next = limit, now = siox__now_ns();
    bool busy = false, all_null = true;
    for (int i = 0; i < n; i++) {
      if (!list[i])
        continue;
      all_null = false;
      if (siox__real()->aio_error(list[i]) == EINPROGRESS) {
        busy = true;
        continue;
      }
      int64_t done = due(list[i]);
      if (done <= now)
        return 0;
      next = done < next ? done : next;
    }
    if (all_null)
      return 0;
    if (now >= limit) {
      errno = EAGAIN;
      return -1;
    }
    if (!busy) {
      struct timespec until = to_timespec(next);
      if (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) {
        errno = EINTR;
        return -1;
      }
      continue;
    }
    /* One operation at a time is enough: any that ends is looked at again, in slices short enough
     * not to miss another's end. */
    const int64_t slice = 200000;
    struct timespec wait = to_timespec(next - now < slice ? next - now : slice);
    for (int i = 0; i < n; i++)
      if (list[i] && siox__real()->aio_error(list[i]) == EINPROGRESS) {
        if (siox__real()->aio_suspend(&list[i], 1, &wait) < 0 && errno == EINTR)
          return -1;
        break;
      }
  }
}

/* Of a list: the descriptor of the first operation, -1 none; and the bytes of all transfers. */
static int first_fd(const struct aiocb *const list[], int n) {
  for (int i = 0; i < n; i++)
    if (list[i])
      return list[i]->aio_fildes;
  return -1;
}
static int64_t bytes_of(const struct aiocb *const list[], int n) {
  int64_t sum = 0;
  for (int i = 0; i < n; i++)
    if (list[i] && list[i]->aio_lio_opcode != LIO_NOP &&
        (list[i]->aio_nbytes > INT64_MAX ||
         __builtin_add_overflow(sum, (int64_t)list[i]->aio_nbytes, &sum)))
      return INT64_MAX;
  return sum;
}

#define SUSPEND(name, type)                                                                        \
  SIOX_EXPORT int name(const type *const list[], int n, const struct timespec *timeout) {          \
    const struct aiocb *const *blocks = (const struct aiocb *const *)list;                         \
    const int fd = first_fd(blocks, n);                                                            \
    const bool unseen = !siox__managed(fd);                                                        \
    struct siox__span span;                                                                        \
    siox__posix_begin(&span, SIOX_POSIX_##name, fd, 0);                                            \
    int result = suspend(blocks, n, timeout);                                                      \
    siox__posix_end(&span, result, -1, unseen);                                                    \
    return result;                                                                                 \
  }
SUSPEND(aio_suspend, struct aiocb)
SUSPEND(aio_suspend64, struct aiocb64)

/* LIO_WAIT returns when all are done; the data first, then the disks' time. */
static void submit_list(const struct aiocb *const *list, int n) {
  for (int i = 0; i < n; i++)
    if (list[i] && (list[i]->aio_lio_opcode == LIO_READ || list[i]->aio_lio_opcode == LIO_WRITE))
      submit(list[i], list[i]->aio_lio_opcode == LIO_WRITE);
}
static int list_done(const struct aiocb *const *list, int n, int mode, int result) {
  int saved = errno;
  int64_t last = INT64_MIN;
  for (int i = 0; i < n && mode == LIO_WAIT; i++)
    if (list[i]) {
      int64_t done = due(list[i]);
      last = done > last ? done : last;
    }
  if (last != INT64_MIN)
    siox__sleep_until(last);
  errno = saved;
  return result;
}

#define LIO(name, type)                                                                            \
  SIOX_EXPORT int name(int mode, type *const list[], int n, struct sigevent *event) {              \
    const struct aiocb *const *blocks = (const struct aiocb *const *)list;                         \
    submit_list(blocks, n);                                                                        \
    const int64_t bytes = siox__tally() ? bytes_of(blocks, n) : 0;                                 \
    const int fd = first_fd(blocks, n);                                                            \
    const bool unseen = !siox__managed(fd);                                                        \
    struct siox__span span;                                                                        \
    siox__posix_begin(&span, SIOX_POSIX_##name, fd, (uint64_t)bytes);                              \
    int result = list_done(blocks, n, mode, siox__real()->name(mode, list, n, event));             \
    siox__posix_end(&span, result < 0 ? -1 : bytes, -1, unseen);                                   \
    return result;                                                                                 \
  }
LIO(lio_listio, struct aiocb)
LIO(lio_listio64, struct aiocb64)
