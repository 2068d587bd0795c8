/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What somebody may have meant by a key that a mapping does not have. Internal. */
#ifndef SIOX_COMMON_CONF_YAML_KEYS_H
#define SIOX_COMMON_CONF_YAML_KEYS_H
#include <cyaml/cyaml.h>
#include <stddef.h>

/* The schema of the mapping that parts lead to from a document's top, the outermost part last:
 * ".field" or "[index]" each, as libcyaml logs them. NULL: they lead elsewhere. */
const cyaml_schema_field_t *siox__yaml_fields(const cyaml_schema_value_t *schema, char (*part)[80],
                                              unsigned nparts);
/* "; did you mean disks?", or where no key is near "; there are a, b, c", as far as there is room.
 */
void siox__yaml_meant(const cyaml_schema_field_t *fields, const char *key, char *text, size_t size);

#endif
