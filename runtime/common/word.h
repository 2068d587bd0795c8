/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names that are safe in a key, in a log and in JSON as they are: those of nodes and of systems. */
#ifndef SIOX_COMMON_WORD_H
#define SIOX_COMMON_WORD_H
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { SIOX__WORD_MOST = 63 }; /* bytes: what a label of a host name has (RFC 1035, 2.3.4) */

/* 1 to SIOX__WORD_MOST letters, digits, dots, underscores and hyphens. No 0 is needed behind. */
static inline bool siox__is_word(const char *text, size_t length) {
  static const char known[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
  if (length == 0 || length > SIOX__WORD_MOST)
    return false;
  for (size_t i = 0; i < length; i++)
    if (!text[i] || !strchr(known, text[i]))
      return false;
  return true;
}

#endif
