/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Figures of what was played, by scenario and over the scenarios of a figure. */
#include "sim_paper.h"
#include <math.h>
#include <string.h>

const struct sim_paper_shown sim_paper_shown[SIM_NSHOWN] = {
#define SIM_SHOWN(figure, scene, label) {SIM_FIGURE_##figure, SIM_SCENE_##scene, label},
#include "sim_paper.def"
};

const char *sim_paper_title(enum sim_paper_figure f) {
  static const char *const titles[] = {
#define SIM_FIGURE(id, title, question) title,
#include "sim_paper.def"
  };
  return titles[f];
}

const char *sim_paper_question(enum sim_paper_figure f) {
  static const char *const questions[] = {
#define SIM_FIGURE(id, title, question) question,
#include "sim_paper.def"
  };
  return questions[f];
}

bool sim_paper_alone(enum sim_paper_scene scene) {
  static const bool alone[] = {
#define SIM_SCENE(id, alone) alone,
#include "sim_paper.def"
  };
  return alone[scene];
}

const struct sim_row *sim_paper_row(const struct sim_paper *p, enum sim_paper_scene scene, int rule,
                                    const char *scheme) {
  const struct sim_rows *rows = &p->scene[scene].rule[rule].rows;
  for (uint32_t i = 0; i < rows->count; i++)
    if (!rows->row[i].wrong[0] && !strcmp(rows->row[i].name, scheme))
      return &rows->row[i];
  return NULL;
}

const struct sim_row *sim_paper_static(const struct sim_paper *p, enum sim_paper_scene scene,
                                       int rule) {
  const struct sim_rows *rows = &p->scene[scene].rule[rule].rows;
  for (uint32_t i = 0; i < rows->count; i++)
    if (rows->row[i].best)
      return &rows->row[i];
  return NULL;
}

double sim_paper_saved(const struct sim_paper *p, enum sim_paper_scene scene, int rule,
                       const char *scheme) {
  const struct sim_row *row = sim_paper_row(p, scene, rule, scheme);
  return row ? row->saved : NAN;
}

double sim_paper_kept(const struct sim_paper *p, enum sim_paper_scene scene, int rule,
                      const char *scheme) {
  double oracle = sim_paper_saved(p, scene, rule, "oracle");
  return oracle > 0.005 ? sim_paper_saved(p, scene, rule, scheme) / oracle : NAN;
}

double sim_paper_seconds(const struct sim_paper *p, enum sim_paper_scene scene, int rule) {
  const struct sim_row *base = sim_paper_row(p, scene, rule, "base");
  return base ? base->seconds * p->scene[scene].drive[rule].time_scale : NAN;
}

double sim_paper_io(const struct sim_paper *p, enum sim_paper_scene scene, int rule) {
  const struct sim_row *base = sim_paper_row(p, scene, rule, "base");
  return base ? base->io_seconds * p->scene[scene].drive[rule].time_scale : NAN;
}

double sim_paper_longer(const struct sim_paper *p, enum sim_paper_scene scene, int rule,
                        const char *scheme) {
  const struct sim_row *row = sim_paper_row(p, scene, rule, scheme),
                       *base = sim_paper_row(p, scene, rule, "base");
  return row && base ? row->seconds / base->seconds - 1 : NAN;
}

double sim_paper_mean_saved(const struct sim_paper *p, enum sim_paper_figure f, int rule,
                            const char *scheme) {
  SIM_MEAN_OF(mean, f, sim_paper_saved(p, scene, rule, scheme));
  return mean;
}

double sim_paper_mean_longer(const struct sim_paper *p, enum sim_paper_figure f, int rule,
                             const char *scheme) {
  SIM_MEAN_OF(mean, f, sim_paper_longer(p, scene, rule, scheme));
  return mean;
}

double sim_paper_mean_above(const struct sim_paper *p, enum sim_paper_figure f, int rule,
                            const char *scheme, const char *other) {
  SIM_MEAN_OF(mean, f,
              (1 - sim_paper_saved(p, scene, rule, scheme)) /
                      (1 - sim_paper_saved(p, scene, rule, other)) -
                  1);
  return mean;
}

double sim_paper_most_longer(const struct sim_paper *p, enum sim_paper_figure f, int rule,
                             const char *scheme) {
  double most = -INFINITY;
  for (int i = 0; i < SIM_NSHOWN; i++)
    if (sim_paper_shown[i].figure == f)
      most = fmax(most, sim_paper_longer(p, sim_paper_shown[i].scene, rule, scheme));
  return most;
}

double sim_paper_idle_share(const struct sim_paper *p, enum sim_paper_figure f, double seconds) {
  double all = 0, within = 0;
  for (int i = 0; i < SIM_NSHOWN; i++) {
    const struct sim_idle *idle = &p->scene[sim_paper_shown[i].scene].idle;
    if (sim_paper_shown[i].figure != f || !idle->count)
      continue;
    all += idle->sum[idle->count];
    within += idle->sum[idle->count] * (1 - sim_idle_by_time(idle, nextafter(seconds, 0)));
  }
  return all > 0 ? within / all : NAN;
}

double sim_paper_break_even(const struct siox_drive *d) {
  return siox_drive_stop_break_even_s(d) * d->time_scale;
}
