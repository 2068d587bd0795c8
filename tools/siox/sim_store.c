/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* See sim_store.h. */
#include "sim_store.h"
#include "common/conf/text.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* So that sums of some stay whole; the same for people. */
#define BYTES_MOST (UINT64_C(1) << 61) /* in G: */
#define BYTES_MOST_TEXT "2147483648G"

int sim_store_bytes(struct siox__yaml *yaml, const char *key, const char *text, int64_t low,
                    int64_t *bytes, struct siox_diag *diag) {
  char whole[64];
  struct siox_layout l = {0};
  if (low == 0 && !strcmp(text, "0")) {
    *bytes = 0;
    return 0;
  }
  int n = snprintf(whole, sizeof whole, "0:1:%s", text);
  int rc = (size_t)n < sizeof whole && !strchr(text, '/') ? siox_layout_parse(&l, 1, whole)
                                                          : SIOX_ERANGE;
  uint64_t value = rc ? 0 : l.unit;
  siox_layout_free(&l);
  if (rc || value > BYTES_MOST || value < (uint64_t)low)
    return siox__yaml_fail(yaml, diag, rc ? rc : SIOX_ERANGE, key,
                           "expected bytes from %" PRId64 " to " BYTES_MOST_TEXT
                           ", with K, M or G for binary multiples",
                           low);
  *bytes = (int64_t)value;
  return 0;
}

int sim_store_array(struct siox__yaml *yaml, const struct sim_store_text *t,
                    struct siox_array *array, struct siox_diag *diag) {
  char what[256];
  long members = 1;
  int64_t unit = 0;
  *array = (struct siox_array){0};
  if (t->array_parity && strcmp(t->array_parity, "true") != 0 && strcmp(t->array_parity, "false"))
    return siox__yaml_fail(yaml, diag, SIOX_EINVAL, "array_parity", "expected true or false");
  if (!t->array_unit)
    return t->array_parity ? siox__yaml_fail(yaml, diag, SIOX_EINVAL, "array_parity",
                                             "stands with array_unit, which makes I/O nodes of "
                                             "arrays")
                           : 0;
  bool parity = t->array_parity && !strcmp(t->array_parity, "true");
  int rc = sim_store_bytes(yaml, "array_unit", t->array_unit, 1, &unit, diag);
  if (rc)
    return rc;
  if (!t->array)
    return siox__yaml_fail(yaml, diag, SIOX_EINVAL, "array_unit",
                           "stands with array, the disks of one");
  rc = siox__text_integer(t->array, parity ? 3 : 2, SIOX_MAX_DISKS, &members, what, sizeof what);
  if (rc)
    return siox__yaml_fail(yaml, diag, rc, "array", "%s: %s",
                           parity ? "with array_parity" : "with array_unit", what);
  *array =
      (struct siox_array){.members = (uint32_t)members, .parity = parity, .unit = (uint64_t)unit};
  return 0;
}

#define TEXT(member)                                                                               \
  CYAML_FIELD_STRING_PTR(#member, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct sim_cache_text, \
                         member, 0, CYAML_UNLIMITED)
const cyaml_schema_field_t sim_cache_fields[] = {
    TEXT(size),       TEXT(block),       TEXT(rate),      TEXT(read_ahead),
    TEXT(write_back), TEXT(dirty_limit), TEXT(flush_age), CYAML_FIELD_END};

struct cache_loader {
  struct siox__yaml *yaml;
  struct siox_diag *diag;
  int rc;
};

static void refuse(struct cache_loader *in, const char *key, const char *what) {
  if (in->rc == 0)
    in->rc = siox__yaml_fail(in->yaml, in->diag, SIOX_EINVAL, key, "%s", what);
}

static uint64_t bytes_of(struct cache_loader *in, const char *key, const char *text, int64_t low,
                         uint64_t fallback) {
  int64_t value = (int64_t)fallback;
  if (text && in->rc == 0)
    in->rc = sim_store_bytes(in->yaml, key, text, low, &value, in->diag);
  return (uint64_t)value;
}

int sim_store_cache(struct siox__yaml *yaml, const struct sim_cache_text *t,
                    struct siox_cache_options *c, struct siox_diag *diag) {
  struct cache_loader in = {.yaml = yaml, .diag = diag};
  double age = 5;
  *c = (struct siox_cache_options){0};
  if (!t)
    return 0;
  if (!t->size)
    refuse(&in, "cache.size", "this key is missing");
  c->size = bytes_of(&in, "cache.size", t->size, 1, 0);
  c->block = bytes_of(&in, "cache.block", t->block, 1, 65536);
  c->rate = (double)bytes_of(&in, "cache.rate", t->rate, 1, UINT64_C(1) << 30);
  c->read_ahead = bytes_of(&in, "cache.read_ahead", t->read_ahead, 0, 0);
  c->dirty_limit = bytes_of(&in, "cache.dirty_limit", t->dirty_limit, 0, c->size / 10);
  if (t->write_back && strcmp(t->write_back, "true") != 0 && strcmp(t->write_back, "false") != 0)
    refuse(&in, "cache.write_back", "expected true or false");
  c->write_back = t->write_back && !strcmp(t->write_back, "true");
  if (t->flush_age && in.rc == 0)
    in.rc = siox__yaml_number(yaml, "cache.flush_age", t->flush_age, 0, 1e9, &age, diag);
  c->flush_age = llround(age * 1e9);
  if (c->block > UINT64_C(1) << 30)
    refuse(&in, "cache.block", "more than 1G");
  if (c->block > c->size)
    refuse(&in, t->block ? "cache.block" : "cache.size", "a block is larger than the cache");
  if (c->read_ahead > c->size / 2)
    refuse(&in, "cache.read_ahead", "more than half of the cache");
  if (c->read_ahead && c->read_ahead < c->block)
    refuse(&in, "cache.read_ahead", "less than a block");
  if (c->dirty_limit > c->size)
    refuse(&in, "cache.dirty_limit", "more than the cache holds");
  if (!c->write_back && (t->dirty_limit || t->flush_age))
    refuse(&in, t->dirty_limit ? "cache.dirty_limit" : "cache.flush_age",
           "stands with write_back: true");
  return in.rc;
}
