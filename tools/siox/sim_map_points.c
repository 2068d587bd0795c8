/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The points of the map: grids of values along its axes. */
#include "common/conf/text.h"
#include "sim_map.h"
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum type { REAL, COUNT, NAME };
static const struct axis {
  const char *name;
  enum type type;
  double low, high;
  char *initial; /* not written to */
  size_t at;
} axes[] = {
#define AXIS(name, type, member, low, high, initial, what)                                         \
  {#name, type, low, high, initial, offsetof(struct sim_point, member)},
    SIM_AXES(AXIS)
#undef AXIS
};

/* The map proper. Errors and rules of transition matter most where jobs share few disks; with many
 * disks the question is what those do that nobody uses. */
static const char *const whole[] = {
    "busy=1,10,30,50 gap=1,2,5,10,20,40,60 jobs=1,4,16,64 error=0,10,25,50 disks=8 "
    "drive=36Z15:a,36Z15:b,36Z15:c,ES.3-assumed,PM981-assumed",
    "busy=1,10,30,50 gap=1,5,20,60 jobs=1,16,64 error=0,25 disks=100 "
    "drive=36Z15:b,ES.3-assumed,PM981-assumed",
    "busy=1,30 gap=5,60 jobs=1,16,64 error=0,25 disks=1000,10000 "
    "drive=36Z15:b,ES.3-assumed,PM981-assumed",
    NULL};
static const char *const some[] = {"busy=1,10,30,50 gap=1,5,20,60 jobs=1,8,64 error=0,25 disks=8 "
                                   "drive=36Z15:b,ES.3-assumed,PM981-assumed",
                                   "busy=1,30 gap=5,60 jobs=16 error=0 disks=100,10000 "
                                   "drive=36Z15:b,ES.3-assumed,PM981-assumed",
                                   NULL};

static int refuse(struct siox_diag *diag, int code, const char *where, const char *what) {
  snprintf(diag->text, sizeof diag->text, "%.200s: %s", where, what);
  return code;
}

static int set(struct sim_point *p, size_t axis, const char *text, struct siox_diag *diag) {
  const struct axis *a = &axes[axis];
  char *to = (char *)p + a->at, what[256];
  double real;
  long whole_number;
  int rc = 0;
  if (a->type == NAME) {
    memcpy(to, &text, sizeof text);
  } else if (a->type == REAL) {
    rc = siox__text_number(text, a->low, a->high, &real, what, sizeof what);
    if (rc == 0)
      memcpy(to, &real, sizeof real);
  } else {
    rc = siox__text_integer(text, (long)a->low, (long)a->high, &whole_number, what, sizeof what);
    if (rc == 0)
      memcpy(to, &(uint32_t){(uint32_t)whole_number}, sizeof(uint32_t));
  }
  return rc ? refuse(diag, rc, a->name, what) : 0;
}

/* One "axis=value,value", cut in place. */
static int read_axis(struct sim_grid *g, char *word, struct siox_diag *diag) {
  char *values = strchr(word, '=');
  struct sim_point point;
  size_t axis = 0, n = strcspn(word, "=");
  while (axis < SIM_NAXES && (strlen(axes[axis].name) != n || memcmp(word, axes[axis].name, n)))
    axis++;
  if (axis == SIM_NAXES || !values)
    return refuse(diag, SIOX_EINVAL, word,
#define AXIS(name, type, member, low, high, initial, what) " " #name
                  "expected AXIS=VALUE,...; axes are" SIM_AXES(AXIS)
#undef AXIS
    );
  if (g->count[axis])
    return refuse(diag, SIOX_EINVAL, axes[axis].name, "this axis is given twice");
  uint32_t count = 1;
  for (const char *c = ++values; *c; c++)
    count += *c == ',';
  g->value[axis] = calloc(count, sizeof(char *));
  if (!g->value[axis])
    return refuse(diag, SIOX_ENOMEM, word, siox_strerror(SIOX_ENOMEM));
  for (char *one; (one = strsep(&values, ",")) != NULL;) {
    int rc = *one ? set(&point, axis, one, diag)
                  : refuse(diag, SIOX_EINVAL, axes[axis].name, "a value is empty");
    if (rc)
      return rc;
    g->value[axis][g->count[axis]++] = one;
  }
  return 0;
}

int sim_grids_add(struct sim_grids *all, const char *text, struct siox_diag *diag) {
  struct sim_grid *more = realloc(all->grid, (all->count + 1) * sizeof *more);
  if (!more)
    return refuse(diag, SIOX_ENOMEM, text, siox_strerror(SIOX_ENOMEM));
  all->grid = more;
  struct sim_grid *g = &more[all->count++];
  *g = (struct sim_grid){.text = strdup(text), .asked = strdup(text)};
  char *rest = g->text;
  int rc = rest && g->asked ? 0 : refuse(diag, SIOX_ENOMEM, text, siox_strerror(SIOX_ENOMEM));
  for (char *word; rc == 0 && (word = strsep(&rest, " \t\n")) != NULL;)
    rc = *word ? read_axis(g, word, diag) : 0;
  uint64_t points = 1;
  for (size_t a = 0; a < SIM_NAXES && rc == 0; a++) {
    if (!g->count[a]) {
      g->value[a] = malloc(sizeof(char *));
      g->count[a] = g->value[a] != NULL;
      if (!g->value[a])
        rc = refuse(diag, SIOX_ENOMEM, text, siox_strerror(SIOX_ENOMEM));
      else
        g->value[a][0] = axes[a].initial;
    }
    points *= g->count[a];
    if (rc == 0 && points > 100000000)
      rc = refuse(diag, SIOX_ERANGE, axes[a].name, "more than 100000000 points");
  }
  all->points += rc ? 0 : points;
  return rc;
}

int sim_grids_whole(struct sim_grids *g, bool quick) {
  struct siox_diag diag;
  int rc = 0;
  for (const char *const *text = quick ? some : whole; *text && rc == 0; text++)
    rc = sim_grids_add(g, *text, &diag);
  return rc;
}

void sim_grids_free(struct sim_grids *g) {
  for (uint32_t i = 0; i < g->count; i++) {
    for (size_t a = 0; a < SIM_NAXES; a++)
      free(g->grid[i].value[a]);
    free(g->grid[i].text);
    free(g->grid[i].asked);
  }
  free(g->grid);
  *g = (struct sim_grids){0};
}

static uint64_t points_of(const struct sim_grid *g) {
  uint64_t points = 1;
  for (size_t a = 0; a < SIM_NAXES; a++)
    points *= g->count[a];
  return points;
}

void sim_grids_point(const struct sim_grids *all, uint64_t index, struct sim_point *p) {
  const struct sim_grid *g = all->grid;
  struct siox_diag diag;
  for (; index >= points_of(g); g++)
    index -= points_of(g);
  for (size_t a = SIM_NAXES; a-- > 0; index /= g->count[a])
    set(p, a, g->value[a][index % g->count[a]], &diag); /* was read once already */
}

void sim_point_print(const struct sim_point *p, FILE *out) {
#define PRINT_REAL(v) fprintf(out, "%.15g", v)
#define PRINT_COUNT(v) fprintf(out, "%" PRIu32, v)
#define PRINT_NAME(v) fputs(v, out)
  const char *comma = "";
#define AXIS(name, type, member, low, high, initial, what)                                         \
  fprintf(out, "%s" #name "=", comma);                                                             \
  PRINT_##type(p->member);                                                                         \
  comma = ",";
  SIM_AXES(AXIS)
#undef AXIS
}

int sim_point_parse(struct sim_point *p, const char *text, char **kept, struct siox_diag *diag) {
  struct sim_grids one = {0};
  char *spaced = strdup(text);
  *kept = NULL;
  for (char *c = spaced; c && *c; c++)
    *c = *c == ',' ? ' ' : *c;
  int rc = spaced ? sim_grids_add(&one, spaced, diag)
                  : refuse(diag, SIOX_ENOMEM, text, siox_strerror(SIOX_ENOMEM));
  if (rc == 0) {
    sim_grids_point(&one, 0, p);
    *kept = strdup(p->drive);
    p->drive = *kept ? *kept : "";
  }
  free(spaced);
  sim_grids_free(&one);
  return rc ? rc : *kept ? 0 : refuse(diag, SIOX_ENOMEM, text, siox_strerror(SIOX_ENOMEM));
}
