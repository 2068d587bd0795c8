/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Making file types. Every node is brought to its simplest form at once: what has no holes is
 * SOLID, blocks that touch are one, equal blocks at equal distances are a REPEAT. So the depth of a
 * type is at most the depth of its description, and most types are one or two nodes. */
#include "common/filetype.h"
#include "common/filetype_internal.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_BLOCKS = 1 << 16 }; /* of one list */
static const int64_t FARTHEST = INT64_C(1) << 62;

const struct siox__filetype_facts *siox__filetype_facts(const struct siox__filetype *type) {
  return &type->facts;
}

struct siox__filetype *siox__filetype_hold(struct siox__filetype *type) {
  type->references++;
  return type;
}

void siox__filetype_drop(struct siox__filetype *type) {
  while (type && --type->references == 0) {
    struct siox__filetype *child = type->child;
    for (int64_t i = 0; i < type->nblocks; i++)
      siox__filetype_drop(type->block[i].child);
    free(type->block);
    free(type);
    type = child;
  }
}

static struct siox__filetype *make(int kind, int64_t size, int64_t true_lower, int64_t true_upper) {
  struct siox__filetype *t = calloc(1, sizeof *t);
  if (!t)
    return NULL;
  t->kind = kind;
  t->references = 1;
  t->facts = (struct siox__filetype_facts){.size = size,
                                           .lower = true_lower,
                                           .extent = true_upper - true_lower,
                                           .true_lower = true_lower,
                                           .true_upper = true_upper,
                                           .exact = true,
                                           .rising = true};
  return t;
}

struct siox__filetype *siox__filetype_bytes(int64_t size) {
  return size < 0 || size > FARTHEST ? NULL : make(SIOX__SOLID, size, 0, size);
}

struct siox__filetype *siox__filetype_somewhere(int64_t size, int64_t lower, int64_t extent,
                                                int64_t true_lower, int64_t true_upper) {
  if (size < 0 || size > FARTHEST || true_lower < -FARTHEST || true_upper > FARTHEST ||
      true_upper < true_lower)
    return NULL;
  bool solid = true_upper - true_lower == size;
  struct siox__filetype *t =
      make(solid ? SIOX__SOLID : SIOX__SOMEWHERE, size, true_lower, true_upper);
  if (!t)
    return NULL;
  t->facts.lower = lower;
  t->facts.extent = extent;
  t->facts.exact = solid;
  return t;
}

