/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What was found in all cycles so far, for reports: each verdict and each kind of issue once, with
 * how often and when last; and the joules of each domain. Bounded: of too many the one that was
 * seen least lately goes, and is counted. Pure; under the monitor's lock. */
#ifndef SIOX_DAEMON_FINDINGS_H
#define SIOX_DAEMON_FINDINGS_H
#include "common/wire.h"
#include "daemon/watch.h"
#include "siox/collector.h"

enum { SIOX__FINDINGS = 32 };

struct siox__finding {
  struct siox__process process; /* whose; pid 0: the node's */
  bool verdict;
  enum siox_condition severity; /* of an issue */
  char what[40];                /* the verdict's name, or the detector's */
  char subject[112];            /* of the verdict, or metric and place */
  char evidence[256];           /* the last one's */
  uint64_t times;               /* cycles */
  int64_t first_ns, last_ns;
};
struct siox__findings {
  struct siox__finding list[SIOX__FINDINGS];
  uint32_t n;
  uint64_t forgotten; /* findings that have no place any more */
  uint64_t kept;      /* of the watched issues that have been looked at */
};
/* A cycle at now_ns has been judged. */
void siox__findings_take(struct siox__findings *f, const struct siox__watched *seen,
                         int64_t now_ns);
json_t *siox__findings_json(const struct siox__findings *f, int64_t now_ns);
/* For the report of a process that came at since_ns: its own, and, all, the node's too. */
void siox__findings_of(const struct siox__findings *f, int32_t pid, int64_t since_ns, bool all,
                       struct siox_msg_totals *totals);

/* Joules by domain, each domain's own best source; domains contain each other. And what networks
 * moved, the loopback not among them. */
struct siox__domains {
  bool networks;
  double network_bytes;
  struct {
    bool metered, estimated;
    double joules;
  } of[SIOX_NDOMAINS];
};
void siox__domains_take(struct siox__domains *d, const struct siox_cycle *cycle);
/* Adds "domains", "network_bytes": null where nobody reads networks. */
void siox__domains_json(const struct siox__domains *d, json_t *o);

#endif
