/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli/command.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_program(const char *path) {
  struct stat st;
  return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

bool siox__find_command(const char *name, char path[PATH_MAX]) {
  const char *in = strchr(name, '/') ? NULL : getenv("PATH");
  if (strchr(name, '/') && is_program(name) && strlen(name) < PATH_MAX) {
    strcpy(path, name);
    return true;
  }
  while (in && *in) {
    const int length = (int)strcspn(in, ":");
    const int size =
        snprintf(path, PATH_MAX, "%.*s/%s", length ? length : 1, length ? in : ".", name);
    if (size > 0 && size < PATH_MAX && is_program(path))
      return true;
    in += length + (in[length] == ':');
  }
  *path = 0;
  return false;
}
