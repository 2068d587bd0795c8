/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The store between jobs and disks, as a scenario states it. */
#ifndef SIOX_TOOLS_SIM_STORE_H
#define SIOX_TOOLS_SIM_STORE_H
#include "common/conf/yaml.h"
#include "siox/sim.h"

struct sim_cache_text {
  char *size, *block, *rate, *read_ahead, *write_back, *dirty_limit, *flush_age;
};
extern const cyaml_schema_field_t sim_cache_fields[]; /* of a mapping */

struct sim_store_text {
  char *array, *array_unit, *array_parity;
};

/* What an I/O node is: no array without array_unit. Error codes as siox__yaml_fail gets them. */
int sim_store_array(struct siox__yaml *yaml, const struct sim_store_text *text,
                    struct siox_array *array, struct siox_diag *diag);
/* text NULL: no cache. */
int sim_store_cache(struct siox__yaml *yaml, const struct sim_cache_text *text,
                    struct siox_cache_options *cache, struct siox_diag *diag);
/* Bytes as in a layout, "64K": at least `low`, at most a quarter of the greatest offset. */
int sim_store_bytes(struct siox__yaml *yaml, const char *key, const char *text, int64_t low,
                    int64_t *bytes, struct siox_diag *diag);

#endif
