/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A report goes out. The program must not see that: no signal is caused (a reader that has gone, a
 * file that may not grow), none is delivered meanwhile, nothing is waited for longer than a second,
 * and no descriptor that it may take for its own is left open. */
#include "client/client.h"
#include "client/report.h"
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const int64_t PATIENCE_NS = INT64_C(1000000000);
static const int CAUSED[] = {SIGPIPE, SIGXFSZ};
enum { NCAUSED = sizeof CAUSED / sizeof *CAUSED };

/* What is not the thread's own mistake waits. */
static void hold_signals(sigset_t *before, sigset_t *pending) {
  static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
  sigset_t all;
  sigfillset(&all);
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    sigdelset(&all, own[i]);
  pthread_sigmask(SIG_BLOCK, &all, before);
  sigpending(pending);
}

static void let_signals(const sigset_t *before, const sigset_t *pending) {
  const struct timespec now = {0, 0};
  sigset_t after;
  sigpending(&after);
  for (int i = 0; i < NCAUSED; i++) {
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, CAUSED[i]);
    if (sigismember(&after, CAUSED[i]) && !sigismember(pending, CAUSED[i]))
      (void)sigtimedwait(&one, NULL, &now);
  }
  pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* To a pipe, terminal or socket a piece at a time, each when there is room for it: a reader that
 * does not read keeps nobody. */
static void to_stderr(const char *text, size_t length) {
  if (!siox__stderr_still_is())
    return;
  struct stat st;
  const bool file = fstat(STDERR_FILENO, &st) == 0 && S_ISREG(st.st_mode);
  const int64_t end = siox__now_ns() + PATIENCE_NS;
  while (length > 0) {
    struct pollfd room = {.fd = STDERR_FILENO, .events = POLLOUT};
    const int64_t left = end - siox__now_ns();
    if (left <= 0 ||
        (!file && (poll(&room, 1, (int)(left / 1000000) + 1) <= 0 || !(room.revents & POLLOUT))))
      return;
    const size_t piece = file || length < PIPE_BUF ? length : PIPE_BUF;
    const ssize_t n = syscall(SYS_write, STDERR_FILENO, text, piece);
    if (n < 0 && errno != EAGAIN && errno != EINTR)
      return;
    text += n > 0 ? n : 0;
    length -= n > 0 ? (size_t)n : 0;
  }
}

static void complain(const char *path, int error) {
  char line[512];
  struct siox__text t = {line, line + sizeof line - 1};
  const char *why = strerrordesc_np(error);
  siox__put(&t, "siox: report in ");
  siox__put_name(&t, path, 300);
  siox__put(&t, ": ");
  siox__put(&t, why ? why : "cannot be written");
  siox__put(&t, "\n");
  to_stderr(line, (size_t)(t.at - line));
}

/* At once, so that reports of processes that end together do not mix. */
static void to_file(const char *path, const char *text, size_t length) {
  int fd = (int)syscall(SYS_openat, AT_FDCWD, path,
                        O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666);
  if (fd >= 0 && fd <= STDERR_FILENO) { /* other threads may be writing there */
    const int high = (int)syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    syscall(SYS_close, fd);
    fd = high;
  }
  if (fd < 0) {
    complain(path, errno);
    return;
  }
  const ssize_t n = syscall(SYS_write, fd, text, length);
  int error = n < 0 ? errno : (size_t)n < length ? ENOSPC : 0;
  if (syscall(SYS_close, fd) < 0 && !error) /* where a file system says it as late as that */
    error = errno;
  if (error)
    complain(path, error);
}

void siox__report_write(const char *path, const char *text, size_t length) {
  sigset_t before, pending;
  hold_signals(&before, &pending);
  if (path)
    to_file(path, text, length);
  else
    to_stderr(text, length);
  let_signals(&before, &pending);
}
