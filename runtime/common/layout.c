/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which disks hold which bytes; see siox/layout.h for the model and docs/layouts.md for the
 * arithmetic.
 *
 * A file is a ring of `factor` stripes of `unit` bytes, so what a request touches depends only on
 * its place modulo the period unit * factor. A single range is a run of stripes on that ring. Of a
 * strided set, stripe k is touched by some request exactly if (stride * i + c) mod period <= unit +
 * size - 2 for some i below count, with c the distance from the first start that would reach the
 * stripe; the smallest such i comes from Euclid's algorithm in O(log), so the whole mask costs
 * O(factor) such searches whatever count is. */
#include "common/layout_array.h"
#include <stdlib.h>
#include <string.h>

typedef __int128 wide;
typedef unsigned __int128 uwide;

static int layout_new(struct siox_layout *l, uint32_t ndisks, uint32_t factor, uint64_t unit) {
  *l = (struct siox_layout){0};
  if (ndisks == 0 || ndisks > SIOX_MAX_DISKS || factor == 0 || factor > ndisks || unit == 0)
    return SIOX_ERANGE;
  l->nodes = malloc(factor * sizeof *l->nodes);
  if (!l->nodes)
    return SIOX_ENOMEM;
  l->ndisks = ndisks;
  l->factor = factor;
  l->unit = unit;
  return 0;
}

int siox_layout_triplet(struct siox_layout *l, uint32_t ndisks, uint32_t base, uint32_t factor,
                        uint64_t unit) {
  int rc = layout_new(l, ndisks, factor, unit);
  if (rc)
    return rc;
  if (base >= ndisks) {
    siox_layout_free(l);
    return SIOX_ERANGE;
  }
  for (uint32_t k = 0; k < factor; k++)
    l->nodes[k] = (base + k) % ndisks;
  return 0;
}

int siox_layout_nodes(struct siox_layout *l, uint32_t ndisks, const uint32_t *nodes, uint32_t n,
                      uint64_t unit) {
  int rc = layout_new(l, ndisks, n, unit);
  struct siox_mask seen = {0};
  if (rc == 0)
    rc = siox_mask_init(&seen, ndisks);
  for (uint32_t k = 0; rc == 0 && k < n; k++) {
    if (nodes[k] >= ndisks)
      rc = SIOX_ERANGE;
    else if (siox_mask_test(&seen, nodes[k]))
      rc = SIOX_EINVAL;
    siox_mask_set(&seen, nodes[k]);
    l->nodes[k] = nodes[k];
  }
  siox_mask_free(&seen);
  if (rc)
    siox_layout_free(l);
  return rc;
}

int siox_layout_copy(struct siox_layout *to, const struct siox_layout *from) {
  int rc = layout_new(to, from->ndisks, from->factor, from->unit);
  if (rc == 0) {
    memcpy(to->nodes, from->nodes, from->factor * sizeof *to->nodes);
    to->array = from->array;
  }
  return rc;
}

void siox_layout_free(struct siox_layout *l) {
  free(l->nodes);
  *l = (struct siox_layout){0};
}

bool siox_layout_equal(const struct siox_layout *a, const struct siox_layout *b) {
  return a->ndisks == b->ndisks && a->factor == b->factor && a->unit == b->unit &&
         a->array.members == b->array.members && a->array.parity == b->array.parity &&
         a->array.unit == b->array.unit &&
         memcmp(a->nodes, b->nodes, a->factor * sizeof *a->nodes) == 0;
}

/* Node of stripe k, with all its disks. */
static void mark_node(const struct siox_layout *l, uint32_t k, struct siox_mask *mask) {
  if (!l->array.members)
    siox_mask_set(mask, l->nodes[k]);
  for (uint32_t m = 0; m < l->array.members; m++)
    siox_mask_set(mask, l->nodes[k] * l->array.members + m);
}

void siox_layout_disks(const struct siox_layout *l, struct siox_mask *mask) {
  for (uint32_t k = 0; k < l->factor; k++)
    mark_node(l, k, mask);
}

/* [from, end), from < end, on a ring of `factor` stripes. Its pieces are gone through without
 * dividing again: place and row of the next stripe, and of the last one. */
