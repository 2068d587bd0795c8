/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What siox disks and siox admin share. */
#ifndef SIOX_TOOLS_DISKS_H
#define SIOX_TOOLS_DISKS_H
#include "siox_tool.h"

/* Disks as people write them: 0-15,40. */
struct siox__ranges {
  uint32_t count;
  struct {
    uint32_t first, last;
  } range[64];
};
int siox__ranges_parse(struct siox__ranges *ranges, const char *text); /* SIOX_EINVAL */

/* disks_text.c: the answer to "disks" and "jobs" for people. all: one line a disk. */
void siox__disks_print(FILE *out, const json_t *answer, bool all);

#endif
