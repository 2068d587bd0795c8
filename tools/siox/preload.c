/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The dynamic linker preloads nothing into a static program and says nothing; into one that runs
 * with another's rights it preloads only what lies in its own directories (ld.so(8)). Both are
 * looked for before anything runs, so that nobody wonders about an empty report. */
#include "preload.h"
#include "cli/command.h"
#include "common/launchers.h"
#include "siox_preload_config.h"
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reads the program headers' types; true: it has one that names an interpreter, as every program
 * has that is linked dynamically. Broken ones are left to exec. */
static bool has_interpreter(int fd, const Elf64_Ehdr *head, char interpreter[PATH_MAX]) {
  for (unsigned i = 0; i < head->e_phnum; i++) {
    Elf64_Phdr part;
    off_t at = (off_t)(head->e_phoff + (uint64_t)i * head->e_phentsize);
    if (pread(fd, &part, sizeof part, at) != sizeof part)
      return true;
    if (part.p_type != PT_INTERP)
      continue;
    size_t size = part.p_filesz < PATH_MAX ? part.p_filesz : PATH_MAX - 1;
    ssize_t got = pread(fd, interpreter, size, (off_t)part.p_offset);
    interpreter[got > 0 ? got : 0] = 0;
    return true;
  }
  return false;
}

static int check(const char *path, struct siox_diag *diag) {
  Elf64_Ehdr head;
  struct stat st;
  char interpreter[PATH_MAX] = "";
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) /* may be executed, not read: it shows nothing */
    return 0;
  bool whole = pread(fd, &head, sizeof head, 0) == sizeof head && fstat(fd, &st) == 0 &&
               !memcmp(head.e_ident, ELFMAG, SELFMAG);
  bool other = whole && head.e_ident[EI_CLASS] != ELFCLASS64;
  bool dynamic = !whole || other || has_interpreter(fd, &head, interpreter);
  close(fd);
  if (!whole) /* a script: its interpreter and what that starts are looked at by nobody */
    return 0;
  const char *why = NULL;
  if (other)
    why = "is a 32-bit program, and libsiox.so is not";
  else if (!dynamic)
    why = "is linked statically, and nothing can be preloaded into it; link it with -lsiox, or "
          "compile it with siox-cc";
  else if (st.st_mode & (S_ISUID | S_ISGID))
    why = "runs with the rights of its owner (set-user-ID), and so without what is preloaded";
  else if (*interpreter && strstr(interpreter, "musl"))
    why = "uses another C library (musl) than libsiox.so";
  if (!why)
    return 0;
  snprintf(diag->text, sizeof diag->text, "--preload: %.300s: %s", path, why);
  return SIOX_EINVAL;
}

static int check_programs(char *const *command, struct siox_diag *diag) {
  char path[PATH_MAX];
  const char *slash = strrchr(command[0], '/');
  if (siox__launcher(slash ? slash + 1 : command[0]) != SIOX__LAUNCHES_ITS_ARGUMENTS) {
    return siox__find_command(command[0], path) ? check(path, diag) : 0;
  }
  /* The first argument that is a program: the launcher's options have others, hardly ever
   * programs. After a colon comes the next one (MPI 4.0 section 11.5, mpiexec). */
  bool wanted = true;
  for (char *const *word = command + 1; *word; word++) {
    if (!strcmp(*word, ":")) {
      wanted = true;
      continue;
    }
    if (!wanted || **word == '-')
      continue;
    if (!siox__find_command(*word, path))
      continue;
    wanted = false;
    int e = check(path, diag);
    if (e < 0)
      return e;
  }
  return 0;
}

static int find_library(char library[PATH_MAX], struct siox_diag *diag) {
  static const char *const directories[] = {"../lib", SIOX_BIN_TO_LIB};
  char here[PATH_MAX], path[3 * PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", here, sizeof here - 1);
  here[length > 0 ? length : 0] = 0;
  if (strrchr(here, '/'))
    *strrchr(here, '/') = 0;
  for (size_t i = 0; i < sizeof directories / sizeof *directories; i++) {
    snprintf(path, sizeof path, "%s/%s/libsiox-preload.so", here, directories[i]);
    if (!realpath(path, library))
      continue;
    if (!strpbrk(library, ": \t\n")) /* ld.so(8): these separate entries, and nothing quotes them */
      return 0;
    snprintf(diag->text, sizeof diag->text,
             "--preload: %.300s: LD_PRELOAD cannot hold a path with a blank or a colon", library);
    return SIOX_EINVAL;
  }
  snprintf(diag->text, sizeof diag->text, "--preload: libsiox-preload.so is not in %.300s/../lib",
           here);
  return SIOX_ENOENT;
}

int siox__preload_possible(char *const *command, char library[PATH_MAX], struct siox_diag *diag) {
  int e = find_library(library, diag);
  return e < 0 ? e : check_programs(command, diag);
}

int siox__preload_set(const char *library) {
  const char *before = getenv("LD_PRELOAD");
  char *all = NULL;
  int size = asprintf(&all, "%s%s%s", library, before && *before ? ":" : "", before ? before : "");
  if (size < 0)
    return SIOX_ENOMEM;
  int e = setenv("LD_PRELOAD", all, 1) < 0 ? SIOX_ENOMEM : 0;
  free(all);
  return e;
}
