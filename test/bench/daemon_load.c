/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Load for the daemon's figures (daemon.py), and the bare ceilings beside them: as many rings or
 * sockets, messages of the same size, written by the same code, and nobody who thinks about them.
 *
 *   daemon_load claims SOCKET CLIENTS SECONDS DISKS   hints as fast as they are taken
 *   daemon_load ring CLIENTS SECONDS                  the same into rings that are only read
 *   daemon_load socket CLIENTS SECONDS                the same as packets that are only read
 *   daemon_load crowd SOCKET JOBS RUNS DISKS          a job and a claim each, then waits for a line
 *   daemon_load idle SOCKET CLIENTS                   clients that say nothing, likewise
 *   daemon_load processes SOCKET CLIENTS              the same, as many processes of one job
 *   daemon_load counted SOCKET CLIENTS                likewise, which have made I/O calls before
 *   daemon_load activities SOCKET CLIENTS SECONDS RATE  POSIX calls, RATE a second, 1 % marked
 *
 * Prints "messages SECONDS CPU-SECONDS" (of the reader, where it is this program); activities:
 * "calls left-out marked lost S". */
#include "common/clock.h"
#include "common/tally.h"
#include "common/wire.h"
#include "siox/drive.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RING = 256 * 1024, BATCH = 64 };

struct peer {
  int socket, wake;
  struct siox_ring *ring;
  uint32_t ndisks, number;
  uint64_t seq;
};

static void die(const char *what) {
  perror(what);
  exit(1);
}

static void send_packet(int fd, uint16_t type, const void *body, size_t bytes, const void *more,
                        size_t more_bytes, int given) {
  struct siox_msg_head head = {.magic = SIOX_WIRE_MAGIC,
                               .version = SIOX_WIRE_VERSION,
                               .type = type,
                               .length = (uint32_t)(sizeof head + bytes + more_bytes)};
  struct iovec part[3] = {{&head, sizeof head},
                          {(void *)(uintptr_t)body, bytes},
                          {(void *)(uintptr_t)more, more_bytes}};
  struct msghdr m = {.msg_iov = part, .msg_iovlen = 3};
  union {
    struct cmsghdr align;
    char room[CMSG_SPACE(sizeof(int))];
  } control = {0};
  if (given >= 0) {
    m.msg_control = &control;
    m.msg_controllen = sizeof control;
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    *c = (struct cmsghdr){
        .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof given)};
    memcpy(CMSG_DATA(c), &given, sizeof given);
  }
  if (sendmsg(fd, &m, MSG_NOSIGNAL) < 0)
    die("send");
}

static struct peer join_with(const char *path, int number, int given) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
  struct peer p = {.socket = socket(AF_UNIX, SOCK_SEQPACKET, 0)};
  if (p.socket < 0 || connect(p.socket, (struct sockaddr *)&address, sizeof address) < 0)
    die("connect");
  struct siox_msg_hello hello = {.time = siox__now_ns(), .size = 1, .delay_budget = -1};
  snprintf(hello.job, sizeof hello.job, "job-%d", number);
  send_packet(p.socket, SIOX_MSG_HELLO, &hello, sizeof hello, NULL, 0, given);
  struct {
    struct siox_msg_head head;
    struct siox_msg_welcome welcome;
  } static reply;
  union {
    struct cmsghdr align;
    char room[CMSG_SPACE(3 * sizeof(int))];
  } control;
  struct iovec part = {&reply, sizeof reply};
  struct msghdr m = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  if (recvmsg(p.socket, &m, 0) != sizeof reply || reply.head.type != SIOX_MSG_WELCOME)
    die("welcome");
  int fds[3];
  memcpy(fds, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof fds);
  p.ring = mmap(NULL, siox__ring_size(reply.welcome.ring_bytes), PROT_READ | PROT_WRITE, MAP_SHARED,
                fds[0], 0);
  p.wake = fds[1];
  p.ndisks = reply.welcome.ndisks;
  p.number = (uint32_t)number;
  close(fds[0]);
  close(fds[2]);
  return p;
}

