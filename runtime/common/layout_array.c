/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Arrays of disks: where a node's share of a file lies on its members, and what the members do for
 * a request. A share is at most 2^63 bytes, so a row of parity is counted in 128 bits. */
#include "common/layout_array.h"

typedef unsigned __int128 uwide;

int siox_layout_over(struct siox_layout *l, const struct siox_array *array) {
  if (l->array.members)
    return SIOX_EINVAL;
  if (array->members < (array->parity ? 3u : 2u) || !array->unit ||
      (uint64_t)l->ndisks * array->members > SIOX_MAX_DISKS)
    return SIOX_ERANGE;
  l->ndisks *= array->members;
  l->array = *array;
  return 0;
}

/* One row of an array with parity. */
struct row {
  uint64_t number;
  uint32_t parity;   /* member */
  uint64_t from, to; /* what is wanted of its data, from < to */
  bool whole;
};

static uwide row_bytes(const struct siox_array *a) { return (uwide)a->unit * (a->members - 1); }

static struct row row_at(const struct siox_array *a, uint64_t number, uint64_t from, uint64_t end) {
  uwide bytes = row_bytes(a), begin = bytes * number;
  struct row r = {.number = number, .parity = a->members - 1 - (uint32_t)(number % a->members)};
  uwide low = from > begin ? from - begin : 0;
  uwide high = end < begin + bytes ? end - begin : bytes;
  r.whole = low == 0 && high == bytes;
  /* A unit can be larger than any file, and a row then longer than 64 bits tell; what is wanted of
   * it is not. */
  r.from = (uint64_t)low;
  r.to = (uint64_t)(high > UINT64_MAX ? UINT64_MAX : high);
  return r;
}

/* Bytes [*low, *high) of a member's unit in a row that a request touches; false: none. */
static bool in_unit(const struct siox_array *a, const struct row *r, uint32_t member, bool write,
                    uint64_t *low, uint64_t *high) {
  uint64_t first = r->from / a->unit, last = (r->to - 1) / a->unit;
  if (member ==
      r->parity) { /* of all that is written, from the first place in a unit to the last */
    *low = first == last ? r->from % a->unit : 0;
    *high = first == last ? (r->to - 1) % a->unit + 1 : a->unit;
    return write;
  }
  uint32_t place = (member + a->members - r->parity - 1) % a->members;
  if (place < first || place > last)
    return false;
  *low = place == first ? r->from % a->unit : 0;
  *high = place == last ? (r->to - 1) % a->unit + 1 : a->unit;
  return true;
}

/* The rows of a request by which a member's first and last bytes are known. The first row can begin
 * behind its unit, and of the next two one can have its parity; so it is with the last three. */
enum { OUTER = 3 };
static uint32_t outer_rows(const struct siox_array *a, uint64_t from, uint64_t end,
                           struct row out[2 * OUTER]) {
  uwide bytes = row_bytes(a);
  uint64_t first = (uint64_t)(from / bytes), last = (uint64_t)((end - 1) / bytes);
  uint32_t n = 0;
  for (uint64_t q = first; q <= last; q++) {
    if (n == OUTER && last - q >= OUTER)
      q = last - OUTER + 1;
    out[n++] = row_at(a, q, from, end);
  }
  return n;
}

static uint32_t parity_pieces(const struct siox_array *a, uint32_t node, uint64_t from,
                              uint64_t end, bool write, struct siox_extent *out) {
  struct row row[2 * OUTER];
  uint32_t nrows = outer_rows(a, from, end, row), n = 0;
  for (uint32_t m = 0; m < a->members; m++) {
    uint64_t low = UINT64_MAX, high = 0, in, until;
    for (uint32_t i = 0; i < nrows; i++) {
      if (!in_unit(a, &row[i], m, write, &in, &until))
        continue;
      uint64_t at = row[i].number * a->unit;
      low = at + in < low ? at + in : low;
      high = at + until;
      if (write && !row[i].whole)
        out[n++] = (struct siox_extent){node * a->members + m, at + in, until - in};
    }
    if (low < high)
      out[n++] = (struct siox_extent){node * a->members + m, low, high - low};
  }
  return n;
}

uint32_t siox_array_most_pieces(const struct siox_array *a) {
  return !a->members ? 1 : a->parity ? 3 * a->members : a->members;
}

uint32_t siox_array_pieces(const struct siox_array *a, uint32_t node, uint64_t local,
                           uint64_t bytes, bool write, struct siox_extent *out) {
  if (!bytes)
    return 0;
  if (!a->members) {
    *out = (struct siox_extent){node, local, bytes};
    return 1;
  }
  if (a->parity)
    return parity_pieces(a, node, local, local + bytes, write, out);
  uint32_t n = siox__ring_extents(local, local + bytes, a->unit, a->members, out);
  for (uint32_t i = 0; i < n; i++)
    out[i].disk += node * a->members;
  return n;
}

void siox__array_mark(const struct siox_array *a, uint32_t node, uint64_t local, uint64_t bytes,
                      struct siox_mask *mask) {
  uint32_t first = node * a->members;
  if (!a->parity) {
    uint64_t from = local / a->unit, last = (local + bytes - 1) / a->unit;
    uint64_t n = last - from >= a->members ? a->members : last - from + 1;
    for (uint64_t i = 0; i < n; i++)
      siox_mask_set(mask, first + (uint32_t)((from + i) % a->members));
    return;
  }
  struct row row[2 * OUTER];
  uint32_t nrows = outer_rows(a, local, local + bytes, row);
  uint64_t low, high;
  for (uint32_t m = 0; m < a->members; m++)
    for (uint32_t i = 0; i < nrows; i++)
      if (in_unit(a, &row[i], m, true, &low, &high))
        siox_mask_set(mask, first + m);
}

bool siox__array_marked(const struct siox_array *a, uint32_t node, uint64_t local,
                        const struct siox_mask *mask) {
  uint32_t first = node * a->members;
  if (!a->parity)
    return siox_mask_test(mask, first + (uint32_t)(local / a->unit % a->members));
  struct row r = row_at(a, (uint64_t)(local / row_bytes(a)), local, local + 1);
  uint32_t place = (uint32_t)(r.from / a->unit);
  return siox_mask_test(mask, first + r.parity) &&
         siox_mask_test(mask, first + (r.parity + 1 + place) % a->members);
}

uwide siox__array_period(const struct siox_array *a) {
  return (a->parity ? row_bytes(a) : (uwide)a->unit) * a->members;
}
