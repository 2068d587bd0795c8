/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Packets to and from sioxd. One request is under way a process at a time, under one lock; the
 * socket has send and receive time-outs, so nobody waits for a silent daemon longer than that. */
#include "client/client.h"
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t last_tag;

/* Cancelling a thread in here would leave the lock taken, as would a handler's siglongjmp. */
static __thread int cancel_state __attribute__((tls_model("initial-exec")));

void siox__socket_lock(void) {
  int state;
  siox__hold_signals();
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
  pthread_mutex_lock(&lock);
  cancel_state = state;
}

bool siox__socket_trylock(void) {
  int state;
  siox__hold_signals();
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
  if (pthread_mutex_trylock(&lock) == 0) {
    cancel_state = state;
    return true;
  }
  pthread_setcancelstate(state, NULL);
  siox__let_signals();
  return false;
}

void siox__socket_unlock(void) {
  int state = cancel_state;
  pthread_mutex_unlock(&lock);
  pthread_setcancelstate(state, NULL);
  siox__let_signals();
}

void siox__request_reset(void) {
  lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  last_tag = 0;
}

static int send_all(int socket, uint16_t type, uint32_t tag, const void *body, size_t bytes,
                    const void *more, size_t more_bytes, const void *last, size_t last_bytes,
                    int fd) {
  struct siox_msg_head head = {.magic = SIOX_WIRE_MAGIC,
                               .version = SIOX_WIRE_VERSION,
                               .type = type,
                               .tag = tag,
                               .length = (uint32_t)(sizeof head + bytes + more_bytes + last_bytes)};
  if (sizeof head + bytes + more_bytes + last_bytes > SIOX_WIRE_MAX)
    return SIOX_ERANGE;
  struct iovec part[4] = {{&head, sizeof head},
                          {(void *)(uintptr_t)body, bytes},
                          {(void *)(uintptr_t)more, more_bytes},
                          {(void *)(uintptr_t)last, last_bytes}};
  union {
    struct cmsghdr align;
    char room[CMSG_SPACE(sizeof(int))];
  } extra = {0};
  struct msghdr message = {.msg_iov = part, .msg_iovlen = 4};
  if (fd >= 0) {
    message.msg_control = &extra;
    message.msg_controllen = sizeof extra;
    struct cmsghdr *c = CMSG_FIRSTHDR(&message);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(c), &fd, sizeof fd);
  }
  int64_t deadline = siox__now_ns() + SIOX_WIRE_TIMEOUT_NS;
  for (;;) {
    ssize_t sent = sendmsg(socket, &message, MSG_NOSIGNAL);
    if (sent >= 0)
      return 0;
    if (errno != EINTR || siox__now_ns() >= deadline)
      return SIOX_EGONE;
  }
}

int siox__send(int socket, uint16_t type, uint32_t tag, const void *body, size_t bytes,
               const void *more, size_t more_bytes, const void *last, size_t last_bytes) {
  return send_all(socket, type, tag, body, bytes, more, more_bytes, last, last_bytes, -1);
}

int siox__send_with(int socket, uint16_t type, const void *body, size_t bytes, int fd) {
  return send_all(socket, type, 0, body, bytes, NULL, 0, NULL, 0, fd);
}

static void take_fds(struct msghdr *message, int *fds, int *nfds) {
  int room = fds ? *nfds : 0, have = 0;
  for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
      continue;
    size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; i++) {
      int fd;
      memcpy(&fd, CMSG_DATA(c) + i * sizeof fd, sizeof fd);
      if (have < room)
        fds[have++] = fd;
      else
        siox__fd_close(&fd);
    }
  }
  if (fds)
    *nfds = have;
}

