/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Log lines; see log.h. */
#include "common/log.h"
#include "common/clock.h"
#include "siox/error.h"
#include <stdarg.h>
#include <string.h>

static const char *const level_name[] = {"error", "warn", "info", "debug"};
#define NLEVELS (sizeof level_name / sizeof *level_name)

const char *siox__log_level_name(enum siox__log_level level) {
  return (size_t)level < NLEVELS ? level_name[level] : "?";
}

int siox__log_level_parse(const char *text, enum siox__log_level *level) {
  for (size_t i = 0; i < NLEVELS; i++)
    if (strcmp(text, level_name[i]) == 0) {
      *level = (enum siox__log_level)i;
      return 0;
    }
  return SIOX_EINVAL;
}

void siox__log(const struct siox__log *log, enum siox__log_level level, const char *format, ...) {
  if (!log || !log->file || level > log->level)
    return;
  int64_t now = siox__now_ns();
  char line[1024]; /* longer messages are cut */
  int head = snprintf(line, sizeof line, "%lld.%06lld %s ", (long long)(now / 1000000000),
                      (long long)(now % 1000000000 / 1000), siox__log_level_name(level));
  va_list args;
  va_start(args, format);
  vsnprintf(line + head, sizeof line - (size_t)head - 1, format, args);
  va_end(args);
  size_t n = strlen(line);
  line[n++] = '\n';
  fwrite(line, 1, n, log->file);
  fflush(log->file);
}
