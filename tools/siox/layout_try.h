/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a choice of layouts costs, by the simulator; several workers, each with a simulator of its
 * own. */
#ifndef SIOX_TOOLS_LAYOUT_TRY_H
#define SIOX_TOOLS_LAYOUT_TRY_H
#include "layout_search.h"
#include "sim.h"

/* A file, or several that shall lie alike. */
struct layout_file {
  char *name;                 /* path, pattern, or a generated job's name */
  struct siox_layout present; /* of the first */
  struct layout_where {
    uint32_t job, file;
    struct siox_layout present;
  } * where; /* in the simulator */
  uint32_t nwhere;
  bool generated, fixed, several; /* several: name is a pattern */
  uint64_t read, written;         /* bytes that the traces move */
};
struct layout_files {
  struct layout_file *file;
  uint32_t count;
  uint32_t *movable, nmovable; /* their numbers, in the order of the search */
  uint32_t *base, *factor;     /* the grid */
  uint64_t *unit;
  struct layout_space space;
  uint32_t ndisks;
};

/* What is played: a scenario's file, or one in words for a trace. */
struct layout_play {
  const char *path;
  const char *text; /* NULL: the file's */
};
int layout_play_load(const struct layout_play *play, struct sim_scenario *s,
                     struct siox_diag *diag);

struct layout_trier;
/* The scenario is loaded once for each worker. */
int layout_trier_open(struct layout_trier **trier, const struct layout_play *play,
                      const struct layout_files *files, const char *policy, uint32_t workers,
                      double most_added, struct siox_diag *diag);
void layout_trier_close(struct layout_trier *trier); /* NULL is harmless */
/* context: the trier. A choice names the places of the movable files. */
int layout_trier_cost(void *trier, const uint32_t *choice, uint32_t n,
                      const struct layout_figures *than, struct layout_figures *out);
/* What went wrong last. */
const char *layout_trier_error(const struct layout_trier *trier);

/* One whole run, on a simulator of its own: choice NULL: as files lie now. derive: hints are said
 * anew also then. */
int layout_try_once(const struct layout_play *play, const struct layout_files *files,
                    const uint32_t *choice, const char *policy, bool derive,
                    struct siox_replay_result *result, struct siox_diag *diag);
/* The layout that a place of the grid means for a file; 0: its present one. */
int layout_of_place(const struct layout_files *files, const struct layout_file *file,
                    const struct siox_layout *present, uint32_t place, struct siox_layout *out);
#endif
