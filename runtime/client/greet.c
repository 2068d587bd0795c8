/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finding sioxd and greeting it. The first time a program waits for the answer, a second at most. A
 * daemon that was lost is looked for again at calls of the program, and what it gives, ring and
 * level table, takes the places of the old ones: other threads may be using them. */
#include "client/client.h"
#include "client/files.h"
#include "client/real.h"
#include "client/tally.h"
#include "common/paths.h"
#include <dlfcn.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#define DIAL_NS INT64_C(100000000) /* between two looks for a daemon that is away */
#define HEAR_NS INT64_C(1000000)   /* between two looks whether it has answered */
#define HEAR_MS 20                 /* a daemon in good health answers in this */

/* The mount as /proc/self/fd will name files under it. What is large here is static, under the
 * socket lock: a handler's stack may have a few KiB. */
static void canonical_mount(struct siox_msg_welcome *w) {
  w->mount[sizeof w->mount - 1] = 0;
  w->advice[sizeof w->advice - 1] = 0;
  char link[64];
  static char real[sizeof w->mount];
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

static int dial(const char *path, int flags) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path)
    return SIOX_ERANGE;
  strcpy(address.sun_path, path);
  int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | flags, 0);
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

/* A rank that opens a file before MPI_Init greets before it: then its MPI library tells it from the
 * shells and tools that a launcher starts as ranks, too. Looked for at the start: a handler, who
 * may be the first to open a file, must not. */
static bool has_mpi;

__attribute__((constructor(102))) static void look_for_mpi(void) {
  int saved = errno;
  int32_t rank, size;
  siox__job_rank(&rank, &size);
  has_mpi = rank >= 0 && dlsym(RTLD_DEFAULT, "PMPI_Init");
  if (rank >= 0)
    (void)dlerror(); /* ours, not the program's */
  errno = saved;
}

static int say_hello(int fd, bool again, int64_t now) {
  if (siox__client.rank < 0)
    siox__job_rank(&siox__client.rank, &siox__client.size);
  struct siox_msg_hello hello = {.time = now,
                                 .pid = getpid(),
                                 .flags = (again ? SIOX_HELLO_REJOIN : 0u) |
                                          (siox__client.mpi || has_mpi ? SIOX_HELLO_MPI : 0u)};
  hello.rank = siox__client.rank;
  hello.delay_budget = siox__job_budget();
  hello.size = siox__client.size;
  snprintf(hello.job, sizeof hello.job, "%s", siox__job_key());
  snprintf(hello.program, sizeof hello.program, "%s", program_invocation_name);
  siox__tally_begin();
  return siox__send_with(fd, SIOX_MSG_HELLO, &hello, sizeof hello, siox__client.tally);
}

/* What a WELCOME brings. */
struct gift {
  struct siox_msg_welcome welcome;
  void *ring, *levels;
  size_t ring_size, levels_size;
  int wake;
};

static void give_back(struct gift *g) {
  if (g->ring)
    munmap(g->ring, g->ring_size);
  if (g->levels)
    munmap(g->levels, g->levels_size);
  siox__fd_close(&g->wake);
}

static int hear_welcome(int fd, int64_t deadline, struct gift *g) {
  int fds[3] = {-1, -1, -1}, nfds = 3;
  struct siox_msg_head head;
  struct siox_msg_welcome *w = &g->welcome;
  *g = (struct gift){.wake = -1};
  int result = siox__receive(fd, deadline, &head, w, sizeof *w, fds, &nfds);
  if (result >= 0 && head.status < 0)
    result = head.status;
  else if (result >= 0 && (head.type != SIOX_MSG_WELCOME || (size_t)result != sizeof *w ||
                           nfds != 3 || !w->ring_bytes || (w->ring_bytes & (w->ring_bytes - 1))))
    result = SIOX_EPROTO;
  if (result >= 0) {
    g->ring = map(fds[0], PROT_READ | PROT_WRITE, siox__ring_size(w->ring_bytes), &g->ring_size);
    g->levels = map(fds[2], PROT_READ,
                    sizeof(struct siox_level_table) + w->ndisks * sizeof(int32_t), &g->levels_size);
    g->wake = siox__fd_high(fds[1]);
    fds[1] = -1;
    canonical_mount(w);
    result = g->wake < 0 ? SIOX_EFULL : g->ring && g->levels ? 0 : SIOX_ENOMEM;
    if (result < 0)
      give_back(g);
  }
  for (int i = 0; i < 3; i++)
    siox__fd_close(&fds[i]);
  return result;
}

