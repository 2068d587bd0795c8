/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The predictor: turns the pass's static descriptors (sites, regions and the graph over them) and
 * what this process was seen to do into hints. The compiler proves the shape (which sites can
 * follow a region, how an offset behaves at a loop level); the predictor measures what no compiler
 * knows (how long a region takes, which file a handle is, where a stride leads) and says per disk
 * when it is next needed.
 *
 *   access, access | region r: enter .. tick .. leave | access, access | region ...
 *   '--- burst --'   '--- gap: hints go out -------'    '-- burst ---'
 *
 * A gap is the time inside the outermost region that is not a NEST and not brief. Accesses between
 * two gaps form a burst; it belongs to the region left last, so that one call reached over two
 * paths is learned apart. At a gap's entry, and at ticks inside it, the least time to next use of
 * every disk is computed over the region graph: dist(r) = 0, dist(s) = the least over predecessors
 * of dist + measured time; a site after s is used at dist(s) + time(s). A region never timed counts
 * as no time at all: unknown means full speed.
 *
 * Pure: time is an argument, hints leave through a callback. Not thread-safe; one predictor a
 * process, its regions those of the thread that came first (predict.c). All times in ns. */
#ifndef SIOX_CLIENT_PREDICT_H
#define SIOX_CLIENT_PREDICT_H
#include "client/predict_course.h"
#include "common/filetype.h"
#include "siox/drive.h"
#include "siox/layout.h"
#include "siox/policy.h"
#include "siox/site.h"

struct siox__predict_env {
  uint32_t ndisks;
  enum siox_lead_kind lead;
  int64_t lead_ns;                /* longest change from the lowest serving level to full */
  int64_t min_gap_ns;             /* shortest gap that pays on any disk */
  const struct siox_drive *drive; /* SIOX_LEAD_TRANSITION: to choose a level; NULL: the lowest */
  void (*hint)(void *context, const struct siox_mask *T, int32_t S, int32_t F, int64_t need_by,
               int64_t until);
  void *context;
};

enum { SIOX__SPACING_MAX = 4096 }; /* bursts from one use to the next that are still counted */
enum {
  SIOX__HISTORY = 16,
  SIOX__STACK = 16,
  SIOX__TRACKS = 4,
  SIOX__EXTENTS = 8,
  SIOX__FOLLOWED = 4,
  SIOX__RUNNING = 8
};

/* Sets of files: bit i is file i of the predictor. What does not fit makes a set unknown. */
#define SIOX__FILES_UNKNOWN UINT64_MAX
#define SIOX__FILES_MAX 63

/* A file this process opened. Reopened by the same call with the same layout it is the same file
 * again. */
struct siox__pfile {
  const void *handle; /* NULL: closed */
  const struct siox_site *origin;
  struct siox_layout layout; /* factor 0: not on emulated disks */
  uint32_t opens;            /* so often */
  struct siox_layout beside; /* of the file with its shared file pointer; factor 0: none seen */
  uint64_t needed;           /* release generation at which all its disks were claimed as needed */
  bool accessed;             /* since it was opened; by which site last */
  const struct siox_site *user;
};

/* What one access reaches for: `bytes` of the file from `offset` on (-1: not known), or of these
 * the data bytes [from, from + data) of a view; read over holes in pieces of up to `sieve` bytes,
 * 0: not over holes. */
struct siox__reach {
  int64_t offset, bytes;
  const struct siox__view *view; /* NULL: all of the bytes */
  int64_t from, data, sieve;
};

/* The accesses of one site to one file in one burst. */
struct siox__burst {
  int64_t first, last, inner; /* offsets of the first and the last access, constant step between */
  int64_t low, high, size, count; /* span of bytes, largest request, number of requests */
  bool uniform;                   /* all steps were `inner`, all sizes equal */
  /* The bytes, gaps of less than a stripe closed, which adds no disk; one too many: only the span
   * is known. */
  struct siox__extent {
    int64_t low, high;
  } extent[SIOX__EXTENTS];
  uint32_t nextents;
};
struct siox__track {
  int32_t file;
  struct siox__burst now, before; /* running burst, last finished one */
  int64_t step; /* from the first access of the burst before `before` to that of `before` */
  bool has_before, has_step;
};
/* What one site did in the bursts after one region (or, in siox__site_state.any, wherever it was
 * called). */
