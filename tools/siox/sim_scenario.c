/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* scenario.yaml. Settings of the disks are those of the configuration, by the same names and with
 * the same readers; what a scenario with a trace leaves out is taken from its first trace. */
#include "common/conf/config_value.h"
#include "common/conf/layouts_schema.h"
#include "common/conf/text.h"
#include "output.h"
#include "sim.h"
#include "sim_store.h"
#include "siox/policy.h"
#include <libgen.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_JOBS = 65536 };

struct generate_text {
  char *processes, *phases, *gap, *burst, *request, *error, *jitter, *seed, *hints, *together,
      *operation, *layout;
};
struct job_text {
  char *name, *trace, *start, *repeats, *pause, *instances, *think, *delay_budget;
  struct generate_text *generate;
};
struct scenario_text {
#define SIOX_CONFIG(kind, key, initial, environment, help) char *key;
#include "siox/limits.def"
#undef SIOX_CONFIG
  char *array_unit, *array_parity;
  struct sim_cache_text *cache;
  char *disks, *transition_rule, *time_scale, *initial_level, *hold_factor, *default_layout;
  struct siox__layouts_text *layouts;
  unsigned layouts_count;
  struct job_text *jobs;
  unsigned jobs_count;
  char **schemes;
  unsigned schemes_count;
};
#define TEXT(type, member)                                                                         \
  CYAML_FIELD_STRING_PTR(#member, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct type, member,   \
                         0, CYAML_UNLIMITED)
static const cyaml_schema_field_t generate_fields[] = {TEXT(generate_text, processes),
                                                       TEXT(generate_text, phases),
                                                       TEXT(generate_text, gap),
                                                       TEXT(generate_text, burst),
                                                       TEXT(generate_text, request),
                                                       TEXT(generate_text, error),
                                                       TEXT(generate_text, jitter),
                                                       TEXT(generate_text, seed),
                                                       TEXT(generate_text, hints),
                                                       TEXT(generate_text, together),
                                                       TEXT(generate_text, operation),
                                                       TEXT(generate_text, layout),
                                                       CYAML_FIELD_END};
static const cyaml_schema_field_t job_fields[] = {
    TEXT(job_text, name),
    TEXT(job_text, trace),
    TEXT(job_text, start),
    TEXT(job_text, repeats),
    TEXT(job_text, pause),
    TEXT(job_text, instances),
    TEXT(job_text, think),
    TEXT(job_text, delay_budget),
    CYAML_FIELD_MAPPING_PTR("generate", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct job_text,
                            generate, generate_fields),
    CYAML_FIELD_END};
static const cyaml_schema_value_t job_entry = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct job_text, job_fields)};
static const cyaml_schema_value_t scheme_entry = {
    CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char *, 0, CYAML_UNLIMITED)};
static const cyaml_schema_field_t scenario_fields[] = {
#define SIOX_CONFIG(kind, key, initial, environment, help) TEXT(scenario_text, key),
#include "siox/limits.def"
#undef SIOX_CONFIG
    TEXT(scenario_text, array_unit),
    TEXT(scenario_text, array_parity),
    CYAML_FIELD_MAPPING_PTR("cache", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct scenario_text,
                            cache, sim_cache_fields),
    TEXT(scenario_text, disks),
    TEXT(scenario_text, transition_rule),
    TEXT(scenario_text, time_scale),
    TEXT(scenario_text, initial_level),
    TEXT(scenario_text, hold_factor),
    TEXT(scenario_text, default_layout),
    CYAML_FIELD_IGNORE("drive", CYAML_FLAG_OPTIONAL), /* one name or a list, read from the tree */
    CYAML_FIELD_SEQUENCE("layouts", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct scenario_text,
                         layouts, &siox__layouts_entry, 0, MAX_JOBS),
    CYAML_FIELD_SEQUENCE("schemes", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct scenario_text,
                         schemes, &scheme_entry, 1, 1000),
    CYAML_FIELD_SEQUENCE("jobs", CYAML_FLAG_POINTER, struct scenario_text, jobs, &job_entry, 1,
                         MAX_JOBS),
    CYAML_FIELD_END};
static const cyaml_schema_value_t schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct scenario_text, scenario_fields)};

struct loader {
  struct sim_scenario *s;
  struct siox__yaml yaml;
  struct siox_diag *diag;
  struct scenario_text *text;
  char *directory;
  struct siox_config config; /* the settings of the disks */
  struct siox_layout fallback;
  struct siox_array array; /* that every I/O node is */
  bool moved;
  int rc;
};

