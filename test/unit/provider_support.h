/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A provider on a tree, read through the collector. */
#ifndef SIOX_TEST_PROVIDER_SUPPORT_H
#define SIOX_TEST_PROVIDER_SUPPORT_H
#include "siox/collector.h"
#include "support.h"
#include "tree.h"
#include <math.h>

#define assert_near(a, b, within) assert_true(fabs((a) - (b)) <= (within))

/* The provider NAME on the tree, in a collector of its own. */
static inline struct siox_collector *collector_on(const struct tree *t, const char *name) {
  struct siox_collector *c;
  struct siox_diag diag = {{0}};
  assert_non_null(siox_provider_find(name));
  assert_int_equal(siox_collector_new(&c), 0);
  const int e = siox_collector_add(c, siox_provider_find(name),
                                   &(struct siox_provider_env){.root = t->root}, &diag);
  if (e < 0)
    print_error("%s: %s\n", name, diag.text);
  assert_int_equal(e, 0);
  return c;
}

/* A cycle at a time in ms of a machine that never slept. */
static inline const struct siox_cycle *cycle_at(struct siox_collector *c, int64_t ms) {
  assert_int_equal(siox_collector_cycle(c, ms * 1000000, ms * 1000000), 0);
  return siox_collector_last(c);
}

static inline const struct siox_series *series_of(struct siox_collector *c, const char *name,
                                                  const char *where) {
  const struct siox_cycle *cycle = siox_collector_last(c);
  for (size_t i = 0; i < cycle->nseries; i++)
    if (strcmp(cycle->series[i].metric.name, name) == 0 &&
        strcmp(cycle->series[i].metric.where, where) == 0)
      return &cycle->series[i];
  return NULL;
}

/* The sample that must be there and valid. */
static inline double value_of(struct siox_collector *c, const char *name, const char *where) {
  const struct siox_series *s = series_of(c, name, where);
  if (!s || s->last.state != SIOX_SAMPLE_VALID)
    print_error("%s %s: %s\n", name, where, !s ? "is not measured" : siox_strerror(s->last.error));
  assert_non_null(s);
  assert_int_equal(s->last.state, SIOX_SAMPLE_VALID);
  return s->last.value;
}

/* Opening has to fail with this code and a message that names what. */
static inline void assert_refused(const struct tree *t, const char *name, int code,
                                  const char *what) {
  struct siox_diag diag = {{0}};
  void *state;
  const struct siox_provider *p = siox_provider_find(name);
  assert_int_equal(p->open(&(struct siox_provider_env){.root = t->root}, &state, &diag), code);
  assert_non_null(strstr(diag.text, what));
}

#endif
