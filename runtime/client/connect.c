/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finding sioxd, greeting it, and leaving it for good. A program runs on the same with or without:
 * the first reason not to have a daemon ends the attempt, and at most one line says so a job. */
#include "client/client.h"
#include "client/real.h"
#include "common/paths.h"
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>

struct siox__client siox__client = {.socket = -1, .wake = -1, .rank = -1};
_Thread_local struct siox__thread siox__self __attribute__((tls_model("initial-exec")));

/* A program that was started without stderr, or closes it, may have a data file under number 2:
 * only what was there at the start, or was put there by dup2, is written to. */
static struct stat messages;
static bool messages_known;

void siox__stderr_is(void) { messages_known = fstat(STDERR_FILENO, &messages) == 0; }

__attribute__((constructor(103))) static void stderr_at_start(void) {
  int saved = errno;
  siox__stderr_is();
  errno = saved;
}

static bool stderr_still_is(void) {
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
  if (!stderr_still_is())
    return;
  char line[512] = "siox: ";
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(line + 6, sizeof line - 8, format, arguments);
  va_end(arguments);
  length = length < 0 ? 0 : length > (int)sizeof line - 9 ? (int)sizeof line - 9 : length;
  line[6 + length] = '\n';
  /* stderr as a descriptor: the program's stdio buffers are not ours to touch. */
  syscall(SYS_write, 2, line, 7 + (size_t)length);
}

void siox__client_lost(const char *why) {
  int expected = SIOX_STATUS_READY;
  if (!atomic_compare_exchange_strong(&siox__client.status, &expected, SIOX_STATUS_GONE))
    return;
  siox__fd_close(&siox__client.socket);
  siox__warn_once("%s; the program runs on without disk hints and emulated disks", why);
}

void siox__client_check(void) {
  siox__socket_lock();
  if (siox__connected()) {
    struct pollfd watch = {.fd = siox__client.socket, .events = POLLIN};
    if (poll(&watch, 1, 0) > 0 && (watch.revents & (POLLHUP | POLLERR)))
      siox__client_lost("sioxd is gone");
  }
  siox__socket_unlock();
}

/* The mount as /proc/self/fd will name files under it. */
static void canonical_mount(struct siox_msg_welcome *w) {
  w->mount[sizeof w->mount - 1] = 0;
  char link[64], real[sizeof w->mount];
  if (!*w->mount)
    return;
  int fd = (int)syscall(SYS_openat, AT_FDCWD, w->mount, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0)
    return;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, real, sizeof real - 1);
  syscall(SYS_close, fd);
  if (length > 0) {
    memcpy(w->mount, real, (size_t)length);
    w->mount[length] = 0;
  }
}

static int dial(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path)
    return SIOX_ERANGE;
  strcpy(address.sun_path, path);
  int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (fd < 0)
    return SIOX_EIO;
  fd = siox__fd_high(fd);
  if (fd < 0)
    return SIOX_EFULL;
  struct timeval limit = {.tv_sec = SIOX_WIRE_TIMEOUT_NS / 1000000000};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0) {
    siox__fd_close(&fd);
    return SIOX_EGONE;
  }
  return fd;
}

static void *map(int fd, int protection, size_t least, size_t *size) {
  struct stat st;
  if (fstat(fd, &st) < 0 || (size_t)st.st_size < least || st.st_size > INT32_MAX)
    return NULL;
  *size = (size_t)st.st_size;
  void *at = siox__real()->mmap(NULL, *size, protection, MAP_SHARED, fd, 0);
  return at == MAP_FAILED ? NULL : at;
}