struct walk {
  uint64_t unit, row, last_row;
  uint32_t factor, place, last_place, left; /* left: pieces */
  uint64_t head, tail;                      /* missing of the first stripe and of the last */
};

static struct walk walk_of(uint64_t from, uint64_t end, uint64_t unit, uint32_t factor) {
  uint64_t first = from / unit, last = (end - 1) / unit;
  return (struct walk){.unit = unit,
                       .row = first / factor,
                       .last_row = last / factor,
                       .factor = factor,
                       .place = (uint32_t)(first % factor),
                       .last_place = (uint32_t)(last % factor),
                       .left = last - first >= factor ? factor : (uint32_t)(last - first + 1),
                       .head = from - first * unit,
                       .tail = unit - 1 - (end - 1 - last * unit)};
}

/* The next piece; its `disk` is the place on the ring. */
static inline struct siox_extent next_piece(struct walk *w) {
  uint64_t rows = w->last_row - w->row + (w->place <= w->last_place);
  uwide begin = (uwide)w->row * w->unit, stop = begin + (uwide)rows * w->unit;
  begin += w->head;
  stop -= w->place == w->last_place ? w->tail : 0;
  struct siox_extent e = {w->place, (uint64_t)begin, (uint64_t)(stop - begin)};
  w->head = 0;
  w->left--;
  if (++w->place == w->factor) {
    w->place = 0;
    w->row++;
  }
  return e;
}

uint32_t siox__ring_extents(uint64_t from, uint64_t end, uint64_t unit, uint32_t factor,
                            struct siox_extent *out) {
  struct walk w = walk_of(from, end, unit, factor);
  uint32_t n = w.left;
  for (uint32_t i = 0; i < n; i++)
    out[i] = next_piece(&w);
  return n;
}

/* Stripes first..last of [offset, end), offset < end. */
static void mark_range(const struct siox_layout *l, uint64_t offset, uint64_t end,
                       struct siox_mask *mask) {
  if (l->array.members) {
    for (struct walk w = walk_of(offset, end, l->unit, l->factor); w.left;) {
      struct siox_extent e = next_piece(&w);
      siox__array_mark(&l->array, l->nodes[e.disk], e.local, e.bytes, mask);
    }
    return;
  }
  uint64_t first = offset / l->unit, last = (end - 1) / l->unit;
  uint64_t n = last - first >= l->factor ? l->factor : last - first + 1;
  uint32_t k = (uint32_t)(first % l->factor);
  for (uint64_t i = 0; i < n; i++) {
    siox_mask_set(mask, l->nodes[k]);
    k = k + 1 == l->factor ? 0 : k + 1;
  }
}

/* Ends after INT64_MAX, the greatest size a file can have, are cut there. */
static uint64_t cut_end(int64_t offset, int64_t length) {
  uint64_t end = (uint64_t)offset + (uint64_t)length;
  return end > INT64_MAX ? INT64_MAX : end;
}

int siox_layout_mask(const struct siox_layout *l, int64_t offset, int64_t length,
                     struct siox_mask *mask) {
  if (offset < 0 || length < 0 || mask->ndisks != l->ndisks)
    return SIOX_EINVAL;
  uint64_t end = cut_end(offset, length);
  if ((uint64_t)offset < end)
    mark_range(l, (uint64_t)offset, end, mask);
  return 0;
}

/* Smallest i >= 0 with low <= step * i mod m <= high, or -1. Needs 0 <= low <= high < m < 2^63, 0
 * <= step < m. If no multiple of step lands between low and high before the first wrap, each wrap
 * shifts the hits by m mod step, which is the same question with (step, m) replaced by (m mod step,
 * step). */
static wide first_hit(uint64_t step, uint64_t m, uint64_t low, uint64_t high) {
  if (low == 0)
    return 0;
  if (step == 0)
    return -1;
  if (step > m - step) /* walk the other way round: halves the numbers at each level */
    return first_hit(m - step, m, m - high, m - low);
  uint64_t i = (low - 1) / step + 1; /* ceil */
  if ((uwide)i * step <= high)
    return i;
  /* step * i = r + m * y for some r in [low, high]: find the least y with (-m * y) mod step in that
   * window. */
  wide y = first_hit((step - m % step) % step, step, low % step, high % step);
  if (y < 0)
    return -1;
  return ((wide)m * y + low - 1) / step + 1;
}

