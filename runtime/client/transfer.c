/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* read, write and their kin. The daemon is told of an access when it is made and answers when the
 * emulated disks will have served it; then the real transfer is done, and the call returns at that
 * time. A signal does not cut the wait short: the transfer is complete, there is nothing to resume.
 *
 *      arrival        answer       data there              completion
 *        |--- request --|--- read(2) ---|------- sleep --------|
 */
#include "client/transfer.h"
#include "client/held.h"
#include "client/real.h"
#include "client/tally_quick.h"
#include <limits.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>

#define TRANSFER_MAX INT64_C(0x7ffff000) /* what Linux moves in one call at most (read(2)) */

void siox__sleep_until(int64_t time) {
  int64_t now = siox__now_ns();
  if (time <= now)
    return;
  if (!siox__self.slack) {
    prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL,
          0UL); /* 50 us too late otherwise, a thread's own setting */
    siox__self.slack = true;
  }
  struct timespec until = {.tv_sec = time / 1000000000, .tv_nsec = time % 1000000000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
    ;
}

/* The call that an access is made for: the MPI-IO call that runs, the library's or the C library's,
 * or the one that was last on the file. */
static uint64_t site_of(const struct siox__file *file) {
  if (siox__self.io_running)
    return siox__self.io_site;
  return siox__self.within ? siox__record_site(siox__self.within) : file->later_site;
}

int64_t siox__charge(struct siox__file *file, enum siox_io_op op, int64_t arrival, int64_t offset,
                     int64_t bytes, uint32_t flags, uint32_t request) {
  siox__self.connection = atomic_load(&siox__client.connection); /* before the file's number */
  bool own = siox__self.io_running;
  struct siox_msg_io io = {.arrival = arrival,
                           .file = file->id,
                           .offset = offset,
                           .bytes = bytes,
                           .site = site_of(file),
                           .coll_uid = own ? siox__self.io_uid : file->later_uid,
                           .coll_seq = own ? siox__self.io_seq : file->later_seq,
                           .op = op,
                           .thread = siox__thread_number(),
                           .flags = flags,
                           .request = request};
  struct siox_msg_done done;
  int got = siox__request(SIOX_MSG_IO, &io, sizeof io, NULL, 0, NULL, 0, SIOX_MSG_DONE, &done,
                          sizeof done);
  return got == (int)sizeof done ? done.completion : SIOX_NOT_CHARGED;
}

bool siox__transfer_extent(struct siox__file *file, int fd, bool write, int64_t *offset,
                           int64_t *bytes) {
  struct stat st;
  int mode = (int)syscall(SYS_fcntl, fd, F_GETFL);
  if (mode < 0 || (mode & O_ACCMODE) == (write ? O_RDONLY : O_WRONLY) || fstat(fd, &st) < 0)
    return false;
  if (st.st_dev != file->dev ||
      st.st_ino != file->ino) { /* closed behind our back, number reused */
    siox__file_gone(fd);
    return false;
  }
  if (write && (mode & O_APPEND))
    *offset = st.st_size;
  else if (*offset == SIOX_HERE)
    *offset = lseek(fd, 0, SEEK_CUR);
  if (*bytes > TRANSFER_MAX)
    *bytes = TRANSFER_MAX;
  if (!write && *offset >= 0 && *bytes > st.st_size - *offset)
    *bytes = st.st_size - *offset;
  return *offset >= 0 && *bytes > 0;
}

int64_t siox__transfer_charge(struct siox__file *file, bool write, int64_t arrival, int64_t offset,
                              int64_t bytes, uint32_t flags, uint32_t request) {
  /* The disks are told before the request comes. */
  const bool told =
      file->own && siox__held_before(file, write ? SIOX__WHOLE : offset + bytes, arrival);
  if (told)
    arrival = siox__now_ns();
  const int64_t completion = siox__charge(file, write ? SIOX_IO_WRITE : SIOX_IO_READ, arrival,
                                          offset, bytes, flags, request);
  if (file->own)
    siox__held_after(file, completion, told);
  return completion;
}

