/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a reasoner keeps, and its two halves: states (reasoner.c) and verdicts (verdict.c). */
#ifndef SIOX_MONITOR_REASONER_H
#define SIOX_MONITOR_REASONER_H
#include "siox/reasoner.h"

/* The places of one metric in a cycle. */
struct siox__peers {
  const struct siox_provider *provider;
  const char *name;
  double deviating, peers, low, high; /* those that are told; the others, and where they are */
  double bytes;                       /* a second, of all places of the provider */
};
struct siox__peers_seen {
  struct siox__peers of[16];
  size_t n; /* 0 when the cycle begins */
};
struct siox__verdict {
  enum siox_verdict verdict;
  enum siox_category category;
  char subject[112], evidence[320];
};
/* How things were since the beginning, for misconfiguration. */
struct siox__habits {
  double calls, small;    /* that move data, and of them those below 64 KiB */
  double busy, low;       /* cycles with busy processors, and of them those with a low clock */
  double clock_hz;        /* sum over the busy cycles */
  double used, unstriped; /* cycles in which many ranks use files, and of them those with all files
                             on one disk */
};
struct siox_reasoner {
  enum siox_reasoner_level level;
  struct siox_reasoner_limits limits;
  enum siox_condition before; /* fresh of the cycle before */
  struct siox__verdict last;  /* of the last abnormal cycle, for the one that keeps its state */
  struct siox__habits habits;
};

void siox__habits_learn(struct siox__habits *h, const struct siox_reasoner_limits *limits,
                        const struct siox_reasoner_input *input);
/* Why the state is bad, or, in a good one, what is wrong from the beginning on. */
void siox__verdict(const struct siox_reasoner *r, const struct siox_reasoner_input *input,
                   const struct siox_report *report, struct siox__verdict *v);

#endif
