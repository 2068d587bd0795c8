/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef SIOX_COMMON_CONF_DATA_DIR_H
#define SIOX_COMMON_CONF_DATA_DIR_H

#include <stdbool.h>
#include <stddef.h>

/* The directory share/siox of the installation that the calling program or plug-in belongs to;
 * false: there is none. */
bool siox__data_dir(char *out, size_t size);

/* Where share/ may lie: $SIOX_DATA_DIR, then beside the installation that this is part of, then the
 * source tree that it was built from, then where it was to be installed. NULL or "": not there. In
 * drive_load.c. */
enum { SIOX__NDATA_DIRS = 4, SIOX__DATA_DIR = 4096 };
void siox__data_dirs(const char *dirs[SIOX__NDATA_DIRS], char beside[SIOX__DATA_DIR]);

#endif
