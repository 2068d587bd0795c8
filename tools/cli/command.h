/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Programs by their names. */
#ifndef SIOX_TOOLS_CLI_COMMAND_H
#define SIOX_TOOLS_CLI_COMMAND_H
#include <limits.h>
#include <stdbool.h>

/* The file that execvp(3) would take: by its path where there is a slash in the name, else on PATH.
 * false, and path "": there is none that may be executed. */
bool siox__find_command(const char *name, char path[PATH_MAX]);

#endif
