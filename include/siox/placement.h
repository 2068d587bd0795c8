/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Layouts as parallel file systems state them: bytes of extended attributes or of ioctls -> parts of a file, each with a
 * struct siox_layout. No byte is trusted: what does not fit is an error that names the offset. Pure; thread-safe.
 * Formats: Lustre's lustre_user.h (lov_user_md_v1, _v3, lov_comp_md_v1), PVFS2's and OrangeFS's encoded distribution
 * (simple_stripe, basic_dist) with data file handles, BeeGFS's ioctls GET_STRIPEINFO and GET_STRIPETARGET. */
#ifndef SIOX_PLACEMENT_H
#define SIOX_PLACEMENT_H
#include "siox/error.h"
#include "siox/layout.h"
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Which disk a file system's storage target is: an OST index, a BeeGFS target ID, a PVFS2 handle. */
struct siox_target_range {
  uint64_t first, last;
  uint32_t disk;
};
struct siox_targets {
  uint32_t ndisks; /* 0: one more than the greatest disk named */
  const struct siox_target_range *range; /* the first that holds a target counts */
  uint32_t count; /* 0: a target's number is its disk's; for handles there must be ranges */
};

struct siox_placement_part {
  uint64_t start, end; /* bytes of the file; end UINT64_MAX: its end */
  struct siox_layout layout;
};
struct siox_placement {
  struct siox_placement_part *part; /* in ascending order, without overlap; bytes of no part lie on no disk (yet) */
  uint32_t count;
};

/* Each fills *out, which the caller frees; on an error it is empty and diag (may be NULL) says why. SIOX_ETRUNCATED,
 * SIOX_EPROTO (malformed), SIOX_EVERSION (a magic number or distribution that is not known), SIOX_EUNKNOWN (well-formed,
 * but no disk holds the data: not placed yet, on a metadata server, released, foreign; or a target that is no disk),
 * SIOX_EINVAL (a layout that goes to one disk twice), SIOX_ENOMEM. */
/* lustre.lov: of a mirrored file the first mirror that is not stale; components on metadata servers are left out. */
int siox_placement_lustre(struct siox_placement *out, const void *bytes, size_t size, const struct siox_targets *targets,
                          struct siox_diag *diag);
/* system.pvfs2.md and system.pvfs2.dh. */
int siox_placement_pvfs2(struct siox_placement *out, const void *dist, size_t dist_size, const void *handles,
                         size_t handles_size, const struct siox_targets *targets, struct siox_diag *diag);
/* Pattern (1 RAID 0, 2 RAID 10, 3 buddy mirror), bytes of a chunk and target IDs as the ioctls gave them. */
int siox_placement_beegfs(struct siox_placement *out, uint32_t pattern, uint32_t chunk, const uint32_t *target,
                          uint32_t ntargets, const struct siox_targets *targets, struct siox_diag *diag);
void siox_placement_free(struct siox_placement *placement); /* harmless on a zeroed object */

/* The part that holds most of a file's first `size` bytes, the first of several; of an empty file the first. NULL: there
 * is none. */
const struct siox_placement_part *siox_placement_main(const struct siox_placement *placement, uint64_t size);

#ifdef __cplusplus
}
#endif
#endif
