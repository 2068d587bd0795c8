/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the parts of Siox from where this program is, so that a build tree and an installation that
 * was moved both work, and the compiler and MPI wrapper to call. */
#include "cli/command.h"
#include "driver.h"
#include "driver_config.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_there(const char *directory, const char *name) {
  char path[PATH_MAX];
  int length = snprintf(path, sizeof path, "%s/%s", directory, name);
  return length > 0 && (size_t)length < sizeof path && access(path, R_OK) == 0;
}

/* The first of several directories, relative to this program's, that has a file; NULL: none has. */
static const char *directory_with(const char *name, const char *here,
                                  const char *const *candidates) {
  for (; *candidates; candidates++) {
    const char *directory = siox__text("%s/%s", here, *candidates);
    char *real;
    if (is_there(directory, name) && (real = realpath(directory, NULL)))
      return real;
  }
  return NULL;
}

void siox__find(struct siox__places *places) {
  char here[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", here, sizeof here - 1);
  if (length < 0)
    siox__die("/proc/self/exe cannot be read: without it the pass and libsiox cannot be found");
  here[length] = 0;
  *strrchr(here, '/') = 0;
  /* As in the build tree, as installed. */
  static const char *const lib[] = {"../lib", SIOX_BIN_TO_LIB, NULL};
  static const char *const include[] = {"../include", SIOX_BIN_TO_INCLUDE, NULL};
  static const char *const fortran[] = {"../lib/siox/flang", SIOX_BIN_TO_LIB "/siox/flang", NULL};
  const char *plugin = directory_with("SioxPass.so", here, lib);
  *places = (struct siox__places){
      .plugin = plugin ? siox__text("%s/SioxPass.so", plugin) : NULL,
      .library = directory_with("libsiox.so", here, lib),
      .include = directory_with("siox/siox.h", here, include),
      .fortran = directory_with("mpif.h", here, fortran),
      .looked = siox__text("%s/../lib nor in %s/" SIOX_BIN_TO_LIB, here, here),
  };
}

static bool is_command(const char *name) {
  char path[PATH_MAX];
  return siox__find_command(name, path);
}

/* Major version of a compiler, 0: it tells none. It may be several words, as the wrappers'
 * variables may. */
static int major_of(const char *compiler) {
  FILE *f = popen(siox__text("%s --version 2>/dev/null </dev/null", compiler), "re");
  if (!f)
    return 0;
  char line[512];
  int major = 0;
  while (fgets(line, sizeof line, f)) {
    const char *at = major ? NULL : strstr(line, siox__language.version_word);
    if (at)
      major = atoi(at + strlen(siox__language.version_word));
  }
  pclose(f);
  return major;
}

const char *siox__find_compiler(void) {
  const struct siox__language *l = &siox__language;
  const char *chosen = NULL, *variable = l->chosen[0];
  for (size_t i = 0; i < sizeof l->chosen / sizeof *l->chosen && !chosen; i++) {
    const char *value = getenv(l->chosen[i]);
    if (value && *value)
      chosen = value, variable = l->chosen[i];
  }
  if (!chosen || !strcmp(chosen, l->compiler)) {
    /* Its name has the version: asking it would take as long as compiling a small file. */
    if (!is_command(l->compiler))
      siox__die("%s is not on PATH: install it (Debian: apt install %s), or set %s to a %s of "
                "major version %d",
                l->compiler, l->package, l->chosen[0], l->fortran ? "flang" : "clang",
                SIOX_LLVM_MAJOR);
    return l->compiler;
  }
  /* A compiler of another major version would die with a symbol look-up error when it loads the
   * pass. */
  int major = major_of(chosen);
  if (major == SIOX_LLVM_MAJOR)
    return chosen;
  const char *kind = l->fortran ? "flang" : "clang";
  const char *found = major ? siox__text("%s %d", kind, major) : siox__text("no %s", kind);
  siox__die("the pass needs %s %d, but %s is %s (%s chose it)", kind, SIOX_LLVM_MAJOR, chosen,
            found, variable);
}

const char *siox__find_wrapper(void) {
  const struct siox__language *l = &siox__language;
  if (!l->wrapper)
    return NULL;
  const char *chosen = getenv(l->wrapper_variable);
  if (chosen && !*chosen)
    return NULL;
  if (!chosen)
    chosen = l->wrapper;
  if (!is_command(chosen))
    siox__die("the MPI wrapper %s is not there: install MPICH's (Debian: apt install "
              "libmpich-dev), set %s to another, or "
              "set it to nothing if the build states the MPI headers and libraries itself",
              chosen, l->wrapper_variable);
  return chosen;
}
