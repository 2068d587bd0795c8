/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reading /proc/PID, and clocks of processes. */
#include "monitor/process.h"
#include "monitor/input.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Fields of /proc/PID/stat behind the name, counted from 0 (proc(5) counts from 1 with the pid):
 * state is 0. */
enum { UTIME = 11, STIME = 12, STARTTIME = 19, VSIZE = 20, RSS = 21, NFIELDS = 22 };

int siox__process_stat(const char *root, int32_t pid, struct siox__process_stat *stat) {
  char path[64], text[2048];
  *stat = (struct siox__process_stat){0};
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  const int n = siox__input_text(root, path, text, sizeof text);
  if (n < 0)
    return n;
  /* The name may hold blanks and brackets itself, so its last bracket counts. */
  const char *p = strrchr(text, ')');
  if (!p || p[1] != ' ' || !p[2])
    return SIOX_ESYNTAX;
  uint64_t fields[NFIELDS] = {0};
  p += 3;
  for (int i = 1; i < NFIELDS; i++) {
    p += strspn(p, " ");
    p += *p == '-'; /* fields that can be negative are none of ours */
    if (!siox__input_number(&p, &fields[i]))
      return SIOX_ESYNTAX;
  }
  uint64_t ticks;
  if (__builtin_add_overflow(fields[UTIME], fields[STIME], &ticks) ||
      __builtin_mul_overflow(ticks, (uint64_t)SIOX__TICK_NS, &stat->busy_ns))
    return SIOX_ESYNTAX;
  stat->started = fields[STARTTIME];
  stat->resident_pages = fields[VSIZE] > 0 ? fields[RSS] : SIOX__NO_MEMORY;
  return 0;
}

int siox__process_clock(int32_t pid, uint64_t *busy_ns) {
  /* As clock_getcpuclockid(3) makes it, which asks the kernel first whether the process is there.
   */
  enum { SCHED = 2 };
  const clockid_t clock = (clockid_t)(~(uint32_t)pid << 3 | SCHED);
  struct timespec t;
  *busy_ns = 0;
  if (pid <= 0 || clock_gettime(clock, &t) != 0)
    return SIOX_ENOENT;
  *busy_ns = (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
  return 0;
}

void siox__process_files_close(struct siox__process_files *files) {
  if (files->io >= 0)
    close(files->io);
  if (files->statm >= 0)
    close(files->statm);
  *files = (struct siox__process_files){-1, -1};
}

/* One read a file, which /proc makes anew for each of them. */
static int read_kept(const char *root, int32_t pid, const char *name, int *fd, char *text,
                     size_t size) {
  char path[256];
  if (!fd || *fd < 0) {
    const int length = snprintf(path, sizeof path, "%s/proc/%d/%s", fd ? root : "", (int)pid, name);
    if (length < 0 || (size_t)length >= sizeof path)
      return SIOX_ERANGE;
  }
  if (!fd)
    return siox__input_text(root, path, text, size);
  if (*fd < 0 && (*fd = open(path, O_RDONLY | O_CLOEXEC)) < 0)
    return siox__input_error(errno);
  const ssize_t n = pread(*fd, text, size - 1, 0);
  if (n < 0)
    return siox__input_error(errno);
  text[n] = 0;
  return (int)n;
}

/* Lines "NAME: N", of which ours come in this order. */
static int numbers_of(const char *text, struct siox__process_io *io) {
  const struct {
    const char *name;
    uint64_t *value;
  } fields[] = {{"rchar: ", &io->bytes_asked_read},
                {"wchar: ", &io->bytes_asked_written},
                {"read_bytes: ", &io->bytes_read},
                {"write_bytes: ", &io->bytes_written}};
  const size_t n = sizeof fields / sizeof fields[0];
  size_t next = 0;
  for (const char *line = text; next < n && *line;) {
    const size_t length = strlen(fields[next].name);
    if (strncmp(line, fields[next].name, length) == 0) {
      const char *at = line + length;
      if (!siox__input_number(&at, fields[next++].value))
        return SIOX_ESYNTAX;
    }
    const char *end = strchr(line, '\n');
    line = end ? end + 1 : line + strlen(line);
  }
  return next == n ? 0 : SIOX_ESYNTAX;
}

int siox__process_io(const char *root, int32_t pid, struct siox__process_files *files,
                     struct siox__process_io *io) {
  char text[512];
  *io = (struct siox__process_io){0};
  const int n = read_kept(root, pid, "io", files ? &files->io : NULL, text, sizeof text);
  return n < 0 ? n : numbers_of(text, io);
}

int siox__process_resident(const char *root, int32_t pid, struct siox__process_files *files,
                           uint64_t *pages) {
  char text[256];
  uint64_t size;
  *pages = 0;
  const int n = read_kept(root, pid, "statm", files ? &files->statm : NULL, text, sizeof text);
  if (n < 0)
    return n;
  const char *at = text;
  if (!siox__input_number(&at, &size) || *at++ != ' ' || !siox__input_number(&at, pages))
    return SIOX_ESYNTAX;
  if (size == 0)
    *pages = SIOX__NO_MEMORY;
  return 0;
}
