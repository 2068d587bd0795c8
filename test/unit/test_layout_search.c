/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The search for layouts over costs that are made up: against trying all, and on spaces that cannot
 * be tried whole. */
#include "layout_search.h"
#include "siox/error.h"
#include "support.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FILES = 3, PLACES = 13 }; /* of 3 bases, 2 factors, 2 units and the present place */
static const struct layout_space space = {.nfiles = FILES, .nbases = 3, .nfactors = 2, .nunits = 2};

/* Joules and added time of each file's place, and joules of two files that share one. */
struct costs {
  const struct layout_space *space;
  double joules[FILES][PLACES], added[FILES][PLACES], together;
  uint64_t asked;
  int fails_at; /* SIOX_EIO at that question; 0: never */
};

static struct layout_figures cost_of(const struct costs *c, const uint32_t *choice) {
  struct layout_figures f = {0};
  for (uint32_t i = 0; i < c->space->nfiles; i++) {
    f.joules += c->joules[i][choice[i] % PLACES];
    f.added += c->added[i][choice[i] % PLACES];
    for (uint32_t k = 0; k < i; k++)
      f.joules += choice[i] == choice[k] ? c->together : 0;
  }
  return f;
}

static int cost(void *context, const uint32_t *choice, uint32_t n,
                const struct layout_figures *than, struct layout_figures *out) {
  struct costs *c = context;
  for (uint32_t i = 0; i < n; i++) {
    if (++c->asked == (uint64_t)c->fails_at)
      return SIOX_EIO;
    out[i] = cost_of(c, choice + (size_t)i * c->space->nfiles);
    out[i].pruned = than && out[i].joules > than->joules * 1.5; /* as an oracle would */
  }
  return 0;
}

static struct costs made_up(unsigned seed) {
  struct costs c = {.space = &space};
  srand(seed);
  for (int i = 0; i < FILES; i++)
    for (int k = 0; k < PLACES; k++) {
      c.joules[i][k] = 50 + rand() % 1000 / 10.0;
      c.added[i][k] = rand() % 1000 / 1500.0;
    }
  c.together = rand() % 600 / 10.0 - 30;
  return c;
}

static struct layout_search_result search(struct costs *c, uint64_t evaluations, double most) {
  struct layout_search_result r;
  const struct layout_search_options o = {
      .most_added = most, .evaluations = evaluations, .seed = 7, .cost = cost, .context = c};
  assert_int_equal(layout_search(c->space, &o, &r), 0);
  struct layout_figures f = cost_of(c, r.choice);
  assert_true(f.joules == r.figures.joules && f.added == r.figures.added && !r.figures.pruned);
  return r;
}

/* By trying all, in loops of its own. Least joules among those that keep `most`; else the least
 * added. */
static struct layout_figures best_of(const struct costs *c, double most) {
  struct layout_figures best = {.joules = INFINITY, .added = INFINITY};
  for (uint32_t x = 0; x < PLACES; x++)
    for (uint32_t y = 0; y < PLACES; y++)
      for (uint32_t z = 0; z < PLACES; z++) {
        struct layout_figures f = cost_of(c, (const uint32_t[]){x, y, z});
        bool keeps = f.added <= most, best_keeps = best.added <= most;
        if (keeps && best_keeps ? f.joules < best.joules
                                : keeps || (!best_keeps && f.added < best.added))
          best = f;
      }
  return best;
}

static void a_small_space_is_tried_whole(void **state) {
  (void)state;
  assert_int_equal(layout_space_size(&space), PLACES * PLACES * PLACES);
  for (unsigned seed = 1; seed <= 200; seed++) {
    struct costs c = made_up(seed);
    double most = seed % 5 == 0 ? 0.01 : seed % 3;
    struct layout_search_result r = search(&c, 10000, most);
    struct layout_figures best = best_of(&c, most);
    assert_true(r.exhaustive);
    assert_int_equal(r.evaluations, PLACES * PLACES * PLACES);
    assert_int_equal(r.pruned, 0);
    if (best.added <= most)
      assert_true(fabs(r.figures.joules - best.joules) <= 1e-9 * best.joules);
    else
      assert_true(fabs(r.figures.added - best.added) <= 1e-9);
    free(r.choice);
  }
}

