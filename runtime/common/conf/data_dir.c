/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where share/ may lie; see data_dir.h. */
#include "common/conf/data_dir.h"
#include "common/conf/dirs.h"
#include <dlfcn.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The file that holds this code: a program or the plug-in. */
static bool own_file(char path[PATH_MAX]) {
  Dl_info info;
  if (dladdr(__func__, &info) && info.dli_fname && strchr(info.dli_fname, '/') &&
      realpath(info.dli_fname, path))
    return true;
  ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1); /* started by its name alone */
  path[length > 0 ? length : 0] = '\0';
  return length > 0;
}

/* share/siox beside what this code was linked into, so that an installation can be moved: bin/sioxd
 * and lib/SioxPass.so find ../share/siox, a library in a directory of its architecture
 * ../../share/siox. */
static bool beside_code(char *out, size_t size) {
  char path[PATH_MAX];
  if (!own_file(path))
    return false;
  for (int up = 0; up < 2; up++) {
    for (int i = 0; i < 2 - (up > 0); i++) {
      char *slash = strrchr(path, '/');
      if (!slash)
        return false;
      *slash = '\0';
    }
    int length = snprintf(out, size, "%s/share/siox", path);
    if (length > 0 && (size_t)length < size && access(out, X_OK) == 0)
      return true;
  }
  return false;
}

void siox__data_dirs(const char *dirs[SIOX__NDATA_DIRS], char beside[SIOX__DATA_DIR]) {
  dirs[0] = secure_getenv("SIOX_DATA_DIR");
  dirs[1] = beside_code(beside, SIOX__DATA_DIR) ? beside : NULL;
  dirs[2] = SIOX_SOURCE_DATA_DIR;
  dirs[3] = SIOX_INSTALL_DATA_DIR;
}
