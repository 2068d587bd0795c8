/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Text form of layouts: "base:factor:unit" or "n0,n1,...:unit", then "/members:unit[:parity]" of
 * arrays. What format writes, parse reads back equal. */
#include "common/layout_read.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads a decimal number and moves *text behind it. SIOX_ESYNTAX without a digit, SIOX_ERANGE
 * beyond 64 bits. */
static int number(const char **text, uint64_t *value) {
  const char *p = *text;
  if (*p < '0' || *p > '9')
    return SIOX_ESYNTAX;
  uint64_t v = 0;
  for (; *p >= '0' && *p <= '9'; p++)
    if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, (uint64_t)(*p - '0'), &v))
      return SIOX_ERANGE;
  *text = p;
  *value = v;
  return 0;
}

static int unit_of(const char *text, uint64_t *unit) {
  int rc = number(&text, unit);
  if (rc)
    return rc;
  int shift = 0;
  if (*text == 'K')
    shift = 10;
  else if (*text == 'M')
    shift = 20;
  else if (*text == 'G')
    shift = 30;
  if (shift)
    text++;
  if (*text)
    return SIOX_ESYNTAX;
  return __builtin_mul_overflow(*unit, UINT64_C(1) << shift, unit) ? SIOX_ERANGE : 0;
}

static int parse_triplet(struct siox_layout *l, uint32_t ndisks, const char *text) {
  uint64_t base, factor, unit;
  int rc = number(&text, &base);
  if (rc == 0)
    rc = *text++ == ':' ? number(&text, &factor) : SIOX_ESYNTAX;
  if (rc == 0)
    rc = *text++ == ':' ? unit_of(text, &unit) : SIOX_ESYNTAX;
  if (rc)
    return rc;
  if (base > UINT32_MAX || factor > UINT32_MAX)
    return SIOX_ERANGE;
  return siox_layout_triplet(l, ndisks, (uint32_t)base, (uint32_t)factor, unit);
}

static int parse_nodes(struct siox_layout *l, uint32_t ndisks, const char *text) {
  size_t n = 1;
  for (const char *p = text; *p; p++)
    n += *p == ',';
  if (n > ndisks)
    return SIOX_ERANGE;
  uint32_t *nodes = malloc(n * sizeof *nodes);
  if (!nodes)
    return SIOX_ENOMEM;
  uint64_t node = 0, unit;
  int rc = 0;
  for (size_t k = 0; rc == 0 && k < n; k++) {
    rc = number(&text, &node);
    if (rc == 0 && *text++ != (k + 1 == n ? ':' : ','))
      rc = SIOX_ESYNTAX;
    if (rc == 0 && node >= ndisks)
      rc = SIOX_ERANGE;
    nodes[k] = (uint32_t)node;
  }
  if (rc == 0)
    rc = unit_of(text, &unit);
  if (rc == 0)
    rc = siox_layout_nodes(l, ndisks, nodes, (uint32_t)n, unit);
  free(nodes);
  return rc;
}

static int parse_plain(struct siox_layout *l, uint32_t ndisks, const char *text) {
  const char *colon = strchr(text, ':');
  if (!colon)
    return SIOX_ESYNTAX;
  return strchr(colon + 1, ':') ? parse_triplet(l, ndisks, text) : parse_nodes(l, ndisks, text);
}

/* "members:unit" or "members:unit:parity" */
static int parse_array(struct siox_array *a, const char *text) {
  uint64_t members;
  char unit[40];
  int rc = number(&text, &members);
  if (rc || *text++ != ':')
    return rc ? rc : SIOX_ESYNTAX;
  size_t length = strcspn(text, ":");
  if (length >= sizeof unit || (text[length] && strcmp(text + length, ":parity") != 0))
    return SIOX_ESYNTAX;
  memcpy(unit, text, length);
  unit[length] = 0;
  *a = (struct siox_array){.members = members > UINT32_MAX ? UINT32_MAX : (uint32_t)members,
                           .parity = text[length] != 0};
  return unit_of(unit, &a->unit);
}

int siox_layout_parse_over(struct siox_layout *l, uint32_t ndisks, const struct siox_array *array,
                           const char *text) {
  struct siox_array stated = *array;
  *l = (struct siox_layout){0};
  const char *slash = strchr(text, '/');
  int rc = slash ? parse_array(&stated, slash + 1) : 0;
  if (rc == 0 && (slash || stated.members) && (!stated.members || ndisks % stated.members))
    rc = SIOX_ERANGE;
  char *nodes = rc ? NULL : strndup(text, slash ? (size_t)(slash - text) : strlen(text));
  if (rc == 0)
    rc = nodes ? parse_plain(l, stated.members ? ndisks / stated.members : ndisks, nodes)
               : SIOX_ENOMEM;
  free(nodes);
  if (rc == 0 && stated.members && (rc = siox_layout_over(l, &stated)) < 0)
    siox_layout_free(l);
  return rc;
}

