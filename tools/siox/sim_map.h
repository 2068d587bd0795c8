/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* siox sim --map: generated jobs over a grid of how busy disks are, how long gaps, how many jobs,
 * how wrong predictions, how many disks and which drive; every scheme at each point, and what
 * follows from that. docs/sim.md describes the points. */
#ifndef SIOX_TOOLS_SIM_MAP_H
#define SIOX_TOOLS_SIM_MAP_H
#include "sim.h"

/* The axes of the map: X(name, type, member, low, high, initial, what). */
#define SIM_AXES(X)                                                                                \
  X(busy, REAL, busy, 0.001, 95, "10", "% of the run in which a disk serves, at full speed")       \
  X(gap, REAL, gap, 0.001, 1e5, "10", "seconds that a job computes between bursts")                \
  X(jobs, COUNT, jobs, 1, 4096, "4", "jobs that share the disks")                                  \
  X(error, REAL, error, 0, 100, "0", "% of a gap by which predictions are off at most")            \
  X(disks, COUNT, disks, 1, 65536, "8", "number of disks")                                         \
  X(drive, NAME, drive, 0, 0, "36Z15:b", "drive profile, and the transition rule after a colon")   \
  X(seed, COUNT, seed, 0, 1e9, "1", "of the jobs' starts, of their being in step, and of errors")
#define SIM_TYPE_REAL double
#define SIM_TYPE_COUNT uint32_t
#define SIM_TYPE_NAME const char *

struct sim_point {
#define AXIS(name, type, member, low, high, initial, what) SIM_TYPE_##type member;
  SIM_AXES(AXIS)
#undef AXIS
};

enum sim_axis {
#define AXIS(name, type, member, low, high, initial, what) SIM_AXIS_##name,
  SIM_AXES(AXIS)
#undef AXIS
};
#define AXIS(name, type, member, low, high, initial, what) +1
enum { SIM_NAXES = SIM_AXES(AXIS) };
#undef AXIS

/* sim_map_points.c: which points. */
struct sim_grid {     /* of every combination */
  char *text, *asked; /* the values are in text */
  char **value[SIM_NAXES];
  uint32_t count[SIM_NAXES];
};
struct sim_grids {
  struct sim_grid *grid;
  uint32_t count;
  uint64_t points;
};
/* Adds what "busy=1,10 gap=5 ..." names; an axis that is left out has its one initial value. 0, or
 * SIOX_EINVAL, SIOX_ERANGE, SIOX_ENOMEM with diag. */
int sim_grids_add(struct sim_grids *g, const char *text, struct siox_diag *diag);
int sim_grids_whole(struct sim_grids *g, bool quick); /* those of the map; as above */
void sim_grids_free(struct sim_grids *g);
void sim_grids_point(const struct sim_grids *g, uint64_t index, struct sim_point *p);
/* "busy=10,gap=5,...": as --point takes it. */
void sim_point_print(const struct sim_point *p, FILE *out);
/* text separates axes by commas. The result's texts are in *kept, freed by the caller. */
int sim_point_parse(struct sim_point *p, const char *text, char **kept, struct siox_diag *diag);

/* By how much base itself differs, as parts of it, when the jobs begin up to 2 ms later: who
 * waits for whom in shared queues follows from that. Smaller differences between schemes say
 * nothing. */
struct sim_noise {
  double joules, io, run; /* io, run: the greatest over ranks */
};

/* sim_map_scene.c: a point as a scenario. */
struct sim_scene {
  char *text;   /* the scenario; NULL: disks cannot be so little busy */
  bool in_step; /* the jobs begin together and stay together */
  double busy;  /* of the disks that are used, in base; without a scenario: the least there is */
  struct sim_noise noise;
};
int sim_scene_make(struct sim_scene *scene, const struct sim_point *p, struct siox_diag *diag);
void sim_scene_free(struct sim_scene *scene);

/* sim_map_read.c: the results, read again. */
struct sim_result {
  struct sim_point point;
  bool in_step, feasible;
  double busy; /* as in sim_scene */
  struct sim_noise noise;
  uint32_t used;
  struct sim_rows rows;
};
struct sim_text {
  struct sim_text *next;
  char text[];
};
struct sim_results {
  struct sim_result *item;
  uint64_t count;
  struct sim_text *texts; /* the points' names of drives */
};
void sim_results_head(FILE *out);
void sim_results_put(const struct sim_point *p, const struct sim_scene *scene,
                     const struct sim_rows *rows, FILE *out); /* rows NULL: there are none */
int sim_results_read(struct sim_results *r, FILE *in, const char *name, struct siox_diag *diag);
void sim_results_free(struct sim_results *r);

/* From what on something counts: whole or decimal percent, as texts say them, too. */
#define SIM_MATTERS 1     /* of the joules, or of I/O time: less is no difference */
#define SIM_ALLOWANCE 0.2 /* points of run time beyond a budget or limit */
#define SIM_TEXT_OF(number) #number
#define SIM_TEXT(number) SIM_TEXT_OF(number)
#define SIM_PART(percent) ((percent) / 100.0)
#define SIM_MATTERS_TEXT SIM_TEXT(SIM_MATTERS)
#define SIM_ALLOWANCE_TEXT SIM_TEXT(SIM_ALLOWANCE)

/* sim_map_judge.c: what the rows of a point say. Energy and I/O time count as different from
 * SIM_MATTERS on, and beyond the noise. */
