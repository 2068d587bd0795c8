/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* scenario.yaml: its keys, and reading it from the first to the last. */
#include "output.h"
#include "sim_loader.h"
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_JOBS = 65536 };

#define TEXT(type, member)                                                                         \
  CYAML_FIELD_STRING_PTR(#member, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct type, member,   \
                         0, CYAML_UNLIMITED)
static const cyaml_schema_field_t generate_fields[] = {TEXT(sim_generate_text, processes),
                                                       TEXT(sim_generate_text, phases),
                                                       TEXT(sim_generate_text, gap),
                                                       TEXT(sim_generate_text, burst),
                                                       TEXT(sim_generate_text, request),
                                                       TEXT(sim_generate_text, error),
                                                       TEXT(sim_generate_text, jitter),
                                                       TEXT(sim_generate_text, seed),
                                                       TEXT(sim_generate_text, hints),
                                                       TEXT(sim_generate_text, together),
                                                       TEXT(sim_generate_text, operation),
                                                       TEXT(sim_generate_text, layout),
                                                       CYAML_FIELD_END};
static const cyaml_schema_field_t job_fields[] = {
    TEXT(sim_job_text, name),
    TEXT(sim_job_text, trace),
    TEXT(sim_job_text, start),
    TEXT(sim_job_text, repeats),
    TEXT(sim_job_text, pause),
    TEXT(sim_job_text, instances),
    TEXT(sim_job_text, think),
    TEXT(sim_job_text, delay_budget),
    TEXT(sim_job_text, hints),
    CYAML_FIELD_MAPPING_PTR("generate", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
                            struct sim_job_text, generate, generate_fields),
    CYAML_FIELD_END};
static const cyaml_schema_value_t job_entry = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct sim_job_text, job_fields)};
static const cyaml_schema_value_t scheme_entry = {
    CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char *, 0, CYAML_UNLIMITED)};
static const cyaml_schema_field_t scenario_fields[] = {
#define SIOX_CONFIG(kind, key, initial, environment, help) TEXT(sim_scenario_text, key),
#include "siox/limits.def"
#undef SIOX_CONFIG
    TEXT(sim_scenario_text, array_unit),
    TEXT(sim_scenario_text, array_parity),
    CYAML_FIELD_MAPPING_PTR("cache", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
                            struct sim_scenario_text, cache, sim_cache_fields),
    TEXT(sim_scenario_text, disks),
    TEXT(sim_scenario_text, transition_rule),
    TEXT(sim_scenario_text, time_scale),
    TEXT(sim_scenario_text, initial_level),
    TEXT(sim_scenario_text, hold_factor),
    TEXT(sim_scenario_text, default_layout),
    CYAML_FIELD_IGNORE("drive", CYAML_FLAG_OPTIONAL), /* one name or a list, read from the tree */
    CYAML_FIELD_SEQUENCE("layouts", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
                         struct sim_scenario_text, layouts, &siox__layouts_entry, 0, MAX_JOBS),
    CYAML_FIELD_SEQUENCE("schemes", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
                         struct sim_scenario_text, schemes, &scheme_entry, 1, 1000),
    CYAML_FIELD_SEQUENCE("jobs", CYAML_FLAG_POINTER, struct sim_scenario_text, jobs, &job_entry, 1,
                         MAX_JOBS),
    CYAML_FIELD_END};
static const cyaml_schema_value_t schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct sim_scenario_text, scenario_fields)};

void sim_loader_fail(struct sim_loader *in, int code, const char *key, const char *what) {
  if (in->rc == 0)
    in->rc = siox__yaml_fail(&in->yaml, in->diag, code, key, "%s", what);
}

void sim_loader_set(struct sim_loader *in, enum siox__config_kind kind, const char *key,
                    const char *text, void *field) {
  struct siox__config_reader reader = {
      .directory = in->directory, .ndisks = in->config.disks, .array = in->array};
  if (in->rc)
    return;
  int rc = siox__config_convert(&reader, kind, text, field);
  if (rc)
    sim_loader_fail(in, rc, key, *reader.what ? reader.what : siox_strerror(rc));
}

void sim_loader_input(struct sim_loader *in, const char *path) {
  size_t n = 0;
  for (char **one = in->s->input; one && *one; one++)
    n++;
  char **more = realloc(in->s->input, (n + 2) * sizeof *more), *copy = strdup(path);
  in->s->input = more ? more : in->s->input;
  if (!more || !copy) {
    free(copy);
    sim_loader_fail(in, SIOX_ENOMEM, "", siox_strerror(SIOX_ENOMEM));
    return;
  }
  more[n] = copy;
  more[n + 1] = NULL;
}

char *sim_loader_trace(struct sim_loader *in, unsigned index) {
  const char *name = in->text->jobs[index].trace;
  char *path = NULL, key[40], what[460];
  struct stat st;
  if (*name == '/')
    path = strdup(name);
  else if (asprintf(&path, "%s/%s", in->directory, name) < 0)
    path = NULL;
  snprintf(key, sizeof key, "jobs[%u].trace", index);
  if (!path)
    sim_loader_fail(in, SIOX_ENOMEM, key, siox_strerror(SIOX_ENOMEM));
  else if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
    snprintf(what, sizeof what, "%.400s: is not a regular file, and it is read more than once",
             path);
    sim_loader_fail(in, SIOX_EINVAL, key, what);
  }
  return path;
}

