/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of kinds of regions, in profiles and remarks. */
#ifndef SIOX_COMMON_REGION_KIND_H
#define SIOX_COMMON_REGION_KIND_H
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "LOOP"; NULL: there is no such kind. */
const char *siox__region_kind_name(uint32_t kind);

#ifdef __cplusplus
}
#endif
#endif
