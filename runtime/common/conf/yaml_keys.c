/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Keys near an unknown one; see yaml_keys.h. */
#include "common/conf/yaml_keys.h"
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 40 }; /* no key of ours is longer */

const cyaml_schema_field_t *siox__yaml_fields(const cyaml_schema_value_t *schema, char (*part)[80],
                                              unsigned nparts) {
  while (schema && nparts-- > 0) {
    if (part[nparts][0] == '[') {
      schema = schema->type == CYAML_SEQUENCE || schema->type == CYAML_SEQUENCE_FIXED
                   ? schema->sequence.entry
                   : NULL;
      continue;
    }
    const cyaml_schema_field_t *field =
        schema->type == CYAML_MAPPING ? schema->mapping.fields : NULL;
    while (field && field->key && strcmp(field->key, part[nparts] + 1) != 0)
      field++;
    schema = field && field->key ? &field->value : NULL;
  }
  return schema && schema->type == CYAML_MAPPING ? schema->mapping.fields : NULL;
}

static unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

/* Letters to add, drop, change, or swap with their neighbour, from one word to the other. UINT_MAX:
 * one of them is too long to be meant. */
static unsigned distance(const char *a, const char *b) {
  unsigned row[3][LONGEST + 1];
  size_t n = strlen(a), m = strlen(b);
  if (n > LONGEST || m > LONGEST)
    return UINT_MAX;
  for (size_t k = 0; k <= m; k++)
    row[0][k] = (unsigned)k;
  for (size_t i = 1; i <= n; i++) {
    unsigned *now = row[i % 3], *before = row[(i + 2) % 3], *earlier = row[(i + 1) % 3];
    now[0] = (unsigned)i;
    for (size_t k = 1; k <= m; k++) {
      now[k] = least(least(now[k - 1], before[k]) + 1, before[k - 1] + (a[i - 1] != b[k - 1]));
      if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
        now[k] = least(now[k], earlier[k - 2] + 1);
    }
  }
  return row[n % 3][m];
}

void siox__yaml_meant(const cyaml_schema_field_t *fields, const char *key, char *text,
                      size_t size) {
  const char *near = NULL;
  unsigned best = (unsigned)(strlen(key) + 2) / 3 + 1; /* a third of the letters may be wrong */
  *text = '\0';
  for (const cyaml_schema_field_t *f = fields; f && f->key; f++) {
    unsigned off = distance(key, f->key);
    if (off < best) {
      best = off;
      near = f->key;
    }
  }
  if (near) {
    snprintf(text, size, "; did you mean %s?", near);
    return;
  }
  size_t used = 0;
  for (const cyaml_schema_field_t *f = fields; f && f->key; f++) {
    const char *lead = used ? ", " : "; there are ";
    size_t more = strlen(lead) + strlen(f->key);
    if (used + more + sizeof ", ..." > size) {
      snprintf(text + used, size - used, "%s", used ? ", ..." : "");
      return;
    }
    used += (size_t)snprintf(text + used, size - used, "%s%s", lead, f->key);
  }
}