struct siox__context {
  struct siox_site *site;
  struct siox__track track[SIOX__TRACKS]; /* of the first files it used; others are taken whole */
  uint32_t ntracks;
  uint64_t files, ever;            /* used in the running burst; in any */
  uint64_t history[SIOX__HISTORY]; /* files used per instance of the region, newest first */
  uint32_t nhistory;
  /* Bursts since it was last used, from that use to the one before, and of how many uses in a row
   * that was so, with the same files. */
  uint32_t since, spacing, repeats;
  uint64_t last_files;
  /* Where the compiler knows what leads to the site's handle there: the table that was evaluated,
   * and the files it is one of, without and only after leaving the STEPS loop around the region. */
  const struct siox_file_uses *given_by;
  uint64_t given, given_outside;
};
struct siox__when; /* predict_when.c */

struct siox__site_state {
  struct siox__context any;
  struct siox_site *link;  /* all sites seen */
  bool touched;            /* in siox__predictor.touched */
  struct siox__when *when; /* iterations of a loop in which alone it is called, or NULL */
};

enum { SIOX__WINDOWS = 32, SIOX__LATEST = 8, SIOX__CLOSINGS = 4 };

/* Which of many instances pay: after how many that do not the latest came that did, and how long
 * those lasted; newest at (n - 1) % SIOX__LATEST. */
struct siox__rhythm {
  const struct siox_site *after_use; /* closings: of files that it used last */
  bool taken;                        /* for that site */
  uint32_t since;                    /* instances since the last that paid */
  uint32_t after[SIOX__LATEST];
  int64_t time[SIOX__LATEST];
  uint64_t n;
};

/* Instances that went by beats, up to the last of them; and what came after it, likewise newest at
 * (courses.n - 1) % SIOX__COURSES. */
struct siox__beaten {
  struct siox__courses courses;
  int64_t rest[SIOX__COURSES];
};

struct siox__region_state {
  int64_t time[SIOX__LATEST]; /* durations of the last instances, newest at (ntimes - 1) % LATEST */
  uint64_t ntimes;
  double step[SIOX__LATEST]; /* ns an iteration took in the latest windows, of 1/32 loop each */
  uint64_t nsteps;
  int64_t tail;           /* what came after the inner loop in the last instance, 0 */
  int64_t late;           /* smoothed time by which the end came before it was predicted */
  int64_t entered, cycle; /* last entry; time between the last two entries, < 0 unknown */
  int64_t trip;           /* of the last instance, SIOX_UNKNOWN */
  int64_t predicted_end;  /* the binding prediction for this instance, 0: none */
  int64_t dist;           /* scratch of the graph walk */
  uint32_t visit;         /* scratch: the walk that set dist */
  bool done;              /* scratch */
  bool had_access;        /* accesses happened inside the last instance */
  uint32_t doubt;         /* instances without one until it can be a gap */
  bool stepping; /* STEPS: running; then iterations done, its trip count, when the last one ended */
  int64_t steps_done, steps_trip, steps_seen;
  struct siox__courses *courses; /* of the latest instances whose iterations were told; or NULL */
  /* Calls that passed messages in the last instance that lasted, 0: not known; how many before it
   * in a row had as many; and the courses of those, or NULL. */
  int64_t beats;
  uint32_t beats_alike;
  struct siox__beaten *beaten;
  struct siox__context *after; /* what its bursts did, one a site it led to or can lead to */
  uint32_t nafter, maxafter;
  struct siox_region *followed[SIOX__FOLLOWED]; /* gaps that came next so far */
  uint32_t nfollowed;
  bool last_in_step;             /* the STEPS loop around it ended an iteration after it */
  uint64_t bursts;               /* that have ended */
  struct siox__when *conditions; /* STEPS: the first of what was told of its iterations */
  /* STEPS: iterations that are over; there was I/O that these conditions do not explain. */
  uint64_t explained;
  bool unexplained;
  uint64_t
      surprise; /* OUTSIDE: of how many bursts the last was that used a site for the first time */
  struct siox__when *when; /* iterations in which alone it begins, or NULL */
  /* OUTSIDE: of those in which no file was closed; of the others, timed from then on; the same by
   * who used the file last, for what a phase of I/O did tells what follows it. */
  struct siox__rhythm returns, closings, closings_of[SIOX__CLOSINGS];
  struct siox_region
      *owner;               /* scratch of the walk: brief regions belong to the burst of this one */
  struct siox_region *link; /* all regions seen */
};

