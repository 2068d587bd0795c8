/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The blocks that one server has in memory, by file and number, in the order of their last use; of
 * some of them a part is newer than on disk. Grows with what is in it, up to a number of blocks. */
#ifndef SIOX_ENERGY_CACHE_H
#define SIOX_ENERGY_CACHE_H
#include "siox/layout.h"

#define SIOX__NO_BLOCK UINT32_MAX

struct siox__block {
  uint64_t file, number;
  int64_t ready;                    /* its data are there from then on */
  const struct siox_layout *layout; /* of its file */
  uint32_t from, to;                /* what of it is in memory */
  uint32_t dirty_from, dirty_to;    /* and not on disk */
  bool is_dirty;
  uint32_t newer, older, chain, dirty;
};
struct siox__cache {
  struct siox__block *block;
  uint32_t *table; /* first of each chain */
  uint32_t count, room, most, newest, oldest;
  uint32_t first_dirty, ndirty;
  uint64_t dirty; /* bytes */
};

void siox__cache_init(struct siox__cache *cache, uint32_t most);
void siox__cache_free(struct siox__cache *cache);
/* NULL: not in memory. */
struct siox__block *siox__cache_find(const struct siox__cache *cache, uint64_t file,
                                     uint64_t number);
void siox__cache_use(struct siox__cache *cache, struct siox__block *block); /* now the newest */
/* Whether the next new block would take the place of a dirty one. */
bool siox__cache_must_clean(const struct siox__cache *cache);
/* A new, empty block, in the place of the oldest when all are taken. NULL: no memory. Blocks may
 * move. */
struct siox__block *siox__cache_add(struct siox__cache *cache, uint64_t file, uint64_t number,
                                    const struct siox_layout *layout);
void siox__cache_dirty(struct siox__cache *cache, struct siox__block *block, uint32_t from,
                       uint32_t to); /* more of it */
/* Names the dirty blocks, ndirty of them, and takes all for clean; their bounds stay readable. */
void siox__cache_clean(struct siox__cache *cache, uint32_t *dirty);
#endif
