/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How a file is striped over disks: paper section III-IV's triplet (base, striping_factor, striping_unit) over
 * D disks, or an explicit list of nodes. Stripe s lies on node[s % factor]; node[k] = (base + k) % D.
 * (What this corrects in the printed Fig. 3 is in docs/layouts.md.) Offsets and lengths are bytes. Pure;
 * read-only use is thread-safe. */
#ifndef SIOX_LAYOUT_H
#define SIOX_LAYOUT_H
#include "siox/error.h"
#include "siox/mask.h"
#ifdef __cplusplus
extern "C" {
#endif

struct siox_layout {
  uint32_t ndisks;  /* D */
  uint32_t factor;  /* number of entries in nodes, 1..D */
  uint64_t unit;    /* bytes of one stripe, > 0 */
  uint32_t *nodes;  /* nodes[k] < D, all different */
};

/* What one request puts on one disk: a contiguous piece of the disk's share of the file. */
struct siox_extent {
  uint32_t disk;
  uint64_t local;   /* offset within the disk's share of the file */
  uint64_t bytes;
};

/* Each makes a layout that the caller frees; on an error *l is empty. SIOX_ERANGE (ndisks not 1..SIOX_MAX_DISKS, factor
 * not 1..ndisks, unit 0, a disk not below ndisks), SIOX_EINVAL (a node twice), SIOX_ENOMEM. */
int siox_layout_triplet(struct siox_layout *l, uint32_t ndisks, uint32_t base, uint32_t factor, uint64_t unit);
int siox_layout_nodes(struct siox_layout *l, uint32_t ndisks, const uint32_t *nodes, uint32_t n, uint64_t unit);
int siox_layout_copy(struct siox_layout *to, const struct siox_layout *from);
void siox_layout_free(struct siox_layout *l); /* harmless on a zeroed object */
bool siox_layout_equal(const struct siox_layout *a, const struct siox_layout *b);
/* Text form "base:factor:unit" or "n0,n1,...:unit"; units may carry K, M, G (binary). Used in files,
 * traces and messages. parse: SIOX_ESYNTAX, and what the functions above return; format writes at most size bytes and
 * returns the length needed without NUL, like snprintf. */
int siox_layout_parse(struct siox_layout *l, uint32_t ndisks, const char *text);
int siox_layout_format(const struct siox_layout *l, char *buffer, size_t size);

/* Disks that hold bytes [offset, offset + length). Sets bits, clears none. length 0 touches nothing. A range that
 * runs past INT64_MAX is cut there. SIOX_EINVAL when offset or length is negative or widths differ. O(factor). */
int siox_layout_mask(const struct siox_layout *l, int64_t offset, int64_t length, struct siox_mask *mask);

/* Union over i in [0, count) of [offset + i*stride, +size). stride may be negative or smaller than size; requests at
 * negative offsets touch nothing. Exact, in O(factor) steps whatever count is. SIOX_EINVAL as above. */
int siox_layout_mask_strided(const struct siox_layout *l, int64_t offset, int64_t stride, int64_t count, int64_t size,
                             struct siox_mask *mask);

/* Per-disk pieces of [offset, offset + length), at most factor of them, ordered by the first byte they hold.
 * Returns the number written, or SIOX_EFULL when max is too small, SIOX_EINVAL when offset or length is negative. */
int siox_layout_extents(const struct siox_layout *l, int64_t offset, int64_t length, struct siox_extent *out,
                        uint32_t max);

#ifdef __cplusplus
}
#endif
#endif
