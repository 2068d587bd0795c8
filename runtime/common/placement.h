/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the readers of file systems' layouts share. */
#ifndef SIOX_COMMON_PLACEMENT_H
#define SIOX_COMMON_PLACEMENT_H
#include "siox/placement.h"
#include <stdint.h>

/* Bytes of either order. Reading does not check: siox__bytes_hold does. */
struct siox__bytes {
  const uint8_t *at;
  size_t size;
  bool big; /* most significant byte first */
};
static inline bool siox__bytes_hold(const struct siox__bytes *b, uint64_t offset, uint64_t length) {
  return offset <= b->size && length <= b->size - offset;
}
uint64_t siox__bytes_get(const struct siox__bytes *b, size_t offset, unsigned width);

/* "what" to diag; returns code. */
int siox__placement_fail(struct siox_diag *diag, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Adds [start, end) on those targets, in their order. */
int siox__placement_add(struct siox_placement *out, uint64_t start, uint64_t end, uint64_t unit,
                        const uint64_t *target, uint32_t n, const struct siox_targets *targets,
                        struct siox_diag *diag);
/* In order of their starts. SIOX_EPROTO when two overlap. Gives all parts the same number of disks.
 */
int siox__placement_settle(struct siox_placement *out, const struct siox_targets *targets,
                           struct siox_diag *diag);
#endif
