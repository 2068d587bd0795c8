/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The hierarchy of reasoners. */
#include "daemon/reasoners.h"
#include "monitor/reasoner.h"
#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  MOST_NODES = 4096,
  STALE = 10, /* cycles after which a node that says nothing is no child any more */
};

struct process {
  struct siox__process who;
  struct siox_reasoner *reasoner;
  char name[96];
};
/* What is looked at in each cycle, of each of them: kept close together. */
struct brief {
  int32_t pid;
  bool quiet; /* nothing was said of it in the cycle before */
};
struct siox__reasoners {
  struct siox_reasoner_limits limits[3];
  struct siox_reasoner *node, *system;
  struct siox_exchange exchange;
  struct siox_node_report own;                /* what the system is told */
  enum siox_condition node_said, system_said; /* down, in the cycle before */
  struct process *process;
  struct brief *brief;      /* beside process */
  struct siox_child *child; /* likewise */
  size_t nprocesses, room;
  uint64_t lists; /* of the input, when they were these */
  struct siox_child *nodes;
  size_t nodes_room;
};

int siox__reasoners_new(struct siox__reasoners **out, const struct siox_modules *modules,
                        const char *name, struct siox_diag *diag) {
  struct siox__reasoners *r = calloc(1, sizeof *r);
  *out = NULL;
  if (!r)
    return SIOX_ENOMEM;
  int e = siox_exchange_start(&r->exchange, MOST_NODES, STALE);
  for (enum siox_reasoner_level l = 0; e == 0 && l <= SIOX_LEVEL_SYSTEM; l++)
    e = modules ? siox_reasoner_limits(&r->limits[l], modules->file, modules->reasoner[l].settings,
                                       modules->reasoner[l].nsettings, diag)
                : siox_reasoner_limits(&r->limits[l], NULL, NULL, 0, diag);
  if (e == 0)
    e = siox_reasoner_new(SIOX_LEVEL_NODE, &r->limits[SIOX_LEVEL_NODE], &r->node);
  if (e == 0)
    e = siox_reasoner_new(SIOX_LEVEL_SYSTEM, &r->limits[SIOX_LEVEL_SYSTEM], &r->system);
  snprintf(r->own.name, sizeof r->own.name, "%s", *name ? name : "node");
  if (e < 0)
    siox__reasoners_free(r);
  else
    *out = r;
  return e;
}

void siox__reasoners_free(struct siox__reasoners *r) {
  if (!r)
    return;
  for (size_t i = 0; i < r->nprocesses; i++)
    siox_reasoner_free(r->process[i].reasoner);
  siox_reasoner_free(r->node);
  siox_reasoner_free(r->system);
  siox_exchange_end(&r->exchange);
  free(r->process);
  free(r->brief);
  free(r->child);
  free(r->nodes);
  free(r);
}

int siox__reasoners_hear(struct siox__reasoners *r, const struct siox_node_report *report) {
  return siox_exchange_take(&r->exchange, report, r->own.number);
}

void siox__reasoners_forget(struct siox__reasoners *r, const char *name) {
  siox_exchange_forget(&r->exchange, name);
}

const struct siox_node_report *siox__reasoners_own(const struct siox__reasoners *r) {
  return &r->own;
}

void siox__process_name(const struct siox__process *p, char *text, size_t size) {
  if (p->rank < 0)
    snprintf(text, size, "pid %d of %s", p->pid, p->name);
  else
    snprintf(text, size, "rank %d of %s (pid %d)", p->rank, p->name, p->pid);
}

/* Of a place PID@START; -1: it is another one. */
static int64_t pid_of(const char *where) {
  char *end;
  if (!isdigit((unsigned char)*where))
    return -1;
  const unsigned long pid = strtoul(where, &end, 10);
  return *end == '@' && pid <= INT32_MAX ? (int64_t)pid : -1;
}

const struct siox__process *
siox__process_of_place(const char *where, const struct siox__process *processes, size_t n) {
  const int64_t pid = pid_of(where);
  size_t low = 0, high = pid < 0 ? 0 : n;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (processes[middle].pid == pid)
      return &processes[middle];
    if (processes[middle].pid < pid)
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}

static bool same(const struct siox__process *a, const struct siox__process *b) {
  return a->pid == b->pid && a->job == b->job && a->rank == b->rank;
}

