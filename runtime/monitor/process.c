/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reading /proc/PID. */
#include "monitor/process.h"
#include "monitor/input.h"
#include <stdio.h>
#include <string.h>

/* Fields of /proc/PID/stat behind the name, counted from 0 (proc(5) counts from 1 with the pid):
 * state is 0. */
enum { UTIME = 11, STIME = 12, STARTTIME = 19, RSS = 21, NFIELDS = 22 };

static int read_stat(const char *root, int32_t pid, struct siox__process_use *use) {
  char path[64], text[2048];
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
  use->user_ticks = fields[UTIME];
  use->system_ticks = fields[STIME];
  use->started = fields[STARTTIME];
  use->resident_pages = fields[RSS];
  return 0;
}

/* "NAME: N" as a line of its own. */
static int field_of(const char *text, const char *name, uint64_t *value) {
  const size_t length = strlen(name);
  for (const char *line = text; line; line = strchr(line, '\n'), line = line ? line + 1 : NULL)
    if (strncmp(line, name, length) == 0 && strncmp(line + length, ": ", 2) == 0) {
      const char *at = line + length + 2;
      return siox__input_number(&at, value) ? 0 : SIOX_ESYNTAX;
    }
  return SIOX_ESYNTAX;
}

static int read_io(const char *root, int32_t pid, struct siox__process_use *use) {
  char path[64], text[512];
  snprintf(path, sizeof path, "/proc/%d/io", pid);
  int e = siox__input_text(root, path, text, sizeof text);
  const struct {
    const char *name;
    uint64_t *value;
  } fields[] = {{"rchar", &use->bytes_asked_read},
                {"wchar", &use->bytes_asked_written},
                {"read_bytes", &use->bytes_read},
                {"write_bytes", &use->bytes_written}};
  for (size_t i = 0; e >= 0 && i < sizeof fields / sizeof fields[0]; i++)
    e = field_of(text, fields[i].name, fields[i].value);
  return e < 0 ? e : 0;
}

int siox__process_read(const char *root, int32_t pid, struct siox__process_use *use) {
  *use = (struct siox__process_use){0};
  const int e = read_stat(root, pid, use);
  if (e < 0)
    return e;
  use->io_error = read_io(root, pid, use);
  return 0;
}
