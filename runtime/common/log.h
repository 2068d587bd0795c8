/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Log lines of sioxd and the tools: "seconds.microseconds level message" with CLOCK_MONOTONIC, so
 * that they line up with traces. Libraries never call it. One write a line, so lines of several
 * threads do not mix. */
#ifndef SIOX_COMMON_LOG_H
#define SIOX_COMMON_LOG_H
#include <stdio.h>

enum siox__log_level { SIOX__LOG_ERROR, SIOX__LOG_WARN, SIOX__LOG_INFO, SIOX__LOG_DEBUG };

struct siox__log {
  FILE *file; /* NULL: nothing is written */
  enum siox__log_level level;
};

void siox__log(const struct siox__log *log, enum siox__log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
const char *siox__log_level_name(enum siox__log_level level);
/* "error", "warn", "info", "debug"; SIOX_EINVAL. */
int siox__log_level_parse(const char *text, enum siox__log_level *level);

#endif
