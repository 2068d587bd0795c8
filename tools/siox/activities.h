/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What programs did, in numbers, from a trace. */
#ifndef SIOX_TOOLS_ACTIVITIES_H
#define SIOX_TOOLS_ACTIVITIES_H
#include "siox/error.h"
#include <jansson.h>

/* {"processes", "ranks": those that MPI told, "calls": of MPI-IO, "requests": reads, writes and
 * syncs of files on the disks, "syncs": other collectives, "messages", "waits", "all": the sum,
 * "rank_0": what processes of rank 0 have of it, "bytes_read", "bytes_written"}. A trace that was
 * cut counts as far as it goes. NULL with diag: it cannot be read. */
json_t *siox__activities(const char *trace, struct siox_diag *diag);

/* Words with spaces between; what is no UTF-8 becomes question marks. A new string. */
json_t *siox__words(char *const *word);

#endif
