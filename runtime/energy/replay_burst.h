/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What processes used at one time: a request, or all requests of a collective call, which are one
 * use of every member. Bytes of files, so that it can be asked which disks those are under any
 * layouts. 28 bytes a request that does not go on where the one before it ended. */
#ifndef SIOX_ENERGY_REPLAY_BURST_H
#define SIOX_ENERGY_REPLAY_BURST_H
#include "energy/replay_map.h"
#include "siox/layout.h"

struct siox__range { /* bytes of a file; of one burst in a list */
  int64_t offset, bytes;
  uint32_t file, next;
};
struct siox__bursts {
  struct siox__range *range;
  uint32_t *burst; /* its last range; the list goes round. SIOX__NONE: it has none */
  uint32_t nranges, range_room, nbursts, burst_room;
  struct siox__map groups; /* by collective: its burst */
};
typedef const struct siox_layout *(*siox__layout_of_fn)(const void *context, uint32_t file);

int siox__burst_new(struct siox__bursts *b, uint32_t *burst); /* SIOX_ENOMEM */
/* That of a collective, a new one the first time. SIOX_ENOMEM. */
int siox__burst_group(struct siox__bursts *b, uint64_t uid, uint64_t seq, uint32_t *burst);
int siox__burst_add(struct siox__bursts *b, uint32_t burst, uint32_t file, int64_t offset,
                    int64_t bytes); /* SIOX_ENOMEM */
/* Adds the disks of a burst to a mask. */
void siox__burst_disks(const struct siox__bursts *b, uint32_t burst, siox__layout_of_fn layout_of,
                       const void *context, struct siox_mask *mask);
void siox__bursts_free(struct siox__bursts *b);
#endif
