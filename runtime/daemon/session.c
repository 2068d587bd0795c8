/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A connection's life: read in turns, written without ever waiting, ended once. A turn of the loop
 * does a bounded amount of work for each client, whatever comes from it and by which way.
 *
 *  A process leaves
 * when its socket hangs up or when its pidfd says that it is dead, whichever is first: a forked
 * child may hold the socket for ever. */
#include "common/clock.h"
#include "daemon/daemon.h"
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static void on_socket(uv_poll_t *poll, int status, int events);

struct siox__session *siox__session_create(struct siox__daemon *d, int fd) {
  struct ucred who;
  socklen_t length = sizeof who;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &length) < 0)
    return NULL;
  if (siox__user_connects(d, who.uid) < 0)
    return NULL;
  struct siox__session *s = calloc(1, sizeof *s);
  if (!s) {
    siox__user_leaves(d, who.uid);
    return NULL;
  }
  *s = (struct siox__session){.d = d,
                              .fd = fd,
                              .pid_fd = -1,
                              .wake_fd = -1,
                              .given = -1,
                              .uid = who.uid,
                              .pid = who.pid,
                              .since = siox__now_ns(),
                              .next = d->sessions};
  if (uv_poll_init(&d->loop, &s->socket, fd) < 0) {
    siox__user_leaves(d, who.uid);
    free(s);
    return NULL;
  }
  s->open_handles = 1;
  s->socket.data = s->process.data = s->wake.data = s;
  uv_poll_start(&s->socket, UV_READABLE, on_socket);
  if (d->sessions)
    d->sessions->prev = s;
  d->sessions = s;
  d->nsessions++;
  return s;
}

static void on_handle_closed(uv_handle_t *handle) {
  struct siox__session *s = handle->data;
  if (--s->open_handles)
    return;
  close(s->fd);
  if (s->pid_fd >= 0)
    close(s->pid_fd);
  if (s->wake_fd >= 0)
    close(s->wake_fd);
  if (s->ring)
    munmap(s->ring, siox__ring_size(SIOX__RING_BYTES));
  free(s->answer);
  free(s);
}

static void unwatch(uv_poll_t *poll, int fd) {
  if (fd < 0)
    return;
  uv_poll_stop(poll);
  uv_close((uv_handle_t *)poll, on_handle_closed);
}

void siox__session_end(struct siox__session *s, const char *why) {
  if (s->closing)
    return;
  struct siox__daemon *d = s->d;
  s->closing = true;
  if (why) {
    d->count.malformed++;
    siox__complain(d, "connection of pid %d (uid %u) ended: %s", (int)s->pid, (unsigned)s->uid,
                   why);
  }
  siox__session_leave(s);
  siox__files_release(s);
  siox__user_leaves(d, s->uid);
  if (s->next)
    s->next->prev = s->prev;
  *(s->prev ? &s->prev->next : &d->sessions) = s->next;
  d->nsessions--;
  shutdown(
      s->fd,
      SHUT_RDWR); /* a forked child may hold the other end; it learns now that nobody listens */
  unwatch(&s->process, s->pid_fd);
  unwatch(&s->wake, s->wake_fd);
  unwatch(&s->socket, s->fd);
  if (!d->nsessions)
    siox__daemon_idle(d);
}

static uint32_t worked(struct siox__session *s) {
  if (s->turn != s->d->turn) {
    s->turn = s->d->turn;
    s->work = 0;
  }
  return s->work;
}

void siox__work(struct siox__session *s, uint64_t units) {
  uint64_t sum = worked(s) + units;
  s->work = sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
  if (s->work > s->d->count.most_work)
    s->d->count.most_work = s->work;
}

bool siox__work_left(struct siox__session *s) { return worked(s) < SIOX__WORK_A_TURN; }

/* Each disk's policy looks at the claims of every client on it. */
uint64_t siox__work_of(const struct siox__daemon *d, uint64_t disks) {
  return 1 + disks * (16 + (uint64_t)d->njoined) / 64;
}

