/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Default paths; see paths.h. */
#include "common/paths.h"
#include "siox/error.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int siox__default_socket(char *buffer, size_t size) {
  const char *run = secure_getenv("XDG_RUNTIME_DIR");
  int n;
  if (run && *run == '/') /* the standard has relative ones ignored */
    n = snprintf(buffer, size, "%s/siox.sock", run);
  else if (geteuid() == 0)
    n = snprintf(buffer, size, "/run/siox/siox.sock");
  else
    n = snprintf(buffer, size, "/tmp/siox-%lu.sock", (unsigned long)geteuid());
  return n >= 0 && (size_t)n < size ? 0 : SIOX_EFULL;
}

const char *siox__system_path(const char *path) {
  static const char *const system[] = {"/proc", "/sys",   "/dev",   "/usr",   "/etc",
                                       "/lib",  "/lib32", "/lib64", "/libx32"};
  for (size_t i = 0; *path == '/' && i < sizeof system / sizeof *system; i++) {
    const size_t length = strlen(system[i]);
    if (!strncmp(path, system[i], length) && (path[length] == '/' || !path[length]))
      return system[i];
  }
  return NULL;
}
