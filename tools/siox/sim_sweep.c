/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* siox sim --sweep: one scenario at every combination of some values. Each point's rows go into a
 * file of their own, put in place whole, so that processes share the points without a word to each
 * other and a sweep that was ended goes on where it stood; whoever finds all of them there joins
 * them. Ranks are those that mpiexec or srun says, without MPI being started. */
#include "common/conf/yaml.h"
#include "common/hash.h"
#include "sim.h"
#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
  char *scenario, *output;           /* paths */
  const char *schemes;               /* asked for, or NULL */
  uint64_t points, rank, size, mark; /* mark: of what the results depend on */
};

/* Rank and size as the launcher gives them. */
static void find_rank(struct sweep *w) {
  static const char *const names[][2] = {{"PMI_RANK", "PMI_SIZE"},
                                         {"PMIX_RANK", "PMIX_SIZE"},
                                         {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                         {"SLURM_PROCID", "SLURM_NTASKS"}};
  w->size = 1;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *rank = getenv(names[i][0]), *size = getenv(names[i][1]);
    if (!rank || !size || strtoull(size, NULL, 10) <= strtoull(rank, NULL, 10))
      continue;
    w->rank = strtoull(rank, NULL, 10);
    w->size = strtoull(size, NULL, 10);
    return;
  }
}

static uint64_t mark_with(uint64_t mark, const void *data, size_t size) {
  const uint64_t pair[2] = {mark, siox__fnv1a(data, size)};
  return siox__fnv1a(pair, sizeof pair);
}

static uint64_t mark_file(uint64_t mark, const char *path) {
  char block[65536];
  size_t n;
  FILE *in = fopen(path, "re");
  while (in && (n = fread(block, 1, sizeof block, in)) > 0)
    mark = mark_with(mark, block, n);
  if (in)
    fclose(in);
  return mark;
}

/* The point's values, the last key going round fastest. */
static void values_of(const struct sweep *w, uint64_t point, struct sim_override *set) {
  for (unsigned i = w->text->vary_count; i-- > 0;) {
    const struct vary_text *v = &w->text->vary[i];
    set[i] = (struct sim_override){v->key, v->values[point % v->values_count]};
    point /= v->values_count;
  }
}

static char *result_path(const struct sweep *w, uint64_t point) {
  char *path = NULL;
  return asprintf(&path, "%s.d/%08" PRIu64 ".csv", w->output, point) < 0 ? NULL : path;
}

static void first_line(const struct sweep *w, uint64_t point, char *text, size_t size) {
  snprintf(text, size, "# point %" PRIu64 " of %" PRIu64 ", %016" PRIx64 "\n", point, w->points,
           w->mark);
}

static bool is_done(const struct sweep *w, uint64_t point) {
  char want[128], have[128] = "", *path = result_path(w, point);
  FILE *in = path ? fopen(path, "re") : NULL;
  first_line(w, point, want, sizeof want);
  bool done = in && fgets(have, sizeof have, in) && !strcmp(have, want);
  if (in)
    fclose(in);
  free(path);
  return done;
}

static void quote(FILE *out, const char *text) {
  fputc('"', out);
  for (; *text; text++) {
    if (*text == '"')
      fputc('"', out);
    fputc(*text, out);
  }
  fputc('"', out);
}

/* 0, or 1 with a message. */
static int put_result(const struct sweep *w, uint64_t point, const struct sim_override *set,
                      const struct sim_rows *rows) {
  char head[128], *lead = NULL, *path = result_path(w, point), *part = NULL;
  size_t size;
  FILE *text = open_memstream(&lead, &size);
  for (unsigned i = 0; text && i < w->text->vary_count; i++) {
    quote(text, set[i].value);
    fputc(',', text);
  }
  if (!text || fclose(text) || !path || asprintf(&part, "%s.%ld", path, (long)getpid()) < 0)
    part = NULL;
  FILE *out = part ? fopen(part, "we") : NULL;
  first_line(w, point, head, sizeof head);
  if (out) {
    fputs(head, out);
    sim_show_csv(rows, lead, out);
  }
  bool lost = out && (ferror(out) | (fflush(out) != 0) | (fsync(fileno(out)) != 0));
  if (out && fclose(out))
    lost = true;
  if (!out || lost || rename(part, path) < 0) {
    fprintf(stderr, "siox sim: %s: cannot be written: %s\n", path ? path : w->output,
            strerror(errno));
    lost = true;
  }
  free(lead);
  free(path);
  free(part);
  return lost;
}

