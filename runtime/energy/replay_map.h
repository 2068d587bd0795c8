/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The replay's small containers. */
#ifndef SIOX_ENERGY_REPLAY_MAP_H
#define SIOX_ENERGY_REPLAY_MAP_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIOX__NONE UINT32_MAX

/* (a, b, c) -> number. */
struct siox__map {
  struct siox__map_entry {
    uint64_t a, b, c;
    uint32_t value, used;
  } * entry;
  uint32_t count, room; /* room 0 or a power of two */
};
/* Where the value of a key is; new ones start as SIOX__NONE. NULL: no memory. */
uint32_t *siox__map_at(struct siox__map *map, uint64_t a, uint64_t b, uint64_t c);
uint32_t siox__map_get(const struct siox__map *map, uint64_t a, uint64_t b, uint64_t c);
void siox__map_drop(struct siox__map *map, uint64_t a, uint64_t b, uint64_t c);

/* Makes room for one more of `size` bytes in an array of `count`. SIOX_ENOMEM. */
int siox__room(void *array, uint32_t count, uint32_t *room, size_t size);
#endif
