/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The socket: one daemon a path, whoever starts how many at once, and connections taken as they
 * come.
 *
 * PATH.lock is locked by byte. Byte 0 belongs to the daemon that serves PATH, for its life; byte 1
 * to whoever is just starting or stopping there. A starter takes byte 1 (waiting for others in that
 * state), then tries byte 0: free means it is the daemon, and a socket file still lying there is a
 * dead one's; taken means a daemon is up and listening. Locks are open-file-description locks, so
 * the kernel lets go of them when the process dies. The lock file stays. */
#include "common/clock.h"
#include "daemon/daemon.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { SERVING, CHANGING };

static int lock_byte(int fd, off_t byte, short type, bool wait) {
  struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
  int r;
  do
    r = fcntl(fd, wait ? F_OFD_SETLKW : F_OFD_SETLK, &lock);
  while (r < 0 && errno == EINTR);
  return r;
}

static int say(struct siox_diag *diag, const char *path, const char *what) {
  snprintf(diag->text, sizeof diag->text, "%s: %s: %s", path, what, strerror(errno));
  return SIOX_EIO;
}

/* /run/siox does not outlive a boot. Whether it could be made shows when the lock is opened. */
static void make_directory(const char *path) {
  char directory[sizeof(struct sockaddr_un)];
  snprintf(directory, sizeof directory, "%s", path);
  char *slash = strrchr(directory, '/');
  if (slash && slash != directory) {
    *slash = 0;
    mkdir(directory, 0755);
  }
}

static int take_place(struct siox__daemon *d, const char *path, struct siox_diag *diag) {
  char lock_path[sizeof(struct sockaddr_un) + 8];
  make_directory(path);
  snprintf(lock_path, sizeof lock_path, "%s.lock", path);
  d->lock_fd = open(lock_path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (d->lock_fd < 0)
    return say(diag, lock_path, "cannot open the lock");
  if (lock_byte(d->lock_fd, CHANGING, F_WRLCK, true) < 0)
    return say(diag, lock_path, "cannot lock");
  if (lock_byte(d->lock_fd, SERVING, F_WRLCK, false) < 0) {
    if (errno != EAGAIN && errno != EACCES)
      return say(diag, lock_path, "cannot lock");
    close(d->lock_fd);
    d->lock_fd = -1;
    return SIOX_EEXIST;
  }
  return 0;
}

static void take_one(struct siox__daemon *d) {
  int fd = accept4(d->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (fd < 0 && (errno == EMFILE || errno == ENFILE) && d->spare_fd >= 0) {
    /* No descriptor left: the peer is told so by hanging up rather than left in the backlog for
     * ever. */
    close(d->spare_fd);
    fd = accept4(d->listen_fd, NULL, NULL, SOCK_CLOEXEC);
    if (fd >= 0)
      close(fd);
    d->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (!d->count.refused_peers++)
      siox__log(&d->log, SIOX__LOG_WARN, "no file descriptors left: new connections are refused");
    return;
  }
  if (fd >= 0 && !siox__session_create(d, fd))
    close(fd);
}

static void on_connection(uv_poll_t *poll, int status, int events) {
  (void)status, (void)events;
  struct siox__daemon *d = poll->data;
  for (int i = 0; i < SIOX__PACKETS_A_TURN; i++) {
    uint32_t before = d->nsessions;
    take_one(d);
    if (d->nsessions == before)
      return;
  }
}

/* Three descriptors a process; the daemon's own files and some for administrators aside. */
static uint32_t raise_descriptor_limit(void) {
  enum { ASIDE = 96, A_PROCESS = 3, MANY = 1 << 24 };
  struct rlimit limit = {MANY, MANY};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    getrlimit(RLIMIT_NOFILE, &limit);
  }
  rlim_t most = limit.rlim_cur < MANY ? limit.rlim_cur : MANY;
  return most > ASIDE ? (uint32_t)(most - ASIDE) / A_PROCESS : 0;
}

/* The umask is the whole process's, and other threads make files: it stays as it is. The socket has
 * its mode before it has a name; what the umask then takes away is given back before anybody can
 * connect. */
static int bind_with_mode(int fd, const struct sockaddr_un *address, mode_t mode) {
  char named[32];
  struct stat st;
  if (fchmod(fd, mode) < 0 || bind(fd, (const struct sockaddr *)address, sizeof *address) < 0)
    return -1;
  const int at = open(address->sun_path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (at < 0)
    return -1;
  snprintf(named, sizeof named, "/proc/self/fd/%d", at);
  errno = EEXIST;
  const bool done = fstat(at, &st) == 0 && S_ISSOCK(st.st_mode) &&
                    ((st.st_mode & 0777) == mode || chmod(named, mode) == 0);
  const int saved = errno;
  close(at);
  errno = saved;
  return done ? 0 : -1;
}

int siox__listen_place(struct siox__daemon *d, const char *path, struct siox_diag *diag) {
  enum { MOST = sizeof((struct sockaddr_un *)NULL)->sun_path - 1 };
  if (!*path || strlen(path) > MOST) {
    snprintf(diag->text, sizeof diag->text, "socket: a path of 1 to %d bytes is needed, not \"%s\"",
             MOST, path);
    return SIOX_EINVAL;
  }
  int r = take_place(d, path, diag);
  if (r == 0) /* of nobody else's business: a second daemon joins in */
    r = siox__record_possible(d, diag);
  return r;
}

int siox__listen(struct siox__daemon *d, const char *path, struct siox_diag *diag) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strcpy(address.sun_path, path);
  d->most_sessions = raise_descriptor_limit();
  struct stat st;
  if (lstat(path, &st) == 0) {
    if (!S_ISSOCK(st.st_mode)) {
      errno = EEXIST;
      return say(diag, path, "is there and is not a socket");
    }
    unlink(path);
  }
  d->listen_fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (d->listen_fd < 0)
    return say(diag, path, "cannot make a socket");
  /* A system's daemon serves every user's jobs, each known by its credentials; a user's own serves
   * that user. */
  if (bind_with_mode(d->listen_fd, &address, geteuid() == 0 ? 0666 : 0600) < 0 ||
      listen(d->listen_fd, 4096) < 0)
    return say(diag, path, "cannot listen");
  d->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
  uv_poll_init(&d->loop, &d->listener, d->listen_fd);
  d->listener.data = d;
  uv_poll_start(&d->listener, UV_READABLE, on_connection);
  lock_byte(d->lock_fd, CHANGING, F_UNLCK, false);
  return 0;
}

void siox__listen_end(struct siox__daemon *d) {
  if (d->listen_fd < 0)
    return;
  lock_byte(d->lock_fd, CHANGING, F_WRLCK,
            true); /* let go of with the process or by the close below */
  uv_poll_stop(&d->listener);
  uv_close((uv_handle_t *)&d->listener, NULL);
  close(d->listen_fd);
  d->listen_fd = -1;
  unlink(d->config->socket);
}
