/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Entries of layouts.yaml as they stand there, for other files that carry such a list. Internal. */
#ifndef SIOX_COMMON_CONF_LAYOUTS_SCHEMA_H
#define SIOX_COMMON_CONF_LAYOUTS_SCHEMA_H
#include "common/conf/yaml.h"
#include "siox/layouts.h"

struct siox__layouts_text {
  char *file, *layout, *base, *factor, *unit, *disks;
  char **nodes;
  unsigned nodes_count;
};
extern const cyaml_schema_value_t siox__layouts_entry; /* a mapping: struct siox__layouts_text */

/* prefix: the key path of the list, for messages; array: what nodes are unless a text says otherwise.
 * As siox_layouts_load. */
int siox__layouts_read(struct siox__yaml *yaml, const char *prefix,
                       const struct siox__layouts_text *list, unsigned count, uint32_t ndisks,
                       const struct siox_array *array, struct siox_layouts *layouts,
                       struct siox_diag *diag);
/* Whether an entry's pattern means a file. */
bool siox__layouts_match(const char *pattern, const char *file);

#endif
