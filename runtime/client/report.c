/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whether this process reports, when, and from which figures. Who calls siox__report_end: the
 * destructor (connect.c), ending.c; report_joint.c has made the report of a rank before. */
#include "client/report.h"
#include "client/real.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static struct {
  bool read, on, children; /* read: the environment */
  bool child;              /* of fork */
  bool joint;              /* mpi */
  char file[SIOX_PATH_MAX];
  const char *program;
  atomic_flag made; /* the report is, or is being made */
  /* When the process began, or its program: both clocks go on through exec. */
  int64_t begin_ns, cpu_ns, constructed_ns;
  uint64_t storage_read, storage_written, network;
  bool has_storage, has_network;
} self = {.made = ATOMIC_FLAG_INIT};

/* A relative name means a place now, whatever directory the program goes to. */
static void take_file(const char *name) {
  char *at = self.file;
  size_t room = sizeof self.file;
  if (*name && *name != '/' && getcwd(at, room)) {
    const size_t length = strlen(at);
    at += length;
    room -= length;
    if (room > 1) {
      *at++ = '/';
      room--;
    }
  }
  snprintf(at, room, "%s", name);
}

/* MODE[,children][:FILE] */
static void read_environment(void) {
  self.read = true;
  const char *given = secure_getenv("SIOX_REPORT"); /* FILE is written with the program's rights */
  if (!given || !*given)
    return;
  const char *colon = strchr(given, ':');
  const size_t words = colon ? (size_t)(colon - given) : strlen(given);
  const char *comma = memchr(given, ',', words);
  const size_t mode = comma ? (size_t)(comma - given) : words;
  if (mode == strlen("off") && !strncmp(given, "off", mode))
    return;
  self.joint = mode == strlen("mpi") && !strncmp(given, "mpi", mode);
  const bool console = mode == strlen("console") && !strncmp(given, "console", mode);
  self.children =
      comma && words - mode == strlen(",children") && !strncmp(comma, ",children", words - mode);
  if (!(self.joint || console) || (comma && !self.children) || (colon && !colon[1])) {
    siox__warn_once("SIOX_REPORT: console, mpi or off is wanted, with \",children\" and \":FILE\" "
                    "as you like; \"%.80s\" is ignored",
                    given);
    return;
  }
  if (colon)
    take_file(colon + 1);
  self.program = program_invocation_short_name;
  self.on = !siox__job_launches(); /* what starts the ranks is none */
}

bool siox__report_wanted(void) {
  if (!self.read)
    read_environment();
  return self.on && (!self.child || self.children);
}

static ssize_t read_all(const char *path, char *text, size_t size) {
  const int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
  size_t used = 0;
  ssize_t n = -1;
  if (fd < 0)
    return -1;
  while (used + 1 < size && (n = syscall(SYS_read, fd, text + used, size - 1 - used)) > 0)
    used += (size_t)n;
  syscall(SYS_close, fd);
  text[used] = 0;
  return n == 0 ? (ssize_t)used : -1; /* one that is longer than that is not known */
}

static const char *number(const char *at, uint64_t *out) {
  *out = 0;
  while (*at == ' ')
    at++;
  for (; *at >= '0' && *at <= '9'; at++)
    *out = *out * 10 + (uint64_t)(*at - '0');
  return at;
}

/* Static, and shared: figures are made once, or by nobody else (siox__figures). */
static char text[32768];

/* What all interfaces but the loopback received and sent: columns 1 and 9 after the name. */
static bool read_network(uint64_t *bytes) {
  *bytes = 0;
  if (read_all("/proc/self/net/dev", text, sizeof text) <= 0)
    return false;
  for (const char *line = text; *line; line = *line ? line + 1 : line) {
    const char *end = strchrnul(line, '\n'), *colon = memchr(line, ':', (size_t)(end - line));
    while (*line == ' ')
      line++;
    if (colon && !(colon - line == 2 && line[0] == 'l' && line[1] == 'o')) {
      uint64_t column = 0;
      const char *at = colon + 1;
      for (int i = 1; i <= 9; i++) {
        at = number(at, &column);
        *bytes += i == 1 || i == 9 ? column : 0;
      }
    }
    line = end;
  }
  return true;
}

static bool read_storage(uint64_t *in, uint64_t *out) {
  if (read_all("/proc/self/io", text, sizeof text) <= 0)
    return false;
  const char *read_bytes = strstr(text, "\nread_bytes:"),
             *write_bytes = strstr(text, "\nwrite_bytes:");
  if (!read_bytes || !write_bytes)
    return false;
  number(strchr(read_bytes, ':') + 1, in);
  number(strchr(write_bytes, ':') + 1, out);
  return true;
}

static int64_t cpu_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void begin(void) {
  self.begin_ns = siox__now_ns();
  self.cpu_ns = cpu_ns();
  self.has_storage = read_storage(&self.storage_read, &self.storage_written);
  self.has_network = read_network(&self.network);
}

__attribute__((constructor(102))) static void at_start(void) {
  const int saved = errno;
  if (siox__report_wanted())
    begin();
  errno = saved;
}

static void quickly(void) { siox__report_end("quick_exit"); }

/* After all others of libsiox. */
__attribute__((constructor)) static void started(void) {
  const int saved = errno;
  if (siox__report_wanted()) {
    at_quick_exit(quickly); /* the first to be registered is the last to run */
    self.constructed_ns = siox__now_ns() - self.begin_ns;
  }
  errno = saved;
}