/* What follows a region as far as the compiler knows: region->far while the regions that it passes
 * through do not last, else what comes first. */
struct siox__lists {
  struct siox_site *const *next;
  struct siox_region *const *succ;
  uint32_t nnext, ninside, nsucc, nsuccinside;
};
enum siox__place {
  SIOX__ELSEWHERE, /* not in the list: known from experience only */
  SIOX__FOLLOWS,   /* can follow at once */
  SIOX__INSIDE,    /* the same, without leaving the STEPS loop around the region */
  SIOX__OUTSIDE,   /* only when that loop is over */
  SIOX__SCHEDULED, /* in the next iteration that a condition allows */
};

struct siox__flight; /* predict_flight.c */

/* How a disk was last claimed. */
struct siox__claimed {
  enum { SIOX__UNCLAIMED, SIOX__NEEDED, SIOX__RELEASED } state;
  int64_t need_by; /* RELEASED: SIOX_NEVER none stated */
  int64_t due;     /* TRANSITION lead: when F = 1 must go out; SIOX_NEVER none */
  struct {         /* scratch of one planning */
    bool emit;
    int32_t speed, flag;
    int64_t need_by;
  } want;
};

struct siox__frame {
  struct siox_region *region;
  bool no_gap;     /* accesses can happen inside */
  uint32_t nested; /* entries of the same region inside it, not stacked */
  struct siox__course course;
  struct siox__course beat; /* over its beats; trip 0: they are not as many as the last time */
  uint64_t beat0;           /* beats of the thread when it began */
  int64_t start, trip;
  int64_t iterations, seen;          /* iterations done at the last tick and its time */
  int64_t window_done, window_start; /* where the running window began */
  int64_t inner_end;                 /* when the last loop inside was left, 0 */
  int64_t closed; /* OUTSIDE: when a file that was used was last closed in it, 0; and so */
  struct siox__rhythm *closing;
  int64_t due; /* OUTSIDE: when it will end by its rhythm, 0: none known */
};

enum { SIOX__FLIGHT_ROWS = 256 };

struct siox__predictor {
  struct siox__predict_env env;
  struct siox__pfile *file;
  uint32_t nfiles, maxfiles;
  const struct siox_file_uses *uses; /* evaluated last */
  struct siox_site **touched;        /* sites used in the running burst */
  uint32_t ntouched, maxtouched;
  bool threads;      /* several access files: what one said ends with it, so each says all */
  uint32_t opens;    /* scratch: closed files count that were opened so often; UINT32_MAX: none */
  bool settled;      /* a burst has ended: what the program works with is known */
  uint64_t releases; /* grows with each release given: generation of struct siox__pfile.needed */
  struct siox_region *regions;      /* all seen, through state->link */
  struct siox_site *sites;          /* likewise */
  struct siox__when *whens;         /* all conditions told */
  struct siox_region *burst_region; /* left last: owner of the running burst */
  struct siox__frame stack[SIOX__STACK];
  uint32_t depth;
  uint32_t gap;                               /* index + 1 of the frame that is the gap; 0: none */
  struct siox_region *running[SIOX__RUNNING]; /* STEPS loops with conditions that run */
  uint32_t nrunning;
  /* Accesses that were begun and are not complete: by key; those whose end nobody will tell, one a
   * file; how many there are; how many each disk has. */
  struct siox__flight *flights[SIOX__FLIGHT_ROWS], *lost;
  uint32_t nflights, *aloft;
  /* Calls of the thread with the regions that passed messages, and when the last of them was over;
   * set before events. */
  uint64_t beats;
  int64_t beat_at;
  int64_t rested; /* told last by siox__predict_rest */
  int64_t now;    /* of the last event that told the time */
  uint32_t visit;
  const struct siox_region *from; /* scratch: the gap that is planned */
  struct siox__claimed *claimed;  /* per disk */
  int64_t *next_use;              /* per disk, scratch: absolute time */
  struct siox_mask scratch, group;
  bool failed; /* out of memory: says nothing any more */
};

