/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The predictor on calls that say how long they will take: sleep(trip). */
#include "predict_support.h"

static struct siox_region sleeping(struct siox_site *const *next) {
  struct siox_region r = loop_region(next, 1, NULL, 0);
  r.kind = SIOX_REGION_CALL;
  r.flags |= SIOX_REGION_SLEEPS;
  r.body_ns = SECOND;
  return r;
}

static void its_first_time_is_known(void **state) {
  (void)state;
  struct world w;
  begin(&w, SIOX_LEAD_GAP, "1:3:64K", "0:1:64K");
  struct siox_site read = data_site(origin_a, 1), *next[] = {&read};
  struct siox_region r = sleeping(next);
  open_files(&w);
  touch(&w, &read, &handle_a, 0, 3 << 16);
  int64_t start = w.now;
  siox__predictor_enter(&w.p, &r, 8, w.now);
  const struct told *t = last_for(&w, 1, w.n);
  assert_int_equal(t->flag, 0);
  assert_int_equal(t->at, start);
  assert_true(t->need_by <= start + 8 * SECOND && t->need_by >= start + 8 * SECOND * 31 / 32);
  end(&w);
}

static void it_counts_more_than_what_it_took_before(void **state) {
  (void)state;
  struct world w;
  begin(&w, SIOX_LEAD_GAP, "1:3:64K", "0:1:64K");
  struct siox_site read = data_site(origin_a, 1), *next[] = {&read};
  struct siox_region r = sleeping(next);
  open_files(&w);
  for (int64_t time = 20; time > 0; time -= 16) {
    touch(&w, &read, &handle_a, 0, 3 << 16);
    int64_t start = w.now;
    siox__predictor_enter(&w.p, &r, time, w.now);
    assert_true(last_for(&w, 1, w.n)->need_by <= start + time * SECOND);
    w.now += time * SECOND;
    siox__predictor_leave(&w.p, &r, w.now);
  }
  end(&w);
}

static void no_time_is_no_gap(void **state) {
  (void)state;
  struct world w;
  begin(&w, SIOX_LEAD_GAP, "1:3:64K", "0:1:64K");
  struct siox_site read = data_site(origin_a, 1), *next[] = {&read};
  struct siox_region r = sleeping(next);
  open_files(&w);
  siox__predictor_enter(&w.p, &r, 20, w.now);
  w.now += 20 * SECOND;
  siox__predictor_leave(&w.p, &r, w.now);
  touch(&w, &read, &handle_a, 0, 3 << 16);
  siox__predictor_enter(&w.p, &r, 0, w.now);
  assert_int_equal(last_for(&w, 1, w.n)->flag, 1);
  end(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(its_first_time_is_known),
      cmocka_unit_test(it_counts_more_than_what_it_took_before),
      cmocka_unit_test(no_time_is_no_gap),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
