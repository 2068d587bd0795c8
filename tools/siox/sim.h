/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* siox sim: a scenario, the rows of its table, and how they are shown. */
#ifndef SIOX_TOOLS_SIM_H
#define SIOX_TOOLS_SIM_H
#include "siox_tool.h"
#include <siox/layouts.h>
#include <siox/sim.h>
#include <siox/trace.h>

/* sim_scenario*.c */
struct sim_scenario {
  struct siox_sim *sim;
  uint32_t ndisks, njobs;
  const struct siox_drive **drive; /* ndisks */
  uint32_t *initial_level;
  double hold_factor;
  struct siox_limits limits;
  struct siox_cache_options cache; /* size 0: none */
  uint32_t widest;                 /* most disks of one file */
  char **scheme;                   /* asked for by the file; NULL-terminated, or NULL */
  char *only_trace;  /* the one job's trace, played as it was recorded; NULL: there is more to it */
  bool waits_untold; /* of some trace: siox_sim_waits_told */
  char *notes;       /* lines for people, or NULL */
  char **input;      /* the files that it was read from; NULL-terminated */
  /* what the above is kept in */
  struct siox_config_drives drives;
  struct siox_drive *copies;
  struct siox_trace_reader *reader;
  struct siox_layouts layouts;
  struct siox_layout *generated;
};
struct sim_override { /* of a value that stands in the file */
  const char *key, *value;
  bool add; /* or need not */
};
/* Errors are "FILE:LINE: KEY: what". Codes as siox_config_load and siox_sim_add. */
int sim_scenario_load(struct sim_scenario *s, const char *path, const struct sim_override *set,
                      uint32_t nset, struct siox_diag *diag);
/* The same of a text; name stands for the file in messages. */
int sim_scenario_parse(struct sim_scenario *s, const char *name, const char *text,
                       struct siox_diag *diag);
/* sim_of_trace.c: *text is the scenario that plays the trace at path, for free(); NULL when that
 * is no trace. */
int sim_scenario_of_trace(const char *path, char **text);
void sim_scenario_free(struct sim_scenario *s); /* harmless on a zeroed object */
/* Whether path leads to one of the files that the scenario was read from: none of them may be
 * written. */
bool sim_scenario_reads(const struct sim_scenario *s, const char *path);

/* sim_rows.c */
enum sim_kind { SIM_BASE, SIM_STATIC, SIM_SCHEME, SIM_ORACLE, SIM_BOUND };
const char *sim_kind_name(enum sim_kind kind); /* sim_show.c */
struct sim_row {
  char name[80];
  enum sim_kind kind;
  bool best;       /* of the static levels */
  char wrong[256]; /* why there are no figures; empty: there are */
  bool timed;      /* a replay: seconds and the like are known */
  double joules, saved, added_io, seconds, io_seconds, worst_seconds;
  double slow_down;     /* greatest over ranks of run time added, over the rank's in base; NAN: not
                           known */
  double delay_seconds; /* I/O time added, over all ranks that lost any */
  double bound;         /* least joules for anyone who adds so much and is in nothing quicker */
  double less_io, less_run; /* parts of base's I/O time, of all ranks together, and of its run time
                               that it did without; 0: none */
  double joules_state[SIOX_NSTATES];
  uint64_t transitions, requests, missed, released;
  struct siox_cache_totals cache; /* bytes */
  double hit_rate;                /* part of the bytes read that came from memory */
};
/* The figures of a row as CSV and JSON show them: ALL(name, member) of every row, REAL and COUNT of
 * replays only. The joules of the states follow. */
#define SIM_COLUMNS(ALL, REAL, COUNT)                                                              \
  ALL(joules, joules)                                                                              \
  ALL(saved, saved)                                                                                \
  ALL(added_io_time, added_io)                                                                     \
  REAL(slow_down, slow_down)                                                                       \
  REAL(seconds, seconds)                                                                           \
  REAL(io_seconds, io_seconds)                                                                     \
  REAL(worst_wait_s, worst_seconds)                                                                \
  REAL(bound_joules, bound)                                                                        \
  COUNT(transitions, transitions)                                                                  \
  COUNT(requests, requests)                                                                        \
  COUNT(missed, missed)                                                                            \
  COUNT(released, released)                                                                        \
  REAL(cache_hit_rate, hit_rate)                                                                   \
  COUNT(cache_read, cache.read)                                                                    \
  COUNT(cache_hit, cache.hit)                                                                      \
  COUNT(cache_ahead, cache.ahead)                                                                  \
  COUNT(cache_flushed, cache.flushed)
struct sim_rows {
  struct sim_row *row;
  uint32_t count;
  bool cut;
  bool late;            /* base itself waited for a disk that began below full speed */
  uint32_t used;        /* disks that served anything in base */
  double unused_joules; /* in base, of the disks that served nothing */
  char rule[16];        /* the disks' rules for what a change of speed costs: "b"; "-": their
                           profiles list what changes cost */
  double busy;          /* mean over them of the part of base's run time in which they served */
  uint32_t ranks;       /* processes of all jobs together */
  bool recorded;        /* the following are known */
  double recorded_joules, open_joules, closed_joules, closed_seconds, recorded_seconds;
};
struct timeline;
struct sim_watch {
  void (*progress)(void *context, const char *scheme, double part); /* may be NULL */
  void *context;
  const char *drawn;         /* scheme whose speeds are gathered, or NULL */
  struct timeline *timeline; /* into this */
  siox_request_fn request;   /* told the requests of base; may be NULL */
  void *request_context;
};
/* scheme: names as siox_policy_find takes them. SIOX_ENOMEM, or what ended the base replay. */
int sim_rows_make(struct sim_rows *rows, struct sim_scenario *s, char *const *scheme,
                  const struct sim_watch *watch, struct siox_diag *diag);
void sim_rows_free(struct sim_rows *rows);

/* sim_show.c, sim_plot.c */
/* A bar on stderr that replaces the one before; part is from 0 to 1. For sim_watch.progress. */
void sim_show_progress(void *context, const char *what, double part);
void sim_show_table(const struct sim_rows *rows, const struct sim_scenario *s, FILE *out);
void sim_show_csv_head(FILE *out);
void sim_show_csv(const struct sim_rows *rows, const char *lead, FILE *out); /* lead: before each */
json_t *sim_show_json(const struct sim_rows *rows, const struct sim_scenario *s);
int sim_plot_svg(const struct sim_rows *rows, FILE *out, int width);

/* sim_schemes.c: those asked for, else the scenario's, else all that need no argument. NULL: no
 * memory. One block, freed with free(). */
char **sim_schemes(const char *asked, const struct sim_scenario *s);
/* Whether there is such a scheme, its argument is one, and for static some disk serves so. s NULL:
 * for disks that are not known yet. SIOX_EINVAL, SIOX_ENOENT, with diag. */
int sim_scheme_check(const struct sim_scenario *s, const char *scheme, struct siox_diag *diag);
/* The static schemes of a scenario one after the other, by speed: of every level that serves on
 * some disk. *speed is -1 before the first, then the last one's. False: there are no more. */
enum { SIM_STATIC_NAME = 32 };
bool sim_static_next(const struct sim_scenario *s, int32_t *speed, char name[SIM_STATIC_NAME]);

/* sim_sweep.c: an exit status; errors are on stderr */
int sim_sweep(const char *path, const char *schemes, const struct sim_watch *watch);

/* sim_import.c: `siox sim import`; argv[0] is "import" */
int sim_import(int argc, char **argv);

#endif
