/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* See daemon_double.h. */
#include "daemon_double.h"
#include <assert.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define MAX_CONNECTIONS 16
#define MAX_MESSAGES 4096

static struct double_options options;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t thread;
static int listening, stop_pipe[2];
static char directory[64], mount_path[96];
static struct {
  int socket;
  struct siox_ring *ring;
  uint64_t tail_kept;
  const struct siox_tally *tally;
  int seals;
} connection[MAX_CONNECTIONS];
static int nconnections;
static struct double_message *message;
static int nmessages;
static int64_t delay;
static bool silent;

static void reply(int at, const struct siox_msg_head *to, uint16_t type, const void *body,
                  size_t bytes, const void *more, size_t more_bytes, const int *fds, size_t nfds) {
  struct siox_msg_head head = {.magic = SIOX_WIRE_MAGIC,
                               .version = SIOX_WIRE_VERSION,
                               .type = type,
                               .tag = to->tag,
                               .length = (uint32_t)(sizeof head + bytes + more_bytes)};
  struct iovec part[3] = {{&head, sizeof head},
                          {(void *)(uintptr_t)body, bytes},
                          {(void *)(uintptr_t)more, more_bytes}};
  union {
    struct cmsghdr align;
    char space[CMSG_SPACE(3 * sizeof(int))];
  } control;
  struct msghdr m = {.msg_iov = part, .msg_iovlen = 3};
  if (nfds) {
    memset(&control, 0, sizeof control);
    m.msg_control = control.space;
    m.msg_controllen = CMSG_SPACE(nfds * sizeof(int));
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(nfds * sizeof(int));
    memcpy(CMSG_DATA(c), fds, nfds * sizeof(int));
  }
  sendmsg(connection[at].socket, &m, MSG_NOSIGNAL);
}

static void welcome(int at, const struct siox_msg_head *head) {
  size_t ring_size = siox__ring_size(options.ring_bytes);
  size_t level_size = sizeof(struct siox_level_table) + options.ndisks * sizeof(int32_t);
  int fds[3] = {memfd_create("ring", 0), eventfd(0, 0), memfd_create("levels", 0)};
  assert(ftruncate(fds[0], (off_t)ring_size) == 0 && ftruncate(fds[2], (off_t)level_size) == 0);
  connection[at].ring = mmap(NULL, ring_size, PROT_READ | PROT_WRITE, MAP_SHARED, fds[0], 0);
  siox__ring_init(connection[at].ring);
  struct siox_level_table *levels =
      mmap(NULL, level_size, PROT_READ | PROT_WRITE, MAP_SHARED, fds[2], 0);
  levels->version = 1;
  levels->ndisks = options.ndisks;
  levels->policy_lead_kind = options.lead_kind;
  for (uint32_t d = 0; d < options.ndisks; d++)
    levels->speed[d] = 1000 * (int32_t)(d + 1);
  munmap(levels, level_size);
  struct siox_msg_welcome w = {.client = (uint32_t)at + 1,
                               .ndisks = options.ndisks,
                               .lead_kind = options.lead_kind,
                               .lead_ns = options.lead_ns,
                               .min_gap_ns = options.min_gap_ns,
                               .first_of_job = options.first_of_job,
                               .ring_bytes = options.ring_bytes};
  snprintf(w.mount, sizeof w.mount, "%s", mount_path);
  reply(at, head, SIOX_MSG_WELCOME, &w, sizeof w, NULL, 0, fds, 3);
  for (int i = 0; i < 3; i++)
    close(fds[i]);
}

static void answer(int at, const struct siox_msg_head *head, const unsigned char *body) {
  if (head->type == SIOX_MSG_HELLO) {
    welcome(at, head);
  } else if (head->type == SIOX_MSG_OPEN) {
    struct siox_msg_opened opened = {.file = DOUBLE_FILE,
                                     .layout_length = (uint32_t)strlen(options.layout)};
    reply(at, head, SIOX_MSG_OPENED, &opened, sizeof opened, options.layout, opened.layout_length,
          NULL, 0);
  } else if (head->type == SIOX_MSG_IO) {
    struct siox_msg_io io;
    memcpy(&io, body, sizeof io);
    struct siox_msg_done done = {.completion = io.arrival + delay};
    reply(at, head, SIOX_MSG_DONE, &done, sizeof done, NULL, 0, NULL, 0);
  } else if (head->type == SIOX_MSG_DRIVE) {
    struct siox_drive drive = {.name = "double", .nlevels = 1};
    reply(at, head, SIOX_MSG_PROFILE, &drive, sizeof drive, NULL, 0, NULL, 0);
  }
}

static void keep_tally(int at, struct msghdr *m) {
  struct cmsghdr *c = CMSG_FIRSTHDR(m);
  int fd;
  if (!c || c->cmsg_type != SCM_RIGHTS)
    return;
  memcpy(&fd, CMSG_DATA(c), sizeof fd);
  connection[at].seals = fcntl(fd, F_GET_SEALS);
  void *t = mmap(NULL, sizeof(struct siox_tally), PROT_READ, MAP_SHARED, fd, 0);
  connection[at].tally = t == MAP_FAILED ? NULL : t;
  close(fd);
}