static int greet(int fd) {
  static struct gift g;
  int64_t now = siox__now_ns();
  int result = say_hello(fd, siox__client.forked, now);
  if (result == 0)
    result = hear_welcome(fd, now + SIOX_WIRE_TIMEOUT_NS, &g);
  if (result < 0)
    return result;
  siox__client.welcome = g.welcome;
  siox__client.mount_length = strlen(g.welcome.mount);
  siox__client.ring_bytes = g.welcome.ring_bytes;
  siox__client.ring = g.ring;
  siox__client.levels = g.levels;
  siox__client.levels_bytes = g.levels_size;
  siox__client.wake = g.wake;
  siox__client.socket = fd;
  return 0;
}

/* SIOX_SOCKET; else the user's own daemon, else the node's. */
int siox__join(void) {
  char own[108] = "";
  const char *named = getenv("SIOX_SOCKET");
  const char *const one[] = {named, NULL};
  const char *const usual[] = {own, "/run/siox/siox.sock", NULL};
  const char *const *path = named && *named ? one : usual;
  siox__default_socket(own, sizeof own);
  int result = SIOX_EGONE;
  for (; *path && result < 0; path++) {
    int fd = dial(*path, 0);
    if (fd < 0) {
      result = fd;
      continue;
    }
    result = greet(fd);
    if (result < 0)
      siox__fd_close(&fd);
    else
      snprintf(siox__client.path, sizeof siox__client.path, "%s", *path);
  }
  if (result < 0 && named && *named)
    siox__warn_once("no sioxd at %s (%s); the program runs on without it", named,
                    result == SIOX_EFULL ? "the process may have too few file descriptors"
                                         : siox_strerror(result));
  return result;
}

/* The daemon came back with other disks, or over another directory: the program's layouts and masks
 * are of the ones before. */
static bool is_another(const struct gift *g) {
  const struct siox_msg_welcome *now = &g->welcome, *before = &siox__client.welcome;
  return now->ndisks != before->ndisks || now->ring_bytes != before->ring_bytes ||
         g->levels_size != siox__client.levels_bytes || strcmp(now->mount, before->mount);
}

/* New memory under old addresses, and the new eventfd under the old one's number. */
static int take_place(struct gift *g) {
  int result = siox__record_renew(g->ring, g->ring_size);
  void *levels = (void *)(uintptr_t)siox__client.levels;
  if (result == 0) {
    g->ring = NULL;
    if (mremap(g->levels, g->levels_size, g->levels_size, MREMAP_MAYMOVE | MREMAP_FIXED, levels) ==
        MAP_FAILED)
      return SIOX_ENOMEM;
    g->levels = NULL;
  }
  if (result == 0 && syscall(SYS_dup3, g->wake, siox__client.wake, O_CLOEXEC) < 0)
    result = SIOX_EIO;
  return result;
}

static int settle(int fd, struct gift *g) {
  if (is_another(g) || take_place(g) < 0) {
    siox__warn_once(
        "sioxd came back with other disks or another mount; the program runs on without");
    atomic_store(&siox__client.status, SIOX_STATUS_GONE);
    return SIOX_EGONE;
  }
  struct siox_msg_welcome *w = &siox__client.welcome;
  w->client = g->welcome.client;
  w->job = g->welcome.job;
  w->lead_kind = g->welcome.lead_kind;
  w->lead_ns = g->welcome.lead_ns;
  w->min_gap_ns = g->welcome.min_gap_ns;
  siox__client.socket = fd;
  /* Twice: nobody may pair an old number with the new connection. */
  siox__files_forget();
  atomic_fetch_add(&siox__client.connection, 1);
  atomic_fetch_add(&siox__client.telling, 1);
  siox__files_forget();
  atomic_store_explicit(&siox__client.status, SIOX_STATUS_READY, memory_order_release);
  return 0;
}

static int again_in(int64_t ns) {
  atomic_store(&siox__client.retry, siox__now_ns() + ns);
  return SIOX_EGONE;
}

int siox__rejoin(void) {
  struct siox__client *c = &siox__client;
  struct pollfd watch = {.events = POLLIN};
  int wait = 0;
  if (c->dial < 0) {
    c->dial = dial(c->path, SOCK_NONBLOCK);
    if (c->dial < 0 || say_hello(c->dial, true, siox__now_ns()) < 0) {
      siox__fd_close(&c->dial);
      return again_in(DIAL_NS);
    }
    wait = HEAR_MS;
  }
  watch.fd = c->dial;
  if (poll(&watch, 1, wait) <= 0)
    return again_in(HEAR_NS);
  static struct gift g;
  int fd = c->dial;
  c->dial = -1;
  int flags = (int)syscall(SYS_fcntl, fd, F_GETFL);
  syscall(SYS_fcntl, fd, F_SETFL, flags & ~O_NONBLOCK); /* requests wait, with time-outs */
  int result = hear_welcome(fd, siox__now_ns() + SIOX_WIRE_TIMEOUT_NS, &g);
  if (result == 0) {
    result = settle(fd, &g);
    give_back(&g);
  }
  if (result < 0)
    siox__fd_close(&fd);
  return result < 0 ? again_in(DIAL_NS) : 0;
}
