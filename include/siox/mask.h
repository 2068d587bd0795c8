/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sets of disks of any width. Bit j is disk j; written out, disk 0 stands leftmost (paper section IV:
 * "011110" names disks 1 to 4 of six). Words are little-endian in bit order: disk j is bit j % 64 of word
 * j / 64; bits at and above ndisks are always 0. Not thread-safe per object. */
#ifndef SIOX_MASK_H
#define SIOX_MASK_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Layout is ABI: the pass emits constant objects of this type. */
struct siox_mask {
  uint32_t ndisks;
  uint32_t reserved; /* 0 */
  uint64_t *words;   /* siox_mask_words(ndisks) of them; the pass points it at constant data */
};

#define SIOX_MAX_DISKS 65536u

static inline size_t siox_mask_words(uint32_t ndisks) { return ((size_t)ndisks + 63) / 64; }

int siox_mask_init(struct siox_mask *m, uint32_t ndisks); /* all clear; SIOX_ERANGE, SIOX_ENOMEM */
void siox_mask_free(struct siox_mask *m);                 /* harmless on a zeroed object */
int siox_mask_parse(struct siox_mask *m, const char *text); /* "011110"; inits m; SIOX_ESYNTAX */
/* Writes ndisks characters and NUL; returns the length needed without NUL, like snprintf. */
int siox_mask_format(const struct siox_mask *m, char *buffer, size_t size);

static inline bool siox_mask_test(const struct siox_mask *m, uint32_t disk) {
  return disk < m->ndisks && (m->words[disk / 64] >> (disk % 64) & 1);
}
static inline void siox_mask_set(struct siox_mask *m, uint32_t disk) {
  if (disk < m->ndisks)
    m->words[disk / 64] |= UINT64_C(1) << (disk % 64);
}
static inline void siox_mask_clear(struct siox_mask *m, uint32_t disk) {
  if (disk < m->ndisks)
    m->words[disk / 64] &= ~(UINT64_C(1) << (disk % 64));
}
void siox_mask_zero(struct siox_mask *m);
void siox_mask_fill(struct siox_mask *m);                          /* every disk */
int siox_mask_copy(struct siox_mask *to, const struct siox_mask *from); /* same width; SIOX_EINVAL */
void siox_mask_or(struct siox_mask *to, const struct siox_mask *from);  /* disks beyond to's width are dropped */
void siox_mask_and(struct siox_mask *to, const struct siox_mask *from);
void siox_mask_andnot(struct siox_mask *to, const struct siox_mask *from);
void siox_mask_complement(struct siox_mask *m);
bool siox_mask_empty(const struct siox_mask *m);
bool siox_mask_equal(const struct siox_mask *a, const struct siox_mask *b);
uint32_t siox_mask_count(const struct siox_mask *m);
/* First disk in the set in this or a later word, or ndisks. */
uint32_t siox_mask_next_word(const struct siox_mask *m, size_t word);
/* First disk in the set at or after from, or ndisks. for (d = siox_mask_next(m,0); d < m->ndisks; d = siox_mask_next(m,d+1)) */
static inline uint32_t siox_mask_next(const struct siox_mask *m, uint32_t from) {
  if (from >= m->ndisks)
    return m->ndisks;
  uint64_t rest = m->words[from / 64] >> (from % 64);
  return rest ? from + (uint32_t)__builtin_ctzll(rest) : siox_mask_next_word(m, (size_t)from / 64 + 1);
}

#ifdef __cplusplus
}
#endif
#endif
