/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "energy/replay_burst.h"
#include "siox/error.h"
#include <stdlib.h>
#include <string.h>

int siox__burst_new(struct siox__bursts *b, uint32_t *burst) {
  if (siox__room(&b->burst, b->nbursts, &b->burst_room, sizeof *b->burst) < 0)
    return SIOX_ENOMEM;
  *burst = b->nbursts;
  b->burst[b->nbursts++] = SIOX__NONE;
  return 0;
}

int siox__burst_group(struct siox__bursts *b, uint64_t uid, uint64_t seq, uint32_t *burst) {
  uint32_t *at = siox__map_at(&b->groups, uid, seq, 0);
  if (!at)
    return SIOX_ENOMEM;
  int rc = *at == SIOX__NONE ? siox__burst_new(b, at) : 0;
  *burst = *at;
  return rc;
}

/* The ranges of a burst are a ring, so that the last one leads to all. */
int siox__burst_add(struct siox__bursts *b, uint32_t burst, uint32_t file, int64_t offset,
                    int64_t bytes) {
  uint32_t last = b->burst[burst];
  int64_t end;
  if (last != SIOX__NONE && b->range[last].file == file &&
      !__builtin_add_overflow(b->range[last].offset, b->range[last].bytes, &end) && end == offset &&
      !__builtin_add_overflow(b->range[last].bytes, bytes, &end)) {
    b->range[last].bytes = end;
    return 0;
  }
  if (siox__room(&b->range, b->nranges, &b->range_room, sizeof *b->range) < 0)
    return SIOX_ENOMEM;
  uint32_t here = b->nranges++;
  b->range[here] = (struct siox__range){.offset = offset,
                                        .bytes = bytes,
                                        .file = file,
                                        .next = last == SIOX__NONE ? here : b->range[last].next};
  if (last != SIOX__NONE)
    b->range[last].next = here;
  b->burst[burst] = here;
  return 0;
}

void siox__burst_disks(const struct siox__bursts *b, uint32_t burst, siox__layout_of_fn layout_of,
                       const void *context, struct siox_mask *mask) {
  uint32_t last = b->burst[burst], at = last;
  if (last == SIOX__NONE) /* nothing was recorded of it */
    return;
  do {
    at = b->range[at].next;
    const struct siox__range *r = &b->range[at];
    siox_layout_mask(layout_of(context, r->file), r->offset, r->bytes, mask);
  } while (at != last);
}

void siox__bursts_free(struct siox__bursts *b) {
  free(b->range);
  free(b->burst);
  free(b->groups.entry);
  memset(b, 0, sizeof *b);
}
