/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the readers of a scenario share: its text by keys, and what becomes of it. */
#ifndef SIOX_TOOLS_SIM_LOADER_H
#define SIOX_TOOLS_SIM_LOADER_H
#include "common/conf/config_value.h"
#include "common/conf/layouts_schema.h"
#include "sim.h"
#include "sim_store.h"

/* Every value as it is written; NULL: the key is not there. */
struct sim_generate_text {
  char *processes, *phases, *gap, *burst, *request, *error, *jitter, *seed, *hints, *together,
      *operation, *layout;
};
struct sim_job_text {
  char *name, *trace, *start, *repeats, *pause, *instances, *think, *delay_budget, *hints;
  struct sim_generate_text *generate;
};
struct sim_scenario_text {
#define SIOX_CONFIG(kind, key, initial, environment, help) char *key;
#include "siox/limits.def"
#undef SIOX_CONFIG
  char *array_unit, *array_parity;
  struct sim_cache_text *cache;
  char *disks, *transition_rule, *time_scale, *initial_level, *hold_factor, *default_layout;
  struct siox__layouts_text *layouts;
  unsigned layouts_count;
  struct sim_job_text *jobs;
  unsigned jobs_count;
  char **schemes;
  unsigned schemes_count;
};

struct sim_loader {
  struct sim_scenario *s;
  struct siox__yaml yaml;
  struct siox_diag *diag;
  struct sim_scenario_text *text;
  char *directory;
  struct siox_config config; /* the settings of the disks */
  struct siox_layout fallback;
  bool *matched;           /* of each entry of layouts: it is for some file of some job */
  struct siox_array array; /* that every I/O node is */
  bool moved;              /* not as it was recorded: no trace alone can stand for it */
  int rc;                  /* of the first mistake; nothing is read after it */
};

/* sim_scenario.c. Only the first mistake counts; key says where it stands. */
void sim_loader_fail(struct sim_loader *in, int code, const char *key, const char *what);
/* A setting of the configuration; field as siox__config_convert takes it. */
void sim_loader_set(struct sim_loader *in, enum siox__config_kind kind, const char *key,
                    const char *text, void *field);
void sim_loader_input(struct sim_loader *in, const char *path); /* a file that is read */
/* Where the trace of a job that has one lies; freed by the caller. What cannot be read twice, as a
 * pipe, is a mistake. */
char *sim_loader_trace(struct sim_loader *in, unsigned index);

/* sim_scenario_disks.c, in this order: the rest stands on the disks. */
void sim_loader_disks(struct sim_loader *in);
void sim_loader_limits(struct sim_loader *in);
void sim_loader_layouts(struct sim_loader *in);
/* After the jobs: an entry that is for no file of theirs is a mistake. */
void sim_loader_layouts_matched(struct sim_loader *in);

/* sim_scenario_job.c: one of the jobs, into the simulation. */
void sim_loader_job(struct sim_loader *in, unsigned index);

#endif
