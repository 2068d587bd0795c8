/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* siox layout: where files lie, and where they should. */
#ifndef SIOX_TOOLS_LAYOUT_H
#define SIOX_TOOLS_LAYOUT_H
#include "siox_tool.h"
#include <siox/placement.h>

/* layout_targets.c: lines "TARGET DISK" or "FIRST-LAST DISK", # begins a comment. Errors are
 * "FILE:LINE: what". SIOX_ENOENT, SIOX_ESYNTAX, SIOX_ERANGE, SIOX_ENOMEM. */
int layout_targets_load(struct siox_targets *targets, const char *path, struct siox_diag *diag);
void layout_targets_free(struct siox_targets *targets);

/* layout_read.c */
struct layout_reader {
  const struct siox_config *config;
  uint32_t disks; /* stated by the user; 0: not */
  struct siox_targets targets;
  const char *prefix; /* of the names of other file systems' attributes; "" */
};
struct layout_found {
  struct siox_placement placement;
  char source[160]; /* for people */
  char *path;       /* real, absolute */
  uint64_t size;
};
/* SIOX_ENOENT (no such file), SIOX_EUNKNOWN (nothing says where it lies), and those of
 * siox/placement.h; diag says what and what to do, without the file's name. */
int layout_read(const struct layout_reader *reader, const char *path, struct layout_found *found,
                struct siox_diag *diag);
void layout_found_free(struct layout_found *found);

/* layout_show.c */
void layout_show_entry(FILE *out, const struct layout_found *found);
void layout_show_map(FILE *out, const struct layout_found *found);
json_t *layout_show_json(const struct layout_found *found);
/* A path as a pattern that matches it alone, as a YAML scalar in double quotes. */
void layout_show_pattern(FILE *out, const char *path);
void layout_show_bytes(FILE *out, uint64_t bytes); /* "64K" where that is exact */

/* layout_optimise.c: `siox layout optimise`; argv[0] is "optimise" */
int layout_optimise(int argc, char **argv);

#endif