int siox__predictor_init(struct siox__predictor *p, const struct siox__predict_env *env);
/* Nothing is foretold on these drives, or there is no memory for it. */
bool siox__predictor_asleep(const struct siox__predictor *p);
void siox__predictor_free(struct siox__predictor *p);
void siox__predictor_opened(struct siox__predictor *p, struct siox_site *site, const void *handle,
                            const struct siox_layout *layout);
void siox__predictor_closed(struct siox__predictor *p, const void *handle, int64_t now);
/* The MPI library has opened a file that keeps the shared file pointer of an open one; takes the
 * layout over. */
void siox__predictor_beside(struct siox__predictor *p, const void *handle,
                            struct siox_layout *layout);
/* The disks were claimed (flag 1) or released by somebody else, who is the last to have said
 * something of them; until: when that ends. */
void siox__predictor_told(struct siox__predictor *p, const struct siox_mask *mask, int32_t flag,
                          int64_t need_by, int64_t until);
/* Before a call that moves the shared file pointer. */
void siox__predictor_pointer(struct siox__predictor *p, const void *handle);
/* Before an access; offset -1: not known. site may be NULL. */
void siox__predictor_access(struct siox__predictor *p, struct siox_site *site, const void *handle,
                            int64_t offset, int64_t bytes);
void siox__predictor_reach(struct siox__predictor *p, struct siox_site *site, const void *handle,
                           const struct siox__reach *reach);
/* A nonblocking or split access was begun; whoever completes it names the same key, which is not 0
 * and of no other access under way. Until then its disks are in use. */
void siox__predictor_departs(struct siox__predictor *p, uint64_t key, const void *handle,
                             const struct siox__reach *reach);
void siox__predictor_lands(struct siox__predictor *p, uint64_t key, int64_t now);
/* Nobody will tell when it is complete: it lasts until its file is closed. */
void siox__predictor_lost(struct siox__predictor *p, uint64_t key);
/* Before a gap begins: handle[i] is what use i leads to now, NULL: nothing. */
void siox__predictor_files(struct siox__predictor *p, const struct siox_file_uses *uses,
                           const void *const *handle);
/* Before a STEPS loop begins. */
void siox__predictor_when(struct siox__predictor *p, struct siox_steps_when *when, int64_t first,
                          int64_t modulus);
int64_t siox__predictor_enter(struct siox__predictor *p, struct siox_region *region, int64_t trip,
                              int64_t now);
int64_t siox__predictor_tick(struct siox__predictor *p, struct siox_region *region,
                             int64_t iteration, int64_t now);
/* A beat: a call that passes messages, point-to-point or collective, is over. They tell how loops
 * whose iterations nobody counts go forward. beats: such calls of the thread with the regions, from
 * its beginning on. Returns when the next one is wanted; sooner ones are harmless. */
int64_t siox__predictor_beat(struct siox__predictor *p, uint64_t beats, int64_t now);
/* region NULL: the innermost OUTSIDE region, if there is one. */
void siox__predictor_leave(struct siox__predictor *p, struct siox_region *region, int64_t now);
/* Split loops: iterations of lead, and the hint between the two loops. */
int64_t siox__predictor_split(struct siox__predictor *p, struct siox_region *region, int64_t trip,
                              int64_t iteration_ns);
void siox__predictor_split_hint(struct siox__predictor *p, struct siox_region *region, int32_t flag,
                                int64_t left, int64_t now);

/* The disks that the reach touches, added to the mask. */
void siox__predict_reach(const struct siox__pfile *f, const struct siox__reach *reach,
                         struct siox_mask *mask);

/* predict_flight.c */
/* Of this key, if there is one. True: it was the last one of a disk. */
bool siox__flight_ends(struct siox__predictor *p, uint64_t key);
/* All of a file; NULL: of all files. */
void siox__flights_end(struct siox__predictor *p, const void *handle);
/* An access under way may use the disk at any moment. */
static inline bool siox__flying(const struct siox__predictor *p, uint32_t disk) {
  return disk < p->env.ndisks && p->aloft[disk];
}

/* predict_history.c */
struct siox__site_state *siox__site_state(struct siox__predictor *p, struct siox_site *site);
struct siox__region_state *siox__region_state(struct siox__predictor *p,
                                              struct siox_region *region);
/* Requests at equal distances; offset -1: not known; unit: the layout's stripe. */
void siox__history_access(struct siox__context *c, int32_t file, uint64_t unit,
                          const struct siox__piece *piece);