static struct peer join(const char *path, int number) { return join_with(path, number, -1); }

static struct peer bare(void) {
  struct peer p = {.socket = -1, .wake = -1, .ndisks = 4};
  p.ring =
      mmap(NULL, siox__ring_size(RING), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  siox__ring_init(p.ring);
  atomic_store(&p.ring->asleep, 0);
  return p;
}

struct claim {
  struct siox_claim_header head;
  struct siox_claim_run run;
};

/* The next hint of a peer: its disks, others than its neighbours' as far as there are, are needed,
 * then not. */
static struct claim next(struct peer *p, uint32_t disks) {
  p->seq++;
  return (struct claim){
      .head = {.version = SIOX_CLAIM_VERSION, .nruns = 1, .seq = p->seq, .time = siox__now_ns()},
      .run = {.first = p->ndisks > disks ? p->number * disks % (p->ndisks / disks * disks) : 0,
              .count = disks < p->ndisks ? disks : p->ndisks,
              .speed = SIOX_SPEED_FULL,
              .flag = (int32_t)(p->seq & 1),
              .until = SIOX_NEVER}};
}

/* A batch for each that has room; returns how many were put. */
static uint64_t round_of(struct peer *peer, int n, uint32_t disks) {
  uint64_t put = 0;
  for (int i = 0; i < n; i++) {
    struct peer *p = &peer[i];
    for (int b = 0; b < BATCH; b++) {
      struct claim c = next(p, disks);
      struct siox_rec_head head = {.type = SIOX_REC_CLAIM, .time = c.head.time};
      int wake;
      if (siox__ring_put(p->ring, RING, &head, &c.head, sizeof c.head, &c.run, sizeof c.run,
                         SIOX_PUT_URGENT, &wake) < 0)
        break;
      put++;
      uint64_t one = 1;
      if (wake && p->wake >= 0 && write(p->wake, &one, sizeof one) < 0)
        die("wake");
    }
  }
  return put;
}

static double cpu(void) {
  struct rusage r;
  getrusage(RUSAGE_SELF, &r);
  return (double)r.ru_utime.tv_sec + (double)r.ru_stime.tv_sec +
         1e-6 * (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec);
}

static uint64_t left(struct peer *peer, int n) {
  uint64_t bytes = 0;
  for (int i = 0; i < n; i++)
    bytes += atomic_load(&peer[i].ring->head) - atomic_load(&peer[i].ring->tail);
  return bytes;
}

static void claims(const char *path, int n, double seconds, uint32_t disks) {
  struct peer *peer = calloc((size_t)n, sizeof *peer);
  for (int i = 0; i < n; i++)
    peer[i] = join(path, i);
  uint64_t put = 0, more;
  int64_t begin = siox__now_ns();
  while ((double)(siox__now_ns() - begin) < seconds * 1e9) {
    put += more = round_of(peer, n, disks);
    if (!more) /* the daemon has the core now, if there is but one */
      poll(NULL, 0, 1);
  }
  while (left(peer, n))
    poll(NULL, 0, 1);
  printf("%llu %.6f 0\n", (unsigned long long)put, (double)(siox__now_ns() - begin) * 1e-9);
}

static void activities(const char *path, int n, double seconds, double rate) {
  struct peer *peer = calloc((size_t)n, sizeof *peer);
  for (int i = 0; i < n; i++)
    peer[i] = join(path, i);
  uint64_t made = 0, marked = 0, lost = 0, left_out = 0;
  const int64_t begin = siox__now_ns();
  int64_t now = begin;
  for (; (double)(now - begin) < seconds * 1e9; now = siox__now_ns()) {
    const uint64_t due = (uint64_t)((double)(now - begin) * 1e-9 * rate);
    for (; made < due; made++) {
      struct peer *p = &peer[made / BATCH % (uint64_t)n];
      const bool mark = made % 100 == 0;
      const struct siox_rec_posix call = {.start = now - 1000,
                                          .file = 1 + made % 7,
                                          .offset = (int64_t)made * 64,
                                          .bytes = 64,
                                          .call = 12,
                                          .result = mark ? EIO : 0};
      const struct siox_rec_head head = {.type = SIOX_REC_POSIX, .time = now};
      int wake;
      const int r = siox__ring_put(p->ring, RING, &head, &call, sizeof call, NULL, 0,
                                   mark ? 0 : SIOX_PUT_SPARE, &wake);
      marked += mark;
      lost += mark && r < 0;
      left_out += !mark && r < 0;
      const uint64_t one = 1;
      if (wake && write(p->wake, &one, sizeof one) < 0)
        die("wake");
    }
    poll(NULL, 0, 1);
  }
  printf("%llu %llu %llu %llu %.6f\n", (unsigned long long)made, (unsigned long long)left_out,
         (unsigned long long)marked, (unsigned long long)lost, (double)(now - begin) * 1e-9);
}

static void ring(int n, double seconds) {
  struct peer *peer = calloc((size_t)n, sizeof *peer);
  for (int i = 0; i < n; i++)
    peer[i] = bare();
  pid_t writer = fork();
  if (!writer)
    for (;;)
      if (!round_of(peer, n, 4))
        poll(NULL, 0, 1);
  static _Alignas(16) unsigned char buffer[RING];
  uint64_t got = 0, before;
  double spent = cpu();
  int64_t begin = siox__now_ns();
  while ((double)(siox__now_ns() - begin) < seconds * 1e9) {
    before = got;
    for (int i = 0; i < n; i++)
      while (siox__ring_get(peer[i].ring, RING, buffer, sizeof buffer) > 0)
        got++;
    if (got == before)
      poll(NULL, 0, 1);
  }
  printf("%llu %.6f %.6f\n", (unsigned long long)got, (double)(siox__now_ns() - begin) * 1e-9,
         cpu() - spent);
  kill(writer, 9);
  waitpid(writer, NULL, 0);
}

static void sockets(int n, double seconds) {
  int(*pair)[2] = calloc((size_t)n, sizeof *pair);
  struct pollfd *watch = calloc((size_t)n, sizeof *watch);
  struct peer *peer = calloc((size_t)n, sizeof *peer);
  for (int i = 0; i < n; i++) {
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair[i]) < 0)
      die("socketpair");
    watch[i] = (struct pollfd){.fd = pair[i][0], .events = POLLIN};
    peer[i].ndisks = 4;
  }
  pid_t writer = fork();
  if (!writer)
    for (int i = 0;; i = (i + 1) % n)
      for (int b = 0; b < BATCH; b++) {
        struct claim c = next(&peer[i], 4);
        send_packet(pair[i][1], SIOX_MSG_CLAIM, &c, sizeof c, NULL, 0, -1);
      }
  static unsigned char buffer[SIOX_WIRE_MAX];
  uint64_t got = 0;
  double spent = cpu();
  int64_t begin = siox__now_ns();
  while ((double)(siox__now_ns() - begin) < seconds * 1e9 && poll(watch, (nfds_t)n, 1000) > 0)
    for (int i = 0; i < n; i++)
      for (int b = 0; watch[i].revents && b < BATCH; b++) {
        if (recv(pair[i][0], buffer, sizeof buffer, MSG_DONTWAIT) <= 0)
          break;
        got++;
      }
  printf("%llu %.6f %.6f\n", (unsigned long long)got, (double)(siox__now_ns() - begin) * 1e-9,
         cpu() - spent);
  kill(writer, 9);
  waitpid(writer, NULL, 0);
}