/* Completion of an access that is about to be made. */
static int64_t begin(struct siox__file *file, int fd, bool write, int64_t offset, int64_t bytes) {
  int saved = errno;
  int64_t completion = SIOX_NOT_CHARGED;
  if (bytes > 0 && !siox__self.depth && !siox__borrowed()) {
    siox__hold_signals();
    if (siox__enter()) {
      int64_t arrival = siox__now_ns();
      file = siox__file_live(file, fd);
      if (file && siox__transfer_extent(file, fd, write, &offset, &bytes))
        completion = siox__transfer_charge(file, write, arrival, offset, bytes, 0, 0);
      siox__exit();
    }
    siox__let_signals();
  }
  errno = saved;
  return completion;
}

static ssize_t end(int64_t completion, ssize_t result) {
  if (result > 0 && completion != SIOX_NOT_CHARGED) {
    int saved = errno;
    siox__sleep_until(completion);
    errno = saved;
  }
  return result;
}

bool siox__readable(const void *at) {
  const int saved = errno;
  const void *word = (const void *)((uintptr_t)at & ~(uintptr_t)7); /* in the same page */
  const bool wrong =
      !word || (syscall(SYS_rt_sigprocmask, -1, word, NULL, 8) < 0 && errno == EFAULT);
  errno = saved;
  return !wrong;
}

static int64_t total(const struct iovec *part, int count) {
  enum { PAGE = 4096 };
  int64_t sum = 0;
  if (count < 0 || count > IOV_MAX)
    return 0;
  const uintptr_t end = (uintptr_t)(part + count);
  for (uintptr_t at = (uintptr_t)part; at < end; at = (at | (PAGE - 1)) + 1)
    if (!siox__readable((const void *)at))
      return 0;
  for (int i = 0; i < count; i++)
    if (part[i].iov_len > (size_t)(INT64_MAX - sum))
      return 0;
    else
      sum += (int64_t)part[i].iov_len;
  return sum;
}

static int64_t size(size_t n) { return n > INT64_MAX ? INT64_MAX : (int64_t)n; }

/* TRANSFER(name, write, (parameters), offset, bytes, (arguments)): the descriptor is called fd. The
 * program's own time is at stake where the file is not managed: that way is short. */