enum sim_choice {
  SIM_CHOOSE_NOTHING, /* nobody saves SIM_MATTERS */
  SIM_CHOOSE_STATIC,
  SIM_CHOOSE_TIMEOUT,
  SIM_CHOOSE_HW,
  SIM_CHOOSE_ANY, /* hints come within SIM_MATTERS of what saves, without being better */
  SIM_CHOOSE_HINTS,
  SIM_NCHOICES
};
const char *sim_choice_name(enum sim_choice c);
/* What the choice is limited by: X(name, member, limit, what), member of a row. A delay budget may
 * be exceeded by SIM_ALLOWANCE; so may these. */
#define SIM_LIMITS(X)                                                                              \
  X(run0, slow_down, 0, "no longer run time")                                                      \
  X(run1, slow_down, 0.01, "at most 1 % longer run time")                                          \
  X(run5, slow_down, 0.05, "at most 5 % longer run time")                                          \
  X(io5, added_io, 0.05, "at most 5 % more I/O time")                                              \
  X(all, added_io, 1e300, "any delay")
enum sim_limit {
#define LIMIT(name, member, limit, what) SIM_LIMIT_##name,
  SIM_LIMITS(LIMIT)
#undef LIMIT
      SIM_NLIMITS
};
const char *sim_limit_what(enum sim_limit l);
/* Whether sentences and pictures are about it: those between are in tables only. */
bool sim_limit_told(enum sim_limit l);

struct sim_budget { /* of one siox:delay=PERCENT */
  const struct sim_row *row;
  double percent;
  double over;                       /* points of run time beyond; 0: within allowance or noise */
  double above;                      /* joules over the bound at the delay used, - 1 */
  const struct sim_row *dominator;   /* a static level within the budget, or NULL */
  const struct sim_row *cheaper;     /* SIM_MATTERS less joules, whatever its I/O time; or NULL */
  const struct sim_row *best_static; /* within the budget */
};
enum { SIM_MAX_BUDGETS = 8 };
struct sim_verdict {
  struct sim_noise noise;
  const struct sim_row *base, *siox, *oracle; /* NULL: not among the rows */
  const struct sim_row *dominator;            /* of siox: static, timeout, hw, com or rt; or NULL */
  struct sim_budget budget[SIM_MAX_BUDGETS];
  uint32_t nbudgets;
  enum sim_choice choice[SIM_NLIMITS];
  const struct sim_row *least[SIM_NLIMITS];
  double lead[SIM_NLIMITS]; /* of the best with hints over the best without, in base's joules */
};
void sim_judge(const struct sim_result *r, struct sim_verdict *v);
/* Nobody is at least as good in joules and added I/O time, and better in one. Replays only. */
bool sim_on_front(const struct sim_rows *rows, const struct sim_row *row);
/* By how much a is better than b, in b's joules or in points of I/O time; 0: it is not better in
 * both, or not by more than SIM_MATTERS and the noise. */
double sim_dominates(const struct sim_row *a, const struct sim_row *b,
                     const struct sim_noise *noise);

/* sim_map_groups.c: the results by drive and number of disks, and the values along an axis. */
struct sim_values {
  double value[64]; /* ascending; no more than that are kept */
  uint32_t count;
};
#define SIM_NUMBER_REAL(v) (v)
#define SIM_NUMBER_COUNT(v) (v)
#define SIM_NUMBER_NAME(v) 0
double sim_point_value(const struct sim_point *p, enum sim_axis axis); /* of a drive 0 */
struct sim_group {
  const char *drive;
  uint32_t disks;
  const struct sim_result **item;
  struct sim_verdict *verdict; /* of each */
  uint64_t count;              /* points that can be */
  uint64_t impossible;
  bool told; /* at length, with pictures: it has an eighth of the points of the greatest or more */
};
struct sim_groups {
  struct sim_group *group; /* in the order of their first points */
  uint32_t count;
};
int sim_groups_make(struct sim_groups *g, const struct sim_results *r); /* SIOX_ENOMEM */
void sim_groups_free(struct sim_groups *g);
void sim_group_values(const struct sim_group *g, enum sim_axis axis, struct sim_values *v);

/* sim_map_plot.c: pictures of each group into a directory; sim_plot_name: their names without
 * directory. 0 or an exit status with a message. */
enum sim_picture { SIM_PICTURE_CHOICE, SIM_PICTURE_SAVED };
void sim_plot_name(const struct sim_group *g, enum sim_picture picture, enum sim_limit limit,
                   char *name, size_t size);
int sim_plot_map(const struct sim_groups *g, const char *directory);

/* sim_map_report.c: what the map says, as Markdown. plots: directory of the pictures as the text
 * names it, NULL: there are none. command: it was made with. */
int sim_report_map(const struct sim_results *r, const struct sim_groups *g, const char *command,
                   const char *plots, FILE *out);

/* sim_map_verdict.c: counts and worst points for people. */
void sim_verdict_print(const struct sim_results *r, uint32_t worst, FILE *out);
/* Each question with its count, as rows of a Markdown table, and the worst points. */
void sim_verdict_markdown(const struct sim_results *r, uint32_t worst, FILE *out);
void sim_verdict_csv(const struct sim_results *r, FILE *out);
json_t *sim_verdict_json(const struct sim_results *r);

/* sim_map.c */
struct sim_map_options {
  const char *output, *schemes, *plot, *report;
  struct sim_grids grids;
  uint32_t worst;                             /* so many of the worst points are told */
  bool json, csv, read, so_far, quick, whole; /* quick, whole: what the grids are */
};
extern const char sim_map_schemes[]; /* compared at each point unless others are asked for */
int sim_map(const struct sim_map_options *o, const struct sim_watch *watch);

#endif
