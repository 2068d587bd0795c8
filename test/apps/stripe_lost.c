/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A mutation for tests: linked around libsiox's own masks (ld's --wrap), it leaves out one disk of
 * each, the lowest. Predictions made of such masks are unsound, and nothing else of the library is
 * other than it was. */
#include "siox/layout.h"

int __real_siox_layout_mask(const struct siox_layout *l, int64_t offset, int64_t length,
                            struct siox_mask *mask);
int __real_siox_layout_mask_strided(const struct siox_layout *l, int64_t offset, int64_t stride,
                                    int64_t count, int64_t size, struct siox_mask *mask);
void __real_siox_layout_disks(const struct siox_layout *l, struct siox_mask *mask);
int __wrap_siox_layout_mask(const struct siox_layout *l, int64_t offset, int64_t length,
                            struct siox_mask *mask);
int __wrap_siox_layout_mask_strided(const struct siox_layout *l, int64_t offset, int64_t stride,
                                    int64_t count, int64_t size, struct siox_mask *mask);
void __wrap_siox_layout_disks(const struct siox_layout *l, struct siox_mask *mask);

/* These calls set bits and clear none, so the loss is made in a mask of its own. */
static void add_without_lowest(struct siox_mask *mask, struct siox_mask *found) {
  uint32_t lowest = siox_mask_next(found, 0);
  if (lowest < found->ndisks)
    siox_mask_clear(found, lowest);
  for (uint32_t d = siox_mask_next(found, 0); d < found->ndisks; d = siox_mask_next(found, d + 1))
    siox_mask_set(mask, d);
  siox_mask_free(found);
}

int __wrap_siox_layout_mask(const struct siox_layout *l, int64_t offset, int64_t length,
                            struct siox_mask *mask) {
  struct siox_mask found;
  if (siox_mask_init(&found, mask->ndisks) < 0)
    return SIOX_ENOMEM;
  int rc = __real_siox_layout_mask(l, offset, length, &found);
  add_without_lowest(mask, &found);
  return rc;
}

int __wrap_siox_layout_mask_strided(const struct siox_layout *l, int64_t offset, int64_t stride,
                                    int64_t count, int64_t size, struct siox_mask *mask) {
  struct siox_mask found;
  if (siox_mask_init(&found, mask->ndisks) < 0)
    return SIOX_ENOMEM;
  int rc = __real_siox_layout_mask_strided(l, offset, stride, count, size, &found);
  add_without_lowest(mask, &found);
  return rc;
}

void __wrap_siox_layout_disks(const struct siox_layout *l, struct siox_mask *mask) {
  struct siox_mask found;
  if (siox_mask_init(&found, mask->ndisks) < 0)
    return;
  __real_siox_layout_disks(l, &found);
  add_without_lowest(mask, &found);
}
