/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* See service.h. */
#include "arbiter/service.h"

void siox__services_find(struct siox__services *s, const struct siox_drive *drive, uint64_t bytes) {
  *s = (struct siox__services){.drive = drive, .bytes = bytes};
  for (int sequential = 0; sequential < 2; sequential++)
    for (uint32_t l = 0; l < drive->nlevels; l++)
      if (drive->level[l].serves) {
        int64_t ns = siox_drive_service_ns(drive, l, bytes, sequential);
        s->of[sequential].ns[l] = ns;
        s->of[sequential].joules[l] = drive->level[l].active_w * (double)ns * 1e-9;
      }
}
