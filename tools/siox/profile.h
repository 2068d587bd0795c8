/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* siox run --profile: collects what the command's processes measured of their regions
 * (runtime/client/profile.h) and writes the profile that the compiler pass reads
 * (pass/analysis/Profile.h). */
#ifndef SIOX_TOOLS_PROFILE_H
#define SIOX_TOOLS_PROFILE_H
#include <limits.h>
#include <stdbool.h>

struct siox__profile {
  const char *path;         /* NULL: none is wanted */
  char directory[PATH_MAX]; /* of the processes' files, beside it */
};

/* Makes the directory and tells the command of it. -1 when that cannot be, which has been said. */
int siox__profile_begin(struct siox__profile *p, const char *path);
/* Writes the profile and removes the directory; drive and time_scale of the run. -1 when it could
 * not be written, which has been said. */
int siox__profile_end(struct siox__profile *p, const char *drive, double time_scale, bool quiet);
/* Removes the directory only. */
void siox__profile_drop(struct siox__profile *p);

#endif
