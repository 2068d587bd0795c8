/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ccache takes an object from its store when sources and command line are those of before. What the
 * pass makes depends on more: its settings in the environment, the files these name, and the pass.
 * Behind siox-cc (MPICH_CC="ccache clang-19") ccache is told so. In front of it (a compiler
 * launcher) it sees the command line alone, and does not even ask us where it believes it knows. */
#include "driver.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void append(const char *variable, const char *separator, const char *text) {
  const char *old = getenv(variable);
  if (!old || !*old)
    setenv(variable, text, 1);
  else if (!strstr(old, text))
    setenv(variable, siox__text("%s%s%s", old, separator, text), 1);
}

/* A file that a setting's value names, or NULL. */
static const char *file_in(const char *value) {
  struct stat status;
  return stat(value, &status) == 0 && S_ISREG(status.st_mode) ? value : NULL;
}

static bool is_in_front(void) {
  char name[32] = "";
  FILE *f = fopen(siox__text("/proc/%d/comm", (int)getppid()), "re");
  if (f) {
    if (!fgets(name, sizeof name, f))
      *name = 0;
    fclose(f);
  }
  return !strcmp(name, "ccache\n");
}

void siox__tell_ccache(const struct siox__set *set, size_t n, const char *plugin) {
  const bool front = is_in_front();
  const char *space = getenv("CCACHE_NAMESPACE"), *extra = getenv("CCACHE_EXTRAFILES");
  struct stat status;
  for (size_t i = 0; i < n && front; i++) {
    const char *value = getenv(set[i].variable), *file = value && *value ? file_in(value) : NULL;
    if (value && *value && !set[i].by_option && (!space || !*space))
      fprintf(stderr,
              "%s: note: ccache does not see %s: it gives back what other settings made. Use "
              "--siox-%s instead, or set CCACHE_NAMESPACE\n",
              siox__language.name, set[i].variable, set[i].name);
    if (file && (!extra || !strstr(extra, file)))
      fprintf(stderr,
              "%s: note: ccache does not see when %s changes: add it to CCACHE_EXTRAFILES\n",
              siox__language.name, file);
  }
  for (size_t i = 0; i < n; i++) {
    const char *value = getenv(set[i].variable);
    if (!value || !*value)
      continue;
    append("CCACHE_NAMESPACE", ",", siox__text("%s=%s", set[i].name, value));
    if (file_in(value))
      append("CCACHE_EXTRAFILES", ":", value);
  }
  if (stat(plugin, &status) == 0)
    append("CCACHE_NAMESPACE", ",",
           siox__text("siox=%lld.%09ld.%lld", (long long)status.st_mtim.tv_sec,
                      status.st_mtim.tv_nsec, (long long)status.st_size));
}
