/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef SIOX_COMMON_CONF_DATA_DIR_H
#define SIOX_COMMON_CONF_DATA_DIR_H

#include <stdbool.h>
#include <stddef.h>

/* The directory share/siox of the installation that the calling program or plug-in belongs to;
 * false: there is none. */
bool siox__data_dir(char *out, size_t size);

#endif