static void wait_for_a_line(void) {
  puts("ready");
  fflush(stdout);
  if (getchar() == EOF)
    return;
}

static void crowd(const char *path, int jobs, uint32_t runs, uint32_t disks) {
  struct siox_claim_run run[64] = {0};
  for (int i = 0; i < jobs; i++) {
    struct peer p = join(path, i);
    uint32_t apart = p.ndisks / runs;
    for (uint32_t r = 0; r < runs; r++)
      run[r] = (struct siox_claim_run){.first = r * apart +
                                                (disks < apart ? (uint32_t)i % (apart - disks) : 0),
                                       .count = disks < apart ? disks : apart,
                                       .speed = 6000 + (int32_t)(r % 4) * 3000,
                                       .flag = (int32_t)(r & 1),
                                       .until = SIOX_NEVER};
    struct siox_claim_header head = {.version = SIOX_CLAIM_VERSION, .nruns = runs, .seq = 1};
    head.time = siox__now_ns();
    send_packet(p.socket, SIOX_MSG_CLAIM, &head, sizeof head, run, runs * sizeof *run, -1);
    munmap(p.ring, siox__ring_size(RING));
    close(p.wake);
  }
  wait_for_a_line();
}

static void idle(const char *path, int clients) {
  for (int i = 0; i < clients; i++)
    join(path, i);
  wait_for_a_line();
}