static void take(int at) {
  struct {
    struct siox_msg_head head;
    unsigned char body[SIOX_WIRE_MAX];
  } static packet;
  struct iovec part = {&packet, sizeof packet};
  union {
    struct cmsghdr align;
    char space[CMSG_SPACE(sizeof(int))];
  } control;
  struct msghdr m = {.msg_iov = &part,
                     .msg_iovlen = 1,
                     .msg_control = control.space,
                     .msg_controllen = sizeof control.space};
  ssize_t got = recvmsg(connection[at].socket, &m, MSG_CMSG_CLOEXEC);
  pthread_mutex_lock(&lock);
  if (got > 0)
    keep_tally(at, &m);
  if (got <= 0) {
    close(connection[at].socket);
    connection[at].socket = -1;
  } else {
    if (nmessages < MAX_MESSAGES) {
      struct double_message *new = &message[nmessages++];
      new->type = packet.head.type;
      new->connection = at;
      new->length = (uint32_t)((size_t)got - sizeof packet.head);
      memcpy(new->body, packet.body,
             new->length < sizeof new->body ? new->length : sizeof new->body);
    }
    if (!silent)
      answer(at, &packet.head, packet.body);
  }
  pthread_mutex_unlock(&lock);
}

static void *serve(void *unused) {
  (void)unused;
  for (;;) {
    struct pollfd watch[2 + MAX_CONNECTIONS];
    watch[0] = (struct pollfd){.fd = stop_pipe[0], .events = POLLIN};
    watch[1] = (struct pollfd){.fd = listening, .events = POLLIN};
    pthread_mutex_lock(&lock);
    int n = nconnections;
    for (int i = 0; i < n; i++)
      watch[2 + i] = (struct pollfd){.fd = connection[i].socket, .events = POLLIN};
    pthread_mutex_unlock(&lock);
    if (poll(watch, (nfds_t)(2 + n), -1) < 0)
      continue;
    if (watch[0].revents)
      return NULL;
    for (int i = 0; i < n; i++)
      if (watch[2 + i].revents && watch[2 + i].fd >= 0)
        take(i);
    if (watch[1].revents) {
      pthread_mutex_lock(&lock);
      connection[nconnections++].socket = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
      pthread_mutex_unlock(&lock);
    }
  }
}

void double_start(const struct double_options *wanted) {
  options = *wanted;
  message = calloc(MAX_MESSAGES, sizeof *message);
  strcpy(directory, "/tmp/siox-double.XXXXXX");
  assert(mkdtemp(directory) && pipe(stop_pipe) == 0);
  snprintf(mount_path, sizeof mount_path, "%s/mount", directory);
  mkdir(mount_path, 0700);
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s/socket", directory);
  listening = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  assert(bind(listening, (struct sockaddr *)&address, sizeof address) == 0 &&
         listen(listening, 16) == 0);
  setenv("SIOX_SOCKET", address.sun_path, 1);
  assert(pthread_create(&thread, NULL, serve, NULL) == 0);
}

void double_stop(void) {
  char command[128];
  assert(write(stop_pipe[1], "", 1) == 1);
  pthread_join(thread, NULL);
  snprintf(command, sizeof command, "rm -rf %s", directory);
  assert(system(command) == 0);
  free(message);
}

const char *double_mount(void) { return mount_path; }

#define LOCKED(statement)                                                                          \
  pthread_mutex_lock(&lock);                                                                       \
  statement;                                                                                       \
  pthread_mutex_unlock(&lock)

void double_delay(int64_t ns) { LOCKED(delay = ns); }
void double_silent(bool on) { LOCKED(silent = on); }
void double_forget(void) { LOCKED(nmessages = 0); }
void double_hang_up(void) {
  LOCKED(for (int i = 0; i < nconnections; i++) shutdown(connection[i].socket, SHUT_RDWR));
}

int double_count(uint16_t type, struct double_message *last) {
  int n = 0;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < nmessages; i++)
    if (message[i].type == type) {
      n++;
      if (last)
        *last = message[i];
    }
  pthread_mutex_unlock(&lock);
  return n;
}

int double_record(int at, void *buffer, size_t size) {
  return siox__ring_get(connection[at].ring, options.ring_bytes, buffer, size);
}

uint64_t double_issued(int at) { return atomic_load(&connection[at].ring->issued); }

void double_clog(int at, bool clog) {
  struct siox_ring *ring = connection[at].ring;
  if (clog) { /* as if the reader were a whole ring behind */
    connection[at].tail_kept = atomic_load(&ring->tail);
    atomic_store(&ring->tail, atomic_load(&ring->head) - options.ring_bytes);
  } else {
    atomic_store(&ring->tail, atomic_load(&ring->head));
  }
}

const struct siox_tally *double_tally(int at, int *seals) {
  LOCKED(const struct siox_tally *t = connection[at].tally; *seals = t ? connection[at].seals : -1);
  return t;
}

int double_connections(void) {
  LOCKED(int n = nconnections);
  return n;
}
