/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How a file is striped over disks: paper section III-IV's triplet (base, striping_factor, striping_unit) over
 * D disks, or an explicit list of nodes. Stripe s lies on node[s % factor]; node[k] = (base + k) % D.
 * A node is a disk, or an array of disks. (What this corrects in the printed Fig. 3 is in docs/layouts.md.) Offsets and
 * lengths are bytes. Pure; read-only use is thread-safe. */
#ifndef SIOX_LAYOUT_H
#define SIOX_LAYOUT_H
#include "siox/error.h"
#include "siox/mask.h"
#ifdef __cplusplus
extern "C" {
#endif

/* An I/O node's disks, alike for all nodes: node n has the disks n * members and on. Its share of a file begins on its
 * first member. Without parity byte x of the share lies on member (x / unit) % members. With parity a row of one unit per
 * member holds members - 1 of data: in row q the parity is on member members - 1 - q % members, the data on those that
 * follow it round the array. */
struct siox_array {
  uint32_t members; /* 0: a node is a disk; else at least 2, with parity 3 */
  bool parity;
  uint64_t unit;    /* bytes, > 0 */
};

struct siox_layout {
  uint32_t ndisks;  /* D: disks, members counted */
  uint32_t factor;  /* number of entries in nodes, 1..number of nodes */
  uint64_t unit;    /* bytes of one stripe, > 0 */
  uint32_t *nodes;  /* nodes[k] < number of nodes (D, or D / members), all different */
  struct siox_array array;
};

/* What one request puts on one disk: a contiguous piece of the disk's share of the file. */
struct siox_extent {
  uint32_t disk;    /* siox_layout_extents: node */
  uint64_t local;   /* offset within the disk's share of the file */
  uint64_t bytes;
};

/* Each makes a layout that the caller frees; on an error *l is empty. SIOX_ERANGE (ndisks not 1..SIOX_MAX_DISKS, factor
 * not 1..ndisks, unit 0, a disk not below ndisks), SIOX_EINVAL (a node twice), SIOX_ENOMEM. */
int siox_layout_triplet(struct siox_layout *l, uint32_t ndisks, uint32_t base, uint32_t factor, uint64_t unit);
int siox_layout_nodes(struct siox_layout *l, uint32_t ndisks, const uint32_t *nodes, uint32_t n, uint64_t unit);
/* Makes every node of a layout an array: l->ndisks grows by the number of members. SIOX_ERANGE (the array, or too many
 * disks), SIOX_EINVAL (they are arrays already): *l is as before. */
int siox_layout_over(struct siox_layout *l, const struct siox_array *array);
int siox_layout_copy(struct siox_layout *to, const struct siox_layout *from);
void siox_layout_free(struct siox_layout *l); /* harmless on a zeroed object */
bool siox_layout_equal(const struct siox_layout *a, const struct siox_layout *b);
/* Text form "base:factor:unit" or "n0,n1,...:unit", of arrays followed by "/members:unit" or "/members:unit:parity";
 * units may carry K, M, G (binary). Used in files, traces and messages. parse: SIOX_ESYNTAX, SIOX_ERANGE also when ndisks
 * is not a multiple of the members, and what the functions above return; format writes at most size bytes and
 * returns the length needed without NUL, like snprintf. */
int siox_layout_parse(struct siox_layout *l, uint32_t ndisks, const char *text);
/* The same where nodes are such arrays unless the text says otherwise. */
int siox_layout_parse_over(struct siox_layout *l, uint32_t ndisks, const struct siox_array *array, const char *text);
int siox_layout_format(const struct siox_layout *l, char *buffer, size_t size);

/* Every disk that the file can lie on. Sets bits, clears none. */
void siox_layout_disks(const struct siox_layout *l, struct siox_mask *mask);

/* Disks that hold bytes [offset, offset + length). Sets bits, clears none. length 0 touches nothing. A range that
 * runs past INT64_MAX is cut there; with parity, the disks that writing them touches. SIOX_EINVAL when offset or length is
 * negative or widths differ. O(factor), of arrays O(disks). */
int siox_layout_mask(const struct siox_layout *l, int64_t offset, int64_t length, struct siox_mask *mask);

/* Union over i in [0, count) of [offset + i*stride, +size). stride may be negative or smaller than size; requests at
 * negative offsets touch nothing. Exact, in O(factor) steps whatever count is; of arrays exact as long as that takes 4096
 * steps at most, else with all members of the nodes. SIOX_EINVAL as above. */
int siox_layout_mask_strided(const struct siox_layout *l, int64_t offset, int64_t stride, int64_t count, int64_t size,
                             struct siox_mask *mask);

/* Per-node pieces of [offset, offset + length), at most factor of them, ordered by the first byte they hold.
 * Returns the number written, or SIOX_EFULL when max is too small, SIOX_EINVAL when offset or length is negative. */
int siox_layout_extents(const struct siox_layout *l, int64_t offset, int64_t length, struct siox_extent *out,
                        uint32_t max);

/* What disks do for a request, at most siox_layout_most_pieces of them. Without parity one piece a disk. With parity
 * reading takes one piece a disk, from its first byte to its last, over parity in between; writing a row in part reads the
 * old data and the old parity of what is written, then writes both, each disk its own right behind each other; whole rows
 * are written without reading: at most two pieces read and one written a disk, in this order. Returns as above. */
int siox_layout_pieces(const struct siox_layout *l, int64_t offset, int64_t length, bool write, struct siox_extent *out,
                       uint32_t max);
uint32_t siox_layout_most_pieces(const struct siox_layout *l);
/* The same of a node's share, [local, local + bytes) of it; `out` has room for siox_array_most_pieces. */
uint32_t siox_array_pieces(const struct siox_array *array, uint32_t node, uint64_t local, uint64_t bytes, bool write,
                           struct siox_extent *out);
uint32_t siox_array_most_pieces(const struct siox_array *array);

#ifdef __cplusplus
}
#endif
#endif
