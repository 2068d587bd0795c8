/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* siox report --compare: runs side by side, as in Fig. 2 of "Monitoring Energy Consumption With
 * SIOX". */
#ifndef SIOX_TOOLS_COMPARE_H
#define SIOX_TOOLS_COMPARE_H
#include <jansson.h>
#include <stdio.h>

/* compare_read.c: one run out of a file, a report of siox run --json or a trace: {"file",
 * "command", "ranks", the keys of compare.def, "estimated": are the processors' joules?, "missing":
 * {what: why}}. A figure that is not there is null. NULL: it is neither; it has been said on
 * stderr. */
json_t *compare_read(const char *path);

/* {"runs": [...]}, each of which gets "id" and "ratios", over those of the first. */
json_t *compare_make(json_t *runs);

void compare_print(const json_t *comparison, FILE *out);

#endif