/* A reasoner for each process that is there now; those that stay keep theirs. Without memory some
 * have none: what they do is the node's. */
static void follow(struct siox__reasoners *r, const struct siox__process *list, size_t n,
                   uint64_t lists) {
  if (lists > 0 && lists == r->lists)
    return;
  bool changed = n != r->nprocesses;
  for (size_t i = 0; i < n && !changed; i++)
    changed = !same(&r->process[i].who, &list[i]);
  if (!changed) {
    r->lists = lists;
    return;
  }
  struct process *now = calloc(n + 1, sizeof *now);
  struct brief *brief = calloc(n + 1, sizeof *brief);
  struct siox_child *child = calloc(n + 1, sizeof *child);
  if (!now || !brief || !child) {
    free(now);
    free(brief);
    free(child);
    return;
  }
  size_t old = 0, kept = 0;
  for (size_t i = 0; i < n; i++) {
    while (old < r->nprocesses && r->process[old].who.pid < list[i].pid)
      siox_reasoner_free(r->process[old++].reasoner);
    struct process *p = &now[kept];
    *p = (struct process){.who = list[i]};
    brief[kept] = (struct brief){.pid = list[i].pid, .quiet = true};
    if (old < r->nprocesses && same(&r->process[old].who, &list[i])) {
      brief[kept].quiet = r->brief[old].quiet;
      *p = r->process[old++];
    } else if (siox_reasoner_new(SIOX_LEVEL_PROCESS, &r->limits[SIOX_LEVEL_PROCESS], &p->reasoner) <
               0) {
      continue;
    }
    siox__process_name(&p->who, p->name, sizeof p->name);
    kept++;
  }
  while (old < r->nprocesses)
    siox_reasoner_free(r->process[old++].reasoner);
  free(r->process);
  free(r->brief);
  free(r->child);
  r->process = now;
  r->brief = brief;
  r->child = child;
  r->nprocesses = kept;
  r->lists = kept == n ? lists : 0;
  for (size_t i = 0; i < kept; i++)
    child[i].name = now[i].name;
}

/* The process in whose list an issue belongs; SIZE_MAX: the node's own. */
static size_t owner(const struct siox__reasoners *r, const struct siox_cycle *cycle,
                    const struct siox_issue *issue) {
  const int64_t pid =
      issue->series < cycle->nseries ? pid_of(cycle->series[issue->series].metric.where) : -1;
  size_t low = 0, high = pid < 0 ? 0 : r->nprocesses;
  const size_t n = high;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (r->process[middle].who.pid < pid)
      low = middle + 1;
    else
      high = middle;
  }
  return low < n && r->process[low].who.pid == pid ? low : SIZE_MAX;
}

/* The node's own issues first, in their order, then those of processes, in theirs: the number of
 * the former. There are few, since detectors' lists are bounded. */
static size_t sort(const struct siox__reasoners *r, const struct siox__reasoners_input *in,
                   size_t *of, size_t room) {
  size_t own = 0;
  for (size_t i = 0; i < in->nissues && i < room; i++) {
    const struct siox_issue issue = in->issues[i];
    const size_t o = owner(r, in->cycle, &issue);
    size_t at = i;
    /* SIZE_MAX + 1 is 0: the node comes before all processes. */
    for (; at > 0 && of[at - 1] + 1 > o + 1; at--) {
      in->issues[at] = in->issues[at - 1];
      of[at] = of[at - 1];
    }
    in->issues[at] = issue;
    of[at] = o;
    own += o == SIZE_MAX;
  }
  return own;
}

static void tell_process(struct siox__levels *levels, const struct process *p,
                         const struct siox_report *report) {
  static const int rank[SIOX_NCONDITIONS] = {
      [SIOX_ABNORMAL_GOOD] = 1, [SIOX_ABNORMAL_OTHER] = 2, [SIOX_ABNORMAL_BAD] = 3};
  if (report->state == SIOX_GOOD)
    return;
  levels->abnormal++;
  if (rank[report->state] > rank[levels->worst])
    levels->worst = report->state;
  if (levels->ntold == SIOX__PROCESSES_TOLD)
    return;
  struct siox__judged_process *j = &levels->told[levels->ntold++];
  *j = (struct siox__judged_process){.process = p->who,
                                     .state = report->state,
                                     .verdict = report->verdict,
                                     .category = report->category};
  memcpy(j->subject, report->subject, sizeof j->subject);
  memcpy(j->evidence, report->evidence, sizeof j->evidence);
}

