/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Values of command-line options, for the programs of this directory that are experiments: each
 * reads the whole text or says no. Static functions, so that a program stays one file. */
#ifndef SIOX_TEST_APPS_OPTIONS_H
#define SIOX_TEST_APPS_OPTIONS_H
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline bool option_whole(const char *text, int64_t least, int64_t most, int64_t *value) {
  char *end;
  errno = 0;
  long long v = strtoll(text, &end, 10);
  if (end == text || *end || errno || v < least || v > most)
    return false;
  *value = v;
  return true;
}

/* Finite, and a number that C writes, not "infinity" or a hexadecimal one. */
static inline bool option_real(const char *text, double least, double most, double *value) {
  char *end;
  double v = strtod(text, &end);
  if (end == text || *end || !(v >= least && v <= most) || strpbrk(text, "xXnN"))
    return false;
  *value = v;
  return true;
}

/* Bytes: a whole number, with K, M or G (powers of 1024). */
static inline bool option_bytes(const char *text, int64_t least, int64_t most, int64_t *value) {
  char *end;
  errno = 0;
  long long v = strtoll(text, &end, 10);
  int shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
  if (end == text || errno || v < 0 || end[shift ? 1 : 0] || v > INT64_MAX >> shift)
    return false;
  v <<= shift;
  if (v < least || v > most)
    return false;
  *value = v;
  return true;
}

/* A number that looks random and is the same everywhere (the finalizer of SplitMix64). */
static inline uint64_t option_mix(uint64_t seed, uint64_t i) {
  uint64_t z = (seed ^ (i + 1) * UINT64_C(0xd1342543de82ef95)) + UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/* Text as a string of JSON. What is no printable ASCII is told by its number. */
static inline void option_json(FILE *out, const char *text) {
  fputc('"', out);
  for (; *text; text++)
    if (*text == '"' || *text == '\\')
      fprintf(out, "\\%c", *text);
    else if (isascii(*text) && isprint(*text))
      fputc(*text, out);
    else
      fprintf(out, "\\u%04x", (unsigned char)*text);
  fputc('"', out);
}

#endif