/* a + b * c, or false beyond FARTHEST. */
static bool place(int64_t a, int64_t b, int64_t c, int64_t *out) {
  int64_t product;
  return !__builtin_mul_overflow(b, c, &product) && !__builtin_add_overflow(a, product, out) &&
         *out <= FARTHEST && *out >= -FARTHEST;
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

struct siox__filetype *siox__filetype_resized(struct siox__filetype *child, int64_t lower,
                                              int64_t extent) {
  struct siox__filetype *t = child ? malloc(sizeof *t) : NULL;
  if (!t)
    return NULL;
  *t = *child;
  t->references = 1;
  t->facts.lower = lower;
  t->facts.extent = extent;
  if (t->child)
    siox__filetype_hold(t->child);
  if (t->block && !(t->block = malloc((size_t)t->nblocks * sizeof *t->block))) {
    siox__filetype_drop(t->child);
    free(t);
    return NULL;
  }
  for (int64_t i = 0; i < t->nblocks; i++) {
    t->block[i] = child->block[i];
    siox__filetype_hold(t->block[i].child);
  }
  return t;
}

/* The bounds of count children from `at` on, stride apart: MPI's and those of the data. */
static bool bounds(const struct siox__filetype *child, int64_t at, int64_t count, int64_t stride,
                   struct siox__filetype_facts *f) {
  const struct siox__filetype_facts *c = &child->facts;
  int64_t last, size;
  if (!place(at, stride, count - 1, &last) || !place(0, c->size, count, &size) ||
      llabs(c->lower) > FARTHEST || llabs(c->extent) > FARTHEST)
    return false;
  int64_t low = least(at, last), high = most(at, last);
  *f = (struct siox__filetype_facts){
      .size = size,
      .lower = low + c->lower,
      .extent = high - low + c->extent,
      .true_lower = low + c->true_lower,
      .true_upper = high + c->true_upper,
      .exact = c->exact,
      .rising = c->rising && (count == 1 || stride >= c->true_upper - c->true_lower)};
  return llabs(f->true_lower) <= FARTHEST && llabs(f->true_upper) <= FARTHEST;
}

static bool is_solid(const struct siox__filetype *t) { return t->kind == SIOX__SOLID; }

struct siox__filetype *siox__filetype_repeat(struct siox__filetype *child, int64_t at,
                                             int64_t count, int64_t stride) {
  struct siox__filetype_facts f;
  if (!child || count < 0 || llabs(at) > FARTHEST)
    return NULL;
  if (count == 0)
    return siox__filetype_bytes(0);
  if (count == 1 && at == 0)
    return siox__filetype_hold(child);
  if (!bounds(child, at, count, stride, &f))
    return NULL;
  bool solid =
      f.size == 0 || (is_solid(child) && f.rising && f.size == f.true_upper - f.true_lower);
  struct siox__filetype *t = make(solid ? SIOX__SOLID : SIOX__REPEAT, f.size, f.true_lower,
                                  f.size ? f.true_upper : f.true_lower);
  if (!t)
    return NULL;
  if (f.size == 0)
    f.true_upper = f.true_lower;
  t->facts = f;
  if (!solid) {
    t->child = siox__filetype_hold(child);
    t->at = at;
    t->count = count;
    t->stride = count > 1 ? stride : 0;
  }
  return t;
}

/* ---- lists ---- */

struct builder {
  struct siox__block *block;
  int64_t n, room;
  struct siox__filetype_facts facts; /* of what was added; extent: the upper bound meanwhile */
  bool any;
  int64_t added, group; /* so many blocks become one */
  /* The block made last, of so many of that child: the next one is often the same. */
  const struct siox__filetype *of;
  int64_t of_count;
  struct siox__filetype *made;
};

static void builder_free(struct builder *b) {
  for (int64_t i = 0; i < b->n; i++)
    siox__filetype_drop(b->block[i].child);
  free(b->block);
  siox__filetype_drop(b->made);
}

/* Takes over the child. */
static bool append(struct builder *b, int64_t at, struct siox__filetype *child) {
  struct siox__block *last = b->n ? &b->block[b->n - 1] : NULL;
  if (last && is_solid(last->child) && is_solid(child) &&
      last->at + last->child->facts.true_upper == at + child->facts.true_lower) {
    int64_t size = last->child->facts.size + child->facts.size;
    struct siox__filetype *both = siox__filetype_bytes(size);
    if (both)
      last->at += last->child->facts.true_lower;
    siox__filetype_drop(child);
    if (!both)
      return false;
    siox__filetype_drop(last->child);
    last->child = both;
    return true;
  }
  if (b->n == b->room) {
    int64_t room = b->room ? 2 * b->room : 8;
    struct siox__block *more = realloc(b->block, (size_t)room * sizeof *more);
    if (!more) {
      siox__filetype_drop(child);
      return false;
    }
    b->block = more;
    b->room = room;
  }
  b->block[b->n++] = (struct siox__block){.at = at, .child = child};
  return true;
}

/* Two neighbours as one that covers what lies between them. Takes over nothing. */
static struct siox__filetype *cover(const struct siox__block *a, const struct siox__block *b,
                                    int64_t *at) {
  const struct siox__filetype_facts *f = &a->child->facts, *g = &b->child->facts;
  int64_t low = least(a->at + f->true_lower, b->at + g->true_lower);
  int64_t high = most(a->at + f->true_upper, b->at + g->true_upper);
  *at = low;
  return siox__filetype_somewhere(f->size + g->size, 0, high - low, 0, high - low);
}

/* Puts a block into the one before it. Takes over the child. */
static bool append_covering(struct builder *b, int64_t at, struct siox__filetype *child) {
  struct siox__block *last = &b->block[b->n - 1];
  const struct siox__block next = {.at = at, .child = child};
  struct siox__filetype *both = cover(last, &next, &at);
  siox__filetype_drop(child);
  if (!both)
    return false;
  siox__filetype_drop(last->child);
  *last = (struct siox__block){.at = at, .child = both};
  return true;
}

static bool add_bounds(struct builder *b, const struct siox__filetype_facts *f) {
  struct siox__filetype_facts *g = &b->facts;
  int64_t upper = f->lower + f->extent;
  g->lower = b->any ? least(g->lower, f->lower) : f->lower;
  g->extent = b->any ? most(g->extent, upper) : upper;
  b->any = true;
  return !__builtin_add_overflow(g->size, f->size, &g->size) && g->size <= FARTHEST;
}

static bool add_block(struct builder *b, int64_t at, int64_t count, struct siox__filetype *child) {
  if (count < 0 || !child)
    return false;
  if (count == 0)
    return true;
  if (!b->made || b->of != child || b->of_count != count) {
    siox__filetype_drop(b->made);
    b->made = siox__filetype_repeat(child, 0, count, child->facts.extent);
    b->of = child;
    b->of_count = count;
  }
  struct siox__filetype *block = b->made ? siox__filetype_hold(b->made) : NULL;
  struct siox__filetype_facts f;
  if (!block || llabs(at) > FARTHEST || !bounds(block, at, 1, 0, &f) || !add_bounds(b, &f)) {
    siox__filetype_drop(block);
    return false;
  }
  if (f.size == 0) {
    siox__filetype_drop(block);
    return true;
  }
  return b->added++ % b->group == 0 ? append(b, at, block) : append_covering(b, at, block);
}

static bool alike(const struct siox__filetype *a, const struct siox__filetype *b) {
  return a == b || (is_solid(a) && is_solid(b) && a->facts.size == b->facts.size &&
                    a->facts.true_lower == b->facts.true_lower);
}

/* Equal blocks at equal distances: how far apart; 0: they are not. */
static bool regular(const struct builder *b, int64_t *stride) {
  *stride = b->n > 1 ? b->block[1].at - b->block[0].at : 0;
  for (int64_t i = 1; i < b->n; i++)
    if (!alike(b->block[i].child, b->block[0].child) ||
        b->block[i].at - b->block[i - 1].at != *stride)
      return false;
  return b->n > 0;
}

static struct siox__filetype *finish_list(struct builder *b) {
  struct siox__filetype *t = make(SIOX__LIST, b->facts.size, 0, 0);
  if (!t)
    return NULL;
  struct siox__filetype_facts *f = &t->facts;
  f->true_lower = INT64_MAX;
  f->true_upper = INT64_MIN;
  for (int64_t i = 0, data = 0; i < b->n; i++) {
    const struct siox__filetype_facts *c = &b->block[i].child->facts;
    b->block[i].data = data;
    data += c->size;
    f->exact &= c->exact;
    f->rising &= c->rising && (i == 0 || b->block[i].at + c->true_lower >= f->true_upper);
    f->true_lower = least(f->true_lower, b->block[i].at + c->true_lower);
    f->true_upper = most(f->true_upper, b->block[i].at + c->true_upper);
  }
  t->block = b->block;
  t->nblocks = b->n;
  b->block = NULL;
  b->n = 0;
  return t;
}

struct siox__filetype *siox__filetype_list(int64_t n, const int64_t *at, const int64_t *count,
                                           struct siox__filetype *const *child, int64_t nchildren) {
  struct builder b = {.group = 1 + (n - 1) / MOST_BLOCKS};
  struct siox__filetype *t = NULL;
  int64_t stride;
  bool good = n >= 0;
  for (int64_t i = 0; i < n && good; i++)
    good = add_block(&b, at[i], count[i], child[nchildren == 1 ? 0 : i]);
  if (good && b.n == 0)
    t = siox__filetype_bytes(0);
  else if (good && regular(&b, &stride))
    t = siox__filetype_repeat(b.block[0].child, b.block[0].at, b.n, stride);
  else if (good)
    t = finish_list(&b);
  if (t) {
    t->facts.lower = b.any ? b.facts.lower : 0;
    t->facts.extent = b.any ? b.facts.extent - b.facts.lower : 0;
  }
  builder_free(&b);
  return t;
}