static void fail(struct loader *in, int code, const char *key, const char *what) {
  if (in->rc == 0)
    in->rc = siox__yaml_fail(&in->yaml, in->diag, code, key, "%s", what);
}

static double number(struct loader *in, const char *key, const char *text, double fallback,
                     double low, double high) {
  double value = fallback;
  if (text && in->rc == 0)
    in->rc = siox__yaml_number(&in->yaml, key, text, low, high, &value, in->diag);
  return value;
}

static void add_input(struct loader *in, const char *path) {
  size_t n = 0;
  for (char **one = in->s->input; one && *one; one++)
    n++;
  char **more = realloc(in->s->input, (n + 2) * sizeof *more), *copy = strdup(path);
  in->s->input = more ? more : in->s->input;
  if (!more || !copy) {
    free(copy);
    fail(in, SIOX_ENOMEM, "", siox_strerror(SIOX_ENOMEM));
    return;
  }
  more[n] = copy;
  more[n + 1] = NULL;
}

static uint32_t count(struct loader *in, const char *key, const char *text, uint32_t fallback,
                      long low, long high) {
  char what[256];
  long value = fallback;
  int rc = text ? siox__text_integer(text, low, high, &value, what, sizeof what) : 0;
  if (rc)
    fail(in, rc, key, what);
  return (uint32_t)value;
}

