/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reasoners: what the issues of a cycle say of a process, a node or the system (Monitoring Energy
 * Consumption With SIOX, section 5 and Listing 2). There is one at each place; once a cycle each is
 * given the issues of its detectors, how much its place has to do, and what its neighbours said in
 * the cycle before, and makes a report: a state, the categories that are overloaded, and a verdict
 * that tells high load from faults and from misconfiguration. Pure: no clock, no I/O. Not
 * thread-safe per reasoner. */
#ifndef SIOX_REASONER_H
#define SIOX_REASONER_H
#include "siox/adpi.h"
#ifdef __cplusplus
extern "C" {
#endif

enum siox_reasoner_level { SIOX_LEVEL_PROCESS, SIOX_LEVEL_NODE, SIOX_LEVEL_SYSTEM };

struct siox_reasoner_limits {
#define SIOX_REASONER_LIMIT(name, value, least, most, what) double name;
#include "siox/reasoner.def"
#undef SIOX_REASONER_LIMIT
};
/* The defaults, and over them settings of those names; SIOX_EINVAL, SIOX_ERANGE with "FILE:LINE:
 * KEY: ...". */
int siox_reasoner_limits(struct siox_reasoner_limits *limits, const char *origin,
                         const struct siox_option *settings, size_t nsettings,
                         struct siox_diag *diag);

enum siox_verdict {
  SIOX_VERDICT_NONE,      /* nothing is wrong */
  SIOX_VERDICT_HIGH_LOAD, /* there is more to do than what is there can do */
  SIOX_VERDICT_FAULT,     /* a disk, process or sensor is not as its peers are, or as it was, at low
                           * load
                           */
  SIOX_VERDICT_MISCONFIGURATION, /* from the beginning on, by how things are set up */
  SIOX_VERDICT_UNCLEAR,
};
/* "high load", ...; never NULL. */
const char *siox_verdict_name(enum siox_verdict verdict);

/* A neighbour below: a process of the node, a node of the system. */
struct siox_child {
  const char *name;
  enum siox_condition state; /* `fresh` of its last report */
  enum siox_verdict verdict;
};
struct siox_reasoner_input {
  const struct siox_issue *issues; /* of this cycle's detectors */
  size_t nissues;
  size_t nbelow; /* the last so many of them are of children: their states count, not these */
  const struct siox_issue *told; /* all of the cycle, wherever they are of: who deviates too is no
                                    peer to compare with; NULL: issues */
  size_t ntold;
  struct siox__peers_seen *peers; /* what reasoners of one cycle with the same `told` share (see
                                     monitor/reasoner.h); NULL: each looks itself */
  const struct siox_cycle *cycle; /* what the issues' series are; NULL: none */
  const struct siox_activity_summary *activities; /* NULL: nobody sees any */
  double utilisation[SIOX_NCATEGORIES];           /* 0 to 1; negative: not known */
  const struct siox_child *children;
  size_t nchildren;
  enum siox_condition parent; /* `down` of its last report; SIOX_GOOD: there is none */
  uint32_t ranks, stripes;    /* that use files here, and the greatest number of disks that one of
                                 these lies on; 0: not known */
  double clock_max_hz;        /* that the processors can have; 0: not known */
};
/* The utilisation of each category as the cycle's metrics "utilisation" have it. */
void siox_cycle_utilisation(const struct siox_cycle *cycle, double utilisation[SIOX_NCATEGORIES]);

struct siox_report {
  enum siox_reasoner_level level;
  enum siox_condition fresh; /* of this cycle: what the parent is told */
  enum siox_condition
      state; /* fresh, or, for one more cycle, that of the cycle before: what triggers act on */
  enum siox_condition down;  /* the worse of fresh and of what the parent said of the cycle before:
                                what children are told */
  bool held;                 /* state is that of the cycle before */
  uint32_t bad, good, other; /* issues, and children in such a state */
  uint32_t children, bad_children;
  uint32_t noverloaded; /* issues of kind SIOX_ISSUE_OVERLOADED */
  struct siox_issue overloaded[SIOX_NCATEGORIES];
  enum siox_verdict verdict;
  enum siox_category category; /* of the verdict; SIOX_NCATEGORIES: of none */
  char subject[112];           /* disk, process, sensor; "" */
  char evidence[320];          /* why, for people */
};

struct siox_reasoner;
int siox_reasoner_new(enum siox_reasoner_level level, const struct siox_reasoner_limits *limits,
                      struct siox_reasoner **out);
void siox_reasoner_free(struct siox_reasoner *r); /* NULL is fine */
void siox_reasoner_cycle(struct siox_reasoner *r, const struct siox_reasoner_input *input,
                         struct siox_report *report);

#ifdef __cplusplus
}
#endif
#endif
