/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A provider on a tree of files, alone or in a collector. */
#ifndef SIOX_TEST_METER_SUPPORT_H
#define SIOX_TEST_METER_SUPPORT_H
#include "siox/collector.h"
#include "support.h"
#include "tree.h"
#include <math.h>
#include <sys/types.h>

#define assert_near(a, b, within) assert_true(fabs((a) - (b)) <= (within))

static const int64_t MS = 1000000;

struct meter_test {
  struct tree tree;
  struct siox_provider_env env;
  struct siox_diag diag;
  struct siox_collector *collector;
};

static inline void meter_new(struct meter_test *t) {
  *t = (struct meter_test){0};
  tree_new(&t->tree);
  chmod(t->tree.root, 0755); /* some tests go on as another user */
  t->env = (struct siox_provider_env){
      .root = t->tree.root, .origin = "siox.yaml", .period_ns = 100 * MS};
}
static inline void meter_free(struct meter_test *t) {
  siox_collector_free(t->collector);
  tree_free(&t->tree);
}
/* Puts the provider into the test's collector. */
static inline void meter_collect(struct meter_test *t, const struct siox_provider *p) {
  if (!t->collector)
    assert_int_equal(siox_collector_new(&t->collector), 0);
  const int e = siox_collector_add(t->collector, p, &t->env, &t->diag);
  if (e < 0)
    fail_msg("%s: %s", p->name, t->diag.text);
}
/* What it says on being opened. */
static inline int meter_refused(struct meter_test *t, const struct siox_provider *p) {
  void *state = NULL;
  t->diag.text[0] = 0;
  const int e = p->open(&t->env, &state, &t->diag);
  if (e >= 0)
    p->close(state);
  return e;
}
static inline const struct siox_cycle *meter_cycle(struct meter_test *t, int64_t ms) {
  assert_int_equal(siox_collector_cycle(t->collector, ms * MS, ms * MS), 0);
  return siox_collector_last(t->collector);
}
/* NULL: there is no such series. */
static inline const struct siox_series *meter_series(const struct meter_test *t, const char *name,
                                                     const char *where) {
  const struct siox_cycle *c = siox_collector_last(t->collector);
  for (size_t i = 0; i < c->nseries; i++)
    if (strcmp(c->series[i].metric.name, name) == 0 &&
        strcmp(c->series[i].metric.where, where) == 0)
      return &c->series[i];
  return NULL;
}
static inline const struct siox_series *meter_energy(const struct meter_test *t,
                                                     const char *where) {
  const struct siox_series *s = meter_series(t, "energy", where);
  if (!s)
    fail_msg("no energy of %s", where);
  return s;
}

/* Goes on as a user without rights until meter_as_root. False: the test has no rights to begin
 * with. */
static inline bool meter_as_nobody(void) { return geteuid() != 0 || seteuid(65534) == 0; }
static inline void meter_as_root(void) {
  if (getuid() == 0)
    assert_int_equal(seteuid(0), 0);
}
/* Contents that no meter shows. */
static const char *const nonsense[] = {
    "",
    "\n",
    "letters",
    "-5",
    "0x10",
    "1e6",
    "12 34",
    "99999999999999999999999999",
    "\001\002\377",
    "1111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111"};
enum { NNONSENSE = sizeof nonsense / sizeof nonsense[0] };

#endif
