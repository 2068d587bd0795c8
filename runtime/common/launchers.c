/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "common/launchers.h"
#include <string.h>

enum siox__launcher siox__launcher(const char *name) {
  static const struct {
    const char *name;
    enum siox__launcher kind;
  } known[] = {
#define SIOX_LAUNCHER(name, kind) {name, SIOX__LAUNCHES_##kind},
#include "common/launchers.def"
#undef SIOX_LAUNCHER
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    size_t length = strlen(known[i].name);
    if (!strncmp(name, known[i].name, length) && (!name[length] || name[length] == '.'))
      return known[i].kind;
  }
  return SIOX__NO_LAUNCHER;
}
