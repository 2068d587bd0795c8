/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The table of processor_time.def. */
#include "monitor/processor_time.h"
#include <string.h>

const struct siox__processor_time siox__processor_times[SIOX__NPROCESSOR_TIMES] = {
#define SIOX_PROCESSOR_TIME(name, kind) {"cpu_" #name, SIOX__PROCESSOR_##kind},
#include "monitor/processor_time.def"
#undef SIOX_PROCESSOR_TIME
};

bool siox__is_busy_time(const char *metric) {
  if (metric[0] != 'c') /* all of them begin so, and few others; asked of every series */
    return false;
  for (int i = 0; i < SIOX__NPROCESSOR_TIMES; i++)
    if (siox__processor_times[i].kind == SIOX__PROCESSOR_BUSY &&
        strcmp(siox__processor_times[i].metric, metric) == 0)
      return true;
  return false;
}