/* Reads the ring; true when what was in it has been read, and the session goes on. */
static bool drain(struct siox__session *s) {
  if (!s->joined)
    return true;
  const char *why = "";
  int r = siox__drain(s, &why);
  if (r < 0) {
    siox__session_end(s, why);
    return false;
  }
  s->rest = r > 0;
  if (s->rest)
    uv_idle_start(&s->d->more, siox__more);
  s->d->count.cut += r == 1;
  return r != 1;
}

/* The daemon said that it sleeps, and nothing has come since: then there is nothing to say again.
 */
static bool is_quiet(const struct siox_ring *ring) {
  return atomic_load_explicit(&ring->asleep, memory_order_relaxed) &&
         atomic_load_explicit(&ring->head, memory_order_acquire) ==
             atomic_load_explicit(&ring->tail, memory_order_relaxed);
}

void siox__session_drain_all(struct siox__daemon *d) {
  for (struct siox__session *s = d->sessions, *next; s; s = next) {
    next = s->next;
    if (s->joined && !s->leaving && !s->rest && !is_quiet(s->ring))
      drain(s);
  }
}

/* The peer is gone: what it said before still counts. */
static void leave(struct siox__session *s) {
  s->leaving = true;
  uv_poll_stop(&s->socket);
  if (drain(s))
    siox__session_end(s, NULL);
}

void siox__more(uv_idle_t *idle) {
  struct siox__daemon *d = idle->data;
  bool rest = false;
  for (struct siox__session *s = d->sessions, *next; s; s = next) {
    next = s->next;
    if (!s->rest)
      continue;
    if (drain(s) && s->leaving)
      siox__session_end(s, NULL);
    else
      rest |= !s->closing && s->rest;
  }
  if (!rest)
    uv_idle_stop(idle);
}

/* The first one may be a tally (HELLO); nobody asked for others. */
static void take_fds(struct siox__session *s, struct msghdr *message) {
  for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c))
    if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
      for (size_t i = 0; i < (c->cmsg_len - CMSG_LEN(0)) / sizeof(int); i++) {
        int fd;
        memcpy(&fd, CMSG_DATA(c) + i * sizeof fd, sizeof fd);
        if (s->given < 0)
          s->given = fd;
        else
          close(fd);
      }
}

static void on_socket(uv_poll_t *poll, int status, int events) {
  struct siox__session *s = poll->data;
  if (s->answer) { /* an answer is under way: nothing new is read before it is out */
    if (events & UV_WRITABLE || status < 0)
      siox__answer(s, s->answer_tag, NULL);
    return;
  }
  static _Alignas(16) unsigned char packet[SIOX_WIRE_MAX + 8];
  for (int turn = 0; turn < SIOX__PACKETS_A_TURN && !s->closing && !s->answer; turn++) {
    /* The ring first: what a process hinted before it asked is known before the question. */
    if (!siox__work_left(s) || !drain(s))
      break;
    struct iovec part = {packet, sizeof packet};
    union {
      struct cmsghdr align;
      char room[256];
    } extra;
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &extra, .msg_controllen = sizeof extra};
    ssize_t got = recvmsg(s->fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
      return;
    if (got <= 0) { /* hung up; a packet of no bytes is not a message either */
      leave(s);
      return;
    }
    take_fds(s, &message);
    struct siox__message m;
    const char *why = "longer than a packet may be";
    s->spoke = true;
    s->since = siox__now_ns();
    s->d->count.packets++;
    siox__work(s, SIOX__WORK_A_TURN / SIOX__PACKETS_A_TURN);
    const bool wrong = message.msg_flags & MSG_TRUNC ||
                       siox__message_check(packet, (size_t)got, &m, &why) < 0 ||
                       siox__serve(s, &m, &why) < 0;
    if (s->given >= 0)
      close(s->given);
    s->given = -1;
    if (wrong) {
      siox__session_end(s, why);
      return;
    }
  }
  if (!s->closing && !s->answer)
    s->d->count.cut++;
}

static void on_wake(uv_poll_t *poll, int status, int events) {
  (void)status, (void)events;
  struct siox__session *s = poll->data;
  uint64_t count;
  while (read(s->wake_fd, &count, sizeof count) < 0 && errno == EINTR)
    ;
  drain(s);
}

static void on_death(uv_poll_t *poll, int status, int events) {
  (void)status, (void)events;
  struct siox__session *s = poll->data;
  uv_poll_stop(poll);
  leave(s);
}

