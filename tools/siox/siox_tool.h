/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the commands of siox share. Commands print and return exit statuses; everything else returns
 * 0 or SIOX_E…. */
#ifndef SIOX_TOOLS_SIOX_TOOL_H
#define SIOX_TOOLS_SIOX_TOOL_H
#include "siox/config.h"
#include "siox/error.h"
#include "siox/replay.h"
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { SIOX__USAGE = 2 };

#define SIOX_COMMAND(name, help) int siox__cmd_##name(int argc, char **argv);
#include "commands.def"
#undef SIOX_COMMAND

/* daemon.c: a connection to sioxd */
/* A descriptor, or -1 with errno. An answer is waited for that long; 0: for ever. */
int siox__daemon_connect(const char *socket_path, int patience_s);
enum { SIOX__PATIENCE_S = 10 }; /* of a person who asks */
/* Sends {"ask": what} and waits for the answer. NULL with diag when there is none or it is
 * {"error": text}. */
json_t *siox__daemon_ask(int fd, const char *what, struct siox_diag *diag);
/* The same for an ask that says more: {"ask": what, ...}. */
json_t *siox__daemon_ask_about(int fd, const json_t *ask, struct siox_diag *diag);
/* Makes sure that a daemon listens, starting one unless there is: sioxd beside this program or on
 * PATH. */
int siox__daemon_ensure(const char *config, const struct siox_config_override *set, size_t nset,
                        struct siox_diag *diag);

/* join.c: a daemon that was there already must run with what this run was asked to have (the given
 * settings of config). status is the daemon's answer; record the trace that was asked for, NULL
 * any. 0, or -1 when the difference has been printed. */
int siox__join_check(const struct siox_config *config, const char *record, const json_t *status);

/* load.c: what kept this machine's processors busy while something ran */
struct siox__load {
  double seconds; /* wall time; 0: /proc/stat could not be read, and nothing is known */
  double busy;    /* processor seconds, everybody's */
  double own;     /* of them those of children of this process that were waited for */
  double daemon; /* of them those of the process that was named; below 0: not known, it has ended */
  uint32_t cores; /* that are online */
};
/* daemon: a process whose time is nobody else's; 0: none. */
void siox__load_begin(struct siox__load *load, int daemon);
void siox__load_end(struct siox__load *load, int daemon);

/* command.c: the program under measurement */
struct siox__outcome {
  int status;     /* exit status for the shell: its own, or 128 + signal */
  double seconds; /* wall time */
  int error;      /* errno: it never started; 0: it did */
};
int siox__command_run(char **argv, struct siox__outcome *out);
/* Why the daemon has seen nothing of the command. */
const char *siox__command_unseen(const struct siox__outcome *out);

/* report.c: live is the daemon's answer to "finish"; the rest comes from the trace. A new value. */
json_t *siox__report_make(const json_t *live, const struct siox__outcome *outcome,
                          const struct siox__load *load, const char *job);
/* report_live.c: its part that comes without a trace: run, disks, jobs, unattributed. */
void siox__report_live(json_t *report, const json_t *live);
/* report_totals.c: "totals", of the run's own jobs: processes, calls, joules beside the node's,
 * anomalies, what Siox took. report_totals_text.c: for people; NULL is fine. */
void siox__report_totals(json_t *report, const json_t *live, const char *job);
void siox__report_totals_print(FILE *out, const json_t *totals);
/* report_machine.c: "machine", of a report that has its "run" and "totals", and in a line for
 * people when that may be why I/O took longer. */
void siox__report_machine(json_t *report, const struct siox__load *load);
void siox__report_machine_print(FILE *out, const json_t *report);
/* report_text.c: the same for people. */
void siox__report_print(FILE *out, const json_t *report);

/* trace.c: limits by the names of their settings; limits NULL: null. */
json_t *siox__limits_json(const struct siox_limits *limits);

#endif
