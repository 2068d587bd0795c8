/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The knowledge base: which settings did better in which situation, learned from earlier runs
 * (docs/knowledge.md). A situation is what a program does with a file; an episode is one run's,
 * with the settings that it had and what its I/O cost. Pure; not thread-safe per object. */
#ifndef SIOX_KNOWLEDGE_H
#define SIOX_KNOWLEDGE_H
#include "siox/error.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

enum siox_advice_key {
#define SIOX_ADVICE(key) SIOX_ADVICE_##key,
#include "siox/advice.def"
#undef SIOX_ADVICE
  SIOX_NADVICE
};
const char *siox_advice_key(enum siox_advice_key key); /* "cb_buffer_size" */

/* Values of hints as MPI has them, "": none; and the scheme that set the disks' levels. */
struct siox_settings {
  char value[SIOX_NADVICE][40];
  char policy[40];
};
/* From "key=value key=value"; keys that are not in the list are left out. SIOX_EINVAL: a value is
 * too long, or has other characters than letters, digits and _ - + . : , in it. */
int siox_settings_parse(struct siox_settings *settings, const char *text);
/* The same text, without the policy; like snprintf. */
int siox_settings_format(const struct siox_settings *settings, char *text, size_t size);

enum siox_access { SIOX_READS, SIOX_WRITES, SIOX_READS_AND_WRITES, SIOX_NACCESSES };
enum siox_pattern {
  SIOX_SEQUENTIAL,
  SIOX_STRIDED,
  SIOX_RANDOM,
  SIOX_UNKNOWN_PATTERN,
  SIOX_NPATTERNS
};
const char *siox_access_name(enum siox_access access);    /* "read", "write", "both" */
const char *siox_pattern_name(enum siox_pattern pattern); /* "sequential", ... */

struct siox_situation {
  char program[64]; /* its file name */
  uint32_t ranks;
  enum siox_access access;   /* nine tenths of the bytes, else both */
  enum siox_pattern pattern; /* of four fifths of the steps from access to access, else random */
  bool collective;           /* most calls */
  unsigned size_class;       /* of the median call: siox/activities.h */
};
struct siox_episode {
  struct siox_situation situation;
  struct siox_settings settings;
  double cost;      /* seconds of all ranks' calls for each MiB */
  char verdict[24]; /* that was said most often meanwhile; "": none */
};

/* Accesses of one program to one file, in the order of each client's time, become an episode. */
struct siox_trail;
int siox_trail_new(struct siox_trail **out);
void siox_trail_free(struct siox_trail *t); /* NULL is fine */
/* A call that moved bytes; offset -1: not known. All of a client's calls come one after another. */
void siox_trail_add(struct siox_trail *t, uint32_t client, bool writes, bool collective,
                    int64_t offset, int64_t bytes, int64_t ns);
/* Access, pattern, size, cost; false: there is nothing to say. */
bool siox_trail_episode(const struct siox_trail *t, struct siox_episode *e);

struct siox_lesson {
  struct siox_situation situation;
  struct siox_settings response; /* what was set otherwise where it was better */
  struct siox_settings base;     /* and what it was set to where it was not */
  uint32_t runs, base_runs;      /* episodes with it, and with what most had */
  double cost, base_cost;        /* geometric means */
  double gain;                   /* 0.4: it took 40 % less */
  double confidence;             /* that it takes less at all: Welch's t, one-sided */
  char verdict[24];              /* of most of base_runs that had one */
  uint32_t with_verdict;         /* how many these are */
};
struct siox_learning {
  double least_gain, least_confidence;
  uint32_t least_runs; /* of each side, at least 2 */
};
/* Lessons for the caller to free, the greatest gain first: of each situation the best setting
 * beside that which most episodes had. SIOX_ENOMEM. */
int siox_learn(const struct siox_episode *episodes, size_t n, const struct siox_learning *how,
               struct siox_lesson **lessons, size_t *nlessons);
/* P(T <= t) of Student's t with so many degrees of freedom. */
double siox_student(double t, double freedom);

#ifdef __cplusplus
}
#endif
#endif
