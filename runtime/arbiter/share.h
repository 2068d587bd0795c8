/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How many disks one user may hold against others (limits.user_share). A user holds a disk against
 * others when its claims in force ask for more than those of all others do and others have claims
 * there too. Beyond its share such a disk goes by the claims of the others, until another of its
 * disks is held no longer. Pure; state for siox. */
#ifndef SIOX_ARBITER_SHARE_H
#define SIOX_ARBITER_SHARE_H
#include "arbiter/rule.h"

struct siox__share {
  uint32_t most; /* disks; 0: shares are not bounded */
  uint32_t ndisks;
  uint32_t *holder;   /* per disk: the user that holds it against others, SIOX_NOBODY */
  uint32_t *withheld; /* per disk: the user whose claims do not count there */
};
size_t siox__share_size(uint32_t ndisks);
void siox__share_init(struct siox__share *share, void *memory, const struct siox_view *view);
/* Whose claims are not to count on the disk now; SIOX_NOBODY. `top` is the user of the greatest
 * level in force, contested when others ask for less. Disks that get room by it are due at once. */
uint32_t siox__share_judge(struct siox__share *share, struct siox__due *due, int64_t now,
                           uint32_t disk, uint32_t top, bool contested);
#endif