void siox__history_close_burst(struct siox__context *c);
/* Index of an open file; -1: not one of ours. */
int32_t siox__predictor_file(const struct siox__predictor *p, const void *handle);
/* Files expected at the j-th coming instance (j >= 1) and the period of the pattern. */
uint64_t siox__history_files(const struct siox__context *c, uint32_t j, uint32_t *period);
/* The first of the coming instances of that period in which anything is expected. */
uint32_t siox__history_first(const struct siox__context *c, uint32_t period);
struct siox__lists siox__lists_of(const struct siox__predictor *p,
                                  const struct siox_region *region);
enum siox__place siox__place_of_site(const struct siox__lists *lists,
                                     const struct siox_region *region,
                                     const struct siox_site *site);
/* So many bursts in a loop without what the compiler saw there speak against it. */
enum { SIOX__PASSED_BY = SIOX__HISTORY };
/* What follows code that the compiler has not seen, only experience tells: before the first burst
 * anything can, after it what did so far, until something else comes; then anything can for as long
 * as SIOX__PASSED_BY bursts. */
static inline bool siox__experienced(const struct siox_region *region) {
  const struct siox__region_state *s = region->state;
  return region->kind == SIOX_REGION_OUTSIDE && s->bursts > 0 &&
         (s->surprise == 0 || s->bursts - s->surprise >= SIOX__PASSED_BY);
}
/* Adds the disks that `site` will use in the j-th coming burst of context c (NULL: no context
 * known). What was passed by in many iterations of a loop is believed to be passed by again. false:
 * cannot tell, it may be any disk. */
bool siox__predict_mask(const struct siox__predictor *p, const struct siox__context *c,
                        struct siox_site *site, uint32_t j, enum siox__place where,
                        struct siox_mask *mask);
/* Adds the disk of a file's shared file pointer, if it has one. */
void siox__predict_shared(const struct siox__pfile *f, struct siox_mask *mask);
/* Adds the disks of a set of files. */
void siox__predict_given(const struct siox__predictor *p, uint64_t files, struct siox_mask *mask);

/* predict_when.c */
void siox__when_free(struct siox__predictor *p);
/* The condition that holds for a site now, or NULL. */
struct siox__when *siox__when_of(const struct siox_site *site);
/* The site is called: a condition that denies it is not believed any more. */
void siox__when_used(const struct siox_site *site, int64_t now);
/* An iteration of a STEPS loop is over and counted. */
void siox__when_step(struct siox__region_state *loop, int64_t now);
/* Time before which what stands behind the condition (NULL: none) is not reached from the gap
 * `from`; 0: at any. `at`: when it could be without. */
int64_t siox__when_time(struct siox__when *when, const struct siox_region *from, int64_t at);
/* Likewise when its first site is used, which may be long after that. Keeps what it says, so that
 * siox__when_used can tell how much sooner the use came. */
int64_t siox__when_use(struct siox__when *when, const struct siox_region *from, int64_t at);

/* Time before which nothing is accessed in a running loop, seen from the gap `from` in it (NULL:
 * none); 0: not known. */
int64_t siox__when_any(const struct siox_region *steps, const struct siox_region *from,
                       int64_t now);
/* A loop begins, ends or has done an iteration. */
void siox__when_begins(struct siox__predictor *p, struct siox_region *steps);
void siox__when_ends(struct siox__predictor *p, const struct siox_region *steps);
/* A file is opened or accessed: loops that should do no I/O in this iteration are not believed any
 * more. */
void siox__when_seen(struct siox__predictor *p);

/* predict_plan.c */
/* Nothing is accessed before `time`: disks that were used may rest until then. */
void siox__predict_rest(struct siox__predictor *p, int64_t time, int64_t now);
/* Tells what follows from next_use now: releases, need_by, leads. */
void siox__predict_emit(struct siox__predictor *p, int64_t now);
/* Claims as needed the disks of the mask that are not. */
void siox__predict_need(struct siox__predictor *p, const struct siox_mask *mask);
/* Releases the disks of the mask without a time. */
void siox__predict_release(struct siox__predictor *p, const struct siox_mask *mask);
/* Fills p->next_use with the absolute time of each disk's next use, SIOX_NEVER: none reachable,
 * given that the gap region `from` ends at `end`. */
