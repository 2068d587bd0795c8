/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Error codes. Siox functions return 0 (or a count) on success and a negative code on failure; they never
 * print, abort or exit. Thread-safe. */
#ifndef SIOX_ERROR_H
#define SIOX_ERROR_H
#ifdef __cplusplus
extern "C" {
#endif

enum siox_error {
#define SIOX_ERROR(name, value, message) name = -(value),
#include "siox/error.def"
#undef SIOX_ERROR
};

/* The message for a code from above, never NULL; a code that is not one of ours gets a generic text. */
const char *siox_strerror(int code);

/* A message with its place, filled in by functions that read user input. Text is cut, never overrun. */
struct siox_diag {
  char text[512]; /* "FILE:LINE: KEY: what is wrong and what to do", "" when nothing was said */
};

#ifdef __cplusplus
}
#endif
#endif
