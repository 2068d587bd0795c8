/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A number that the paper states, and why ours differs. */
#ifndef SIOX_TOOLS_SIM_PAPER_STATED_H
#define SIOX_TOOLS_SIM_PAPER_STATED_H
#include "sim_paper.h"

enum sim_stated_unit { SIM_PLAIN, SIM_PERCENT, SIM_SECONDS, SIM_WATTS, SIM_MEGA };
struct sim_stated {
  const char *id, *where, *what;
  double low, high; /* in the unit; low -INFINITY: a limit */
  enum sim_stated_unit unit;
  enum sim_paper_figure figure;
  const char *scheme;                                   /* NULL: of a scenario */
  enum sim_paper_scene scene;                           /* SIM_NSCENES: of a scheme */
  double (*value)(const struct sim_paper *p, int rule); /* in the unit */
  void (*why)(const struct sim_paper *p, const struct sim_stated *s, FILE *out);
};
double sim_stated_off(const struct sim_stated *s, double value); /* 0: within what is stated */
/* What is less is no difference: half a unit of the last digit that the paper writes, or 1 point of
 * %, 1 % of the rest. */
bool sim_stated_agrees(const struct sim_stated *s, double value);
/* The statement of the same kind, or NULL. */
const struct sim_stated *sim_stated_find(const char *id);
/* What is stated of a scenario in a figure, in this unit; or NULL. */
const struct sim_stated *sim_stated_of(enum sim_paper_figure figure, enum sim_paper_scene scene,
                                       enum sim_stated_unit unit);

/* sim_paper_why.c: a clause each, for a number that does not agree. */
void sim_why_setting(const struct sim_paper *p, const struct sim_stated *s, FILE *out);
void sim_why_size(const struct sim_paper *p, const struct sim_stated *s, FILE *out);
void sim_why_alone(const struct sim_paper *p, const struct sim_stated *s, FILE *out);
void sim_why_saving(const struct sim_paper *p, const struct sim_stated *s, FILE *out);
void sim_why_longer(const struct sim_paper *p, const struct sim_stated *s, FILE *out);
void sim_why_above(const struct sim_paper *p, const struct sim_stated *s, FILE *out);
void sim_why_over(const struct sim_paper *p, const struct sim_stated *s, FILE *out);
void sim_why_instances(const struct sim_paper *p, const struct sim_stated *s, FILE *out);
void sim_why_mix(const struct sim_paper *p, const struct sim_stated *s, FILE *out);

#endif
