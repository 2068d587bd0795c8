/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What layout.c and layout_array.c share. Internal. */
#ifndef SIOX_COMMON_LAYOUT_ARRAY_H
#define SIOX_COMMON_LAYOUT_ARRAY_H
#include "siox/layout.h"

/* Pieces of [from, end), from < end, on a ring of `factor` places; `disk` is the place. */
uint32_t siox__ring_extents(uint64_t from, uint64_t end, uint64_t unit, uint32_t factor,
                            struct siox_extent *out);

/* Sets the disks of a node that a write of [local, local + bytes) of its share touches. */
void siox__array_mark(const struct siox_array *array, uint32_t node, uint64_t local, uint64_t bytes,
                      struct siox_mask *mask);
/* Whether the disks of one byte are set. */
bool siox__array_marked(const struct siox_array *array, uint32_t node, uint64_t local,
                        const struct siox_mask *mask);
/* Bytes of a share after which the members' turns repeat. */
unsigned __int128 siox__array_period(const struct siox_array *array);
#endif
