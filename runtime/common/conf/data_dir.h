/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef SIOX_COMMON_CONF_DATA_DIR_H
#define SIOX_COMMON_CONF_DATA_DIR_H

/* Where the files of share/ may lie, in the order in which they are looked for: $SIOX_DATA_DIR (not
 * for a program with another user's rights), beside the installation that the calling program or
 * plug-in belongs to, the source tree that it was built from, where it was to be installed. NULL or
 * "": not there. beside: room for the second of them. Thread-safe. */
enum { SIOX__NDATA_DIRS = 4, SIOX__DATA_DIR = 4096 };
void siox__data_dirs(const char *dirs[SIOX__NDATA_DIRS], char beside[SIOX__DATA_DIR]);

#endif
