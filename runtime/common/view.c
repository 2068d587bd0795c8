/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Looking through a view: from data bytes to bytes of the file and to disks. Steps depend on the
 * depth of the type and on the number of pieces asked for, never on how long a loop is. */
#include "common/filetype.h"
#include "common/filetype_internal.h"

typedef const struct siox__filetype type;

/* ---- spans ---- */

struct range {
  int64_t low, high;
};

static struct range hull(struct range a, struct range b) {
  return (struct range){a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}

/* The block with data byte k. */
static int64_t block_of(type *t, int64_t k) {
  int64_t low = 0, high = t->nblocks;
  while (high - low > 1) {
    int64_t middle = low + (high - low) / 2;
    if (t->block[middle].data <= k)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* Where data bytes [a, b) of a type lie, a < b. */
static struct range span(type *t, int64_t base, int64_t a, int64_t b) {
  const struct siox__filetype_facts *f = &t->facts;
  if (t->kind == SIOX__SOLID)
    return (struct range){base + f->true_lower + a, base + f->true_lower + b};
  if (t->kind == SIOX__SOMEWHERE || !f->rising || (a == 0 && b == f->size))
    return (struct range){base + f->true_lower, base + f->true_upper};
  if (t->kind == SIOX__REPEAT) {
    int64_t size = t->child->facts.size, i = a / size, k = (b - 1) / size;
    int64_t first = base + t->at + i * t->stride, last = base + t->at + k * t->stride;
    if (i == k)
      return span(t->child, first, a - i * size, b - i * size);
    return hull(span(t->child, first, a - i * size, size), span(t->child, last, 0, b - k * size));
  }
  int64_t i = block_of(t, a), k = block_of(t, b - 1);
  const struct siox__block *first = &t->block[i], *last = &t->block[k];
  if (i == k)
    return span(first->child, base + first->at, a - first->data, b - first->data);
  return hull(span(first->child, base + first->at, a - first->data, first->child->facts.size),
              span(last->child, base + last->at, 0, b - last->data));
}

/* Data bytes [from, from + bytes) as whole tiles [first, last] of the view; false: out of reach. */
static bool tiles(const struct siox__view *v, int64_t from, int64_t bytes, int64_t *first,
                  int64_t *last) {
  const struct siox__filetype_facts *f = &v->type->facts;
  int64_t end, at;
  if (from < 0 || bytes <= 0 || f->size <= 0 || __builtin_add_overflow(from, bytes, &end))
    return false;
  *first = from / f->size;
  *last = (end - 1) / f->size;
  return !__builtin_mul_overflow(*last, f->extent, &at) &&
         !__builtin_add_overflow(at, v->displacement, &at) &&
         !__builtin_add_overflow(at, f->true_upper, &at) && at <= INT64_MAX / 2 &&
         at >= INT64_MIN / 2;
}

static int64_t tile(const struct siox__view *v, int64_t i) {
  return v->displacement + i * v->type->facts.extent;
}

int siox__view_span(const struct siox__view *v, int64_t from, int64_t bytes, int64_t *low,
                    int64_t *high) {
  int64_t first, last;
  if (!tiles(v, from, bytes, &first, &last))
    return SIOX_ERANGE;
  int64_t size = v->type->facts.size, a = from - first * size, b = from + bytes - last * size;
  struct range r;
  if (first == last) {
    r = span(v->type, tile(v, first), a, b);
  } else {
    r = hull(span(v->type, tile(v, first), a, size), span(v->type, tile(v, last), 0, b));
    if (last - first > 1) /* tiles can overlap */
      r = hull(r, hull(span(v->type, tile(v, first + 1), 0, size),
                       span(v->type, tile(v, last - 1), 0, size)));
  }
  *low = r.low;
  *high = r.high;
  return 0;
}

/* ---- pieces ---- */

struct giver {
  int (*take)(void *context, const struct siox__piece *piece);
  void *context;
  int64_t left; /* pieces; when they are used up, what is left is given as a whole */
  bool widened;
};

static int give(struct giver *g, int64_t offset, int64_t stride, int64_t count, int64_t size) {
  const struct siox__piece piece = {offset, stride, count, size};
  g->left--;
  return g->take(g->context, &piece);
}

static int give_span(struct giver *g, struct range r) {
  g->widened = true;
  return give(g, r.low, 0, 1, r.high - r.low);
}

/* All data of count copies of a type, stride apart. */
static int copies(struct giver *g, type *t, int64_t base, int64_t count, int64_t stride) {
  const struct siox__filetype_facts *f = &t->facts;
  int rc = 0;
  if (t->kind == SIOX__SOLID || t->kind == SIOX__SOMEWHERE || g->left <= 1) {
    g->widened |= t->kind != SIOX__SOLID;
    return give(g, base + f->true_lower, stride, count, f->true_upper - f->true_lower);
  }
  if (t->kind == SIOX__REPEAT && count < t->count) { /* the shorter loop outside */
    for (int64_t i = 0; i < count && rc == 0; i++) {
      if (g->left <= 1)
        return copies(g, t, base + i * stride, count - i, stride);
      rc = copies(g, t->child, base + i * stride + t->at, t->count, t->stride);
    }
  } else if (t->kind == SIOX__REPEAT) {
    for (int64_t i = 0; i < t->count && rc == 0; i++) {
      rc = copies(g, t->child, base + t->at + i * t->stride, count, stride);
      if (g->left <= 1 && i + 1 < t->count)
        return rc ? rc : copies(g, t, base, count, stride);
    }
  } else {
    for (int64_t i = 0; i < t->nblocks && rc == 0; i++) {
      rc = copies(g, t->block[i].child, base + t->block[i].at, count, stride);
      if (g->left <= 1 && i + 1 < t->nblocks)
        return rc ? rc : copies(g, t, base, count, stride);
    }
  }
  return rc;
}

/* Data bytes [a, b) of a type, a < b. */
static int walk(struct giver *g, type *t, int64_t base, int64_t a, int64_t b) {
  const struct siox__filetype_facts *f = &t->facts;
  int rc = 0;
  if (t->kind == SIOX__SOLID)
    return give(g, base + f->true_lower + a, 0, 1, b - a);
  if (t->kind == SIOX__SOMEWHERE || g->left <= 1)
    return give_span(g, span(t, base, a, b));
  if (a == 0 && b == f->size)
    return copies(g, t, base, 1, 0);
  if (t->kind == SIOX__REPEAT) {
    int64_t size = t->child->facts.size, i = a / size, k = (b - 1) / size, start = base + t->at;
    if (i == k)
      return walk(g, t->child, start + i * t->stride, a - i * size, b - i * size);
    if (a > i * size) {
      rc = walk(g, t->child, start + i * t->stride, a - i * size, size);
      i++;
    }
    int64_t whole = b == (k + 1) * size ? k + 1 : k;
    if (rc == 0 && i < whole)
      rc = copies(g, t->child, start + i * t->stride, whole - i, t->stride);
    if (rc == 0 && whole == k)
      rc = walk(g, t->child, start + k * t->stride, 0, b - k * size);
    return rc;
  }
  for (int64_t i = block_of(t, a); i < t->nblocks && t->block[i].data < b && rc == 0; i++) {
    const struct siox__block *block = &t->block[i];
    int64_t from = a > block->data ? a - block->data : 0, size = block->child->facts.size;
    if (g->left <= 1)
      return give_span(g, span(t, base, block->data + from, b));
    rc = walk(g, block->child, base + block->at, from,
              b - block->data < size ? b - block->data : size);
  }
  return rc;
}

int siox__view_pieces(const struct siox__view *v, int64_t from, int64_t bytes, int64_t most,
                      int (*take)(void *context, const struct siox__piece *piece), void *context) {
  struct giver g = {take, context, most, false};
  int64_t first, last;
  if (!tiles(v, from, bytes, &first, &last))
    return SIOX_ERANGE;
  int64_t size = v->type->facts.size, a = from - first * size, b = from + bytes - last * size;
  int rc = 0;
  if (first == last) {
    rc = walk(&g, v->type, tile(v, first), a, b);
  } else {
    if (a > 0)
      rc = walk(&g, v->type, tile(v, first++), a, size);
    int64_t whole = b == size ? last + 1 : last;
    if (rc == 0 && first < whole)
      rc = copies(&g, v->type, tile(v, first), whole - first, v->type->facts.extent);
    if (rc == 0 && whole == last)
      rc = walk(&g, v->type, tile(v, last), 0, b);
  }
  return rc ? rc : g.widened;
}

/* ---- disks ---- */

enum { MOST_PIECES = 512, LOOK_EVERY = 16 };

struct marking {
  const struct siox_layout *layout;
  struct siox_mask *mask;
  uint32_t taken;
};

/* Every disk that the file can lie on is set: nothing is left to find. */
static bool all_set(const struct marking *m) {
  const struct siox_layout *l = m->layout;
  uint32_t members = l->array.members ? l->array.members : 1;
  for (uint32_t k = 0; k < l->factor; k++)
    for (uint32_t i = 0; i < members; i++)
      if (!siox_mask_test(m->mask, l->nodes[k] * members + i))
        return false;
  return true;
}

enum { ALL_FOUND = 2 };

static int mark(void *context, const struct siox__piece *p) {
  struct marking *m = context;
  int rc = p->count == 1 ? siox_layout_mask(m->layout, p->offset, p->size, m->mask)
                         : siox_layout_mask_strided(m->layout, p->offset, p->stride, p->count,
                                                    p->size, m->mask);
  if (rc < 0)
    return rc;
  return m->taken++ % LOOK_EVERY == 0 && all_set(m) ? ALL_FOUND : 0;
}

/* Data bytes of a rising type that lie before `offset`. */
static int64_t data_before(type *t, int64_t offset) {
  const struct siox__filetype_facts *f = &t->facts;
  if (offset <= f->true_lower)
    return 0;
  if (offset >= f->true_upper)
    return f->size;
  if (t->kind == SIOX__SOLID)
    return offset - f->true_lower;
  if (t->kind == SIOX__REPEAT) {
    int64_t inner = offset - t->at - t->child->facts.true_lower;
    int64_t i = t->stride > 0 ? inner / t->stride : 0;
    i = i < t->count ? i : t->count - 1;
    return i * t->child->facts.size + data_before(t->child, offset - t->at - i * t->stride);
  }
  int64_t low = 0, high = t->nblocks;
  while (high - low > 1) {
    int64_t middle = low + (high - low) / 2;
    if (t->block[middle].at + t->block[middle].child->facts.true_lower < offset)
      low = middle;
    else
      high = middle;
  }
  return t->block[low].data + data_before(t->block[low].child, offset - t->block[low].at);
}

static int64_t view_data_before(const struct siox__view *v, int64_t offset) {
  const struct siox__filetype_facts *f = &v->type->facts;
  int64_t inner = offset - v->displacement - f->true_lower, i = inner > 0 ? inner / f->extent : 0;
  return i * f->size + data_before(v->type, offset - tile(v, i));
}

/* [from, to) as data sieving reads it. `high`: behind the last byte. */
static int mark_sieved(struct marking *m, const struct siox__view *v, int64_t from, int64_t bytes,
                       int64_t buffer, int64_t high) {
  int64_t start = -1, end = -1;
  for (int64_t k = from, step = 0; k < from + bytes; step++) {
    int64_t low, next;
    siox__view_span(v, k, 1, &low, &next);
    if (low != end) {
      int rc = end > start ? siox_layout_mask(m->layout, start, end - start, m->mask) : 0;
      if (rc < 0 || (step % LOOK_EVERY == 0 && all_set(m)))
        return rc;
      start = low;
    }
    end = high - low > buffer ? low + buffer : high;
    if (step == 8 * MOST_PIECES || (!m->layout->array.members &&
                                    (uint64_t)(end - start) / m->layout->factor >= m->layout->unit))
      end = high;
    k = view_data_before(v, end);
  }
  return end > start ? siox_layout_mask(m->layout, start, end - start, m->mask) : 0;
}

int siox__view_mask(const struct siox__view *v, int64_t from, int64_t bytes, int64_t buffer,
                    const struct siox_layout *layout, struct siox_mask *mask) {
  struct marking m = {layout, mask, 0};
  const struct siox__filetype_facts *f = &v->type->facts;
  int64_t low, high;
  if (bytes <= 0)
    return bytes < 0 ? SIOX_EINVAL : 0;
  if (!buffer) {
    int rc = siox__view_pieces(v, from, bytes, MOST_PIECES, mark, &m);
    return rc < 0 ? rc : 0;
  }
  int rc = siox__view_span(v, from, bytes, &low, &high);
  if (rc < 0)
    return rc;
  bool orderly = f->rising && f->exact && f->extent >= f->true_upper - f->true_lower;
  return high - low <= buffer || !orderly ? siox_layout_mask(layout, low, high - low, mask)
                                          : mark_sieved(&m, v, from, bytes, buffer, high);
}
