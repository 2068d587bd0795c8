/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What triggers do outside of the daemon: commands, messages to syslog, webhooks. Each kind has a
 * thread of its own with a short queue, so a command that hangs or a server that never answers
 * keeps nobody else; one thing of a kind is done at a time. What fails is said once for each
 * action, and counted. Thread-safe. */
#ifndef SIOX_DAEMON_ACT_H
#define SIOX_DAEMON_ACT_H
#include "common/log.h"
#include "siox/keep.h"
#include "siox/reasoner.h"
#include <stdbool.h>

enum siox__action_kind {
  SIOX__ACTION_RECORD,   /* the next `value` cycles are kept */
  SIOX__ACTION_INTERVAL, /* `value` seconds from cycle to cycle for `seconds` */
  SIOX__ACTION_DETAIL,   /* `mode` for `seconds` */
  SIOX__ACTION_ADVISE,   /* what the knowledge base says of the programs here goes to the log */
  SIOX__ACTION_COMMAND,  /* argv, killed after `seconds` */
  SIOX__ACTION_SYSLOG,   /* with priority `value` of the daemon's facility */
  SIOX__ACTION_WEBHOOK   /* argv[0], given up after `seconds` */
};
struct siox__action {
  enum siox__action_kind kind;
  unsigned line; /* of monitor.yaml */
  double value, seconds;
  enum siox_record mode;
  char **argv; /* NULL last */
};

/* Why a trigger fired. */
struct siox__event {
  unsigned line; /* of the trigger */
  int64_t wall_ns;
  enum siox_reasoner_level level;
  enum siox_condition state;
  enum siox_verdict verdict;
  enum siox_category category;
  char subject[112], evidence[320], host[64];
  char job[48]; /* "": of no process */
  int32_t rank, pid;
};
const char *siox__level_name(enum siox_reasoner_level level);

struct siox__act;
struct siox__act_counts {
  uint64_t done, failed, dropped, waiting;
};
/* file: monitor.yaml, for messages; actions and log live longer. root: of /dev/log, "" usually. */
int siox__act_new(struct siox__act **out, const char *file, const char *root,
                  const struct siox__log *log);
/* What is being done is ended within about two seconds, what waits is not done. NULL is fine. */
void siox__act_free(struct siox__act *act);
/* Of the last three kinds; never waits. Where many wait already it is dropped, and counted. */
void siox__act_do(struct siox__act *act, const struct siox__action *action,
                  const struct siox__event *event);
struct siox__act_counts siox__act_counts(struct siox__act *act);

/* What the three below are given. */
struct siox__doing {
  const char *file, *root;
  const struct siox__log *log;
  int end_fd; /* readable: the daemon ends */
};
/* 0, or SIOX_E... with why. */
int siox__act_command(const struct siox__doing *doing, const struct siox__action *action,
                      const struct siox__event *event, struct siox_diag *why);
int siox__act_syslog(const struct siox__doing *doing, const struct siox__action *action,
                     const struct siox__event *event, struct siox_diag *why);
int siox__act_webhook(const struct siox__doing *doing, const struct siox__action *action,
                      const struct siox__event *event, struct siox_diag *why);
/* Is there a client of webhooks in this build? */
bool siox__act_has_webhooks(void);

#endif
