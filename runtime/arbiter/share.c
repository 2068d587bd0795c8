/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* See share.h. Counting walks all disks; it happens only where shares are bounded. */
#include "arbiter/share.h"

size_t siox__share_size(uint32_t ndisks) { return 2 * ndisks * sizeof(uint32_t); }

void siox__share_init(struct siox__share *share, void *memory, const struct siox_view *view) {
  double part = view->limits.user_share;
  share->ndisks = view->ndisks;
  share->holder = memory;
  share->withheld = share->holder + view->ndisks;
  share->most = 0;
  if (part > 0 && part < 1) {
    share->most = (uint32_t)(part * view->ndisks + 1e-9);
    share->most += share->most == 0; /* one is always allowed, or nobody could work */
  }
  for (uint32_t d = 0; d < view->ndisks; d++)
    share->holder[d] = share->withheld[d] = SIOX_NOBODY;
}

static uint32_t held_by(const struct siox__share *share, uint32_t user) {
  uint32_t n = 0;
  for (uint32_t d = 0; d < share->ndisks; d++)
    n += share->holder[d] == user;
  return n;
}

uint32_t siox__share_judge(struct siox__share *share, struct siox__due *due, int64_t now,
                           uint32_t disk, uint32_t top, bool contested) {
  uint32_t was = share->holder[disk];
  if (was != SIOX_NOBODY && contested && was == top)
    return SIOX_NOBODY; /* it keeps what it has */
  share->holder[disk] = share->withheld[disk] = SIOX_NOBODY;
  if (was != SIOX_NOBODY) /* one of those that wait for its user may have its turn */
    for (uint32_t d = 0; d < share->ndisks; d++)
      if (share->withheld[d] == was)
        siox__due_set(due, d, siox__sooner(due->time[d], siox__later(now, 1)));
  if (!contested)
    return SIOX_NOBODY;
  if (held_by(share, top) < share->most) {
    share->holder[disk] = top;
    return SIOX_NOBODY;
  }
  share->withheld[disk] = top;
  return top;
}
