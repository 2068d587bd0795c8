/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* siox sim --paper: the evaluation of Son and Kandemir, played again from recorded traces under
 * every scheme and every rule for what a change of speed costs; what came out beside what the paper
 * states, and what follows from it. The only numbers that are written down are the paper's;
 * sentences are chosen by what was computed. */
#ifndef SIOX_TOOLS_SIM_PAPER_H
#define SIOX_TOOLS_SIM_PAPER_H
#include "sim.h"
#include "sim_map.h"
#include "sim_paper_cdf.h"

enum sim_paper_scene {
#define SIM_SCENE(id, alone) SIM_SCENE_##id,
#include "sim_paper.def"
  SIM_NSCENES
};
enum sim_paper_figure {
#define SIM_FIGURE(id, title, question) SIM_FIGURE_##id,
#include "sim_paper.def"
  SIM_NFIGURES
};
struct sim_paper_shown {
  enum sim_paper_figure figure;
  enum sim_paper_scene scene;
  const char *label;
};
enum {
  SIM_NSHOWN = 0
#define SIM_SHOWN(figure, scene, label) +1
#include "sim_paper.def"
};
extern const struct sim_paper_shown sim_paper_shown[SIM_NSHOWN];
const char *sim_paper_title(enum sim_paper_figure f);
const char *sim_paper_question(enum sim_paper_figure f);
/* An id of sim_paper.def as part of a file's name: '-' for '_'. */
void sim_paper_dashes(char *name);
/* The scenario's file without ".yaml". */
void sim_paper_name(enum sim_paper_scene scene, char name[32]);
/* Whether one program has the disks to itself. */
bool sim_paper_alone(enum sim_paper_scene scene);

enum { SIM_NRULES = 3, SIM_SHA256 = 65 };

/* sim_paper_files.c: the files of a directory and what SHA256SUMS says of them. */
struct sim_paper_file {
  char *name;
  char hash[SIM_SHA256];
};
struct sim_paper_files {
  char *directory;
  struct sim_paper_file *file; /* every file that SHA256SUMS names; all of them are as it says */
  size_t count;
};
/* directory NULL: share/paper of this installation. SIOX_ENOENT (a file is missing), SIOX_ECHECKSUM
 * (one was changed), SIOX_ESYNTAX, SIOX_EIO, SIOX_ENOMEM, with diag naming it. */
int sim_paper_files_open(struct sim_paper_files *f, const char *directory, struct siox_diag *diag);
void sim_paper_files_close(struct sim_paper_files *f);
/* The hash of a file below the directory, NULL: SHA256SUMS does not name it. */
const char *sim_paper_hash(const struct sim_paper_files *f, const char *path);
/* Whether it is one of them, or SHA256SUMS. */
bool sim_paper_reads(const struct sim_paper_files *f, const char *path);

/* sim_paper_play.c: what came out. */
/* Behind the names of schemes that were played with hints from what the jobs do. */
#define SIM_PAPER_TRUE ", true hints"
struct sim_paper_play { /* a scenario under one rule */
  struct sim_rows rows; /* count 0: was not played */
  json_t *json;
};
struct sim_paper_request {
  double seconds; /* since the run began */
  uint64_t bytes;
  bool write;
};
struct sim_paper_result {
  struct sim_paper_play rule[SIM_NRULES];
  struct siox_drive drive[SIM_NRULES]; /* disk 0 */
  uint32_t ndisks;
  uint32_t base, factor; /* where its first file lies; factor 0: there is none */
  uint64_t unit;
  bool same_layout;      /* so do all others */
  char *notes, *assumed; /* or NULL */
  /* of base, which is the same under every rule, in the time of the disks' profile */
  struct sim_idle idle;
  double *before, *after; /* of each disk, seconds until its first and from its last use */
  struct sim_paper_request *request;
  size_t nrequests, request_room;
  bool lost; /* there was no memory for some */
  uint64_t bytes;
  uint64_t *size, data; /* of each file as far as it is used, by number - 1; of all */
  size_t nfiles;
};
struct sim_paper {
  struct sim_paper_files files;
  struct sim_paper_result scene[SIM_NSCENES];
  int first_rule, last_rule; /* of enum siox_transition_rule, that were played */
  int headline;              /* the one under which siox saves least in the mean of all scenarios */
};
/* 0, or an exit status after messages. */
int sim_paper_play(struct sim_paper *p, bool json, const struct sim_watch *watch);
void sim_paper_free(struct sim_paper *p);

static inline const char *sim_rule_name(int rule) {
  return siox_rule_name((enum siox_transition_rule)rule);
}

/* In %, without the sign of what is rounded away. */
static inline double sim_percent(double part) {
  return part < 0 && part > -0.00005 ? 0 : part * 100;
}

