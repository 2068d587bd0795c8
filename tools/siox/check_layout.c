/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The disks under a range of bytes, by walking over it from stripe to stripe. */
#include "check.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool unit_of(const char *text, char **rest, uint64_t *unit) {
  static const char suffix[] = "KMG";
  *unit = strtoull(text, rest, 10);
  const char *s = **rest ? strchr(suffix, **rest) : NULL;
  if (s) {
    *unit <<= 10 * (s - suffix + 1);
    ++*rest;
  }
  return *rest != text && *unit > 0;
}

/* "BASE:FACTOR:" before a unit */
static bool triplet(struct siox__stripes *s, const char *text, uint32_t nodes) {
  uint32_t base;
  if (sscanf(text, "%" SCNu32 ":%" SCNu32 ":", &base, &s->nnodes) != 2 || !s->nnodes ||
      s->nnodes > nodes || !(s->node = calloc(s->nnodes, sizeof *s->node)))
    return false;
  for (uint32_t k = 0; k < s->nnodes; k++)
    s->node[k] = (base + k) % nodes;
  return true;
}

/* "N,N,...:" before a unit */
static bool listed(struct siox__stripes *s, const char *text, uint32_t nodes) {
  for (char *rest; *text; text = *rest == ',' ? rest + 1 : "") {
    uint32_t node = (uint32_t)strtoul(text, &rest, 10);
    uint32_t *more = realloc(s->node, (s->nnodes + 1) * sizeof *more);
    if (!more)
      return false;
    s->node = more;
    if (rest == text || node >= nodes)
      return false;
    s->node[s->nnodes++] = node;
  }
  return s->nnodes > 0;
}

static bool parse(struct siox__stripes *s, const char *text) {
  const char *slash = strchr(text, '/'), *first = strchr(text, ':'), *last = first;
  char *rest;
  uint32_t nodes = s->ndisks;
  if (slash) {
    s->members = (uint32_t)strtoul(slash + 1, &rest, 10);
    if (*rest != ':' || !unit_of(rest + 1, &rest, &s->member_unit) || s->members < 2 ||
        s->ndisks % s->members)
      return false;
    s->parity = strcmp(rest, ":parity") == 0;
    if (*rest && !s->parity)
      return false;
    nodes /= s->members;
  }
  for (const char *c = first; c && (!slash || c < slash); c = strchr(c + 1, ':'))
    last = c;
  if (!first || !unit_of(last + 1, &rest, &s->unit) || (*rest && rest != slash))
    return false;
  return first == last ? listed(s, text, nodes) : triplet(s, text, nodes);
}

bool siox__stripes_read(struct siox__stripes *s, const char *text, uint32_t ndisks) {
  *s = (struct siox__stripes){.ndisks = ndisks};
  if (parse(s, text))
    return true;
  siox__stripes_free(s);
  return false;
}

void siox__stripes_free(struct siox__stripes *s) {
  free(s->node);
  *s = (struct siox__stripes){0};
}

void siox__stripes_all(const struct siox__stripes *s, unsigned char *touched) {
  uint32_t each = s->members ? s->members : 1;
  for (uint32_t k = 0; k < s->nnodes; k++)
    memset(touched + s->node[k] * each, 1, each);
}

/* Byte `at` of a file; returns how many bytes from there on lie on the same disks. */
static uint64_t touch_at(const struct siox__stripes *s, uint64_t at, bool write,
                         unsigned char *touched) {
  uint64_t stripe = at / s->unit, in = at % s->unit, same = s->unit - in;
  uint32_t node = s->node[stripe % s->nnodes];
  if (!s->members) {
    touched[node] = 1;
    return same;
  }
  uint64_t share = stripe / s->nnodes * s->unit + in, part = share / s->member_unit;
  uint64_t end = s->member_unit - share % s->member_unit;
  uint32_t m = s->members, member;
  if (s->parity) {
    uint32_t p = m - 1 - (uint32_t)(part / (m - 1) % m);
    member = (p + 1 + (uint32_t)(part % (m - 1))) % m;
    if (write)
      touched[node * m + p] = 1;
  } else {
    member = (uint32_t)(part % m);
  }
  touched[node * m + member] = 1;
  return end < same ? end : same;
}

static bool complete(const struct siox__stripes *s, const unsigned char *touched) {
  uint32_t each = s->members ? s->members : 1;
  for (uint32_t k = 0; k < s->nnodes; k++)
    if (memchr(touched + s->node[k] * each, 0, each))
      return false;
  return true;
}

void siox__stripes_touch(const struct siox__stripes *s, int64_t offset, int64_t bytes, bool write,
                         unsigned char *touched) {
  if (offset < 0 || bytes <= 0)
    return;
  uint64_t at = (uint64_t)offset, end = at + (uint64_t)bytes, step;
  for (uint32_t n = 0; at<end; at = end - at> step ? at + step : end) {
    step = touch_at(s, at, write, touched);
    if (++n % 64 == 0 && complete(s, touched))
      return; /* of a long range over small stripes */
  }
}
