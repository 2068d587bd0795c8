/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* siox sim --sweep: one scenario at every combination of some values. */
#include "cli/text.h"
#include "common/conf/yaml.h"
#include "output.h"
#include "sim.h"
#include "sim_csv.h"
#include "sim_parts.h"
#include <inttypes.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>

struct vary_text {
  char *key;
  char **values;
  unsigned values_count;
};
struct sweep_text {
  char *scenario, *output;
  struct vary_text *vary;
  unsigned vary_count;
};
static const cyaml_schema_value_t value_entry = {
    CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char *, 0, CYAML_UNLIMITED)};
static const cyaml_schema_field_t vary_fields[] = {
    CYAML_FIELD_STRING_PTR("key", CYAML_FLAG_POINTER, struct vary_text, key, 1, CYAML_UNLIMITED),
    CYAML_FIELD_SEQUENCE("values", CYAML_FLAG_POINTER, struct vary_text, values, &value_entry, 1,
                         1 << 20),
    CYAML_FIELD_END};
static const cyaml_schema_value_t vary_entry = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct vary_text, vary_fields)};
static const cyaml_schema_field_t sweep_fields[] = {
    CYAML_FIELD_STRING_PTR("scenario", CYAML_FLAG_POINTER, struct sweep_text, scenario, 1,
                           CYAML_UNLIMITED),
    CYAML_FIELD_STRING_PTR("output", CYAML_FLAG_POINTER, struct sweep_text, output, 1,
                           CYAML_UNLIMITED),
    CYAML_FIELD_SEQUENCE("vary", CYAML_FLAG_POINTER, struct sweep_text, vary, &vary_entry, 1, 64),
    CYAML_FIELD_END};
static const cyaml_schema_value_t schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct sweep_text, sweep_fields)};

struct sweep {
  struct siox__yaml yaml;
  struct sweep_text *text;
  char *scenario;           /* its path */
  const char *schemes;      /* asked for, or NULL */
  struct sim_override *set; /* of the point under way */
};

/* The point's values, the last key going round fastest. */
static void values_of(const struct sweep *w, uint64_t point) {
  for (unsigned i = w->text->vary_count; i-- > 0;) {
    const struct vary_text *v = &w->text->vary[i];
    w->set[i] = (struct sim_override){.key = v->key, .value = v->values[point % v->values_count]};
    point /= v->values_count;
  }
}

static char *lead_of(const struct sweep *w) {
  char *lead = NULL;
  size_t size;
  FILE *text = open_memstream(&lead, &size);
  for (unsigned i = 0; text && i < w->text->vary_count; i++) {
    siox__csv_quote(text, w->set[i].value);
    fputc(',', text);
  }
  if (text && fclose(text) == 0)
    return lead;
  free(lead);
  return NULL;
}

/* A scheme without figures is a fault of the point. */
static int faults(uint64_t point, const struct sim_rows *rows) {
  int status = 0;
  for (uint32_t i = 0; i < rows->count; i++)
    if (rows->row[i].wrong[0]) {
      fprintf(stderr, "siox sim: point %" PRIu64 ": %s: %s\n", point, rows->row[i].name,
              rows->row[i].wrong);
      status = SIM_POINT_FAULTY;
    }
  return status;
}

static int run_point(void *context, uint64_t point, FILE *out) {
  const struct sweep *w = context;
  struct sim_scenario s;
  struct sim_rows rows;
  struct siox_diag diag = {""};
  values_of(w, point);
  int rc = sim_scenario_load(&s, w->scenario, w->set, w->text->vary_count, &diag);
  if (rc == 0) {
    char **schemes = sim_schemes(w->schemes, &s), *lead = lead_of(w);
    rc = schemes && lead ? sim_rows_make(&rows, &s, schemes, &(struct sim_watch){0}, &diag)
                         : SIOX_ENOMEM;
    if (rc == 0)
      sim_show_csv(&rows, lead, out);
    free(lead);
    free(schemes);
    sim_scenario_free(&s);
  }
  if (rc) {
    fprintf(stderr, "siox sim: point %" PRIu64 ": %s\n", point,
            *diag.text ? diag.text : siox_strerror(rc));
    return 1;
  }
  int status = faults(point, &rows);
  sim_rows_free(&rows);
  return status;
}

static void write_head(void *context, FILE *out) {
  const struct sweep *w = context;
  for (unsigned i = 0; i < w->text->vary_count; i++) {
    siox__csv_quote(out, w->text->vary[i].key);
    fputc(',', out);
  }
  sim_show_csv_head(out);
}

static char *beside(const char *path, const char *name) {
  char *copy = strdup(path), *out = NULL;
  if (*name == '/' || !copy)
    out = copy ? strdup(name) : NULL;
  else if (asprintf(&out, "%s/%s", dirname(copy), name) < 0)
    out = NULL;
  free(copy);
  return out;
}