/* sim_paper_values.c: figures of what was played. NAN: there are none. */
const struct sim_row *sim_paper_row(const struct sim_paper *p, enum sim_paper_scene scene, int rule,
                                    const char *scheme);
const struct sim_row *sim_paper_static(const struct sim_paper *p, enum sim_paper_scene scene,
                                       int rule); /* the best */
double sim_paper_saved(const struct sim_paper *p, enum sim_paper_scene scene, int rule,
                       const char *scheme);
double sim_paper_kept(const struct sim_paper *p, enum sim_paper_scene scene, int rule,
                      const char *scheme); /* of the oracle's savings */
double sim_paper_longer(const struct sim_paper *p, enum sim_paper_scene scene, int rule,
                        const char *scheme); /* - 1 */
double sim_paper_seconds(const struct sim_paper *p, enum sim_paper_scene scene,
                         int rule); /* of base */
double sim_paper_io(const struct sim_paper *p, enum sim_paper_scene scene,
                    int rule); /* seconds in base */
/* Of a figure's scenarios. The energy of one scheme over that of another, - 1. */
double sim_paper_mean_saved(const struct sim_paper *p, enum sim_paper_figure f, int rule,
                            const char *scheme);
double sim_paper_mean_longer(const struct sim_paper *p, enum sim_paper_figure f, int rule,
                             const char *scheme);
double sim_paper_most_longer(const struct sim_paper *p, enum sim_paper_figure f, int rule,
                             const char *scheme);
double sim_paper_mean_above(const struct sim_paper *p, enum sim_paper_figure f, int rule,
                            const char *scheme, const char *other);
/* Declares result: the mean over a figure's scenarios of value, an expression of `scene`. */
#define SIM_MEAN_OF(result, figure_, value)                                                        \
  double result = 0;                                                                               \
  do {                                                                                             \
    double n = 0;                                                                                  \
    for (int i = 0; i < SIM_NSHOWN; i++)                                                           \
      if (sim_paper_shown[i].figure == (figure_)) {                                                \
        enum sim_paper_scene scene = sim_paper_shown[i].scene;                                     \
        result += (value);                                                                         \
        n++;                                                                                       \
      }                                                                                            \
    result /= n;                                                                                   \
  } while (0)
/* Share, 0 to 1, of the idle time of a figure's scenarios that lies in periods of at least so many
 * seconds. */
double sim_paper_idle_share(const struct sim_paper *p, enum sim_paper_figure f, double seconds);
/* siox_drive_stop_break_even_s in the time of the drive's profile. */
double sim_paper_break_even(const struct siox_drive *d);

/* sim_paper_stated.c: numbers that the paper's text states. */
void sim_paper_stated_markdown(const struct sim_paper *p, FILE *out);
json_t *sim_paper_stated_json(const struct sim_paper *p);

/* sim_paper_trends.c: what the paper claims, and whether it is so here. */
struct sim_paper_counts {
  uint32_t good, mixed, bad;
};
struct sim_paper_counts sim_paper_trends_markdown(const struct sim_paper *p, FILE *out);
json_t *sim_paper_trends_json(const struct sim_paper *p);

/* sim_paper_bars_told.c: our own. good: met, bad: missed. */
struct sim_paper_counts sim_paper_bars_markdown(const struct sim_paper *p, FILE *out);
json_t *sim_paper_bars_json(const struct sim_paper *p);

/* sim_paper_plot.c, sim_paper_lines.c: pictures into a directory. 0 or an exit status with a
 * message. */
int sim_paper_plot(const struct sim_paper *p, const char *directory);
void sim_paper_plot_name(enum sim_paper_figure f, char name[48]);
int sim_paper_draw_idle(void *paper, FILE *out);
int sim_paper_draw_requests(void *paper, FILE *out);

/* sim_paper_terms.c: what the report's words mean; a page of docs/, and what says how the scenarios
 * were chosen. Links where they lead there from the report's file, NULL: it has none. */
void sim_paper_terms(const struct sim_paper *p, const char *report, FILE *out);
void sim_paper_page(const struct sim_paper *p, const char *report, const char *page, FILE *out);
void sim_paper_choices(const struct sim_paper *p, const char *report, FILE *out);

/* sim_paper_report.c. report: the file that it goes to, NULL: none; plots: directory of the
 * pictures as the text names it, NULL: there are none. */
int sim_paper_report(const struct sim_paper *p, const char *command, const char *report,
                     const char *plots, FILE *out);

/* sim_paper.c */
struct sim_paper_options {
  const char *directory, *plot, *report;
  bool json, csv, quick;
};
int sim_paper(const struct sim_paper_options *o, const struct sim_watch *watch);

#endif