/* What all processes say; issues [own, n) are theirs. */
static void processes(struct siox__reasoners *r, const struct siox__reasoners_input *in,
                      const size_t *of, size_t own, size_t n,
                      const struct siox_reasoner_input *node, struct siox__levels *levels) {
  struct siox_reasoner_input about = {.cycle = in->cycle,
                                      .parent = r->node_said,
                                      .told = in->issues,
                                      .ntold = n,
                                      .peers = node->peers};
  memcpy(about.utilisation, node->utilisation, sizeof about.utilisation);
  for (size_t i = 0, at = own; i < r->nprocesses; i++) {
    struct brief *b = &r->brief[i];
    about.issues = in->issues + at;
    for (about.nissues = 0; at < n && of[at] == i; at++)
      about.nissues++;
    about.activities = in->activities_of ? in->activities_of(in->context, b->pid) : NULL;
    r->child[i].state = SIOX_GOOD;
    r->child[i].verdict = SIOX_VERDICT_NONE;
    if (about.nissues == 0 && b->quiet && !about.activities)
      continue; /* it would say GOOD and have learned nothing */
    const struct process *p = &r->process[i];
    struct siox_report report;
    siox_reasoner_cycle(p->reasoner, &about, &report);
    b->quiet = report.fresh == SIOX_GOOD;
    r->child[i].state = report.fresh;
    r->child[i].verdict = report.verdict;
    tell_process(levels, p, &report);
  }
}

static void system_cycle(struct siox__reasoners *r, struct siox__levels *levels) {
  r->own.number++;
  r->own.state = levels->node.fresh;
  r->own.verdict = levels->node.verdict;
  (void)siox_exchange_take(&r->exchange, &r->own, r->own.number);
  if (r->exchange.n > r->nodes_room) {
    struct siox_child *more = realloc(r->nodes, 2 * r->exchange.n * sizeof *more);
    if (more) {
      r->nodes = more;
      r->nodes_room = 2 * r->exchange.n;
    }
  }
  struct siox_reasoner_input about = {.children = r->nodes};
  for (enum siox_category c = 0; c < SIOX_NCATEGORIES; c++)
    about.utilisation[c] = -1;
  const size_t n = siox_exchange_children(&r->exchange, r->own.number, r->nodes, r->nodes_room);
  about.nchildren = n < r->nodes_room ? n : r->nodes_room;
  siox_reasoner_cycle(r->system, &about, &levels->system);
  levels->nodes = (uint32_t)n;
}

void siox__reasoners_cycle(struct siox__reasoners *r, const struct siox__reasoners_input *in,
                           struct siox__levels *levels) {
  enum { MOST_ISSUES = 1024 };
  size_t of[MOST_ISSUES];
  struct siox__peers_seen peers = {.n = 0};
  const size_t n = in->nissues < MOST_ISSUES ? in->nissues : MOST_ISSUES;
  memset(levels, 0, offsetof(struct siox__levels, told));
  levels->ntold = 0;
  levels->processes = (uint32_t)in->nprocesses;
  levels->above = r->system_said;
  follow(r, in->processes,
         in->nprocesses < SIOX__PROCESSES_JUDGED ? in->nprocesses : SIOX__PROCESSES_JUDGED,
         in->lists);
  levels->judged = (uint32_t)r->nprocesses;
  struct siox_reasoner_input about = {.issues = in->issues,
                                      .nissues = n,
                                      .peers = &peers,
                                      .cycle = in->cycle,
                                      .activities = in->activities,
                                      .children = r->child,
                                      .nchildren = r->nprocesses,
                                      .parent = r->system_said,
                                      .ranks = in->ranks,
                                      .stripes = in->stripes,
                                      .clock_max_hz = in->clock_max_hz};
  siox_cycle_utilisation(in->cycle, about.utilisation);
  const size_t own = sort(r, in, of, MOST_ISSUES);
  processes(r, in, of, own, n, &about, levels);
  about.nbelow = n - own;
  siox_reasoner_cycle(r->node, &about, &levels->node);
  system_cycle(r, levels);
  r->node_said = levels->node.down;
  r->system_said = levels->system.down;
}