static void read_schemes(struct sim_loader *in) {
  struct sim_scenario_text *t = in->text;
  if (in->rc || !t->schemes)
    return;
  in->s->scheme = calloc((size_t)t->schemes_count + 1, sizeof *in->s->scheme);
  if (!in->s->scheme)
    sim_loader_fail(in, SIOX_ENOMEM, "schemes", siox_strerror(SIOX_ENOMEM));
  for (unsigned i = 0; i < t->schemes_count && in->s->scheme; i++) {
    char key[40];
    snprintf(key, sizeof key, "schemes[%u]", i);
    sim_loader_set(in, SIOX__KIND_policy, key, t->schemes[i], &in->s->scheme[i]);
    struct siox_diag why = {""};
    int rc = in->rc == 0 ? sim_scheme_check(in->s, t->schemes[i], &why) : 0;
    if (rc)
      sim_loader_fail(in, rc, key, why.text);
  }
}

static void read_all(struct sim_loader *in) {
  struct sim_scenario *s = in->s;
  sim_loader_disks(in);
  sim_loader_limits(in);
  if (in->rc == 0)
    in->rc = sim_store_cache(&in->yaml, in->text->cache, &s->cache, in->diag);
  in->moved |= s->cache.size != 0;
  sim_loader_layouts(in);
  read_schemes(in);
  if (in->rc)
    return;
  s->njobs = in->text->jobs_count;
  s->generated = calloc(s->njobs, sizeof *s->generated);
  int rc =
      s->generated
          ? siox_sim_create(&s->sim, &(struct siox_sim_options){.ndisks = s->ndisks,
                                                                .drive = s->drive,
                                                                .initial_level = s->initial_level,
                                                                .hold_factor = s->hold_factor,
                                                                .limits = &s->limits,
                                                                .array = in->array,
                                                                .cache = s->cache})
          : SIOX_ENOMEM;
  if (rc)
    sim_loader_fail(in, rc, "", siox_strerror(rc));
  for (unsigned i = 0; i < s->njobs && in->rc == 0; i++)
    sim_loader_job(in, i);
  sim_loader_layouts_matched(in);
}

/* What is open in in->yaml. */
static int load(struct sim_loader *in) {
  if (in->rc == 0)
    in->rc = siox__yaml_read(&in->yaml, &schema, (void **)&in->text, NULL, in->diag);
  if (in->rc == 0)
    read_all(in);
  if (in->text)
    siox__yaml_free(&schema, in->text, 0);
  siox__config_release(SIOX__KIND_list, &in->config.drive);
  siox_layout_free(&in->fallback);
  free(in->matched);
  siox__yaml_close(&in->yaml);
  if (in->rc)
    sim_scenario_free(in->s);
  return in->rc;
}

int sim_scenario_load(struct sim_scenario *s, const char *path, const struct sim_override *set,
                      uint32_t nset, struct siox_diag *diag) {
  struct sim_loader in = {.s = s, .diag = diag};
  struct stat st;
  memset(s, 0, sizeof *s);
  if (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) {
    snprintf(diag->text, sizeof diag->text,
             "%.400s: is not a regular file, and it is read more than once", path);
    return SIOX_EINVAL;
  }
  int rc = siox__yaml_open(&in.yaml, path, diag);
  if (rc)
    return rc;
  for (uint32_t i = 0; i < nset && in.rc == 0; i++)
    in.rc = (set[i].add ? siox__yaml_set : siox__yaml_replace)(&in.yaml, set[i].key, set[i].value,
                                                               diag);
  char *real = realpath(path, NULL);
  in.directory = real ? dirname(real) : NULL;
  if (!in.directory && in.rc == 0)
    sim_loader_fail(&in, SIOX_EIO, "", "its directory cannot be found");
  sim_loader_input(&in, path);
  rc = load(&in);
  free(real);
  return rc;
}

int sim_scenario_parse(struct sim_scenario *s, const char *name, const char *text,
                       struct siox_diag *diag) {
  char here[] = ".";
  struct sim_loader in = {.s = s, .diag = diag, .directory = here};
  memset(s, 0, sizeof *s);
  int rc = siox__yaml_parse(&in.yaml, name, text, diag);
  return rc ? rc : load(&in);
}

bool sim_scenario_reads(const struct sim_scenario *s, const char *path) {
  for (char **one = s->input; one && *one; one++)
    if (siox__same_file(*one, path))
      return true;
  return false;
}

void sim_scenario_free(struct sim_scenario *s) {
  siox_sim_destroy(s->sim);
  siox_trace_reader_close(s->reader);
  for (uint32_t i = 0; s->generated && i < s->njobs; i++)
    siox_layout_free(&s->generated[i]);
  for (char **name = s->scheme; name && *name; name++)
    free(*name);
  free(s->scheme);
  for (char **one = s->input; one && *one; one++)
    free(*one);
  free(s->input);
  free(s->generated);
  free(s->copies);
  free(s->only_trace);
  free(s->notes);
  siox_layouts_free(&s->layouts);
  siox_config_drives_free(&s->drives);
  memset(s, 0, sizeof *s);
}
