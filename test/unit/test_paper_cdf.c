/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Idle periods of disks and their distribution, against a twin that looks at every millisecond. */
#include "sim_paper_cdf.h"
#include "support.h"
#include <math.h>
#include <string.h>

enum { DISKS = 5, LONG = 4000, MOST = 200 }; /* LONG: milliseconds of a run */
static const int64_t ms = 1000000;

static int64_t below(uint64_t *random, uint64_t n) { return (int64_t)(test_random(random) % n); }

/* The twin: a disk's milliseconds one by one; a period is added to out when it is over. */
static size_t periods_by_looking(const char *busy, double *out, size_t n) {
  int since = 0;
  for (int t = 0; t <= LONG; t++)
    if (t == LONG || busy[t]) {
      if (t > since)
        out[n++] = (t - since) / 1000.0;
      since = t + 1;
    }
  return n;
}

static void the_distribution_is_that_of_looking_at_every_millisecond(void **state) {
  (void)state;
  for (uint32_t seed = 1; seed <= 40; seed++) {
    static double twin[DISKS * LONG];
    struct sim_idle idle = {0};
    uint64_t random = seed;
    size_t n = 0;
    for (int d = 0; d < DISKS; d++) {
      struct timeline_request request[MOST];
      char busy[LONG] = {0};
      size_t count = 0;
      int64_t t = below(&random, 100);
      while (count < (seed - 1) * 4 % MOST && t < LONG - 30) { /* none at all for some seeds */
        int64_t end = t + 1 + below(&random, 20);
        request[count++] = (struct timeline_request){t * ms, end * ms};
        memset(busy + t, 1, (size_t)(end - t));
        t = end + below(&random, below(&random, 4) ? 8 : 400); /* often one behind the other */
      }
      n = periods_by_looking(busy, twin, n);
      assert_int_equal(sim_idle_add(&idle, request, count, 0, LONG * ms), 0);
    }
    assert_int_equal(sim_idle_sort(&idle), 0);
    assert_int_equal(idle.count, n);
    for (double at = 0; at < 4.2; at += 0.0005 * (1 + below(&random, 100))) {
      double counted = 0, time = 0, all = 0;
      for (size_t i = 0; i < n; i++) {
        all += twin[i];
        counted += twin[i] <= at;
        time += twin[i] <= at ? twin[i] : 0;
      }
      assert_true(fabs(sim_idle_by_count(&idle, at) - counted / (double)n) < 1e-12);
      assert_true(fabs(sim_idle_by_time(&idle, at) - time / all) < 1e-9);
    }
    sim_idle_free(&idle);
  }
}

static void a_disk_without_requests_is_idle_all_the_time(void **state) {
  (void)state;
  struct sim_idle idle = {0};
  assert_int_equal(sim_idle_add(&idle, NULL, 0, 3000 * ms, 10000 * ms), 0);
  assert_int_equal(sim_idle_sort(&idle), 0);
  assert_int_equal(idle.count, 1);
  assert_true(fabs(idle.seconds[0] - 7) < 1e-12);
  sim_idle_free(&idle);
}

static void without_periods_nothing_is_shorter(void **state) {
  (void)state;
  struct sim_idle idle = {0};
  struct timeline_request all = {0, 5 * ms};
  assert_int_equal(sim_idle_add(&idle, &all, 1, 0, 5 * ms), 0);
  assert_int_equal(sim_idle_sort(&idle), 0);
  assert_int_equal(idle.count, 0);
  assert_true(sim_idle_by_count(&idle, 1) == 0 && sim_idle_by_time(&idle, 1) == 0);
  sim_idle_free(&idle);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_distribution_is_that_of_looking_at_every_millisecond),
      cmocka_unit_test(a_disk_without_requests_is_idle_all_the_time),
      cmocka_unit_test(without_periods_nothing_is_shorter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
