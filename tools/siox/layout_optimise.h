/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* siox layout optimise: what is asked for, and how the result is told. */
#ifndef SIOX_TOOLS_LAYOUT_OPTIMISE_H
#define SIOX_TOOLS_LAYOUT_OPTIMISE_H
#include "layout.h"
#include "layout_try.h"

struct layout_patterns {
  const char **item;
  uint32_t count;
};
struct layout_asked {
  const char *input, *policy, *output, *romio_hints;
  const char *bases, *factors, *units; /* lists; NULL: the usual ones */
  struct layout_patterns files, fixed, together;
  double most_added;
  uint64_t evaluations, seed;
  uint32_t workers;
  bool json, quiet;
};

/* layout_files.c: the files of a scenario and the places they may take. Errors in diag. */
int layout_files_open(struct layout_files *files, const struct sim_scenario *s,
                      const struct layout_asked *asked, struct siox_diag *diag);
void layout_files_free(struct layout_files *files);

/* layout_advice.c */
struct layout_row {
  char name[80];
  bool then; /* with the new layouts */
  bool policy;
  double joules, saved, added, seconds, io_seconds;
  uint64_t transitions, missed;
};
struct layout_outcome {
  const struct layout_asked *asked;
  const struct layout_files *files;
  const uint32_t *choice; /* of the movable files; all 0: none is moved */
  const struct layout_search_result *search;
  struct layout_row row[16];
  uint32_t nrows;
  enum siox_sim_hints hints; /* of the traces: the least faithful */
  bool kept;                 /* the result keeps the bound */
};
void layout_advice_text(FILE *out, const struct layout_outcome *o);
json_t *layout_advice_json(const struct layout_outcome *o);
/* Exit statuses; errors are on stderr. */
int layout_advice_layouts(const char *path, struct layout_outcome *o);
int layout_advice_romio(const char *path, const struct layout_outcome *o);
#endif