/* Everything that the scenario reads. One that cannot be loaded has no results either way. */
static int mark_scenario(const struct sweep *w, const char *path, const char *output,
                         uint64_t *mark) {
  struct sim_scenario s;
  struct siox_diag diag = {""};
  values_of(w, 0);
  int rc = sim_scenario_load(&s, w->scenario, w->set, w->text->vary_count, &diag);
  if (rc) {
    fprintf(stderr, "siox sim: point 0: %s\n", *diag.text ? diag.text : siox_strerror(rc));
    return SIOX__USAGE;
  }
  bool taken = siox__same_file(output, path) || sim_scenario_reads(&s, output);
  if (taken)
    fprintf(stderr, "siox sim: %s: output: %s is read by this sweep\n", path, output);
  for (char **one = s.input; *one; one++)
    *mark = sim_mark_file(*mark, *one);
  for (uint32_t d = 0; d < s.ndisks; d++)
    *mark = sim_mark(*mark, s.drive[d], sizeof *s.drive[d]);
  sim_scenario_free(&s);
  return taken ? SIOX__USAGE : 0;
}

/* Values that name files or drives' profiles stand for what is in them. */
static uint64_t mark_values(const struct sweep *w, uint64_t mark) {
  for (unsigned i = 0; i < w->text->vary_count; i++) {
    const struct vary_text *v = &w->text->vary[i];
    const char *dot = strrchr(v->key, '.');
    bool trace = dot && !strcmp(dot, ".trace"), drive = !strncmp(v->key, "drive", 5);
    for (unsigned k = 0; k < v->values_count && (trace || drive); k++) {
      struct siox_drive d;
      struct siox_diag diag;
      char *path = trace ? beside(w->scenario, v->values[k]) : NULL;
      if (path)
        mark = sim_mark_file(mark, path);
      else if (drive && siox_drive_load(&d, v->values[k], 1, &diag) == 0)
        mark = sim_mark(mark, &d, sizeof d);
      free(path);
    }
  }
  return mark;
}

/* One value of two would never be seen. */
static bool keys_differ(struct sweep *w) {
  struct siox_diag diag;
  char key[64];
  for (unsigned i = 1; i < w->text->vary_count; i++)
    for (unsigned k = 0; k < i; k++)
      if (!strcmp(w->text->vary[i].key, w->text->vary[k].key)) {
        snprintf(key, sizeof key, "vary[%u].key", i);
        siox__yaml_fail(&w->yaml, &diag, SIOX_EINVAL, key, "%.200s varies twice",
                        w->text->vary[i].key);
        fprintf(stderr, "siox sim: %s\n", diag.text);
        return false;
      }
  return true;
}

/* 0, or an exit status with a message. */
static int prepare(struct sweep *w, const char *path, struct sim_parts *parts) {
  struct siox_diag diag;
  char key[64];
  uint64_t points = 1, mark = sim_mark(1, w->yaml.text, w->yaml.size);
  if (!keys_differ(w))
    return SIOX__USAGE;
  for (unsigned i = 0; i < w->text->vary_count; i++) {
    points *= w->text->vary[i].values_count;
    snprintf(key, sizeof key, "vary[%u].values", i);
    if (points > 100000000) {
      siox__yaml_fail(&w->yaml, &diag, SIOX_ERANGE, key, "more than 100000000 points");
      fprintf(stderr, "siox sim: %s\n", diag.text);
      return SIOX__USAGE;
    }
  }
  char *output = beside(path, w->text->output);
  w->scenario = beside(path, w->text->scenario);
  w->set = calloc(w->text->vary_count, sizeof *w->set);
  int status = 1;
  if (w->scenario && output && w->set) {
    status = mark_scenario(w, path, output, &mark);
    mark = mark_values(w, mark);
    if (w->schemes)
      mark = sim_mark(mark, w->schemes, strlen(w->schemes));
    if (status == 0)
      status = sim_parts_open(parts, output, points, mark, true);
  } else {
    fprintf(stderr, "siox sim: %s\n", siox_strerror(SIOX_ENOMEM));
  }
  free(output);
  return status;
}

int sim_sweep(const char *path, const char *schemes, const struct sim_watch *watch) {
  struct sweep w = {.schemes = schemes};
  struct sim_parts parts = {0};
  struct siox_diag diag = {""};
  int rc = siox__yaml_open(&w.yaml, path, &diag);
  bool open = rc == 0, joined;
  if (rc == 0)
    rc = siox__yaml_read(&w.yaml, &schema, (void **)&w.text, NULL, &diag);
  if (rc)
    fprintf(stderr, "siox sim: %s\n", *diag.text ? diag.text : siox_strerror(rc));
  int status = rc ? SIOX__USAGE : prepare(&w, path, &parts);
  if (status == 0) {
    status = sim_parts_work(&parts, run_point, &w, watch);
    int failed = sim_parts_join(&parts, write_head, &w, &joined);
    status = status ? status : failed;
  }
  sim_parts_close(&parts);
  free(w.set);
  free(w.scenario);
  if (w.text)
    siox__yaml_free(&schema, w.text, 0);
  if (open)
    siox__yaml_close(&w.yaml);
  return status;
}
