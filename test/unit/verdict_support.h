/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A node of eight disks with a reasoner. */
#ifndef SIOX_TEST_VERDICT_SUPPORT_H
#define SIOX_TEST_VERDICT_SUPPORT_H
#include "adpi_support.h"
#include "siox/reasoner.h"

enum { DISKS = 8, PROCESSES = 4 };

struct node {
  struct siox_series series[64];
  struct siox_cycle cycle;
  struct siox_issue issues[32];
  struct siox_reasoner_input in;
  struct siox_reasoner *reasoner;
  struct siox_report report;
};
static inline size_t add(struct node *n, enum siox_metric_kind kind, const char *name,
                         const char *where, const char *unit, double value) {
  struct siox_series *s = &n->series[n->cycle.nseries];
  *s = (struct siox_series){
      .provider = &lab_plain, .metric = {.kind = kind, .scale = 1}, .last = {.value = value}};
  snprintf(s->metric.name, sizeof s->metric.name, "%s", name);
  snprintf(s->metric.where, sizeof s->metric.where, "%s", where);
  snprintf(s->metric.unit, sizeof s->metric.unit, "%s", unit);
  return n->cycle.nseries++;
}
static inline void node_new(struct node *n) {
  *n = (struct node){.in = {.issues = n->issues, .cycle = &n->cycle}};
  n->cycle.series = n->series;
  for (enum siox_category c = 0; c < SIOX_NCATEGORIES; c++)
    n->in.utilisation[c] = 0.3;
  for (int d = 0; d < DISKS; d++) {
    char where[8];
    snprintf(where, sizeof where, "sd%c", 'a' + d);
    add(n, SIOX_METRIC_COUNTER, "disk_read_time", where, "s", 0.3 + 0.01 * d);
    add(n, SIOX_METRIC_COUNTER, "disk_bytes_read", where, "B", 40e6 + 1e6 * d);
  }
  struct siox_reasoner_limits limits;
  struct siox_diag diag;
  assert_int_equal(siox_reasoner_limits(&limits, "", NULL, 0, &diag), 0);
  assert_int_equal(siox_reasoner_new(SIOX_LEVEL_NODE, &limits, &n->reasoner), 0);
}

#endif
