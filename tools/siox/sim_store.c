/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* See sim_store.h. */
#include "sim_store.h"
#include "common/conf/text.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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
  if (rc || value > INT64_MAX / 4 || value < (uint64_t)low)
    return siox__yaml_fail(
        yaml, diag, rc ? rc : SIOX_ERANGE, key,
        "expected bytes, at least %" PRId64 ", with K, M or G for binary multiples", low);
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
