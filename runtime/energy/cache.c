/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* See cache.h. A hash table with chains, as wide as there is room for blocks. */
#include "energy/cache.h"
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 64 };

void siox__cache_init(struct siox__cache *c, uint32_t most) {
  *c = (struct siox__cache){.most = most,
                            .newest = SIOX__NO_BLOCK,
                            .oldest = SIOX__NO_BLOCK,
                            .first_dirty = SIOX__NO_BLOCK};
}

void siox__cache_free(struct siox__cache *c) {
  free(c->block);
  free(c->table);
}

static uint32_t *chain_of(const struct siox__cache *c, uint64_t file, uint64_t number) {
  uint64_t key = (file * UINT64_C(0xd1342543de82ef95) ^ number) * UINT64_C(0x9e3779b97f4a7c15);
  return &c->table[(key ^ key >> 29) & (c->room - 1)];
}

struct siox__block *siox__cache_find(const struct siox__cache *c, uint64_t file, uint64_t number) {
  if (!c->room)
    return NULL;
  for (uint32_t i = *chain_of(c, file, number); i != SIOX__NO_BLOCK; i = c->block[i].chain)
    if (c->block[i].file == file && c->block[i].number == number)
      return &c->block[i];
  return NULL;
}

static void unlink_use(struct siox__cache *c, struct siox__block *b) {
  *(b->newer == SIOX__NO_BLOCK ? &c->newest : &c->block[b->newer].older) = b->older;
  *(b->older == SIOX__NO_BLOCK ? &c->oldest : &c->block[b->older].newer) = b->newer;
}

static void link_use(struct siox__cache *c, struct siox__block *b) {
  uint32_t i = (uint32_t)(b - c->block);
  b->newer = SIOX__NO_BLOCK;
  b->older = c->newest;
  *(c->newest == SIOX__NO_BLOCK ? &c->oldest : &c->block[c->newest].newer) = i;
  c->newest = i;
}

void siox__cache_use(struct siox__cache *c, struct siox__block *b) {
  if (b->newer == SIOX__NO_BLOCK)
    return;
  unlink_use(c, b);
  link_use(c, b);
}

static void link_chain(struct siox__cache *c, struct siox__block *b) {
  uint32_t *first = chain_of(c, b->file, b->number);
  b->chain = *first;
  *first = (uint32_t)(b - c->block);
}

static int grow(struct siox__cache *c) {
  uint32_t room = c->room ? 2 * c->room : FIRST_ROOM;
  struct siox__block *block = realloc(c->block, room * sizeof *block);
  if (!block)
    return SIOX_ENOMEM;
  c->block = block;
  uint32_t *table = realloc(c->table, room * sizeof *table);
  if (!table)
    return SIOX_ENOMEM;
  c->table = table;
  c->room = room;
  memset(table, 0xff, room * sizeof *table); /* SIOX__NO_BLOCK */
  for (uint32_t i = 0; i < c->count; i++)
    link_chain(c, &c->block[i]);
  return 0;
}

bool siox__cache_must_clean(const struct siox__cache *c) {
  if (c->count < c->most)
    return false;
  return c->block[c->oldest].is_dirty;
}

struct siox__block *siox__cache_add(struct siox__cache *c, uint64_t file, uint64_t number,
                                    const struct siox_layout *layout) {
  struct siox__block *b;
  if (c->count < c->most) {
    if (c->count == c->room && grow(c) < 0)
      return NULL;
    b = &c->block[c->count++];
  } else {
    b = &c->block[c->oldest];
    unlink_use(c, b);
    uint32_t *at = chain_of(c, b->file, b->number), i = (uint32_t)(b - c->block);
    while (*at != i)
      at = &c->block[*at].chain;
    *at = b->chain;
  }
  *b = (struct siox__block){.file = file, .number = number, .layout = layout};
  link_use(c, b);
  link_chain(c, b);
  return b;
}

void siox__cache_dirty(struct siox__cache *c, struct siox__block *b, uint32_t from, uint32_t to) {
  if (!b->is_dirty) {
    b->is_dirty = true;
    b->dirty_from = b->dirty_to = from;
    b->dirty = c->first_dirty;
    c->first_dirty = (uint32_t)(b - c->block);
    c->ndirty++;
  }
  uint32_t before = b->dirty_to - b->dirty_from;
  b->dirty_from = from < b->dirty_from ? from : b->dirty_from;
  b->dirty_to = to > b->dirty_to ? to : b->dirty_to;
  c->dirty += b->dirty_to - b->dirty_from - before;
}

void siox__cache_clean(struct siox__cache *c, uint32_t *dirty) {
  for (uint32_t i = c->first_dirty; i != SIOX__NO_BLOCK; i = c->block[i].dirty) {
    *dirty++ = i;
    c->block[i].is_dirty = false;
  }
  c->first_dirty = SIOX__NO_BLOCK;
  c->ndirty = 0;
  c->dirty = 0;
}
