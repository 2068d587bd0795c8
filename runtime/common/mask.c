/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Disk sets of any width; see siox/mask.h. */
#include "siox/mask.h"
#include "siox/error.h"
#include <stdlib.h>
#include <string.h>

int siox_mask_init(struct siox_mask *m, uint32_t ndisks) {
  *m = (struct siox_mask){0};
  if (ndisks == 0 || ndisks > SIOX_MAX_DISKS)
    return SIOX_ERANGE;
  m->words = calloc(siox_mask_words(ndisks), sizeof *m->words);
  if (!m->words)
    return SIOX_ENOMEM;
  m->ndisks = ndisks;
  return 0;
}

void siox_mask_free(struct siox_mask *m) {
  free(m->words);
  *m = (struct siox_mask){0};
}

int siox_mask_parse(struct siox_mask *m, const char *text) {
  *m = (struct siox_mask){0};
  size_t n = strspn(text, "01");
  if (n == 0 || text[n] != '\0')
    return SIOX_ESYNTAX;
  if (n > SIOX_MAX_DISKS)
    return SIOX_ERANGE;
  int rc = siox_mask_init(m, (uint32_t)n);
  if (rc)
    return rc;
  for (uint32_t d = 0; d < m->ndisks; d++)
    if (text[d] == '1')
      siox_mask_set(m, d);
  return 0;
}

int siox_mask_format(const struct siox_mask *m, char *buffer, size_t size) {
  for (uint32_t d = 0; d < m->ndisks && d + (size_t)1 < size; d++)
    buffer[d] = siox_mask_test(m, d) ? '1' : '0';
  if (size > 0)
    buffer[m->ndisks < size ? m->ndisks : size - 1] = '\0';
  return (int)m->ndisks;
}

void siox_mask_zero(struct siox_mask *m) {
  size_t n = siox_mask_words(m->ndisks);
  if (n)
    memset(m->words, 0, n * sizeof *m->words);
}

/* Bits that exist in the last word. */
static uint64_t last_word(uint32_t ndisks) {
  return ndisks % 64 ? (UINT64_C(1) << (ndisks % 64)) - 1 : ~UINT64_C(0);
}

void siox_mask_fill(struct siox_mask *m) {
  siox_mask_zero(m);
  siox_mask_complement(m);
}

void siox_mask_complement(struct siox_mask *m) {
  size_t n = siox_mask_words(m->ndisks);
  for (size_t i = 0; i < n; i++)
    m->words[i] = ~m->words[i];
  if (n)
    m->words[n - 1] &= last_word(m->ndisks);
}

int siox_mask_copy(struct siox_mask *to, const struct siox_mask *from) {
  if (to->ndisks != from->ndisks)
    return SIOX_EINVAL;
  size_t n = siox_mask_words(to->ndisks);
  if (n)
    memmove(to->words, from->words, n * sizeof *to->words);
  return 0;
}

/* Word i of m as seen by a mask of another width: words beyond m's end are empty. */
static uint64_t word_of(const struct siox_mask *m, size_t i) {
  return i < siox_mask_words(m->ndisks) ? m->words[i] : 0;
}

void siox_mask_or(struct siox_mask *to, const struct siox_mask *from) {
  size_t n = siox_mask_words(to->ndisks);
  for (size_t i = 0; i < n; i++)
    to->words[i] |= word_of(from, i);
  if (n)
    to->words[n - 1] &= last_word(to->ndisks);
}

void siox_mask_and(struct siox_mask *to, const struct siox_mask *from) {
  size_t n = siox_mask_words(to->ndisks);
  for (size_t i = 0; i < n; i++)
    to->words[i] &= word_of(from, i);
}

void siox_mask_andnot(struct siox_mask *to, const struct siox_mask *from) {
  size_t n = siox_mask_words(to->ndisks);
  for (size_t i = 0; i < n; i++)
    to->words[i] &= ~word_of(from, i);
}

bool siox_mask_empty(const struct siox_mask *m) { return siox_mask_next_word(m, 0) == m->ndisks; }

bool siox_mask_equal(const struct siox_mask *a, const struct siox_mask *b) {
  if (a->ndisks != b->ndisks)
    return false;
  size_t n = siox_mask_words(a->ndisks);
  return n == 0 || memcmp(a->words, b->words, n * sizeof *a->words) == 0;
}

uint32_t siox_mask_count(const struct siox_mask *m) {
  uint32_t count = 0;
  size_t n = siox_mask_words(m->ndisks);
  for (size_t i = 0; i < n; i++)
    count += (uint32_t)__builtin_popcountll(m->words[i]);
  return count;
}

/* Two words that are looked at together. */
typedef uint64_t pair __attribute__((vector_size(16), aligned(8)));

uint32_t siox_mask_next_word(const struct siox_mask *m, size_t word) {
  size_t n = siox_mask_words(m->ndisks), i = word;
  const uint64_t *w = m->words;
  for (; i + 16 <= n; i += 16) { /* most of a wide set is empty */
    const pair *p = (const pair *)(w + i);
    pair all = p[0] | p[1] | p[2] | p[3] | p[4] | p[5] | p[6] | p[7];
    if (all[0] | all[1])
      break;
  }
  while (i < n && !w[i])
    i++;
  return i < n ? (uint32_t)(i * 64) + (uint32_t)__builtin_ctzll(w[i]) : m->ndisks;
}
