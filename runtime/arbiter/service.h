/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a request takes at each level of a drive: most requests in a row are of one size, so the
 * last answer is kept. */
#ifndef SIOX_ARBITER_SERVICE_H
#define SIOX_ARBITER_SERVICE_H
#include "siox/drive.h"

struct siox__service_of { /* by level; 0 where it does not serve */
  int64_t ns[SIOX_MAX_LEVELS];
  double joules[SIOX_MAX_LEVELS];
};
struct siox__services {
  const struct siox_drive *drive; /* NULL: nothing is known yet */
  uint64_t bytes;
  struct siox__service_of of[2]; /* [sequential] */
};

void siox__services_find(struct siox__services *s, const struct siox_drive *drive, uint64_t bytes);

static inline const struct siox__service_of *siox__services(struct siox__services *s,
                                                            const struct siox_drive *drive,
                                                            uint64_t bytes, bool sequential) {
  if (s->drive != drive || s->bytes != bytes)
    siox__services_find(s, drive, bytes);
  return &s->of[sequential];
}
#endif
