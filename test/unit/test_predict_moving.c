/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the predictor makes of bursts that move over the disks from one to the next. */
#include "predict_support.h"

static void a_stride_of_one_stripe_moves_the_prediction_by_one_disk(void **state) {
  (void)state;
  struct world w;
  begin(&w, SIOX_LEAD_GAP, "0:6:64K", "0:6:64K");
  struct siox_site read = data_site(origin_a, 1);
  struct siox_site *next[] = {&read};
  struct siox_region r, *succ[] = {&r};
  r = loop_region(next, 1, succ, 1);
  open_files(&w);
  for (int k = 0; k < 3; k++) {
    touch(&w, &read, &handle_a, (int64_t)k << 16, 1 << 16);
    run_loop(&w, &r, 100, 10 * SECOND);
  }
  touch(&w, &read, &handle_a, INT64_C(3) << 16, 1 << 16);
  siox__predictor_enter(&w.p, &r, 100, w.now);
  struct told *t = last_for(&w, 4, w.n); /* after stripe 3 comes stripe 4 */
  assert_string_equal(t->mask, "000010");
  assert_true(t->need_by > w.now);
  end(&w);
}

/* A burst takes 1 KiB of stripe 4 and then of stripe 1, the next one of stripes 5 and 2: the disks
 * between are left alone. */
static void bursts_from_a_table_repeat_a_stripe_further(void **state) {
  (void)state;
  static const struct siox_access_level table = {SIOX_OFFSET_RUNTIME, 0, SIOX_UNKNOWN,
                                                 SIOX_UNKNOWN};
  struct world w;
  begin(&w, SIOX_LEAD_GAP, "0:6:64K", "0:6:64K");
  struct siox_site read = data_site(origin_a, 1);
  read.levels = &table;
  struct siox_site *next[] = {&read};
  struct siox_region r, *succ[] = {&r};
  r = loop_region(next, 1, succ, 1);
  open_files(&w);
  for (int k = 0; k < 4; k++) {
    if (k > 0)
      run_loop(&w, &r, 100, 10 * SECOND);
    touch(&w, &read, &handle_a, (int64_t)(4 + k) << 16, 1024);
    touch(&w, &read, &handle_a, (int64_t)(1 + k) << 16, 1024);
  }
  siox__predictor_enter(&w.p, &r, 100, w.now);
  struct told *t = last_for(&w, 2, w.n); /* the fifth burst: stripes 8 and 5, on disks 2 and 5 */
  assert_string_equal(t->mask, "001001");
  assert_true(t->need_by > w.now);
  end(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_stride_of_one_stripe_moves_the_prediction_by_one_disk),
      cmocka_unit_test(bursts_from_a_table_repeat_a_stripe_further),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
