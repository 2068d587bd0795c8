/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A scenario's disks, their limits and the layouts over them. Settings are those of the
 * configuration, by the same names and with the same readers; what a scenario with a trace leaves
 * out is taken from its first trace. */
#include "sim_loader.h"
#include <stdlib.h>
#include <string.h>

/* A name or a list of names as text with commas. NULL: not there. */
static char *drive_names(struct sim_loader *in) {
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
      sim_loader_fail(in, SIOX_EINVAL, item ? key : "drive", "expected a name or a list of names");
      break;
    }
    fprintf(out, "%s%s", n ? "," : "", (const char *)item->data.scalar.value);
  }
  if (!out || fclose(out))
    sim_loader_fail(in, SIOX_ENOMEM, "drive", siox_strerror(SIOX_ENOMEM));
  return text;
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
  sim_loader_set(in, SIOX__KIND_##kind, #key,                                                      \
                 (in)->text->key ? (in)->text->key : initial_of(#key), &(in)->config.key)

/* The header of the first job that has a trace, kept open: drives that the scenario leaves out are
 * in it. */
static const struct siox_trace_header *first_header(struct sim_loader *in) {
  for (unsigned i = 0; i < in->text->jobs_count && in->rc == 0; i++) {
    char key[64];
    if (!in->text->jobs[i].trace)
      continue;
    char *path = sim_loader_trace(in, i);
    struct siox_diag why = {""};
    int rc = in->rc ? in->rc : siox_trace_open(&in->s->reader, path, &why);
    snprintf(key, sizeof key, "jobs[%u].trace", i);
    if (rc)
      sim_loader_fail(in, rc, key, *why.text ? why.text : siox_strerror(rc));
    free(path);
    return rc ? NULL : siox_trace_header(in->s->reader);
  }
  return NULL;
}

/* why is what siox_config_refuse says: "KEY: what". */
static void fail_setting(struct sim_loader *in, int code, const struct siox_diag *why) {
  size_t n = strcspn(why->text, ":");
  char key[32];
  snprintf(key, sizeof key, "%.*s", (int)n, why->text);
  sim_loader_fail(in, code, key, why->text[n] ? why->text + n + 2 : "");
}

static void drives_by_name(struct sim_loader *in, char *names, const struct siox_trace_header *h) {
  struct sim_scenario *s = in->s;
  struct siox_diag why;
  sim_loader_set(in, SIOX__KIND_list, "drive", names ? names : initial_of("drive"),
                 &in->config.drive);
  for (uint32_t i = 0; in->rc == 0 && i < in->config.drive.count; i++)
    if (strchr(in->config.drive.item[i], '/'))
      sim_loader_input(in, in->config.drive.item[i]);
  if (!in->text->time_scale && h && h->ndisks)
    in->config.time_scale = h->drive[0]->time_scale;
  if (in->rc == 0 && in->config.drive.count != 1 && in->config.drive.count != in->config.disks)
    sim_loader_fail(in, SIOX_EINVAL, "drive", "expected one name, or one for each disk");
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
static void drives_of_trace(struct sim_loader *in, const struct siox_trace_header *h) {
  struct sim_scenario *s = in->s;
  uint32_t n = s->ndisks;
  if (!h->ndisks) {
    sim_loader_fail(in, SIOX_EINVAL, "drive", "the trace names no drives; state one");
    return;
  }
  s->copies = calloc(n, sizeof *s->copies);
  s->drives.disk = s->drive = calloc(n, sizeof *s->drive);
  s->drives.initial_level = s->initial_level = calloc(n, sizeof *s->initial_level);
  if (!s->copies || !s->drive || !s->initial_level) {
    sim_loader_fail(in, SIOX_ENOMEM, "", siox_strerror(SIOX_ENOMEM));
    return;
  }
  if (in->text->time_scale)
    sim_loader_fail(in, SIOX_EINVAL, "time_scale",
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

void sim_loader_disks(struct sim_loader *in) {
  struct sim_scenario_text *t = in->text;
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
  sim_loader_set(in, SIOX__KIND_count, "disks", t->disks ? t->disks : fallback, &c->disks);
  if (in->rc == 0 && c->disks % members)
    sim_loader_fail(in, SIOX_EINVAL, "disks",
                    "not a multiple of array: every I/O node has that many disks");
  SETTING(in, rule, transition_rule);
  SETTING(in, scale, time_scale);
  SETTING(in, speed, initial_level);
  SETTING(in, factor, hold_factor);
  sim_loader_set(in, SIOX__KIND_layout, "default_layout",
                 t->default_layout ? t->default_layout : initial_of("default_layout"),
                 &in->fallback);
  in->s->ndisks = c->disks;
  in->s->hold_factor = !t->hold_factor && h ? h->hold_factor : c->hold_factor;
  in->moved |= names || (h && h->ndisks != c->disks) || t->hold_factor || in->array.members;
  if (in->rc == 0 && (names || !h))
    drives_by_name(in, names, h);
  else if (in->rc == 0)
    drives_of_trace(in, h);
  free(names);
}

/* What the scenario leaves out is as it was when its first trace was recorded, where that is known.
 */
void sim_loader_limits(struct sim_loader *in) {
  struct sim_scenario_text *t = in->text;
  struct siox_limits *l = &in->s->limits;
  const struct siox_trace_header *h = in->s->reader ? siox_trace_header(in->s->reader) : NULL;
#define SIOX_CONFIG(kind, key, initial, environment, help) SETTING(in, kind, key);
#include "siox/limits.def"
#undef SIOX_CONFIG
  *l = siox_config_limits(&in->config);
  int64_t hold_joined_ns = l->hold_joined_ns;
  if (!h || !h->limits)
    return;
#define SIOX_LIMIT(type, key, unit, member, initial, environment, help)                            \
  if (!t->key)                                                                                     \
    l->member = h->limits->member;
#include "siox/limits.def"
  if (l->hold_joined_ns < 0) /* the trace is from before there was such a limit */
    l->hold_joined_ns = hold_joined_ns;
  l->measure = h->limits->measure;
  l->wear = h->limits->wear || t->start_stop_per_day || t->load_unload_per_day;
}

void sim_loader_layouts(struct sim_loader *in) {
  struct sim_scenario_text *t = in->text;
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
      sim_loader_fail(in, SIOX_EINVAL, key, what);
    }
  in->moved |= in->s->layouts.count > 0;
  in->matched = calloc(in->s->layouts.count + 1, sizeof *in->matched);
  if (!in->matched)
    sim_loader_fail(in, SIOX_ENOMEM, "layouts", siox_strerror(SIOX_ENOMEM));
}

static int by_text(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Names of the files that the jobs' traces have, each once and in order. NULL: there are none, or
 * there is no memory. */
static const char **all_names(const struct sim_scenario *s, uint32_t *count) {
  const char **name = NULL;
  uint64_t all = 0;
  uint32_t n = 0;
  for (uint32_t job = 0; job < s->njobs; job++)
    all += siox_sim_nfiles(s->sim, job);
  *count = 0;
  if (all == 0 || all > UINT32_MAX || !(name = calloc(all, sizeof *name)))
    return NULL;
  for (uint32_t job = 0; job < s->njobs; job++)
    for (uint32_t f = 0; f < siox_sim_nfiles(s->sim, job); f++)
      if ((name[n] = siox_sim_file(s->sim, job, f, NULL)))
        n++;
  if (n)
    qsort(name, n, sizeof *name, by_text);
  for (uint32_t i = 0; i < n; i++)
    if (*count == 0 || strcmp(name[*count - 1], name[i]) != 0)
      name[(*count)++] = name[i];
  return name;
}

/* As many of their names as there is room for, and how many there are besides. */
static void name_files(const struct sim_scenario *s, char *text, size_t size) {
  uint32_t n, shown = 0;
  const char **name = all_names(s, &n);
  size_t used = (size_t)snprintf(
      text, size, "%s",
      n ? "there are" : "no job has a trace, and a generated one has a layout of its own");
  for (uint32_t i = 0; i < n; i++)
    if (used + strlen(name[i]) + sizeof ",  and 4294967295 more" <= size) {
      used += (size_t)snprintf(text + used, size - used, "%s %s", shown ? "," : "", name[i]);
      shown++;
    }
  if (n && !shown)
    snprintf(text, size, "number of files: %u, with names too long to be shown", n);
  else if (shown < n)
    snprintf(text + used, size - used, " and %u more", n - shown);
  free(name);
}

void sim_loader_layouts_matched(struct sim_loader *in) {
  char key[64], files[300], what[460];
  for (uint32_t i = 0; in->rc == 0 && i < in->s->layouts.count; i++) {
    if (in->matched[i])
      continue;
    name_files(in->s, files, sizeof files);
    snprintf(key, sizeof key, "layouts[%u].file", i);
    snprintf(what, sizeof what, "\"%.100s\" matches no file of any job; %s",
             in->s->layouts.entry[i].file, files);
    sim_loader_fail(in, SIOX_EINVAL, key, what);
  }
}
