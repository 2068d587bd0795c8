/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A map's results by drive and number of disks. */
#include "sim_map.h"
#include <stdlib.h>
#include <string.h>

double sim_point_value(const struct sim_point *p, enum sim_axis axis) {
  switch (axis) {
#define AXIS(name, type, member, low, high, initial, what)                                         \
  case SIM_AXIS_##name:                                                                            \
    return SIM_NUMBER_##type(p->member);
    SIM_AXES(AXIS)
#undef AXIS
  }
  return 0;
}

static struct sim_group *group_of(struct sim_groups *g, const struct sim_result *r) {
  for (uint32_t i = 0; i < g->count; i++)
    if (g->group[i].disks == r->point.disks && !strcmp(g->group[i].drive, r->point.drive))
      return &g->group[i];
  struct sim_group *more = realloc(g->group, (g->count + 1) * sizeof *more);
  if (!more)
    return NULL;
  g->group = more;
  more[g->count] = (struct sim_group){.drive = r->point.drive, .disks = r->point.disks};
  return &more[g->count++];
}

int sim_groups_make(struct sim_groups *g, const struct sim_results *r) {
  *g = (struct sim_groups){0};
  for (uint64_t i = 0; i < r->count; i++) { /* how many each has */
    struct sim_group *one = group_of(g, &r->item[i]);
    if (!one)
      return SIOX_ENOMEM;
    one->count += r->item[i].feasible;
    one->impossible += !r->item[i].feasible;
  }
  for (uint32_t i = 0; i < g->count; i++) {
    struct sim_group *one = &g->group[i];
    one->item = calloc(one->count + 1, sizeof *one->item);
    one->verdict = calloc(one->count + 1, sizeof *one->verdict);
    if (!one->item || !one->verdict)
      return SIOX_ENOMEM;
    one->count = 0;
  }
  for (uint64_t i = 0; i < r->count; i++) {
    struct sim_group *one = group_of(g, &r->item[i]);
    if (!r->item[i].feasible)
      continue;
    sim_judge(&r->item[i], &one->verdict[one->count]);
    one->item[one->count++] = &r->item[i];
  }
  uint64_t most = 0;
  for (uint32_t i = 0; i < g->count; i++)
    most = g->group[i].count > most ? g->group[i].count : most;
  for (uint32_t i = 0; i < g->count; i++)
    g->group[i].told = g->group[i].count > 0 && g->group[i].count * 8 >= most;
  return 0;
}

void sim_groups_free(struct sim_groups *g) {
  for (uint32_t i = 0; i < g->count; i++) {
    free(g->group[i].item);
    free(g->group[i].verdict);
  }
  free(g->group);
  *g = (struct sim_groups){0};
}

void sim_group_values(const struct sim_group *g, enum sim_axis axis, struct sim_values *v) {
  *v = (struct sim_values){0};
  for (uint64_t i = 0; i < g->count; i++) {
    double value = sim_point_value(&g->item[i]->point, axis);
    uint32_t at = 0;
    while (at < v->count && v->value[at] < value)
      at++;
    if ((at < v->count && v->value[at] == value) || v->count == 64)
      continue;
    memmove(&v->value[at + 1], &v->value[at], (v->count - at) * sizeof value);
    v->value[at] = value;
    v->count++;
  }
}
