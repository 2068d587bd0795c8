/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The file type of a view, as loops: which bytes of the file lie under which bytes of data. A
 * vector of a billion blocks is one node; what an index lists is kept block by block up to a limit,
 * beyond it neighbouring blocks become one that also covers the bytes between them. Used by the run
 * time on MPI's own description of a type (client/viewtype.c) and by the pass on constant
 * arguments.
 *
 *   MPI_Type_vector(3, 2, 4, MPI_INT)     REPEAT 3 x, every 16 bytes, of SOLID 8
 *
 *   data     0 1 2 3 4 5 6 7 | 8 ...      offsets and sizes are bytes
 *   file     0 1 2 3 4 5 6 7 . . . . . . . . 16 ...
 *
 * Pure. A type is never changed once made, and shared by counting references, so a type may be used
 * by several threads but made, held and dropped by one at a time. */
#ifndef SIOX_COMMON_FILETYPE_H
#define SIOX_COMMON_FILETYPE_H
#include "siox/layout.h"
#ifdef __cplusplus
extern "C" {
#endif

struct siox__filetype;

struct siox__filetype_facts {
  int64_t size;                   /* bytes of data */
  int64_t lower, extent;          /* MPI's lower bound and extent */
  int64_t true_lower, true_upper; /* first byte of data, and behind the last; equal without data */
  bool exact;                     /* no block stands for more than it holds */
  bool rising;                    /* data lies in the file in its own order, without overlap */
};

/* Each makes a type that the caller drops, holding what it is made of; NULL: no memory, a negative
 * number where there is none, or beyond 2^62 bytes. */
struct siox__filetype *siox__filetype_bytes(int64_t size);
/* count children, the i-th at byte at + i * stride. */
struct siox__filetype *siox__filetype_repeat(struct siox__filetype *child, int64_t at,
                                             int64_t count, int64_t stride);
/* n blocks; block i is count[i] children, one after the other at their extent, from byte at[i] on.
 * nchildren 1 (the same everywhere) or n. */
struct siox__filetype *siox__filetype_list(int64_t n, const int64_t *at, const int64_t *count,
                                           struct siox__filetype *const *child, int64_t nchildren);
struct siox__filetype *siox__filetype_resized(struct siox__filetype *child, int64_t lower,
                                              int64_t extent);
/* size bytes of data somewhere in [true_lower, true_upper): what is too large to be looked at. */
struct siox__filetype *siox__filetype_somewhere(int64_t size, int64_t lower, int64_t extent,
                                                int64_t true_lower, int64_t true_upper);
/* MPI_Type_create_subarray and _darray (MPI 4.0 sections 5.1.3 and 5.1.4), in C order or, with
 * `fortran`, in Fortran's. A dimension of a darray is spread over procs[i] processes, of which this
 * one is number coordinate[i], in blocks of block[i] elements (0: MPI_DISTRIBUTE_DFLT_DARG). */
enum siox__spread { SIOX__SPREAD_NONE, SIOX__SPREAD_BLOCK, SIOX__SPREAD_CYCLIC };
struct siox__filetype *siox__filetype_subarray(struct siox__filetype *child, int ndims,
                                               const int64_t *sizes, const int64_t *subsizes,
                                               const int64_t *starts, bool fortran);
struct siox__filetype *siox__filetype_darray(struct siox__filetype *child, int ndims,
                                             const int64_t *sizes, const enum siox__spread *spread,
                                             const int64_t *block, const int64_t *procs,
                                             const int64_t *coordinate, bool fortran);
struct siox__filetype *siox__filetype_hold(struct siox__filetype *type);
void siox__filetype_drop(struct siox__filetype *type); /* NULL: nothing */
const struct siox__filetype_facts *siox__filetype_facts(const struct siox__filetype *type);

/* A view: the type, again and again from a displacement on. */
struct siox__view {
  int64_t displacement;
  struct siox__filetype *type; /* with data */
};
/* The file's bytes from *low to *high cover data bytes [from, from + bytes), bytes > 0; exactly
 * where facts say so. SIOX_ERANGE: beyond what a file can hold. */
int siox__view_span(const struct siox__view *view, int64_t from, int64_t bytes, int64_t *low,
                    int64_t *high);
/* A stretch of file: count pieces of size bytes, the first at offset, stride apart. */
struct siox__piece {
  int64_t offset, stride, count, size;
};
/* Hands out pieces that together are the data bytes [from, from + bytes), in no order; at most
 * about `most`, of which the last ones may cover bytes between. The callback stops it with
 * non-zero. Returns that, 0 for pieces that cover nothing else, 1 for others, or SIOX_ERANGE. */
int siox__view_pieces(const struct siox__view *view, int64_t from, int64_t bytes, int64_t most,
                      int (*take)(void *context, const struct siox__piece *piece), void *context);
/* Disks under data bytes [from, from + bytes). buffer 0: the bytes alone. Else what data sieving
 * touches: pieces of up to `buffer` bytes, each from the first byte that is still missing on, cut
 * at the last (ROMIO's way). Sets bits, clears none. */
int siox__view_mask(const struct siox__view *view, int64_t from, int64_t bytes, int64_t buffer,
                    const struct siox_layout *layout, struct siox_mask *mask);

#ifdef __cplusplus
}
#endif
#endif
