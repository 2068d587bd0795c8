/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What processors spend their time on (processor_time.def). */
#ifndef SIOX_MONITOR_PROCESSOR_TIME_H
#define SIOX_MONITOR_PROCESSOR_TIME_H
#include <stdbool.h>

enum siox__processor_kind { SIOX__PROCESSOR_BUSY, SIOX__PROCESSOR_STOLEN, SIOX__PROCESSOR_IDLE };
enum {
  SIOX__NPROCESSOR_TIMES = 0
#define SIOX_PROCESSOR_TIME(name, kind) +1
#include "monitor/processor_time.def"
#undef SIOX_PROCESSOR_TIME
};
extern const struct siox__processor_time {
  const char *metric; /* "cpu_user" */
  enum siox__processor_kind kind;
} siox__processor_times[SIOX__NPROCESSOR_TIMES];

/* Whether a metric of this name counts time in which something worked here. */
bool siox__is_busy_time(const char *metric);

#endif