/* Shared memory with the counts of some kinds of calls, as libsiox makes it. */
static int tally(void) {
  enum { CALLS = 100, KINDS = 4 };
  const int fd = memfd_create("tally", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0 || ftruncate(fd, sizeof(struct siox_tally)) < 0 ||
      fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
    die("memfd");
  struct siox_tally *t = mmap(NULL, sizeof *t, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (t == MAP_FAILED)
    die("mmap");
  siox__tally_init(t, (int32_t)getpid());
  for (unsigned i = 0; i < CALLS; i++)
    siox__tally_count(t, 1, siox__tally_row(SIOX_LAYER_POSIX, i % KINDS), 4096, 10000, false);
  return fd;
}

static void processes(const char *path, int clients, bool counted) {
  int joined[2];
  char byte = 0;
  if (pipe(joined) < 0)
    die("pipe");
  for (int i = 0; i < clients; i++) {
    const pid_t child = fork();
    if (child < 0)
      die("fork");
    if (child > 0)
      continue;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    join_with(path, 0, counted ? tally() : -1);
    if (write(joined[1], &byte, 1) != 1)
      die("write");
    for (;;)
      pause();
  }
  for (int i = 0; i < clients; i++)
    if (read(joined[0], &byte, 1) != 1)
      die("read");
  wait_for_a_line();
}

int main(int argc, char **argv) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  const char *mode = argc > 1 ? argv[1] : "";
  if (!strcmp(mode, "claims") && argc == 6)
    claims(argv[2], atoi(argv[3]), atof(argv[4]), (uint32_t)atoi(argv[5]));
  else if (!strcmp(mode, "activities") && argc == 6)
    activities(argv[2], atoi(argv[3]), atof(argv[4]), atof(argv[5]));
  else if (!strcmp(mode, "ring") && argc == 4)
    ring(atoi(argv[2]), atof(argv[3]));
  else if (!strcmp(mode, "socket") && argc == 4)
    sockets(atoi(argv[2]), atof(argv[3]));
  else if (!strcmp(mode, "crowd") && argc == 6)
    crowd(argv[2], atoi(argv[3]), (uint32_t)atoi(argv[4]), (uint32_t)atoi(argv[5]));
  else if (!strcmp(mode, "idle") && argc == 4)
    idle(argv[2], atoi(argv[3]));
  else if (!strcmp(mode, "processes") && argc == 4)
    processes(argv[2], atoi(argv[3]), false);
  else if (!strcmp(mode, "counted") && argc == 4)
    processes(argv[2], atoi(argv[3]), true);
  else {
    fputs("daemon_load: see the head of test/bench/daemon_load.c\n", stderr);
    return 2;
  }
  return 0;
}
