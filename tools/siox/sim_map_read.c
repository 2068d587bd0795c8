/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The map's results as CSV: the point, what its run looks like, and the rows of the comparison. */
#include "cli/text.h"
#include "common/conf/lines.h"
#include "common/conf/text.h"
#include "sim_csv.h"
#include "sim_map.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Columns between the axes and the rows. */
static const char measured_head[] =
    "in_step,busy_measured,noise_joules,noise_io,noise_run,disks_used,";

void sim_results_head(FILE *out) {
#define AXIS(name, type, member, low, high, initial, what) fputs(#name ",", out);
  SIM_AXES(AXIS)
#undef AXIS
  fputs(measured_head, out);
  sim_show_csv_head(out);
}

void sim_results_put(const struct sim_point *p, const struct sim_scene *scene,
                     const struct sim_rows *rows, FILE *out) {
  static const struct sim_row nothing = {.name = "none",
                                         .wrong = "disks cannot be so little busy: the least "
                                                  "requests keep them busier"};
  char *lead = NULL;
  size_t size;
  FILE *text = open_memstream(&lead, &size);
  if (!text)
    return;
#define PUT_REAL(v) fprintf(text, "%.15g,", v);
#define PUT_COUNT(v) fprintf(text, "%" PRIu32 ",", v);
#define PUT_NAME(v) (siox__csv_quote(text, v), fputc(',', text));
#define AXIS(name, type, member, low, high, initial, what) PUT_##type(p->member)
  SIM_AXES(AXIS)
#undef AXIS
  fprintf(text, "%d,%.17g,%.6g,%.6g,%.6g,%" PRIu32 ",", scene->in_step,
          rows ? rows->busy : scene->busy, scene->noise.joules, scene->noise.io, scene->noise.run,
          rows ? rows->used : 0);
  if (fclose(text) == 0)
    sim_show_csv(
        rows ? rows : &(struct sim_rows){.row = (struct sim_row *)(uintptr_t)&nothing, .count = 1},
        lead, out);
  free(lead);
}

struct reader {
  struct sim_results *r;
  const char *path;
  size_t line, room;
  struct siox_diag *diag;
  int rc;
};

static void fail(struct reader *in, const char *column, const char *what) {
  if (in->rc == 0)
    snprintf(in->diag->text, sizeof in->diag->text, "%s:%zu: %s%s%s", in->path, in->line, column,
             *column ? ": " : "", what);
  in->rc = in->rc ? in->rc : SIOX_ESYNTAX;
}

static double real(struct reader *in, const char *column, const char *text) {
  double v = 0;
  char what[256];
  if (*text && siox__text_number(text, -1e300, 1e300, &v, what, sizeof what))
    fail(in, column, what);
  return v;
}

/* A name that outlives the line: kept once, in the list of texts. */
static const char *keep(struct sim_results *r, const char *text) {
  for (struct sim_text *t = r->texts; t; t = t->next)
    if (!strcmp(t->text, text))
      return t->text;
  size_t n = strlen(text) + 1;
  struct sim_text *t = malloc(sizeof *t + n);
  if (!t)
    return NULL;
  memcpy(t->text, text, n);
  t->next = r->texts;
  r->texts = t;
  return t->text;
}

static struct sim_result *result_of(struct reader *in, const struct sim_point *p) {
  struct sim_results *r = in->r;
  struct sim_result *last = r->count ? &r->item[r->count - 1] : NULL;
  bool same = last != NULL;
#define SAME_REAL(a, b) ((a) == (b))
#define SAME_COUNT(a, b) ((a) == (b))
#define SAME_NAME(a, b) (!strcmp(a, b))
#define AXIS(name, type, member, low, high, initial, what)                                         \
  same = same && SAME_##type(last->point.member, p->member);
  SIM_AXES(AXIS)
#undef AXIS
  if (same)
    return last;
  if (r->count == in->room) {
    size_t room = in->room ? in->room * 2 : 256;
    struct sim_result *more = realloc(r->item, room * sizeof *more);
    if (!more)
      return NULL;
    r->item = more;
    in->room = room;
  }
  last = &r->item[r->count++];
  *last = (struct sim_result){.point = *p};
  return last;
}

