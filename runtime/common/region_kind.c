/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* See region_kind.h. */
#include "common/region_kind.h"
#include "siox/site.h"
#include <stddef.h>

const char *siox__region_kind_name(uint32_t kind) {
  switch (kind) {
#define SIOX_REGION_ROW(name, number, what)                                                        \
  case number:                                                                                     \
    return #name;
#include "siox/regions.def"
#undef SIOX_REGION_ROW
  default:
    return NULL;
  }
}