static bool truth(struct loader *in, const char *key, const char *text, bool fallback) {
  if (!text)
    return fallback;
  if (strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
    fail(in, SIOX_EINVAL, key, "expected true or false");
  return strcmp(text, "true") == 0;
}

static int64_t bytes(struct loader *in, const char *key, const char *text, int64_t fallback) {
  int64_t value = fallback;
  if (text && in->rc == 0)
    in->rc = sim_store_bytes(&in->yaml, key, text, 1, &value, in->diag);
  return value;
}

/* A name or a list of names as text with commas. NULL: not there. */
static char *drive_names(struct loader *in) {
  const yaml_node_t *node = siox__yaml_find(&in->yaml, "drive");
  char *text = NULL, key[32];
  size_t size;
  if (!node)
    return NULL;
  if (node->type == YAML_SCALAR_NODE)
    return strdup((const char *)node->data.scalar.value);
  FILE *out = open_memstream(&text, &size);
  for (unsigned n = 0; out; n++) {
    snprintf(key, sizeof key, "drive[%u]", n);
    const yaml_node_t *item = siox__yaml_find(&in->yaml, key);
    if (!item && n > 0)
      break;
    if (!item || item->type != YAML_SCALAR_NODE ||
        strchr((const char *)item->data.scalar.value, ',')) {
      fail(in, SIOX_EINVAL, item ? key : "drive", "expected a name or a list of names");
      break;
    }
    fprintf(out, "%s%s", n ? "," : "", (const char *)item->data.scalar.value);
  }
  if (!out || fclose(out))
    fail(in, SIOX_ENOMEM, "drive", siox_strerror(SIOX_ENOMEM));
  return text;
}

static void setting(struct loader *in, enum siox__config_kind kind, const char *key,
                    const char *text, void *field) {
  struct siox__config_reader reader = {
      .directory = in->directory, .ndisks = in->config.disks, .array = in->array};
  if (in->rc)
    return;
  int rc = siox__config_convert(&reader, kind, text, field);
  if (rc)
    fail(in, rc, key, *reader.what ? reader.what : siox_strerror(rc));
}

static const char *initial_of(const char *wanted) {
  static const char *const initial[][2] = {
#define SIOX_CONFIG(type, key, initial, environment, help) {#key, initial},
#include "siox/config.def"
#undef SIOX_CONFIG
  };
  for (size_t i = 0; i < sizeof initial / sizeof *initial; i++)
    if (!strcmp(initial[i][0], wanted))
      return initial[i][1];
  return "";
}

/* A setting of siox.yaml that stands in the scenario by the same name, or has its default. */
#define SETTING(in, kind, key)                                                                     \
  setting(in, SIOX__KIND_##kind, #key, (in)->text->key ? (in)->text->key : initial_of(#key),       \
          &(in)->config.key)

/* What the scenario leaves out is as it was when its first trace was recorded, where that is known.
 */
static void read_limits(struct loader *in) {
  struct scenario_text *t = in->text;
  struct siox_limits *l = &in->s->limits;
  const struct siox_trace_header *h = in->s->reader ? siox_trace_header(in->s->reader) : NULL;
#define SIOX_CONFIG(kind, key, initial, environment, help) SETTING(in, kind, key);
#include "siox/limits.def"
#undef SIOX_CONFIG
  *l = siox_config_limits(&in->config);
  if (!h || !h->limits)
    return;
#define SIOX_LIMIT(type, key, unit, member, initial, environment, help)                            \
  if (!t->key)                                                                                     \
    l->member = h->limits->member;
#include "siox/limits.def"
  l->measure = h->limits->measure;
  l->wear = h->limits->wear || t->start_stop_per_day || t->load_unload_per_day;
}

static char *trace_path(const struct loader *in, const char *name) {
  char *path = NULL;
  if (*name == '/')
    return strdup(name);
  return asprintf(&path, "%s/%s", in->directory, name) < 0 ? NULL : path;
}

/* The header of the first job that has a trace, kept open: drives that the scenario leaves out are
 * in it. */
static const struct siox_trace_header *first_header(struct loader *in) {
  for (unsigned i = 0; i < in->text->jobs_count && in->rc == 0; i++) {
    char key[64];
    if (!in->text->jobs[i].trace)
      continue;
    char *path = trace_path(in, in->text->jobs[i].trace);
    struct siox_diag why = {""};
    int rc = path ? siox_trace_open(&in->s->reader, path, &why) : SIOX_ENOMEM;
    snprintf(key, sizeof key, "jobs[%u].trace", i);
    if (rc)
      fail(in, rc, key, *why.text ? why.text : siox_strerror(rc));
    free(path);
    return rc ? NULL : siox_trace_header(in->s->reader);
  }
  return NULL;
}

/* why is what siox_config_refuse says: "KEY: what". */
static void fail_setting(struct loader *in, int code, const struct siox_diag *why) {
  size_t n = strcspn(why->text, ":");
  char key[32];
  snprintf(key, sizeof key, "%.*s", (int)n, why->text);
  fail(in, code, key, why->text[n] ? why->text + n + 2 : "");
}

static void drives_by_name(struct loader *in, char *names, const struct siox_trace_header *h) {
  struct sim_scenario *s = in->s;
  struct siox_diag why;
  setting(in, SIOX__KIND_list, "drive", names ? names : initial_of("drive"), &in->config.drive);
  for (uint32_t i = 0; in->rc == 0 && i < in->config.drive.count; i++)
    if (strchr(in->config.drive.item[i], '/'))
      add_input(in, in->config.drive.item[i]);
  if (!in->text->time_scale && h && h->ndisks)
    in->config.time_scale = h->drive[0]->time_scale;
  if (in->rc == 0 && in->config.drive.count != 1 && in->config.drive.count != in->config.disks)
    fail(in, SIOX_EINVAL, "drive", "expected one name, or one for each disk");
  if (in->rc)
    return;
  int rc = siox_config_drives(&s->drives, &in->config, &why);
  if (rc) {
    fail_setting(in, rc, &why);
    return;
  }
  s->drive = s->drives.disk;
  s->initial_level = s->drives.initial_level;
}

/* Drives of the trace: each as it was, or those of the disk that an array stands for, or all as
 * disk 0 when there are more or fewer of them. */
static void drives_of_trace(struct loader *in, const struct siox_trace_header *h) {
  struct sim_scenario *s = in->s;
  uint32_t n = s->ndisks;
  if (!h->ndisks) {
    fail(in, SIOX_EINVAL, "drive", "the trace names no drives; state one");
    return;
  }
  s->copies = calloc(n, sizeof *s->copies);
  s->drives.disk = s->drive = calloc(n, sizeof *s->drive);
  s->drives.initial_level = s->initial_level = calloc(n, sizeof *s->initial_level);
  if (!s->copies || !s->drive || !s->initial_level) {
    fail(in, SIOX_ENOMEM, "", siox_strerror(SIOX_ENOMEM));
    return;
  }
  if (in->text->time_scale)
    fail(in, SIOX_EINVAL, "time_scale",
         "stands with drive; without one, drives and scale are the trace's");
  uint32_t members = in->array.members ? in->array.members : 1;
  for (uint32_t d = 0; d < n && in->rc == 0; d++) {
    uint32_t from = n == h->ndisks ? d : n / members == h->ndisks ? d / members : 0;
    struct siox_diag why;
    int rc = 0;
    s->copies[d] = *h->drive[from];
    s->drive[d] = &s->copies[d];
    s->initial_level[d] = h->initial_level[from];
    if (in->text->transition_rule)
      rc = siox_config_rule(&s->copies[d], &in->config, &why);
    if (rc == 0 && in->text->initial_level)
      rc = siox_config_level(s->drive[d], &in->config, &s->initial_level[d], &why);
    if (rc)
      fail_setting(in, rc, &why);
  }
  in->moved |= in->text->transition_rule || in->text->initial_level;
}

static void read_disks(struct loader *in) {
  struct scenario_text *t = in->text;
  struct siox_config *c = &in->config;
  char *names = drive_names(in);
  const struct siox_trace_header *h = first_header(in);
  char fallback[16];
  if (in->rc == 0)
    in->rc = sim_store_array(&in->yaml,
                             &(struct sim_store_text){t->array, t->array_unit, t->array_parity},
                             &in->array, in->diag);
  uint64_t members = in->array.members ? in->array.members : 1;
  uint64_t nodes = h ? h->ndisks : strtoull(initial_of("disks"), NULL, 10);
  snprintf(fallback, sizeof fallback, "%llu", (unsigned long long)(nodes * members));
  setting(in, SIOX__KIND_count, "disks", t->disks ? t->disks : fallback, &c->disks);
  if (in->rc == 0 && c->disks % members)
    fail(in, SIOX_EINVAL, "disks", "not a multiple of array: every I/O node has that many disks");
  SETTING(in, rule, transition_rule);
  SETTING(in, scale, time_scale);
  SETTING(in, speed, initial_level);
  SETTING(in, factor, hold_factor);
  setting(in, SIOX__KIND_layout, "default_layout",
          t->default_layout ? t->default_layout : initial_of("default_layout"), &in->fallback);
  in->s->ndisks = c->disks;
  in->s->hold_factor = !t->hold_factor && h ? h->hold_factor : c->hold_factor;
  in->moved |= names || (h && h->ndisks != c->disks) || t->hold_factor || in->array.members;
  if (in->rc == 0 && (names || !h))
    drives_by_name(in, names, h);
  else if (in->rc == 0)
    drives_of_trace(in, h);
  free(names);
}

static void read_layouts(struct loader *in) {
  struct scenario_text *t = in->text;
  char key[64], what[256];
  if (in->rc || !t->layouts)
    return;
  in->rc = siox__layouts_read(&in->yaml, "layouts", t->layouts, t->layouts_count, in->s->ndisks,
                              &in->array, &in->s->layouts, in->diag);
  for (uint32_t i = 0; in->rc == 0 && i < in->s->layouts.count; i++)
    for (uint32_t k = 0; k < i && in->rc == 0; k++) {
      if (strcmp(in->s->layouts.entry[i].file, in->s->layouts.entry[k].file) != 0)
        continue;
      snprintf(key, sizeof key, "layouts[%u].file", i);
      snprintf(what, sizeof what, "layouts[%u] is for the same files", k);
      fail(in, SIOX_EINVAL, key, what);
    }
  in->moved |= in->s->layouts.count > 0;
}

static void widest(struct loader *in, const struct siox_layout *l) {
  uint32_t disks = l->factor * (l->array.members ? l->array.members : 1);
  in->s->widest = disks > in->s->widest ? disks : in->s->widest;
}

/* Where a trace's file lies in the scenario. */
static int layout_of(void *context, const char *path, struct siox_layout *out,
                     struct siox_diag *diag) {
  struct loader *in = context;
  const struct siox_layouts *l = &in->s->layouts;
  uint32_t found = l->count;
  for (uint32_t i = 0; i < l->count; i++) {
    char key[64];
    if (!siox__layouts_match(l->entry[i].file, path))
      continue;
    snprintf(key, sizeof key, "layouts[%u].file", i);
    if (found < l->count)
      return siox__yaml_fail(&in->yaml, diag, SIOX_EINVAL, key,
                             "\"%s\" overlaps layouts[%u], \"%s\": both match %s", l->entry[i].file,
                             found, l->entry[found].file, path);
    found = i;
  }
  const struct siox_layout *layout = found < l->count           ? &l->entry[found].layout
                                     : in->text->default_layout ? &in->fallback
                                                                : NULL;
  int rc = layout ? siox_layout_copy(out, layout) : 0;
  return rc < 0 ? rc : layout != NULL;
}

static void read_generated(struct loader *in, unsigned index, const struct generate_text *t,
                           struct siox_sim_generated *g) {
  char key[80];
#define KEY(name) (snprintf(key, sizeof key, "jobs[%u].generate." #name, index), key)
  *g = (struct siox_sim_generated){.processes =
                                       count(in, KEY(processes), t->processes, 1, 1, 1 << 20),
                                   .phases = count(in, KEY(phases), t->phases, 1, 1, 1 << 30)};
  g->gap_ns = llround(number(in, KEY(gap), t->gap, 0, 0, 1e9) * 1e9);
  if (!t->burst)
    fail(in, SIOX_EINVAL, KEY(burst), "this key is missing");
  g->burst = bytes(in, KEY(burst), t->burst, 1);
  g->request = bytes(in, KEY(request), t->request, 0);
  g->error = number(in, KEY(error), t->error, 0, 0, 100) / 100;
  g->jitter = number(in, KEY(jitter), t->jitter, 0, 0, 100) / 100;
  g->seed = count(in, KEY(seed), t->seed, 1, 0, UINT32_MAX);
  g->hints = truth(in, KEY(hints), t->hints, true);
  g->together = truth(in, KEY(together), t->together, g->processes > 1);
  if (t->operation && strcmp(t->operation, "read") != 0 && strcmp(t->operation, "write") != 0)
    fail(in, SIOX_EINVAL, KEY(operation), "expected read or write");
  g->write = !t->operation || strcmp(t->operation, "write") == 0;
  struct siox_layout *l = &in->s->generated[index];
  if (t->layout)
    setting(in, SIOX__KIND_layout, KEY(layout), t->layout, l);
  else if (in->rc == 0 && siox_layout_copy(l, &in->fallback) < 0)
    fail(in, SIOX_ENOMEM, KEY(layout), siox_strerror(SIOX_ENOMEM));
  g->layout = l;
  widest(in, l);
#undef KEY
}

static void note(struct loader *in, const char *text) {
  char *more = NULL;
  if (asprintf(&more, "%s%s\n", in->s->notes ? in->s->notes : "", text) < 0)
    return;
  free(in->s->notes);
  in->s->notes = more;
}

/* A trace must have been recorded at the pace that the disks have here. */
static void check_added(struct loader *in, unsigned index, const char *key) {
  const struct siox_trace_header *h = siox_sim_header(in->s->sim, index);
  char what[256];
  if (h && h->ndisks && h->drive[0]->time_scale != in->s->drive[0]->time_scale) {
    snprintf(what, sizeof what,
             "recorded at time scale %g, but the disks are at %g (setting time_scale)",
             h->drive[0]->time_scale, in->s->drive[0]->time_scale);
    fail(in, SIOX_EINVAL, key, what);
  }
  enum siox_sim_hints hints = siox_sim_hints(in->s->sim, index);
  if (hints == SIOX_SIM_HINTS_DERIVED || hints == SIOX_SIM_HINTS_LEFT_OUT) {
    snprintf(what, sizeof what,
             "jobs[%u]: files lie elsewhere than they were recorded, so its hints are %s", index,
             hints == SIOX_SIM_HINTS_DERIVED ? "derived anew from its accesses" : "left out");
    note(in, what);
  }
  if (!siox_sim_waits_told(in->s->sim, index)) {
    in->s->waits_untold = true;
    snprintf(what, sizeof what,
             "jobs[%u]: its trace does not tell who waits for whom, so a delay stays in its rank: "
             "no slow-down is known,\n  and I/O and run time added are at least what is shown",
             index);
    note(in, what);
  }
  in->s->widest = h ? in->s->ndisks : in->s->widest;
}

static void read_job(struct loader *in, unsigned index) {
  const struct job_text *t = &in->text->jobs[index];
  char key[80];
#define KEY(name) (snprintf(key, sizeof key, "jobs[%u]." #name, index), key)
  if (!t->trace == !t->generate)
    fail(in, SIOX_EINVAL, KEY(trace), "a job has either a trace or generate");
  struct siox_sim_job job = {
      .name = t->name,
      .start = llround(number(in, KEY(start), t->start, 0, 0, 1e9) * 1e9),
      .instances = count(in, KEY(instances), t->instances, 1, 1, 1 << 20),
      .repeats = count(in, KEY(repeats), t->repeats, 1, 1, 1 << 30),
      .pause = llround(number(in, KEY(pause), t->pause, 0, 0, 1e9) * 1e9),
      .think = number(in, KEY(think), t->think, 1, 1e-9, 1e9),
      .delay_budget =
          t->delay_budget ? number(in, KEY(delay_budget), t->delay_budget, 0, 0, 100) / 100 : -1,
      .layout = layout_of,
      .layout_context = in};
  if (t->delay_budget && !(in->s->limits.delay_budget > 0))
    fail(in, SIOX_EINVAL, KEY(delay_budget), "needs a delay_budget of the scenario above 0");
  if (t->generate && in->rc == 0)
    read_generated(in, index, t->generate, &job.generated);
  char *path = t->trace ? trace_path(in, t->trace) : NULL;
  job.trace = path;
  if (path)
    add_input(in, path);
  if (in->rc == 0) {
    struct siox_diag why = {""};
    int rc = siox_sim_add(in->s->sim, &job, &why);
    if (rc && strncmp(why.text, in->yaml.path, strlen(in->yaml.path)) == 0) {
      *in->diag = why; /* has its place already */
      in->rc = rc;
    } else if (rc) {
      fail(in, rc, t->trace ? KEY(trace) : KEY(generate), why.text);
    } else {
      check_added(in, index, KEY(trace));
    }
  }
  in->moved |= in->text->jobs_count > 1 || t->generate || t->repeats || t->instances || t->think;
  if (in->rc == 0 && !in->moved) {
    in->s->only_trace = path;
    path = NULL;
  }
  free(path);
#undef KEY
}

static void read_schemes(struct loader *in) {
  struct scenario_text *t = in->text;
  if (in->rc || !t->schemes)
    return;
  in->s->scheme = calloc((size_t)t->schemes_count + 1, sizeof *in->s->scheme);
  if (!in->s->scheme)
    fail(in, SIOX_ENOMEM, "schemes", siox_strerror(SIOX_ENOMEM));
  for (unsigned i = 0; i < t->schemes_count && in->s->scheme; i++) {
    char key[40];
    snprintf(key, sizeof key, "schemes[%u]", i);
    setting(in, SIOX__KIND_policy, key, t->schemes[i], &in->s->scheme[i]);
    struct siox_diag why = {""};
    int rc = in->rc == 0 ? sim_scheme_check(in->s, t->schemes[i], &why) : 0;
    if (rc)
      fail(in, rc, key, why.text);
  }
}

static void read_all(struct loader *in) {
  struct sim_scenario *s = in->s;
  read_disks(in);
  read_limits(in);
  if (in->rc == 0)
    in->rc = sim_store_cache(&in->yaml, in->text->cache, &s->cache, in->diag);
  in->moved |= s->cache.size != 0;
  read_layouts(in);
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
    fail(in, rc, "", siox_strerror(rc));
  for (unsigned i = 0; i < s->njobs && in->rc == 0; i++)
    read_job(in, i);
}

/* What is open in in->yaml. */
static int load(struct loader *in) {
  if (in->rc == 0)
    in->rc = siox__yaml_read(&in->yaml, &schema, (void **)&in->text, NULL, in->diag);
  if (in->rc == 0)
    read_all(in);
  if (in->text)
    siox__yaml_free(&schema, in->text, 0);
  siox__config_release(SIOX__KIND_list, &in->config.drive);
  siox_layout_free(&in->fallback);
  siox__yaml_close(&in->yaml);
  if (in->rc)
    sim_scenario_free(in->s);
  return in->rc;
}

int sim_scenario_load(struct sim_scenario *s, const char *path, const struct sim_override *set,
                      uint32_t nset, struct siox_diag *diag) {
  struct loader in = {.s = s, .diag = diag};
  memset(s, 0, sizeof *s);
  int rc = siox__yaml_open(&in.yaml, path, diag);
  if (rc)
    return rc;
  for (uint32_t i = 0; i < nset && in.rc == 0; i++)
    in.rc = siox__yaml_replace(&in.yaml, set[i].key, set[i].value, diag);
  char *real = realpath(path, NULL);
  if (!real)
    real = strdup(path); /* a pipe can be read but lies nowhere */
  in.directory = real ? dirname(real) : NULL;
  if (!in.directory && in.rc == 0)
    fail(&in, SIOX_EIO, "", "its directory cannot be found");
  add_input(&in, path);
  rc = load(&in);
  free(real);
  return rc;
}

int sim_scenario_parse(struct sim_scenario *s, const char *name, const char *text,
                       struct siox_diag *diag) {
  char here[] = ".";
  struct loader in = {.s = s, .diag = diag, .directory = here};
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
