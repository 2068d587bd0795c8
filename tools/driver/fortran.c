/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is particular to Fortran. MPICH's modules mpi and mpi_f08 are in gfortran's format, which
 * flang cannot read. So siox-fc calls flang with a directory of its own in the place of MPICH's:
 * mpif.h, and a module mpi made from it. */
#include "driver.h"
#include <ctype.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>

extern char **environ;

/* Does a line of Fortran use a module: use mpi_f08, use, intrinsic :: mpi, ... */
static bool line_uses(const char *line, const char *module) {
  while (isspace((unsigned char)*line))
    line++;
  if (strncasecmp(line, "use", 3) || isalnum((unsigned char)line[3]) || line[3] == '_')
    return false;
  line += 3;
  const char *colons = strstr(line, "::");
  if (colons)
    line = colons + 2;
  while (isspace((unsigned char)*line))
    line++;
  size_t length = strlen(module);
  return !strncasecmp(line, module, length) && !isalnum((unsigned char)line[length]) &&
         line[length] != '_';
}

static const char *source_that_uses(const struct siox__line *line, const char *module) {
  const char *found = NULL;
  for (size_t i = 0; i < line->files.n && !found; i++) {
    FILE *f = fopen(line->files.v[i], "re");
    if (!f)
      continue;
    char *text = NULL;
    size_t size = 0;
    while (!found && getline(&text, &size, f) >= 0)
      if (line_uses(text, module))
        found = line->files.v[i];
    free(text);
    fclose(f);
  }
  return found;
}

int siox__run_fortran(char *const *argv, const struct siox__line *line) {
  pid_t child;
  int status, error = posix_spawnp(&child, argv[0], NULL, NULL, argv, environ);
  if (error)
    siox__die("%s: %s", argv[0], strerror(error));
  while (waitpid(child, &status, 0) < 0)
    ;
  int result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  const char *source;
  if (result && (source = source_that_uses(line, "mpi_f08")))
    fprintf(stderr,
            "siox-fc: %s uses module mpi_f08, which MPICH has for gfortran alone. flang reads "
            "mpif.h and module mpi: use\n"
            "one of these in files with MPI-IO, or compile this file with mpifort and link with "
            "siox-fc: its calls are\n"
            "recorded then, and get no hints. A mpi_f08 built by flang is taken from -I.\n",
            source);
  else if (result && (source = source_that_uses(line, "mpi")))
    fprintf(stderr,
            "siox-fc: %s uses module mpi. MPICH's is for gfortran alone: leave -I of MPICH's own "
            "directory away. siox-fc\n"
            "has one made from mpif.h; its procedures have no interfaces, which overloaded "
            "arguments do not need.\n",
            source);
  return result;
}
