/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Scripted programs for the predictor, on six disks with a clock of their own. */
#ifndef SIOX_TEST_UNIT_PREDICT_SUPPORT_H
#define SIOX_TEST_UNIT_PREDICT_SUPPORT_H
#include "client/predict.h"
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SECOND INT64_C(1000000000)

struct told {
  char mask[64];
  int32_t speed, flag;
  int64_t need_by, at;
};
struct world {
  struct siox__predictor p;
  struct told told[256];
  int n;
  int64_t now;
  struct siox_layout a, b;
};

static inline void record(void *context, const struct siox_mask *T, int32_t S, int32_t F,
                          int64_t need_by, int64_t until) {
  struct world *w = context;
  (void)until;
  assert_true(w->n < 256);
  struct told *t = &w->told[w->n++];
  siox_mask_format(T, t->mask, sizeof t->mask);
  t->speed = S;
  t->flag = F;
  t->need_by = need_by;
  t->at = w->now;
}

static void begin(struct world *w, enum siox_lead_kind lead, const char *a, const char *b) {
  memset(w, 0, sizeof *w);
  struct siox__predict_env env = {.ndisks = 6,
                                  .lead = lead,
                                  .lead_ns = 2 * SECOND,
                                  .min_gap_ns = 3 * SECOND,
                                  .hint = record,
                                  .context = w};
  assert_int_equal(siox__predictor_init(&w->p, &env), 0);
  assert_int_equal(siox_layout_parse(&w->a, 6, a), 0);
  assert_int_equal(siox_layout_parse(&w->b, 6, b), 0);
  w->now = 100 * SECOND;
}
static void end(struct world *w) {
  siox__predictor_free(&w->p);
  siox_layout_free(&w->a);
  siox_layout_free(&w->b);
}

static struct siox_site open_a = {.flags = SIOX_SITE_OPEN}, open_b = {.flags = SIOX_SITE_OPEN};
static struct siox_site *origin_a[] = {&open_a}, *origin_b[] = {&open_b},
                        *origin_ab[] = {&open_a, &open_b};
static int handle_a, handle_b;

static inline struct siox_site data_site(struct siox_site **origins, uint32_t n) {
  static const struct siox_access_level affine = {SIOX_OFFSET_AFFINE, 0, SIOX_UNKNOWN,
                                                  SIOX_UNKNOWN};
  return (struct siox_site){.flags = SIOX_SITE_READ | SIOX_SITE_WHOLE_ORIGINS,
                            .first = SIOX_UNKNOWN,
                            .size = SIOX_UNKNOWN,
                            .nlevels = 1,
                            .levels = &affine,
                            .norigins = n,
                            .origins = origins};
}
static inline struct siox_region loop_region(struct siox_site *const *next, uint32_t nnext,
                                             struct siox_region *const *succ, uint32_t nsucc) {
  return (struct siox_region){.kind = SIOX_REGION_LOOP,
                              .speed = -1,
                              .trip = SIOX_UNKNOWN,
                              .body_ns = SIOX_UNKNOWN,
                              .next = next,
                              .nnext = nnext,
                              .succ = succ,
                              .nsucc = nsucc};
}
static void open_files(struct world *w) {
  siox__predictor_opened(&w->p, &open_a, &handle_a, &w->a);
  siox__predictor_opened(&w->p, &open_b, &handle_b, &w->b);
}
/* A loop of `trip` iterations taking `length`, ticking where asked. */
static inline void run_loop(struct world *w, struct siox_region *r, int64_t trip, int64_t length) {
  int64_t start = w->now, next = siox__predictor_enter(&w->p, r, trip, w->now);
  for (int64_t i = 1; i <= trip; i++) {
    w->now = start + length * i / trip;
    if (i == next)
      next = siox__predictor_tick(&w->p, r, i, w->now);
  }
  siox__predictor_leave(&w->p, r, w->now);
}
static void touch(struct world *w, struct siox_site *s, void *handle, int64_t offset,
                  int64_t bytes) {
  siox__predictor_access(&w->p, s, handle, offset, bytes);
}

static inline struct told *last_for(struct world *w, char disk_bit_index, int before) {
  for (int i = before - 1; i >= 0; i--)
    if (w->told[i].mask[(int)disk_bit_index] == '1')
      return &w->told[i];
  return NULL;
}
#endif