static int run_point(const struct sweep *w, uint64_t point, struct sim_override *set) {
  struct sim_scenario s;
  struct sim_rows rows;
  struct siox_diag diag = {""};
  values_of(w, point, set);
  int rc = sim_scenario_load(&s, w->scenario, set, w->text->vary_count, &diag);
  if (rc == 0) {
    char **schemes = sim_schemes(w->schemes, &s);
    rc = schemes ? sim_rows_make(&rows, &s, schemes, &(struct sim_watch){0}, &diag) : SIOX_ENOMEM;
    free(schemes);
    sim_scenario_free(&s);
    if (rc == 0) {
      rc = put_result(w, point, set, &rows);
      sim_rows_free(&rows);
      return rc;
    }
  }
  fprintf(stderr, "siox sim: point %" PRIu64 ": %s\n", point,
          *diag.text ? diag.text : siox_strerror(rc));
  return 1;
}

/* Joins the results when all are there; several may do so at once and write the same. */
static int join(const struct sweep *w) {
  char *part = NULL, line[8192];
  for (uint64_t p = 0; p < w->points; p++)
    if (!is_done(w, p))
      return 0;
  FILE *out = asprintf(&part, "%s.%ld", w->output, (long)getpid()) < 0 ? NULL : fopen(part, "we");
  for (unsigned i = 0; out && i < w->text->vary_count; i++) {
    quote(out, w->text->vary[i].key);
    fputc(',', out);
  }
  if (out)
    sim_show_csv_head(out);
  for (uint64_t p = 0; out && p < w->points; p++) {
    char *path = result_path(w, p);
    FILE *in = path ? fopen(path, "re") : NULL;
    while (in && fgets(line, sizeof line, in))
      if (line[0] != '#')
        fputs(line, out);
    if (in)
      fclose(in);
    free(path);
  }
  bool lost = !out || ferror(out);
  if ((out && fclose(out)) || lost || rename(part, w->output) < 0) {
    fprintf(stderr, "siox sim: %s: cannot be written: %s\n", w->output, strerror(errno));
    lost = true;
  }
  free(part);
  return lost;
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

static int prepare(struct sweep *w, const char *path, struct siox_diag *diag) {
  char key[64];
  w->points = 1;
  w->mark = mark_with(1, w->yaml.text, w->yaml.size);
  for (unsigned i = 0; i < w->text->vary_count; i++) {
    w->points *= w->text->vary[i].values_count;
    snprintf(key, sizeof key, "vary[%u].values", i);
    if (w->points > 100000000)
      return siox__yaml_fail(&w->yaml, diag, SIOX_ERANGE, key, "more than 100000000 points");
  }
  w->scenario = beside(path, w->text->scenario);
  w->output = beside(path, w->text->output);
  char *directory = NULL;
  if (!w->scenario || !w->output || asprintf(&directory, "%s.d", w->output) < 0)
    return SIOX_ENOMEM;
  w->mark = mark_file(w->mark, w->scenario);
  if (w->schemes)
    w->mark = mark_with(w->mark, w->schemes, strlen(w->schemes));
  int rc = mkdir(directory, 0777) < 0 && errno != EEXIST ? SIOX_EIO : 0;
  if (rc)
    siox__yaml_fail(&w->yaml, diag, rc, "output", "%s: %s", directory, strerror(errno));
  free(directory);
  return rc;
}

int sim_sweep(const char *path, const char *schemes, const struct sim_watch *watch) {
  struct sweep w = {.schemes = schemes};
  struct siox_diag diag = {""};
  int rc = siox__yaml_open(&w.yaml, path, &diag), status = 0;
  bool open = rc == 0;
  if (rc == 0)
    rc = siox__yaml_read(&w.yaml, &schema, (void **)&w.text, NULL, &diag);
  if (rc == 0)
    rc = prepare(&w, path, &diag);
  struct sim_override *set = rc == 0 ? calloc(w.text->vary_count, sizeof *set) : NULL;
  if (rc == 0 && !set)
    rc = SIOX_ENOMEM;
  if (rc) {
    fprintf(stderr, "siox sim: %s\n", *diag.text ? diag.text : siox_strerror(rc));
    status = SIOX__USAGE;
  }
  find_rank(&w);
  for (uint64_t p = w.rank; set && p < w.points && !status; p += w.size) {
    if (is_done(&w, p))
      continue;
    status = run_point(&w, p, set);
    if (watch->progress)
      watch->progress(watch->context, "sweep", (double)(p + 1) / (double)w.points);
  }
  if (set && !status)
    status = join(&w);
  free(set);
  free(w.scenario);
  free(w.output);
  if (w.text)
    siox__yaml_free(&schema, w.text, 0);
  if (open)
    siox__yaml_close(&w.yaml);
  return status;
}