void siox__predict_next_use(struct siox__predictor *p, struct siox_region *from, int64_t end);

/* Time below which a region is no gap but part of the burst around it: a 32nd of what can pay. A
 * region not timed yet becomes a gap when it has lasted so long. */
static inline int64_t siox__brief_ns(const struct siox__predictor *p) {
  return p->env.min_gap_ns / 32;
}
bool siox__region_brief(const struct siox__predictor *p, const struct siox_region *region);

/* predict_time.c: how long things take. Like the paper's T_b (section IV, equation 1) the shortest
 * of the latest measurements counts: on a machine that others use too an average makes disks late
 * whenever the load falls. */
/* What of `left` goes to the safe side, for early costs a little energy and late costs delay: 3 %,
 * and twice what was missed lately, an eighth at most. */
static inline int64_t siox__safe_side(int64_t left, int64_t missed) {
  int64_t margin = left / 32 + 2 * missed;
  return left <= 0 ? 0 : margin < left / 8 ? margin : left / 8;
}
/* Least of the last durations; < 0: never finished. */
int64_t siox__region_time(const struct siox_region *region);
/* What a region that was never finished takes by the profile that the program was compiled with;
 * < 0: there is none. */
int64_t siox__region_expected(const struct siox_region *region, int64_t trip);
/* The same as siox__region_time, and for a call never finished what a call of the same function
 * with the same arguments takes: one that is over, or the present gap, which ends at `end`. */
int64_t siox__region_time_or_alike(const struct siox__predictor *p,
                                   const struct siox_region *region, int64_t end);
void siox__region_took(struct siox__region_state *s, int64_t time);
/* How long the coming instance will last if it is one that pays; < 0: it is none, or no rhythm is
 * known. */
int64_t siox__rhythm_next(const struct siox__rhythm *r);
/* Of the closings of files that this site used last; of many sites the last share one. */
struct siox__rhythm *siox__closings_of(struct siox__region_state *s, const struct siox_site *user);
void siox__rhythm_took(struct siox__rhythm *r, int64_t time, bool pays);
/* ns an iteration takes at the least; 0: not known. */
double siox__region_step(const struct siox_region *region);
/* Time from the end of a region at `at` to what waits for the end of the STEPS loop around it: the
 * iterations still to come, with what is left of the present one where others always came after the
 * region in it; 0: not known. */
int64_t siox__steps_wait(const struct siox_region *region, int64_t at);
/* ns an iteration of a running STEPS loop takes; before one has ended, at least what has passed of
 * it by `at`. */
double siox__running_step(const struct siox_region *steps, int64_t at);
int64_t siox__frame_trip(const struct siox__frame *f);
/* How long a call lasts at the least because it was told to; < 0: it is none of these. */
int64_t siox__frame_sleeps(const struct siox__frame *f);
void siox__frame_tick(struct siox__frame *f, int64_t iteration, int64_t now);
/* The frame's region is over. */
void siox__frame_took(const struct siox__predictor *p, struct siox__frame *f, int64_t now);
/* predict_beats.c: how gaps go forward by the messages that are passed in them. */
/* A region begins when the thread has made so many of these calls. */
void siox__frame_beats_begin(struct siox__frame *f, uint64_t beats);
/* The frame's region is over, and has lasted. */
void siox__frame_beats_took(const struct siox__predictor *p, struct siox__frame *f, int64_t now);
/* When it ends, by what was left in earlier instances after as many messages; SIOX_UNKNOWN: they
 * tell nothing. */
int64_t siox__end_by_beats(const struct siox__frame *f);

/* Looks again when the present gap ends, and tells. */
void siox__gap_replan(struct siox__predictor *p, int64_t now);
/* When the present gap ends, as far as can be told at `now`; now itself when nothing is known. */
int64_t siox__gap_end(const struct siox__predictor *p, int64_t now);
/* When the first of the disks that were released has to be claimed again (SIOX_LEAD_TRANSITION);
 * SIOX_NEVER: none. */
int64_t siox__earliest_due(const struct siox__predictor *p);
/* Iteration at which to look again; SIOX_NEVER when nothing can change any more. */
int64_t siox__next_tick(const struct siox__predictor *p, const struct siox__frame *f, int64_t now);
#endif