/* Exists i in [0, n): (start + stride * i + shift) mod m <= window? Arguments reduced modulo m;
 * window < m - 1. */
static bool hits(uint64_t stride, uint64_t m, uint64_t c, uint64_t window, uint64_t n) {
  if (c <= window)
    return true;
  wide i = first_hit(stride, m, m - c, m - c + window);
  return i >= 0 && (uwide)i < n;
}

/* The strided set when the period is longer than any file: no request wraps, so each stripe is one
 * interval. */
static void mark_strided_flat(const struct siox_layout *l, uint64_t start, uint64_t stride,
                              uint64_t n, uint64_t size, struct siox_mask *mask) {
  for (uint32_t k = 0; k < l->factor; k++) {
    wide low = (wide)l->unit * k - (wide)size + 1; /* starts in [low, high] reach the stripe */
    wide high = (wide)l->unit * (k + (wide)1) - 1;
    wide i = low > (wide)start ? (low - start + stride - 1) / stride : 0;
    if (i < (wide)n && (wide)start + i * (wide)stride <= high)
      mark_node(l, k, mask);
  }
}

/* n > 1 requests of size < stride, none of them cut. */
static void mark_strided(const struct siox_layout *l, uint64_t start, uint64_t stride, uint64_t n,
                         uint64_t size, struct siox_mask *mask) {
  uwide period = (uwide)l->unit * l->factor;
  if (period > INT64_MAX) {
    mark_strided_flat(l, start, stride, n, size, mask);
    return;
  }
  uint64_t m = (uint64_t)period;
  if ((uwide)l->unit + size - 1 >= period) { /* any one request reaches every stripe */
    siox_layout_disks(l, mask);
    return;
  }
  uint64_t window = l->unit + size - 2;
  for (uint32_t k = 0; k < l->factor; k++) {
    if (!l->array.members && siox_mask_test(mask, l->nodes[k]))
      continue;
    uwide c = (uwide)(start % m) + (m - (uwide)l->unit * k) + (size - 1);
    if (hits(stride % m, m, (uint64_t)(c % m), window, n))
      mark_node(l, k, mask);
  }
}

/* The greatest cost of an exact answer, in ranges or searches. */
enum { MOST_STEPS = 4096 };

/* Members touched by a strided set: the pattern of (node, member) repeats with every `share` bytes
 * of a node's share of the file; each stretch of them that lies within one stripe and one unit of
 * the array is asked for by itself. false: that would take too long. */
static bool mark_strided_members(const struct siox_layout *l, uint64_t start, uint64_t stride,
                                 uint64_t n, uint64_t size, struct siox_mask *mask) {
  if (n <= MOST_STEPS / l->factor) {
    for (uint64_t i = 0; i < n; i++)
      mark_range(l, start + i * stride, start + i * stride + size, mask);
    return true;
  }
  uwide turn = siox__array_period(&l->array), share = turn;
  if (turn > INT64_MAX || l->unit > INT64_MAX)
    return false;
  for (uwide a = turn, b = l->unit, c; b; a = b, b = c) /* least common multiple */
    if (!(c = a % b))
      share = turn / b * l->unit;
  uwide period = share * l->factor;
  if (share / l->unit + share / l->array.unit > MOST_STEPS / l->factor || period > INT64_MAX ||
      size > (uint64_t)period)
    return false;
  uint64_t m = (uint64_t)period;
  for (uint32_t k = 0; k < l->factor; k++)
    for (uint64_t at = 0, end; at < share; at = end) {
      uint64_t stripe = at / l->unit, unit = at / l->array.unit;
      end = (stripe + 1) * l->unit;
      end = end < (unit + 1) * l->array.unit ? end : (unit + 1) * l->array.unit;
      if (siox__array_marked(&l->array, l->nodes[k], at, mask))
        continue;
      uint64_t place = (stripe * l->factor + k) * l->unit + at % l->unit;
      uwide c = (uwide)(start % m) + (m - place) + (size - 1);
      if (end - at + size - 1 >= m ||
          hits(stride % m, m, (uint64_t)(c % m), end - at + size - 2, n))
        siox__array_mark(&l->array, l->nodes[k], at, 1, mask);
    }
  return true;
}