int siox__receive(int socket, int64_t deadline, struct siox_msg_head *head, void *body, size_t size,
                  int *fds, int *nfds) {
  union {
    struct cmsghdr align;
    char space[CMSG_SPACE(8 * sizeof(int))];
  } control;
  /* Of a reply longer than the one hoped for: the text of an error. Under the lock, and not on the
   * stack: a handler's may be a few KiB. */
  static char rest[1024];
  struct iovec part[3] = {{head, sizeof *head}, {body, size}, {rest, sizeof rest}};
  for (;;) {
    struct msghdr message = {.msg_iov = part,
                             .msg_iovlen = 3,
                             .msg_control = control.space,
                             .msg_controllen = sizeof control.space};
    ssize_t got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (got < 0 && errno == EINTR && siox__now_ns() < deadline)
      continue;
    if (got <= 0)
      return SIOX_EGONE;
    take_fds(&message, fds, nfds);
    if ((size_t)got < sizeof *head || head->magic != SIOX_WIRE_MAGIC ||
        head->version != SIOX_WIRE_VERSION || head->length != (size_t)got ||
        (message.msg_flags & MSG_TRUNC))
      return SIOX_EPROTO;
    return (int)((size_t)got - sizeof *head);
  }
}

/* Under the lock. */
static int ask(uint16_t type, const void *body, size_t bytes, const void *more, size_t more_bytes,
               const void *last, size_t last_bytes, uint16_t reply_type, void *reply,
               size_t reply_size) {
  int result = SIOX_EGONE;
  /* A file's number of the daemon before this one means another file, or none. */
  if (siox__connected() &&
      (type != SIOX_MSG_IO || siox__self.connection == atomic_load(&siox__client.connection))) {
    uint32_t tag = ++last_tag;
    struct siox_msg_head head;
    int64_t deadline = siox__now_ns() + SIOX_WIRE_TIMEOUT_NS;
    result =
        siox__send(siox__client.socket, type, tag, body, bytes, more, more_bytes, last, last_bytes);
    if (result == 0)
      result = siox__receive(siox__client.socket, deadline, &head, reply, reply_size, NULL, NULL);
    if (result == SIOX_EGONE)
      siox__client_lost("sioxd is gone or silent", false);
    else if (result >= 0 && head.tag != tag)
      siox__client_lost("sioxd answers out of turn", true);
    if (result == SIOX_EPROTO)
      siox__client_lost("sioxd sends malformed messages", true);
    if (result >= 0 && (head.tag != tag || (head.type != reply_type && head.status >= 0)))
      result = SIOX_EPROTO;
    else if (result >= 0 && head.status < 0)
      result = head.status;
    else if (result >= 0 && (size_t)result > reply_size)
      result = SIOX_EPROTO;
  }
  return result;
}

int siox__request(uint16_t type, const void *body, size_t bytes, const void *more,
                  size_t more_bytes, const void *last, size_t last_bytes, uint16_t reply_type,
                  void *reply, size_t reply_size) {
  siox__socket_lock();
  int result =
      ask(type, body, bytes, more, more_bytes, last, last_bytes, reply_type, reply, reply_size);
  siox__socket_unlock();
  return result;
}

int siox__request_soon(uint16_t type, uint16_t reply_type, void *reply, size_t reply_size) {
  const struct timespec pause = {0, 1000000};
  int tries = 100;
  while (!siox__socket_trylock()) {
    if (--tries == 0)
      return SIOX_EFULL;
    nanosleep(&pause, NULL);
  }
  int result = ask(type, NULL, 0, NULL, 0, NULL, 0, reply_type, reply, reply_size);
  siox__socket_unlock();
  return result;
}

int siox__notify(uint16_t type, const void *body, size_t bytes, const void *more,
                 size_t more_bytes) {
  siox__socket_lock();
  int result = SIOX_EGONE;
  if (siox__connected()) {
    result = siox__send(siox__client.socket, type, 0, body, bytes, more, more_bytes, NULL, 0);
    if (result == SIOX_EGONE)
      siox__client_lost("sioxd is gone or silent", false);
  }
  siox__socket_unlock();
  return result;
}