#define UNPACK(...) __VA_ARGS__
#define TRANSFER(name, write, parameters, offset, bytes, arguments)                                \
  __attribute__((noinline)) static ssize_t managed_##name(struct siox__file *file,                 \
                                                          UNPACK parameters) {                     \
    struct siox__span span;                                                                        \
    siox__posix_begin(&span, SIOX_POSIX_##name, fd, (uint64_t)(bytes));                            \
    int64_t completion = begin(file, fd, write, offset, bytes);                                    \
    ssize_t result = end(completion, siox__real()->name arguments);                                \
    siox__posix_end(&span, result, -1, false);                                                     \
    return result;                                                                                 \
  }                                                                                                \
  SIOX_EXPORT ssize_t name parameters;                                                             \
  SIOX_EXPORT ssize_t name parameters {                                                            \
    struct siox_tally *tally = siox__tally();                                                      \
    struct siox__span span;                                                                        \
    if ((unsigned)fd >= SIOX_MAX_FD)                                                               \
      return siox__real()->name arguments;                                                         \
    struct siox__file *file = siox__managed(fd);                                                   \
    if (__builtin_expect(file != NULL, 0))                                                         \
      return managed_##name(file, UNPACK arguments);                                               \
    if (!tally ||                                                                                  \
        !siox__posix_quick_start(&span, tally, SIOX_POSIX_##name, fd, (uint64_t)(bytes)))          \
      return siox__real()->name arguments;                                                         \
    const ssize_t result = siox__real_table.name arguments; /* found before there is a tally */    \
    span.end = siox__tally_now();                                                                  \
    siox__posix_quick_over(&span, result, offset, true);                                           \
    return result;                                                                                 \
  }

TRANSFER(read, false, (int fd, void *to, size_t n), SIOX_HERE, size(n), (fd, to, n))
TRANSFER(pread, false, (int fd, void *to, size_t n, off_t at), at < 0 ? -2 : at, size(n),
         (fd, to, n, at))
TRANSFER(pread64, false, (int fd, void *to, size_t n, off64_t at), at < 0 ? -2 : at, size(n),
         (fd, to, n, at))
TRANSFER(readv, false, (int fd, const struct iovec *to, int n), SIOX_HERE, total(to, n),
         (fd, to, n))
TRANSFER(preadv, false, (int fd, const struct iovec *to, int n, off_t at), at < 0 ? -2 : at,
         total(to, n), (fd, to, n, at))
TRANSFER(preadv64, false, (int fd, const struct iovec *to, int n, off64_t at), at < 0 ? -2 : at,
         total(to, n), (fd, to, n, at))
TRANSFER(preadv2, false, (int fd, const struct iovec *to, int n, off_t at, int flags), at,
         total(to, n), (fd, to, n, at, flags))
TRANSFER(preadv64v2, false, (int fd, const struct iovec *to, int n, off64_t at, int flags), at,
         total(to, n), (fd, to, n, at, flags))
TRANSFER(__read_chk, false, (int fd, void *to, size_t n, size_t room), SIOX_HERE, size(n),
         (fd, to, n, room))
TRANSFER(__pread_chk, false, (int fd, void *to, size_t n, off_t at, size_t room), at < 0 ? -2 : at,
         size(n), (fd, to, n, at, room))
TRANSFER(__pread64_chk, false, (int fd, void *to, size_t n, off64_t at, size_t room),
         at < 0 ? -2 : at, size(n), (fd, to, n, at, room))
TRANSFER(write, true, (int fd, const void *from, size_t n), SIOX_HERE, size(n), (fd, from, n))
TRANSFER(pwrite, true, (int fd, const void *from, size_t n, off_t at), at < 0 ? -2 : at, size(n),
         (fd, from, n, at))
TRANSFER(pwrite64, true, (int fd, const void *from, size_t n, off64_t at), at < 0 ? -2 : at,
         size(n), (fd, from, n, at))
TRANSFER(writev, true, (int fd, const struct iovec *from, int n), SIOX_HERE, total(from, n),
         (fd, from, n))
TRANSFER(pwritev, true, (int fd, const struct iovec *from, int n, off_t at), at < 0 ? -2 : at,
         total(from, n), (fd, from, n, at))
TRANSFER(pwritev64, true, (int fd, const struct iovec *from, int n, off64_t at), at < 0 ? -2 : at,
         total(from, n), (fd, from, n, at))
TRANSFER(pwritev2, true, (int fd, const struct iovec *from, int n, off_t at, int flags), at,
         total(from, n), (fd, from, n, at, flags))
TRANSFER(pwritev64v2, true, (int fd, const struct iovec *from, int n, off64_t at, int flags), at,
         total(from, n), (fd, from, n, at, flags))

#define SYNC(name)                                                                                 \
  SIOX_EXPORT int name(int fd) {                                                                   \
    struct siox__file *file = siox__managed(fd);                                                   \
    struct siox__span span;                                                                        \
    siox__posix_begin(&span, SIOX_POSIX_##name, fd, 0);                                            \
    int64_t completion = SIOX_NOT_CHARGED;                                                         \
    int saved = errno;                                                                             \
    if (file && !siox__self.depth && !siox__borrowed()) {                                          \
      siox__hold_signals();                                                                        \
      if (siox__enter()) {                                                                         \
        file = siox__file_live(file, fd);                                                          \
        if (file)                                                                                  \
          completion = siox__charge(file, SIOX_IO_SYNC, siox__now_ns(), 0, 0, 0, 0);               \
        siox__exit();                                                                              \
      }                                                                                            \
      siox__let_signals();                                                                         \
    }                                                                                              \
    errno = saved;                                                                                 \
    int result = siox__real()->name(fd);                                                           \
    end(completion, result == 0);                                                                  \
    siox__posix_end(&span, result, -1, !file);                                                     \
    return result;                                                                                 \
  }
SYNC(fsync)
SYNC(fdatasync)
