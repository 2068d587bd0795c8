/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The predictor on nonblocking accesses: MPI may do their I/O whenever it likes until the program
 * has seen them complete. a lies on disks 0, 1 and 2, b on disk 3. */
#include "predict_support.h"

/* A loop that reads a in its body; once it is known to last a second, what follows is told. */
struct program {
  struct world w;
  struct siox_site read, *next[1];
  struct siox_region gap;
};

static void start(struct program *g) {
  begin(&g->w, SIOX_LEAD_GAP, "0:3:64K", "3:1:64K");
  g->read = data_site(origin_a, 1);
  g->next[0] = &g->read;
  g->gap = loop_region(g->next, 1, NULL, 0);
  open_files(&g->w);
  for (int i = 0; i < 3; i++) { /* the gap lasts 20 s */
    touch(&g->w, &g->read, &handle_a, 0, 3 << 16);
    run_loop(&g->w, &g->gap, 20, 20 * SECOND);
  }
}

static void reach_begun(struct program *g, uint64_t key, void *handle, int64_t offset,
                        int64_t bytes) {
  const struct siox__reach reach = {.offset = offset, .bytes = bytes};
  touch(&g->w, &g->read, handle, offset, bytes);
  siox__predictor_departs(&g->w.p, key, handle, &reach);
}

/* Whether disk was let go of between two messages. */
static bool released(const struct program *g, int disk, int from) {
  for (int i = from; i < g->w.n; i++)
    if (g->w.told[i].mask[disk] == '1' && !g->w.told[i].flag)
      return true;
  return false;
}

static void its_disks_are_kept_through_a_gap(void **state) {
  (void)state;
  struct program g;
  start(&g);
  reach_begun(&g, 7, &handle_a, 1 << 16, 1 << 16); /* disk 1 alone */
  int from = g.w.n;
  run_loop(&g.w, &g.gap, 20, 20 * SECOND);
  assert_false(released(&g, 1, from));
  assert_true(released(&g, 0, from));
  end(&g.w);
}

static void its_disks_may_rest_when_it_is_complete(void **state) {
  (void)state;
  struct program g;
  start(&g);
  reach_begun(&g, 7, &handle_a, 0, 3 << 16);
  siox__predictor_lands(&g.w.p, 7, g.w.now);
  int from = g.w.n;
  run_loop(&g.w, &g.gap, 20, 20 * SECOND);
  for (int d = 0; d < 3; d++)
    assert_true(released(&g, d, from));
  end(&g.w);
}

static void completed_within_a_gap_its_disks_rest_from_then_on(void **state) {
  (void)state;
  struct program g;
  start(&g);
  reach_begun(&g, 7, &handle_a, 0, 3 << 16);
  int from = g.w.n;
  siox__predictor_enter(&g.w.p, &g.gap, 20, g.w.now);
  assert_false(released(&g, 0, from));
  g.w.now += SECOND;
  siox__predictor_lands(&g.w.p, 7, g.w.now);
  assert_true(released(&g, 0, from));
  assert_int_equal(last_for(&g.w, 0, g.w.n)->at, g.w.now);
  end(&g.w);
}

static void of_several_each_counts_until_it_is_complete(void **state) {
  (void)state;
  struct program g;
  start(&g);
  reach_begun(&g, 7, &handle_a, 0, 1 << 16);
  reach_begun(&g, 8, &handle_a, 0, 2 << 16);
  siox__predictor_lands(&g.w.p, 7, g.w.now);
  int from = g.w.n;
  run_loop(&g.w, &g.gap, 20, 20 * SECOND);
  assert_false(released(&g, 0, from));
  assert_false(released(&g, 1, from));
  assert_true(released(&g, 2, from));
  end(&g.w);
}

static void what_nobody_completes_lasts_until_its_file_is_closed(void **state) {
  (void)state;
  struct program g;
  start(&g);
  reach_begun(&g, 7, &handle_b, 0, 1 << 16);
  siox__predictor_lost(&g.w.p, 7);
  siox__predictor_lands(&g.w.p, 7, g.w.now); /* another one has its handle by now */
  int from = g.w.n;
  run_loop(&g.w, &g.gap, 20, 20 * SECOND);
  assert_false(released(&g, 3, from));
  siox__predictor_closed(&g.w.p, &handle_b, g.w.now);
  run_loop(&g.w, &g.gap, 20, 20 * SECOND);
  assert_true(released(&g, 3, from));
  end(&g.w);
}

static void a_key_that_comes_again_ends_what_had_it_before(void **state) {
  (void)state;
  struct program g;
  start(&g);
  reach_begun(&g, 7, &handle_a, 0, 1 << 16);
  reach_begun(&g, 7, &handle_a, 1 << 16, 1 << 16);
  int from = g.w.n;
  run_loop(&g.w, &g.gap, 20, 20 * SECOND);
  assert_true(released(&g, 0, from));
  assert_false(released(&g, 1, from));
  end(&g.w);
}

static void of_thousands_the_last_one_counts(void **state) {
  (void)state;
  enum { MANY = 5000 };
  struct program g;
  start(&g);
  for (uint64_t key = 1; key <= MANY; key++)
    reach_begun(&g, key, &handle_a, 0, 1 << 16);
  int from = g.w.n;
  siox__predictor_enter(&g.w.p, &g.gap, 20, g.w.now);
  for (uint64_t key = 1; key < MANY; key++)
    siox__predictor_lands(&g.w.p, key, g.w.now);
  assert_false(released(&g, 0, from));
  siox__predictor_lands(&g.w.p, MANY, g.w.now);
  assert_true(released(&g, 0, from));
  end(&g.w);
}

static void what_nobody_completes_of_one_file_is_kept_as_one(void **state) {
  (void)state;
  struct program g;
  start(&g);
  for (uint64_t key = 1; key <= 100; key++) {
    reach_begun(&g, key, &handle_a, (int64_t)(key % 2) << 16, 1 << 16);
    siox__predictor_lost(&g.w.p, key);
  }
  assert_int_equal(g.w.p.nflights, 1);
  int from = g.w.n;
  run_loop(&g.w, &g.gap, 20, 20 * SECOND);
  assert_false(released(&g, 0, from));
  assert_false(released(&g, 1, from));
  assert_true(released(&g, 2, from));
  siox__predictor_closed(&g.w.p, &handle_a, g.w.now);
  assert_int_equal(g.w.p.nflights, 0);
  for (int d = 0; d < 3; d++)
    assert_false(siox__flying(&g.w.p, (uint32_t)d));
  end(&g.w);
}

static void no_disk_beyond_the_last_is_in_use(void **state) {
  (void)state;
  struct program g;
  start(&g);
  assert_false(siox__flying(&g.w.p, g.w.p.env.ndisks));
  end(&g.w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(its_disks_are_kept_through_a_gap),
      cmocka_unit_test(its_disks_may_rest_when_it_is_complete),
      cmocka_unit_test(completed_within_a_gap_its_disks_rest_from_then_on),
      cmocka_unit_test(of_several_each_counts_until_it_is_complete),
      cmocka_unit_test(what_nobody_completes_lasts_until_its_file_is_closed),
      cmocka_unit_test(a_key_that_comes_again_ends_what_had_it_before),
      cmocka_unit_test(of_thousands_the_last_one_counts),
      cmocka_unit_test(what_nobody_completes_of_one_file_is_kept_as_one),
      cmocka_unit_test(no_disk_beyond_the_last_is_in_use),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
