/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parts of arrays as file types: one loop a dimension, from the one that lies closest together out.
 */
#include "common/filetype.h"

/* The dimension that is the i-th from the inside. */
static int inside(int i, int ndims, bool fortran) { return fortran ? i : ndims - 1 - i; }

/* What one dimension makes of the loops inside it: gets the type so far, its elements step bytes
 * apart; takes nothing over. */
typedef struct siox__filetype *(*loop)(const void *how, int dimension, struct siox__filetype *type,
                                       int64_t step);

static struct siox__filetype *array(struct siox__filetype *child, int ndims, const int64_t *sizes,
                                    bool fortran, loop around, const void *how) {
  int64_t step = siox__filetype_facts(child)->extent;
  struct siox__filetype *type = siox__filetype_hold(child);
  for (int i = 0; i < ndims && type; i++) {
    int d = inside(i, ndims, fortran);
    struct siox__filetype *outer = sizes[d] >= 0 ? around(how, d, type, step) : NULL;
    siox__filetype_drop(type);
    type = outer;
    if (__builtin_mul_overflow(step, sizes[d], &step)) {
      siox__filetype_drop(type);
      type = NULL;
    }
  }
  struct siox__filetype *whole = siox__filetype_resized(type, 0, step);
  siox__filetype_drop(type);
  return whole;
}

struct part {
  const int64_t *subsizes, *starts;
};

static struct siox__filetype *stretch(struct siox__filetype *type, int64_t start, int64_t count,
                                      int64_t step) {
  int64_t at;
  return __builtin_mul_overflow(start, step, &at) ? NULL
                                                  : siox__filetype_repeat(type, at, count, step);
}

static struct siox__filetype *subarray_loop(const void *how, int d, struct siox__filetype *type,
                                            int64_t step) {
  const struct part *p = how;
  return stretch(type, p->starts[d], p->subsizes[d], step);
}

struct siox__filetype *siox__filetype_subarray(struct siox__filetype *child, int ndims,
                                               const int64_t *sizes, const int64_t *subsizes,
                                               const int64_t *starts, bool fortran) {
  const struct part part = {subsizes, starts};
  return child ? array(child, ndims, sizes, fortran, subarray_loop, &part) : NULL;
}

struct spreading {
  const int64_t *sizes, *block, *procs, *coordinate;
  const enum siox__spread *spread;
};

/* Whole blocks every procs blocks, and what is left of one at the end:
 *
 *   |##|  |  |##|  |  |##|  |  |#      block 2, procs 3, coordinate 0, size 19 */
static struct siox__filetype *cyclic(struct siox__filetype *type, int64_t size, int64_t block,
                                     int64_t procs, int64_t self, int64_t step) {
  int64_t first = self * block, round = procs * block;
  int64_t whole = first + block <= size ? (size - first - block) / round + 1 : 0;
  int64_t next = first + whole * round, rest = next < size ? size - next : 0;
  struct siox__filetype *one = siox__filetype_repeat(type, 0, block, step);
  struct siox__filetype *part[2] = {one ? stretch(one, 0, whole, round * step) : NULL,
                                    siox__filetype_repeat(type, 0, rest, step)};
  const int64_t at[2] = {first * step, next * step}, count[2] = {1, 1};
  struct siox__filetype *both =
      part[0] && part[1] ? siox__filetype_list(2, at, count, part, 2) : NULL;
  siox__filetype_drop(one);
  siox__filetype_drop(part[0]);
  siox__filetype_drop(part[1]);
  return both;
}

static struct siox__filetype *darray_loop(const void *how, int d, struct siox__filetype *type,
                                          int64_t step) {
  const struct spreading *s = how;
  int64_t size = s->sizes[d], procs = s->procs[d], self = s->coordinate[d], block = s->block[d];
  int64_t far;
  if (s->spread[d] == SIOX__SPREAD_NONE)
    return siox__filetype_repeat(type, 0, size, step);
  if (procs < 1 || self < 0 || self >= procs || block < 0)
    return NULL;
  bool cycles = s->spread[d] == SIOX__SPREAD_CYCLIC;
  if (!block)
    block = cycles ? 1 : (size + procs - 1) / procs;
  if (__builtin_mul_overflow(procs, block, &far) || __builtin_add_overflow(far, size, &far) ||
      __builtin_mul_overflow(far, step, &far))
    return NULL;
  if (cycles && block)
    return cyclic(type, size, block, procs, self, step);
  int64_t start = self * block, left = size - start;
  return stretch(type, start, left < 0 ? 0 : left < block ? left : block, step);
}

struct siox__filetype *siox__filetype_darray(struct siox__filetype *child, int ndims,
                                             const int64_t *sizes, const enum siox__spread *spread,
                                             const int64_t *block, const int64_t *procs,
                                             const int64_t *coordinate, bool fortran) {
  const struct spreading s = {sizes, block, procs, coordinate, spread};
  return child ? array(child, ndims, sizes, fortran, darray_loop, &s) : NULL;
}
