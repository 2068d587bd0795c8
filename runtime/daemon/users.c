/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What users have of the daemon. Nobody can take all of it: the first may have half of what there
 * is, the next half of the rest, and so on. Who alone uses a daemon of his own is its administrator
 * and bounded by what there is only. */
#include "common/clock.h"
#include "daemon/daemon.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void siox__complain(struct siox__daemon *d, const char *format, ...) {
  char text[1024];
  int64_t now = siox__now_ns();
  if (d->said_until - now > 60 * INT64_C(1000000000)) {
    d->unsaid++;
    d->count.unsaid++;
    return;
  }
  d->said_until = (d->said_until > now ? d->said_until : now) + INT64_C(1000000000);
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (d->unsaid)
    siox__log(&d->log, SIOX__LOG_WARN, "%s (%llu like this before it were not told)", text,
              (unsigned long long)d->unsaid);
  else
    siox__log(&d->log, SIOX__LOG_WARN, "%s", text);
  d->unsaid = 0;
}

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
    siox__complain(
        d, "user %u has %llu connections and %llu open files: no more, so that others get some",
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