int siox_layout_mask_strided(const struct siox_layout *l, int64_t offset, int64_t stride,
                             int64_t count, int64_t size, struct siox_mask *mask) {
  if (count < 0 || size < 0 || mask->ndisks != l->ndisks)
    return SIOX_EINVAL;
  if (count == 0 || size == 0)
    return 0;
  /* The same set with a stride >= 0, without requests that start outside [0, INT64_MAX). */
  wide start = offset, step = stride, n = count;
  if (step < 0) {
    start += step * (n - 1);
    step = -step;
  }
  if (step == 0)
    n = 1;
  if (start < 0 && step > 0) {
    wide skip = (-start + step - 1) / step;
    start += skip * step;
    n -= skip;
  }
  if (start < 0 || start >= INT64_MAX || n <= 0)
    return 0;
  if (n > 1 && start + step * (n - 1) >= INT64_MAX)
    n = (INT64_MAX - 1 - start) / step + 1;
  if (n == 1 || step <= size) { /* one piece without gaps */
    wide end = start + step * (n - 1) + size;
    mark_range(l, (uint64_t)start, end > INT64_MAX ? INT64_MAX : (uint64_t)end, mask);
    return 0;
  }
  /* step > size: only the last request can reach past the end. */
  wide last = start + step * (n - 1);
  if (last + size > INT64_MAX) {
    mark_range(l, (uint64_t)last, INT64_MAX, mask);
    n--;
  }
  if (n == 1)
    mark_range(l, (uint64_t)start, (uint64_t)(start + size), mask);
  else if (!l->array.members || !mark_strided_members(l, (uint64_t)start, (uint64_t)step,
                                                      (uint64_t)n, (uint64_t)size, mask))
    mark_strided(l, (uint64_t)start, (uint64_t)step, (uint64_t)n, (uint64_t)size, mask);
  return 0;
}

/* The stripes of a range. 0 when there are none, SIOX_EINVAL. */
static int walk_range(const struct siox_layout *l, int64_t offset, int64_t length, struct walk *w) {
  if (offset < 0 || length < 0)
    return SIOX_EINVAL;
  uint64_t from = (uint64_t)offset, end = cut_end(offset, length);
  if (from >= end)
    return 0;
  *w = walk_of(from, end, l->unit, l->factor);
  return 1;
}

int siox_layout_extents(const struct siox_layout *l, int64_t offset, int64_t length,
                        struct siox_extent *out, uint32_t max) {
  struct walk w;
  int rc = walk_range(l, offset, length, &w);
  if (rc <= 0)
    return rc;
  uint32_t n = w.left;
  if (n > max)
    return SIOX_EFULL;
  for (uint32_t i = 0; i < n; i++) {
    out[i] = next_piece(&w);
    out[i].disk = l->nodes[out[i].disk];
  }
  return (int)n;
}

uint32_t siox_layout_most_pieces(const struct siox_layout *l) {
  return l->factor * siox_array_most_pieces(&l->array);
}

int siox_layout_pieces(const struct siox_layout *l, int64_t offset, int64_t length, bool write,
                       struct siox_extent *out, uint32_t max) {
  if (!l->array.members)
    return siox_layout_extents(l, offset, length, out, max);
  struct walk w;
  int rc = walk_range(l, offset, length, &w);
  if (rc <= 0)
    return rc;
  uint32_t used = 0;
  if (w.left * siox_array_most_pieces(&l->array) > max)
    return SIOX_EFULL;
  while (w.left) {
    struct siox_extent e = next_piece(&w);
    used += siox_array_pieces(&l->array, l->nodes[e.disk], e.local, e.bytes, write, out + used);
  }
  return (int)used;
}