static int greet(int fd) {
  struct siox_msg_hello hello = {.time = siox__now_ns(),
                                 .pid = getpid(),
                                 .flags = (siox__client.forked ? SIOX_HELLO_REJOIN : 0u) |
                                          (siox__client.mpi ? SIOX_HELLO_MPI : 0u)};
  if (siox__client.rank < 0)
    siox__job_rank(&siox__client.rank, &siox__client.size);
  hello.rank = siox__client.rank;
  hello.size = siox__client.size;
  snprintf(hello.job, sizeof hello.job, "%s", siox__job_key());
  snprintf(hello.program, sizeof hello.program, "%s", program_invocation_name);
  int fds[3] = {-1, -1, -1}, nfds = 3, result;
  struct siox_msg_head head;
  struct siox_msg_welcome *welcome = &siox__client.welcome;
  struct siox_msg_welcome answer;
  if ((result = siox__send(fd, SIOX_MSG_HELLO, 0, &hello, sizeof hello, NULL, 0, NULL, 0)) < 0)
    return result;
  result = siox__receive(fd, hello.time + SIOX_WIRE_TIMEOUT_NS, &head, &answer, sizeof answer, fds,
                         &nfds);
  if (result >= 0 && head.status < 0)
    result = head.status;
  else if (result >= 0 &&
           (head.type != SIOX_MSG_WELCOME || (size_t)result != sizeof answer || nfds != 3 ||
            !answer.ring_bytes || (answer.ring_bytes & (answer.ring_bytes - 1))))
    result = SIOX_EPROTO;
  if (result >= 0) {
    size_t ring_size;
    siox__client.ring =
        map(fds[0], PROT_READ | PROT_WRITE, siox__ring_size(answer.ring_bytes), &ring_size);
    siox__client.levels =
        map(fds[2], PROT_READ, sizeof(struct siox_level_table) + answer.ndisks * sizeof(int32_t),
            &siox__client.levels_bytes);
    int wake = siox__fd_high(fds[1]);
    fds[1] = -1;
    if (wake >= 0 && siox__client.ring && siox__client.levels) {
      canonical_mount(&answer);
      *welcome = answer;
      siox__client.mount_length = strlen(welcome->mount);
      siox__client.ring_bytes = answer.ring_bytes;
      siox__client.socket = fd;
      siox__client.wake = wake;
      result = 0;
    } else {
      result = wake < 0 ? SIOX_EFULL : SIOX_ENOMEM;
      siox__fd_close(&wake);
    }
  }
  for (int i = 0; i < 3; i++)
    siox__fd_close(&fds[i]);
  return result;
}

/* SIOX_SOCKET; else the user's own daemon, else the node's. */
static int join(void) {
  char own[108] = "";
  const char *named = getenv("SIOX_SOCKET");
  const char *const one[] = {named, NULL};
  const char *const usual[] = {own, "/run/siox/siox.sock", NULL};
  const char *const *path = named && *named ? one : usual;
  siox__default_socket(own, sizeof own);
  int result = SIOX_EGONE;
  for (; *path && result < 0; path++) {
    int fd = dial(*path);
    if (fd < 0) {
      result = fd;
      continue;
    }
    result = greet(fd);
    if (result < 0)
      siox__fd_close(&fd);
  }
  if (result < 0 && named && *named)
    siox__warn_once("no sioxd at %s (%s); the program runs on without it", named,
                    siox_strerror(result));
  return result;
}

int siox__client_ready(void) {
  int status = atomic_load_explicit(&siox__client.status, memory_order_acquire);
  if (status != SIOX_STATUS_NEW)
    return status == SIOX_STATUS_READY;
  if (siox__borrowed())
    return 0;
  siox__socket_lock();
  if (atomic_load(&siox__client.status) == SIOX_STATUS_NEW) {
    int result = join();
    if (result >= 0)
      siox__fault_read();
    atomic_fetch_add(&siox__client.epoch, 1);
    atomic_store_explicit(&siox__client.status, result < 0 ? SIOX_STATUS_GONE : SIOX_STATUS_READY,
                          memory_order_release);
  }
  siox__socket_unlock();
  return siox__connected();
}

bool siox__client_usable(void) {
  if (siox__connected())
    return true;
  int saved = errno;
  bool usable = false;
  if (atomic_load(&siox__client.status) == SIOX_STATUS_NEW && siox__enter()) {
    usable = siox__client_ready();
    siox__exit();
  }
  errno = saved;
  return usable;
}

void siox__client_reset(void) {
  if (siox__connected()) {
    if (siox__client.ring)
      munmap(siox__client.ring, siox__ring_size(siox__client.ring_bytes));
    if (siox__client.levels)
      munmap((void *)(uintptr_t)siox__client.levels, siox__client.levels_bytes);
  }
  siox__fd_close(&siox__client.socket);
  siox__fd_close(&siox__client.wake);
  siox__client.ring = NULL;
  siox__client.levels = NULL;
  if (atomic_load(&siox__client.status) != SIOX_STATUS_NEW)
    siox__client.forked = true;
  atomic_fetch_add(&siox__client.epoch, 1);
  if (atomic_load(&siox__client.status) == SIOX_STATUS_READY)
    atomic_store(&siox__client.status, SIOX_STATUS_NEW);
}

__attribute__((destructor)) static void farewell(void) {
  if (siox__borrowed() || !siox__enter())
    return;
  siox__client_check();
  siox__notify(SIOX_MSG_BYE, NULL, 0, NULL, 0);
  siox__exit();
}
