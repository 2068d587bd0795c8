/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where things are when nobody says: shared by the daemon, the tools and libsiox, which must meet
 * at one socket. */
#ifndef SIOX_COMMON_PATHS_H
#define SIOX_COMMON_PATHS_H
#include <stddef.h>

/* $XDG_RUNTIME_DIR/siox.sock, else /run/siox/siox.sock for root, else /tmp/siox-UID.sock.
 * SIOX_EFULL. */
int siox__default_socket(char *buffer, size_t size);

/* The place of the system's that path is, by its name, or lies below: "/dev" and the like, where no
 * emulated store lies. NULL: none. Opening a file there is no reason to look for a daemon. */
const char *siox__system_path(const char *path);

#endif