static void of_equal_choices_the_one_that_moves_least_is_taken(void **state) {
  (void)state;
  struct costs c = {.space = &space};
  for (int i = 0; i < FILES; i++)
    for (int k = 0; k < PLACES; k++)
      c.joules[i][k] = 10;
  c.joules[1][4] = c.joules[1][9] = 5;
  struct layout_search_result r = search(&c, 10000, 1);
  assert_int_equal(r.choice[0], 0);
  assert_int_equal(r.choice[1], 4);
  assert_int_equal(r.choice[2], 0);
  free(r.choice);
}

static void fewer_evaluations_are_kept_to_and_never_make_it_worse(void **state) {
  (void)state;
  double lost = 0;
  for (unsigned seed = 1; seed <= 200; seed++) {
    struct costs c = made_up(seed);
    struct layout_figures present = cost_of(&c, (const uint32_t[]){0, 0, 0}), best = best_of(&c, 2);
    struct layout_search_result r = search(&c, 400, 2);
    assert_false(r.exhaustive);
    assert_true(r.evaluations <= 400 && c.asked == r.evaluations);
    assert_true(r.figures.joules <= present.joules);
    lost += r.figures.joules / best.joules - 1;
    free(r.choice);
  }
  assert_true(lost / 200 < 0.01); /* of 2197 choices, with a fifth of the questions */
}

/* 4096 places a file, each better the nearer base, factor and unit are to some. */
static int far_cost(void *context, const uint32_t *choice, uint32_t n,
                    const struct layout_figures *than, struct layout_figures *out) {
  (void)context;
  (void)than;
  for (uint32_t i = 0; i < n; i++) {
    double sum = 1;
    for (uint32_t k = 0; k < 6; k++) {
      uint32_t at = choice[i * 6 + k] ? choice[i * 6 + k] - 1 : 4095;
      sum +=
          abs((int)(at / 64) - (int)(7 * k)) + abs((int)(at / 8 % 8) - 3) + abs((int)(at % 8) - 5);
    }
    out[i] = (struct layout_figures){.joules = sum};
  }
  return 0;
}
static void a_large_grid_is_searched_along_its_lines(void **state) {
  (void)state;
  const struct layout_space large = {.nfiles = 6, .nbases = 64, .nfactors = 8, .nunits = 8};
  struct layout_search_result r;
  const struct layout_search_options o = {.most_added = 0, .evaluations = 5000, .cost = far_cost};
  assert_int_equal(layout_search(&large, &o, &r), 0);
  assert_true(r.figures.joules == 1);
  for (uint32_t k = 0; k < 6; k++)
    assert_int_equal(r.choice[k], 1 + 7 * k * 64 + 3 * 8 + 5);
  free(r.choice);
}

static void a_cost_that_fails_ends_the_search(void **state) {
  (void)state;
  for (uint64_t evaluations = 400; evaluations <= 10000; evaluations += 9600) {
    struct costs c = made_up(1);
    struct layout_search_result r;
    c.fails_at = 100;
    const struct layout_search_options o = {
        .most_added = 1, .evaluations = evaluations, .cost = cost, .context = &c};
    assert_int_equal(layout_search(&space, &o, &r), SIOX_EIO);
    assert_null(r.choice);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_small_space_is_tried_whole),
      cmocka_unit_test(of_equal_choices_the_one_that_moves_least_is_taken),
      cmocka_unit_test(fewer_evaluations_are_kept_to_and_never_make_it_worse),
      cmocka_unit_test(a_large_grid_is_searched_along_its_lines),
      cmocka_unit_test(a_cost_that_fails_ends_the_search),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
