/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Detectors from .so files. */
#include "siox/adpi.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct siox_adpi_library {
  void *handle;
};

int siox_adpi_load(const char *path, struct siox_adpi_library **library,
                   const struct siox_adpi **adpi, struct siox_diag *diag) {
  char local[4096];
  /* dlopen looks for a name without a slash in the system's directories; here it is a file like any
   * other. */
  const int length = snprintf(local, sizeof local, strchr(path, '/') ? "%s" : "./%s", path);
  if (length < 0 || (size_t)length >= sizeof local) {
    snprintf(diag->text, sizeof diag->text, "%.200s...: the path is too long", path);
    return SIOX_ERANGE;
  }
  void *handle = dlopen(local, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *why = dlerror();
    /* glibc's message begins with the path, once it has one. */
    const size_t n = strlen(local);
    if (why && strncmp(why, local, n) == 0 && strncmp(why + n, ": ", 2) == 0)
      why += n + 2;
    snprintf(diag->text, sizeof diag->text, "%s: %s", path, why ? why : "cannot be loaded");
    return SIOX_ENOENT;
  }
  const struct siox_adpi *a = dlsym(handle, "siox_adpi");
  int e = 0;
  if (!a) {
    e = SIOX_ESYNTAX;
    snprintf(diag->text, sizeof diag->text, "%s: it exports no siox_adpi: it is no detector", path);
  } else if (a->abi != SIOX_ADPI_ABI) {
    e = SIOX_EVERSION;
    snprintf(diag->text, sizeof diag->text,
             "%s: made for version %u of siox/adpi.h, this is %u: compile it again", path, a->abi,
             SIOX_ADPI_ABI);
  } else if (!a->name || !a->name[0] || !a->about || !a->open || !a->cycle || !a->close) {
    e = SIOX_ESYNTAX;
    snprintf(diag->text, sizeof diag->text,
             "%s: siox_adpi lacks a name, a line about it or a function", path);
  }
  struct siox_adpi_library *l = e < 0 ? NULL : malloc(sizeof *l);
  if (!l) {
    dlclose(handle);
    return e < 0 ? e : SIOX_ENOMEM;
  }
  l->handle = handle;
  *library = l;
  *adpi = a;
  return 0;
}

void siox_adpi_unload(struct siox_adpi_library *library) {
  if (!library)
    return;
  dlclose(library->handle);
  free(library);
}
