/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* siox sim TRACE, siox layout optimise TRACE: a trace by itself is a scenario of one job. */
#include "sim.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int sim_scenario_of_trace(const char *path, char **text) {
  char magic[2] = "";
  size_t size;
  struct stat st;
  *text = NULL; /* sim_scenario_load says what a pipe lacks */
  FILE *in = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "re") : NULL;
  size_t n = in ? fread(magic, 1, 2, in) : 0;
  if (in)
    fclose(in);
  if (n != 2 || magic[0] != 'S' || magic[1] != 'X')
    return 0;
  char *real = realpath(path, NULL);
  FILE *out = real ? open_memstream(text, &size) : NULL;
  if (out) {
    fputs("jobs: [{trace: \"", out);
    for (const char *c = real; *c; c++)
      fprintf(out, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
    fputs("\"}]\n", out);
    if (fclose(out)) {
      free(*text);
      *text = NULL;
    }
  }
  free(real);
  return *text ? 0 : SIOX_ENOMEM;
}