static enum sim_kind kind_of(struct reader *in, const char *text) {
  for (int k = SIM_BASE; k <= SIM_BOUND; k++)
    if (!strcmp(text, sim_kind_name((enum sim_kind)k)))
      return (enum sim_kind)k;
  fail(in, "kind", "not a kind of row");
  return SIM_BASE;
}

static void read_row(struct reader *in, char **field) {
  struct sim_point p = {0};
#define READ_REAL(name) real(in, name, *field++)
#define READ_COUNT(name) (uint32_t) real(in, name, *field++)
#define READ_NAME(name) keep(in->r, *field++)
#define AXIS(name, type, member, low, high, initial, what) p.member = READ_##type(#name);
  SIM_AXES(AXIS)
#undef AXIS
  struct sim_result *one = p.drive ? result_of(in, &p) : NULL;
  struct sim_row row = {0}, *more = NULL;
  if (one)
    more = realloc(one->rows.row, (one->rows.count + 1) * sizeof *more);
  if (!more) {
    in->rc = SIOX_ENOMEM;
    return;
  }
  one->rows.row = more;
  one->in_step = real(in, "in_step", *field++) != 0;
  one->busy = one->rows.busy = real(in, "busy_measured", *field++);
  one->noise.joules = real(in, "noise_joules", *field++);
  one->noise.io = real(in, "noise_io", *field++);
  one->noise.run = real(in, "noise_run", *field++);
  one->used = one->rows.used = (uint32_t)real(in, "disks_used", *field++);
  one->feasible = one->used > 0;
  snprintf(row.name, sizeof row.name, "%s", *field++);
  row.kind = kind_of(in, *field++);
  row.best = real(in, "best", *field++) != 0;
  row.timed = row.kind == SIM_BASE || row.kind == SIM_STATIC || row.kind == SIM_SCHEME;
#define ALL(name, member) row.member = real(in, #name, *field++);
#define COUNTED(name, member) row.member = (uint64_t)real(in, #name, *field++);
  SIM_COLUMNS(ALL, ALL, COUNTED)
#undef ALL
#undef COUNTED
  for (int k = 0; k < SIOX_NSTATES; k++)
    row.joules_state[k] = real(in, "joules of a state", *field++);
  snprintf(row.wrong, sizeof row.wrong, "%s", *field);
  if (one->feasible)
    one->rows.row[one->rows.count++] = row;
}

int sim_results_read(struct sim_results *r, FILE *file, const char *name, struct siox_diag *diag) {
  struct reader in = {.r = r, .path = name, .diag = diag};
  char *field[64], *head = NULL;
  struct siox__lines lines = {.in = file};
  size_t head_size;
  *r = (struct sim_results){0};
  FILE *wanted = open_memstream(&head, &head_size);
  if (wanted) {
    sim_results_head(wanted);
    in.rc = fclose(wanted) ? SIOX_ENOMEM : 0;
  } else {
    in.rc = SIOX_ENOMEM;
  }
  int columns = 0, got = 0;
  while (in.rc == 0 && (got = siox__lines_next(&lines)) > 0) {
    char *line = lines.text;
    in.line = lines.number;
    if (in.line == 1 && strcmp(line, head) != 0) {
      fail(&in, "", "not the columns of a map's results");
    } else if (in.line == 1) {
      columns = sim_csv_split(line, field, 64);
    } else if (sim_csv_split(line, field, 64) != columns) {
      fail(&in, "", "not as many fields as columns");
    } else {
      read_row(&in, field);
    }
  }
  if (in.rc == 0 && got < 0) {
    snprintf(diag->text, sizeof diag->text, "%.400s:%zu: %s", name, lines.number, lines.what);
    in.rc = got;
  }
  if (in.rc == SIOX_ENOMEM)
    snprintf(diag->text, sizeof diag->text, "%s", siox_strerror(in.rc));
  siox__lines_free(&lines);
  free(head);
  if (in.rc)
    sim_results_free(r);
  return in.rc;
}

void sim_results_free(struct sim_results *r) {
  for (uint64_t i = 0; i < r->count; i++)
    free(r->item[i].rows.row);
  for (struct sim_text *t = r->texts, *next; t; t = next) {
    next = t->next;
    free(t);
  }
  free(r->item);
  *r = (struct sim_results){0};
}
