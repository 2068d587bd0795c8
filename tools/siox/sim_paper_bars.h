/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What siox has to reach in the evaluation: one scenario under one rule, judged by every bar. */
#ifndef SIOX_TOOLS_SIM_PAPER_BARS_H
#define SIOX_TOOLS_SIM_PAPER_BARS_H
#include "sim_paper.h"

/* Of siox itself: parts of the oracle's savings; or so near to them in parts of base's energy; at
 * so much more I/O. */
#define SIM_KEEPS_ALONE 0.95
#define SIM_KEEPS_SHARED 0.90
#define SIM_NEAR_ENOUGH 0.005
#define SIM_IO_ALLOWED 0.01
/* Of the compiler's hints: part of what hints from the recorded truth save. */
#define SIM_KEEPS_TRUTH 0.95

enum sim_bar {
#define SIM_BAR(id, name) SIM_BAR_##id,
#include "sim_paper.def"
  SIM_NBARS
};
enum sim_bar_outcome { SIM_BAR_NOT_ASKED, SIM_BAR_MET, SIM_BAR_MISSED };

struct sim_bar_case {
  const struct sim_paper *p;
  enum sim_paper_scene scene;
  int rule;
  enum sim_bar_outcome outcome[SIM_NBARS];
  const struct sim_row *siox, *oracle, *budget, *rival, *dominator, *truth; /* or NULL */
  struct sim_budget within;
};
/* sim_paper_bars.c */
void sim_bar_judge(const struct sim_paper *p, enum sim_paper_scene scene, int rule,
                   struct sim_bar_case *c);
/* Why a bar was missed, as far as the figures tell. */
void sim_bar_cause(const struct sim_bar_case *c, enum sim_bar bar, FILE *out);
/* In %; NAN when the whole is next to nothing. */
double sim_bar_part(const struct sim_row *of, const struct sim_row *whole);

#endif