void siox__report_reset(void) {
  self.child = true;
  atomic_flag_clear(&self.made);
  if (siox__report_wanted()) {
    begin();
    self.constructed_ns = 0;
  }
}

static void add_rows(struct siox__figures *f, const struct siox_tally *t) {
  static struct siox__report_row of[SIOX_TALLY_ROWS];
  memset(of, 0, sizeof of);
  unsigned at = 0, row, size_class;
  struct siox_tally_sum sum;
  while (siox__tally_next(t, &at, &row, &size_class, &sum)) {
    siox__tally_grow(&of[row].calls, sum.calls);
    siox__tally_grow(&of[row].bytes, sum.bytes);
    siox__tally_grow(&of[row].errors, sum.errors);
    of[row].total_ns += (int64_t)sum.total_ns;
    of[row].longest_ns = sum.longest_ns > of[row].longest_ns ? sum.longest_ns : of[row].longest_ns;
  }
  f->nrows = 0;
  for (unsigned r = 0; r < SIOX_TALLY_ROWS; r++) {
    if (!of[r].calls)
      continue;
    of[r].row = (uint16_t)r;
    uint32_t place = f->nrows++; /* sorted: qsort may allocate */
    for (; place > 0 && f->row[place - 1].total_ns < of[r].total_ns; place--)
      f->row[place] = f->row[place - 1];
    f->row[place] = of[r];
  }
  f->partial = atomic_load_explicit(&t->partial, memory_order_relaxed);
}

static uint64_t touched(const void *at, size_t bytes) {
  static unsigned char pages[(sizeof(struct siox_tally) >> 12) + 1];
  uint64_t sum = 0;
  const size_t n = bytes >> 12;
  if (!at || n > sizeof pages || mincore((void *)(uintptr_t)at, bytes, pages) < 0)
    return 0;
  for (size_t i = 0; i < n; i++)
    sum += pages[i] & 1 ? 4096 : 0;
  return sum;
}

static int64_t cost(void) {
  void *scratch = siox__real()->mmap(NULL, sizeof(struct siox_tally), PROT_READ | PROT_WRITE,
                                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (scratch == MAP_FAILED)
    return 0;
  const int64_t ns = siox__tally_cost(scratch);
  munmap(scratch, sizeof(struct siox_tally));
  return ns;
}

static const char *ask_daemon(struct siox_msg_totals *said) {
  const char *why = NULL;
  memset(said, 0, sizeof *said);
  if (!siox__enter())
    return "the process ended within libsiox";
  if (!siox__connected())
    why = siox__welcomed() ? "sioxd is gone" : "there is no sioxd";
  else if (siox__request_soon(SIOX_MSG_TOTALS, SIOX_MSG_TOTALLED, said, sizeof *said) !=
           (int)sizeof *said)
    why = "sioxd does not tell";
  siox__exit();
  if (why)
    memset(said, 0, sizeof *said);
  for (int i = 0; i < SIOX_TOTALS_NOTES; i++)
    said->note[i][sizeof said->note[i] - 1] = 0;
  said->source[sizeof said->source - 1] = 0;
  return why;
}

struct siox__figures *siox__figures(const char *how, bool ask) {
  static struct siox__figures f;
  const struct siox_tally *t = siox__tally();
  const struct siox__client *c = &siox__client;
  f.how = how;
  f.pid = c->pid;
  f.rank = c->rank;
  f.runtime_ns = siox__now_ns() - self.begin_ns;
  f.cpu_ns = cpu_ns() - self.cpu_ns;
  f.start_ns = self.constructed_ns + c->joining_ns;
  f.counted = t != NULL;
  f.nrows = 0;
  f.partial = 0;
  f.memory_bytes = 0;
  if (t) {
    add_rows(&f, t);
    f.memory_bytes = touched(t, sizeof *t);
  }
  if (siox__welcomed())
    f.memory_bytes += siox__ring_size(c->ring_bytes) + c->levels_bytes;
  f.cost_ns = cost();
  uint64_t in = 0, out = 0, network = 0;
  f.has_storage = self.has_storage && read_storage(&in, &out);
  f.storage_read = in > self.storage_read ? in - self.storage_read : 0;
  f.storage_written = out > self.storage_written ? out - self.storage_written : 0;
  f.has_network = self.has_network && read_network(&network);
  f.network_bytes = network > self.network ? network - self.network : 0;
  f.unasked = ask ? ask_daemon(&f.said) : "of the first rank of each node";
  return &f;
}

bool siox__report_claim(void) {
  return siox__report_wanted() && !siox__borrowed() && !atomic_flag_test_and_set(&self.made);
}
bool siox__report_joint(void) { return siox__report_wanted() && self.joint && !self.child; }
const char *siox__report_program(void) { return self.program; }
void siox__report_put(const char *report, size_t length) {
  siox__report_write(*self.file ? self.file : NULL, report, length);
}

void siox__report_end(const char *how) {
  static char report[8192];
  if (!siox__report_claim())
    return;
  const int saved = errno;
  struct siox__text t = {report, report + sizeof report};
  siox__report_text(&t, self.program, siox__figures(how, true));
  siox__report_put(report, (size_t)(t.at - report));
  errno = saved;
}