/* The dead among the joined, without waiting for the loop to tell: before a measurement is said to
 * be over. */
void siox__session_reap(struct siox__daemon *d) {
  for (struct siox__session *s = d->sessions, *next; s; s = next) {
    next = s->next;
    struct pollfd at[2] = {{.fd = s->fd, .events = POLLRDHUP}, {.fd = s->pid_fd, .events = POLLIN}};
    if (!s->joined || poll(at, 2, 0) <= 0 ||
        !(at[0].revents & (POLLRDHUP | POLLHUP) || at[1].revents))
      continue;
    s->turn = 0; /* nothing waits for its turn here */
    do {
      s->work = 0;
      leave(s);
    } while (!s->closing && s->rest);
  }
}

int siox__session_watch(struct siox__session *s, int pid_fd, int wake_fd) {
  if (pid_fd >= 0) {
    if (uv_poll_init(&s->d->loop, &s->process, pid_fd) < 0) {
      close(pid_fd);
      return SIOX_EIO;
    }
    s->pid_fd = pid_fd;
    s->open_handles++;
    uv_poll_start(&s->process, UV_READABLE, on_death);
  }
  if (uv_poll_init(&s->d->loop, &s->wake, wake_fd) < 0)
    return SIOX_EIO;
  s->wake_fd = wake_fd;
  s->open_handles++;
  uv_poll_start(&s->wake, UV_READABLE, on_wake);
  return 0;
}

int siox__send(struct siox__session *s, const struct siox_msg_head *request, uint16_t type,
               int32_t status, const void *body1, size_t bytes1, const void *body2, size_t bytes2,
               const int *fds, int nfds) {
  struct siox_msg_head head = {.magic = SIOX_WIRE_MAGIC,
                               .version = SIOX_WIRE_VERSION,
                               .type = type,
                               .length = (uint32_t)(sizeof head + bytes1 + bytes2),
                               .status = status,
                               .tag = request->tag,
                               .more = request->more};
  struct iovec part[3] = {{&head, sizeof head}, {(void *)body1, bytes1}, {(void *)body2, bytes2}};
  union {
    struct cmsghdr align;
    char room[CMSG_SPACE(3 * sizeof(int))];
  } extra = {0};
  struct msghdr message = {.msg_iov = part, .msg_iovlen = 3};
  if (nfds) {
    message.msg_control = &extra;
    message.msg_controllen = CMSG_SPACE((size_t)nfds * sizeof(int));
    struct cmsghdr *c = CMSG_FIRSTHDR(&message);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN((size_t)nfds * sizeof(int));
    memcpy(CMSG_DATA(c), fds, (size_t)nfds * sizeof(int));
  }
  ssize_t sent;
  do
    sent = sendmsg(s->fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent < 0 ? (errno == EAGAIN ? SIOX_EFULL : SIOX_EGONE) : 0;
}

void siox__answer(struct siox__session *s, uint32_t tag, char *text) {
  if (text) {
    s->answer = text;
    s->answer_length = strlen(text);
    s->answer_sent = 0;
    s->answer_tag = tag;
    s->since = siox__now_ns();
  }
  int r = 0;
  for (bool last = false; r == 0 && !last;) {
    size_t bytes = s->answer_length - s->answer_sent;
    last = bytes <= SIOX_WIRE_MAX - sizeof(struct siox_msg_head);
    if (!last)
      bytes = SIOX_WIRE_MAX - sizeof(struct siox_msg_head);
    struct siox_msg_head like = {.tag = s->answer_tag, .more = !last};
    r = siox__send(s, &like, SIOX_MSG_ANSWER, 0, s->answer + s->answer_sent, bytes, NULL, 0, NULL,
                   0);
    if (r == 0) {
      s->answer_sent += bytes;
      s->since = siox__now_ns();
    }
  }
  if (r == SIOX_EFULL) {
    uv_poll_start(&s->socket, UV_WRITABLE, on_socket);
    return;
  }
  free(s->answer);
  s->answer = NULL;
  if (r < 0)
    siox__session_end(s, NULL);
  else
    uv_poll_start(&s->socket, UV_READABLE, on_socket);
}
