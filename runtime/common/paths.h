/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where things are when nobody says: shared by the daemon, the tools and libsiox, which must meet
 * at one socket. */
#ifndef SIOX_COMMON_PATHS_H
#define SIOX_COMMON_PATHS_H
#include <stdbool.h>
#include <stddef.h>

/* $XDG_RUNTIME_DIR/siox.sock, else /run/siox/siox.sock for root, else /tmp/siox-UID.sock.
 * SIOX_EFULL. */
int siox__default_socket(char *buffer, size_t size);

/* Is it, by its name, below a place of the system's, where no emulated store lies? Opening a file
 * there is no reason to look for a daemon. */
bool siox__system_path(const char *path);

#endif
