/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the paper states beside what came out. */
#include "sim_paper_stated.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define IN_PLAIN 1
#define IN_PERCENT 100
#define IN_SECONDS 1
#define IN_WATTS 1
#define IN_MEGA 1
#define SIM_STATED(id, where, what, low, high, unit, figure, scheme, value, reason)                \
  static double value_##id(const struct sim_paper *p, int rule) { return (value) * IN_##unit; }
#define SIM_STATED_OF(id, where, what, low, high, unit, figure, scene_, value, reason)             \
  static double value_##id(const struct sim_paper *p, int rule) {                                  \
    const enum sim_paper_scene scene = SIM_SCENE_##scene_;                                         \
    (void)rule;                                                                                    \
    return (double)(value) * IN_##unit;                                                            \
  }
#include "sim_paper_stated.def"

static const struct sim_stated list[] = {
#define SIM_STATED_ROW(id, where, what, low, high, unit, figure, scheme, scene, reason)            \
  {#id,        where,           what, low, high, SIM_##unit, SIM_FIGURE_##figure, scheme, scene,   \
   value_##id, sim_why_##reason},
#define SIM_STATED(id, where, what, low, high, unit, figure, scheme, value, reason)                \
  SIM_STATED_ROW(id, where, what, low, high, unit, figure, scheme, SIM_NSCENES, reason)
#define SIM_STATED_OF(id, where, what, low, high, unit, figure, scene, value, reason)              \
  SIM_STATED_ROW(id, where, what, low, high, unit, figure, NULL, SIM_SCENE_##scene, reason)
#include "sim_paper_stated.def"
};
enum { NLIST = sizeof list / sizeof *list };

const struct sim_stated *sim_stated_find(const char *id) {
  for (int i = 0; i < NLIST; i++)
    if (!strcmp(list[i].id, id))
      return &list[i];
  return NULL;
}

const struct sim_stated *sim_stated_of(enum sim_paper_figure figure, enum sim_paper_scene scene,
                                       enum sim_stated_unit unit) {
  for (int i = 0; i < NLIST; i++)
    if (list[i].figure == figure && list[i].scene == scene && list[i].unit == unit)
      return &list[i];
  return NULL;
}

double sim_stated_off(const struct sim_stated *s, double value) {
  return value < s->low    ? value - s->low
         : value > s->high ? value - s->high
         : isnan(value)    ? NAN
                           : 0;
}

bool sim_stated_agrees(const struct sim_stated *s, double value) {
  double off = fabs(sim_stated_off(s, value));
  switch (s->unit) {
  case SIM_PERCENT:
    return off <= 1;
  case SIM_PLAIN:
    return off == 0;
  case SIM_WATTS:
    return off <= 0.005;
  default:
    return off <= 0.01 * s->high;
  }
}

static const char *unit_of(const struct sim_stated *s) {
  static const char *const units[] = {"", " %", " s", " W", " MB"};
  return units[s->unit];
}

static int digits_of(const struct sim_stated *s) {
  return s->unit == SIM_PLAIN ? 0 : s->unit == SIM_WATTS || s->high < 10 ? 2 : 1;
}

static void put(const struct sim_stated *s, double value, FILE *out) {
  if (isnan(value))
    fputs("-", out);
  else
    fprintf(out, "%.*f%s", digits_of(s), value, unit_of(s));
}

static void put_stated(const struct sim_stated *s, FILE *out) {
  if (isinf(s->low))
    fprintf(out, "< %g%s", s->high, unit_of(s));
  else if (s->low < s->high)
    fprintf(out, "%g to %g%s", s->low, s->high, unit_of(s));
  else
    fprintf(out, "%g%s", s->high, unit_of(s));
}

/* The value under each rule, or nothing where that makes no difference. */
static void put_rules(const struct sim_paper *p, const struct sim_stated *s, FILE *out) {
  char text[SIM_NRULES][32];
  bool differ = false;
  for (int rule = p->first_rule; rule <= p->last_rule; rule++) {
    snprintf(text[rule], sizeof text[rule], "%.*f", digits_of(s), s->value(p, rule));
    differ |= strcmp(text[rule], text[p->first_rule]) != 0;
  }
  for (int rule = p->first_rule; rule <= p->last_rule && differ; rule++)
    fprintf(out, "%s%s", rule > p->first_rule ? " / " : "", text[rule]);
}

void sim_paper_stated_markdown(const struct sim_paper *p, FILE *out) {
  fputs("| where | what | paper | ours | by rule | difference | why |\n"
        "| --- | --- | ---: | ---: | --- | ---: | --- |\n",
        out);
  for (int i = 0; i < NLIST; i++) {
    const struct sim_stated *s = &list[i];
    double value = s->value(p, p->headline), off = sim_stated_off(s, value);
    fprintf(out, "| %s | %s | ", s->where, s->what);
    put_stated(s, out);
    fputs(" | ", out);
    put(s, value, out);
    fputs(" | ", out);
    put_rules(p, s, out);
    off = fabs(off) * pow(10, digits_of(s)) < 0.5 ? 0 : off; /* no sign of what is rounded away */
    if (isnan(off))
      fputs(" | - | ", out);
    else if (off == 0)
      fputs(" | 0 | ", out);
    else
      fprintf(out, " | %+.*f%s | ", digits_of(s), off,
              s->unit == SIM_PERCENT ? " points" : unit_of(s));
    if (sim_stated_agrees(s, value))
      fputs("agrees", out);
    else
      s->why(p, s, out);
    fputs(" |\n", out);
  }
}

static json_t *number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

json_t *sim_paper_stated_json(const struct sim_paper *p) {
  json_t *all = json_array();
  for (int i = 0; i < NLIST; i++) {
    const struct sim_stated *s = &list[i];
    char *text = NULL;
    size_t size;
    double value = s->value(p, p->headline);
    json_t *ours = json_object();
    for (int rule = p->first_rule; rule <= p->last_rule; rule++)
      json_object_set_new(ours, sim_rule_name(rule), number(s->value(p, rule)));
    FILE *why = open_memstream(&text, &size);
    if (why && !sim_stated_agrees(s, value))
      s->why(p, s, why);
    if (why)
      fclose(why);
    json_array_append_new(all, json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:b, s:s}", "id",
                                         s->id, "where", s->where, "what", s->what, "unit",
                                         s->unit ? unit_of(s) + 1 : "", "paper_low", number(s->low),
                                         "paper_high", number(s->high), "ours", ours, "difference",
                                         number(sim_stated_off(s, value)), "agrees",
                                         sim_stated_agrees(s, value), "why", text ? text : ""));
    free(text);
  }
  return all;
}
