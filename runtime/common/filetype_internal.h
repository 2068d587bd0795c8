/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What filetype.c (making types) and view.c (looking at them) share. */
#ifndef SIOX_COMMON_FILETYPE_INTERNAL_H
#define SIOX_COMMON_FILETYPE_INTERNAL_H
#include "common/filetype.h"

struct siox__block {
  int64_t at;   /* added to its child's offsets */
  int64_t data; /* bytes of data before it */
  struct siox__filetype *child;
};

struct siox__filetype {
  enum {
    SIOX__SOLID,     /* size bytes from true_lower on */
    SIOX__SOMEWHERE, /* size bytes between true_lower and true_upper */
    SIOX__REPEAT,    /* count children, the i-th at byte at + i * stride */
    SIOX__LIST       /* blocks, each with data */
  } kind;
  uint32_t references;
  struct siox__filetype_facts facts;
  struct siox__filetype *child;
  int64_t at, count, stride;
  int64_t nblocks;
  struct siox__block *block;
};
#endif
