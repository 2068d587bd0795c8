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
  /* Asked of every series: most differ in the first letter. */
  for (int i = 0; i < SIOX__NPROCESSOR_TIMES; i++)
    if (siox__processor_times[i].kind == SIOX__PROCESSOR_BUSY &&
        siox__processor_times[i].metric[0] == metric[0] &&
        strcmp(siox__processor_times[i].metric, metric) == 0)
      return true;
  return false;
}
