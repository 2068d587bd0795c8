/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The routines that make, copy and end descriptors. */
#include "client/files.h"
#include "client/real.h"
#include "client/tally.h"
#include "common/paths.h"
#include <stdarg.h>
#include <string.h>

/* The real call is counted from here on: what Siox does around it is not its time. */
#define COUNTED(name, o, call)                                                                     \
  struct siox__span span;                                                                          \
  siox__posix_open_began(&span, SIOX_POSIX_##name);                                                \
  int fd = siox__real()->call;                                                                     \
  siox__posix_open_over(&span);                                                                    \
  made(o, fd);                                                                                     \
  siox__posix_opened(&span, fd, siox__managed(fd) != NULL);                                        \
  return fd;

static bool wants_mode(int flags) { return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE; }

struct opening {
  bool inside, fresh;
};

/* Before the real open: will it make the file? */
static struct opening before(int at, const char *path, int flags) {
  struct opening o = {0};
  if (siox__self.depth || !siox__readable(path) || siox__system_path(path) ||
      (flags & (O_PATH | O_DIRECTORY)) == O_PATH)
    return o;
  int saved = errno;
  if (!siox__borrowed()) {
    siox__hold_signals();
    if (siox__enter()) {
      o.inside = true;
      if (siox__client_ready() && siox__client.mount_length)
        o.fresh = (flags & O_TRUNC) ||
                  ((flags & O_CREAT) && faccessat(at, path, F_OK, 0) < 0 && errno == ENOENT);
      siox__exit();
    }
    siox__let_signals();
  }
  errno = saved;
  return o;
}

static int made(struct opening o, int fd) {
  if (fd < 0)
    return fd;
  int saved = errno;
  if (o.inside && !siox__self.depth) {
    siox__hold_signals();
    struct siox__file *opened = siox__enter() ? siox__file_opened(fd, o.fresh) : NULL;
    siox__exit();
    siox__let_signals();
    if (siox__self.io_handle && opened)
      siox__mpi_opened_beside(siox__self.io_handle, opened);
  } else {
    siox__file_closed(fd);
  }
  errno = saved;
  return fd;
}

#define MODE(flags, mode)                                                                          \
  mode_t mode = 0;                                                                                 \
  if (wants_mode(flags)) {                                                                         \
    va_list arguments;                                                                             \
    va_start(arguments, flags);                                                                    \
    mode = va_arg(arguments, mode_t);                                                              \
    va_end(arguments);                                                                             \
  }

#define OPEN(name)                                                                                 \
  SIOX_EXPORT int name(const char *path, int flags, ...) {                                         \
    MODE(flags, mode)                                                                              \
    struct opening o = before(AT_FDCWD, path, flags);                                              \
    COUNTED(name, o, name(path, flags, mode))                                                      \
  }
#define OPENAT(name)                                                                               \
  SIOX_EXPORT int name(int at, const char *path, int flags, ...) {                                 \
    MODE(flags, mode)                                                                              \
    struct opening o = before(at, path, flags);                                                    \
    COUNTED(name, o, name(at, path, flags, mode))                                                  \
  }
#define CREAT(name)                                                                                \
  SIOX_EXPORT int name(const char *path, mode_t mode) {                                            \
    struct opening o = before(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC);                       \
    COUNTED(name, o, name(path, mode))                                                             \
  }
#define OPEN_2(name)                                                                               \
  SIOX_EXPORT int name(const char *path, int flags);                                               \
  SIOX_EXPORT int name(const char *path, int flags) {                                              \
    struct opening o = before(AT_FDCWD, path, flags);                                              \
    COUNTED(name, o, name(path, flags))                                                            \
  }
#define OPENAT_2(name)                                                                             \
  SIOX_EXPORT int name(int at, const char *path, int flags);                                       \
  SIOX_EXPORT int name(int at, const char *path, int flags) {                                      \
    struct opening o = before(at, path, flags);                                                    \
    COUNTED(name, o, name(at, path, flags))                                                        \
  }

OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)
CREAT(creat)
CREAT(creat64)
OPEN_2(__open_2)
OPEN_2(__open64_2)
OPENAT_2(__openat_2)
OPENAT_2(__openat64_2)

SIOX_EXPORT int close(int fd) {
  if (!siox__self.depth && siox__fd_own(fd)) {
    errno = EBADF; /* a program that closes all it may have opened */
    return -1;
  }
  struct siox__span span;
  const bool managed = siox__managed(fd) != NULL;
  siox__posix_begin(&span, SIOX_POSIX_close, fd, 0);
  siox__file_closed(fd); /* before the number can be given out again */
  int result = siox__real()->close(fd);
  siox__posix_end(&span, result, -1, !managed);
  return result;
}

/* libc closes the descriptor by itself; the next file under its number is another one. */
SIOX_EXPORT int fclose(FILE *stream) {
  const int saved = errno, fd = fileno_unlocked(stream);
  errno = saved;
  if (fd >= 0)
    siox__file_closed(fd);
  return siox__real()->fclose(stream);
}

SIOX_EXPORT int close_range(unsigned first, unsigned last, int flags) {
  if (first > last || (flags & ~(int)CLOSE_RANGE_UNSHARE))
    return siox__real()->close_range(first, last, flags); /* invalid, or only marks */
  /* Closes around our own descriptors, which are few. */
  unsigned from = first;
  int result = 0;
  for (;;) {
    int next = siox__fd_next_own(from, last);
    bool found = next >= 0;
    unsigned ours = found ? (unsigned)next : last;
    unsigned to = found ? ours - 1 : last;
    if (!found || ours > from) {
      for (unsigned fd = from; fd <= to && fd < SIOX_MAX_FD; fd++)
        siox__file_closed((int)fd);
      result = siox__real()->close_range(from, to, flags);
    }
    if (result < 0 || !found || ours == last)
      return result;
    from = ours + 1;
  }
}

SIOX_EXPORT void closefrom(int low) { close_range(low < 0 ? 0 : (unsigned)low, ~0u, 0); }

SIOX_EXPORT int dup(int fd) {
  int made = siox__real()->dup(fd);
  if (made >= 0)
    siox__file_dup(fd, made);
  return made;
}

static void make_way(int to) {
  if (!siox__self.depth && siox__fd_own(to) && !siox__borrowed() && siox__enter()) {
    int saved = errno;
    siox__fd_yield(to);
    siox__exit();
    errno = saved;
  }
}

static int copied(int from, int made) {
  if (made >= 0)
    siox__file_dup(from, made);
  if (made == STDERR_FILENO && from != made && !siox__borrowed())
    siox__stderr_is();
  return made;
}

SIOX_EXPORT int dup2(int from, int to) {
  make_way(to);
  return copied(from, siox__real()->dup2(from, to));
}

SIOX_EXPORT int dup3(int from, int to, int flags) {
  make_way(to);
  return copied(from, siox__real()->dup3(from, to, flags));
}

#define FCNTL(name)                                                                                \
  SIOX_EXPORT int name(int fd, int command, ...) {                                                 \
    va_list arguments;                                                                             \
    va_start(arguments, command);                                                                  \
    void *argument = va_arg(arguments, void *);                                                    \
    va_end(arguments);                                                                             \
    int result = siox__real()->name(fd, command, argument);                                        \
    if (result >= 0 && (command == F_DUPFD || command == F_DUPFD_CLOEXEC))                         \
      siox__file_dup(fd, result);                                                                  \
    return result;                                                                                 \
  }
FCNTL(fcntl)
FCNTL(fcntl64)
