/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What users have of the daemon. Nobody can take all of it: the first may have half of what there
 * is, the next half of the rest, and so on. Who alone uses a daemon of his own is its administrator
 * and bounded by what there is only. */
#include "daemon/daemon.h"
#include <stdlib.h>
#include <unistd.h>

struct siox__user *siox__user_of(struct siox__daemon *d, uid_t uid) {
  for (uint32_t i = 0; i < d->nusers; i++)
    if (d->user[i].uid == uid)
      return &d->user[i];
  return NULL;
}

bool siox__user_may(struct siox__daemon *d, uid_t uid, uint64_t has, uint64_t used, uint64_t most) {
  struct siox__user *user = siox__user_of(d, uid);
  if (uid == 0 || uid == geteuid() || (used < most && has < most - used))
    return true;
  if (!d->count.refused_user++ || (user && !user->told))
    siox__log(&d->log, SIOX__LOG_WARN,
              "user %u has %llu connections and %llu open files: no more, so that others get some",
              (unsigned)uid, user ? (unsigned long long)user->connections : 0ULL,
              user ? (unsigned long long)user->files : 0ULL);
  if (user)
    user->told = true;
  return false;
}

int siox__user_connects(struct siox__daemon *d, uid_t uid) {
  struct siox__user *user = siox__user_of(d, uid);
  if (!siox__user_may(d, uid, user ? user->connections : 0, d->nsessions, d->most_sessions))
    return SIOX_EFULL;
  if (!user) {
    struct siox__user *more = realloc(d->user, (d->nusers + 1) * sizeof *more);
    if (!more)
      return SIOX_ENOMEM;
    d->user = more;
    user = &more[d->nusers++];
    *user = (struct siox__user){.uid = uid};
  }
  user->connections++;
  return 0;
}

void siox__user_leaves(struct siox__daemon *d, uid_t uid) {
  struct siox__user *user = siox__user_of(d, uid);
  if (user && !--user->connections)
    *user = d->user[--d->nusers];
}
