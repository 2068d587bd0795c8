/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* layouts.yaml: the layouts of files by name, for compiler and run time. A list of entries
 *   - {file: GLOB, base: 1, factor: 3, unit: 64K}
 *   - {file: GLOB, nodes: [5, 2, 7], unit: 64K}
 *   - {file: GLOB, layout: "1:3:64K"}
 * (base left out: 0; factor left out: every disk), each with an optional `disks`: the number of disks, needed where the
 * reader does not know it. A pattern without a slash is matched against the last component of a path, one that starts
 * with a slash against the whole path, any other against every tail that starts at a component; * also matches slashes.
 * The last entry that matches wins.
 * In siox_conf. Read-only use is thread-safe. */
#ifndef SIOX_LAYOUTS_H
#define SIOX_LAYOUTS_H
#include "siox/error.h"
#include "siox/layout.h"
#ifdef __cplusplus
extern "C" {
#endif

struct siox_layouts_entry {
  char *file;
  struct siox_layout layout;
};
struct siox_layouts {
  struct siox_layouts_entry *entry;
  uint32_t count;
};

/* ndisks 0: not known, each entry must say `disks`; otherwise an entry's `disks` must agree with it. Errors are
 * "FILE:LINE: KEY: what". SIOX_ENOENT, SIOX_EIO, SIOX_ESYNTAX, SIOX_EINVAL, SIOX_ERANGE, SIOX_ENOMEM. */
int siox_layouts_load(struct siox_layouts *layouts, const char *path, uint32_t ndisks, struct siox_diag *diag);
void siox_layouts_free(struct siox_layouts *layouts); /* harmless on a zeroed object */
/* The layout of a file, or NULL when no entry matches. */
const struct siox_layout *siox_layouts_find(const struct siox_layouts *layouts, const char *file);

#ifdef __cplusplus
}
#endif
#endif
