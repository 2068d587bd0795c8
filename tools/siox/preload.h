/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* siox run --preload: libsiox into programs that were not linked with it. */
#ifndef SIOX_TOOLS_PRELOAD_H
#define SIOX_TOOLS_PRELOAD_H
#include "siox/error.h"
#include <limits.h>

/* Can the dynamic linker put libsiox into the programs that this command starts? The command
 * itself is looked at, or, where it is a launcher of MPI programs, those it names. A program that
 * cannot be found is the command's own affair. library: what is to be preloaded. 0, SIOX_EINVAL,
 * SIOX_ENOENT with a message. */
int siox__preload_possible(char *const *command, char library[PATH_MAX], struct siox_diag *diag);
/* Puts it into LD_PRELOAD, before what is there, for what is started from now on. SIOX_ENOMEM. */
int siox__preload_set(const char *library);

#endif