int siox_layout_parse(struct siox_layout *l, uint32_t ndisks, const char *text) {
  return siox_layout_parse_over(l, ndisks, &(struct siox_array){0}, text);
}

/* A unit that ends at `end`. */
static int unit_until(const char *text, const char *end, uint64_t *unit) {
  char copy[40];
  const size_t length = (size_t)(end - text);
  if (length >= sizeof copy)
    return SIOX_ESYNTAX;
  memcpy(copy, text, length);
  copy[length] = 0;
  return unit_of(copy, unit);
}

/* "factor:unit" behind a base that is there already. */
static int read_triplet(struct siox_layout *l, uint32_t nnodes, const char *text, const char *end) {
  uint64_t factor;
  int rc = number(&text, &factor);
  if (rc == 0 && *text++ != ':')
    rc = SIOX_ESYNTAX;
  if (rc == 0 && (factor == 0 || factor > nnodes))
    rc = SIOX_ERANGE;
  for (uint32_t k = 1; rc == 0 && k < factor; k++)
    l->nodes[k] = (l->nodes[0] + k) % nnodes;
  l->factor = rc ? 0 : (uint32_t)factor;
  return rc ? rc : unit_until(text, end, &l->unit);
}

int siox__layout_read(struct siox_layout *l, uint32_t ndisks, uint32_t *nodes, const char *text) {
  const char *slash = strchr(text, '/'), *end = slash ? slash : text + strlen(text);
  *l = (struct siox_layout){.ndisks = ndisks, .nodes = nodes};
  int rc = slash ? parse_array(&l->array, slash + 1) : 0;
  if (rc == 0 && slash && (!l->array.members || ndisks % l->array.members || !l->array.unit))
    rc = SIOX_ERANGE;
  if (rc)
    return rc;
  const uint32_t nnodes = slash ? ndisks / l->array.members : ndisks;
  for (bool more = true; more; more = *text++ == ',') {
    uint64_t node;
    rc = number(&text, &node);
    if (rc == 0 && (node >= nnodes || l->factor == nnodes))
      rc = SIOX_ERANGE;
    if (rc == 0 && *text != ',' && *text != ':')
      rc = SIOX_ESYNTAX;
    if (rc)
      return rc;
    nodes[l->factor++] = (uint32_t)node;
  }
  const bool triplet = l->factor == 1 && memchr(text, ':', (size_t)(end - text));
  rc = triplet ? read_triplet(l, nnodes, text, end) : unit_until(text, end, &l->unit);
  return rc == 0 && !l->unit ? SIOX_ERANGE : rc;
}

/* Appends to a buffer as snprintf does: what does not fit is counted only. */
static void append(char *buffer, size_t size, size_t *used, const char *text) {
  for (; *text; text++, ++*used)
    if (*used + 1 < size)
      buffer[*used] = *text;
}

static bool is_triplet(const struct siox_layout *l) {
  uint32_t nnodes = l->array.members ? l->ndisks / l->array.members : l->ndisks;
  for (uint32_t k = 1; k < l->factor; k++)
    if (l->nodes[k] != (l->nodes[0] + k) % nnodes)
      return false;
  return true;
}

/* With the largest suffix that divides it. */
static void format_unit(char *buffer, size_t size, uint64_t unit) {
  static const char *const suffix[] = {"", "K", "M", "G"};
  int shift = 0;
  while (shift < 30 && (unit & ((UINT64_C(1) << (shift + 10)) - 1)) == 0)
    shift += 10;
  snprintf(buffer, size, ":%" PRIu64 "%s", unit >> shift, suffix[shift / 10]);
}

int siox_layout_format(const struct siox_layout *l, char *buffer, size_t size) {
  size_t used = 0;
  char item[32];
  if (is_triplet(l)) {
    snprintf(item, sizeof item, "%" PRIu32 ":%" PRIu32, l->nodes[0], l->factor);
    append(buffer, size, &used, item);
  } else {
    for (uint32_t k = 0; k < l->factor; k++) {
      snprintf(item, sizeof item, "%s%" PRIu32, k ? "," : "", l->nodes[k]);
      append(buffer, size, &used, item);
    }
  }
  format_unit(item, sizeof item, l->unit);
  append(buffer, size, &used, item);
  if (l->array.members) {
    snprintf(item, sizeof item, "/%" PRIu32, l->array.members);
    append(buffer, size, &used, item);
    format_unit(item, sizeof item, l->array.unit);
    append(buffer, size, &used, item);
    append(buffer, size, &used, l->array.parity ? ":parity" : "");
  }
  if (size > 0)
    buffer[used < size ? used : size - 1] = '\0';
  return (int)used;
}
