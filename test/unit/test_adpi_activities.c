/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Response times and calls that hang, on summaries that the test writes. */
#include "adpi_support.h"

static struct siox_activity_kind kinds[2];
static struct siox_activity_summary summary;

static struct lab *calls(const char *name, const char *const *settings) {
  memset(kinds, 0, sizeof kinds);
  kinds[0].layer = kinds[1].layer = "mpiio";
  kinds[0].call = "read_at";
  kinds[1].call = "write_at";
  kinds[0].category = kinds[1].category = SIOX_CATEGORY_DISK;
  summary = (struct siox_activity_summary){.kinds = kinds, .nkinds = 2};
  struct lab *lab = lab_open(name, settings);
  lab->activities = &summary;
  return lab;
}
/* The calls of the cycle end: the number of issues. */
static int ended(struct lab *lab) {
  const int n = lab_cycle(lab);
  for (int k = 0; k < 2; k++)
    memset(kinds[k].classes, 0, sizeof kinds[k].classes);
  return n;
}
static const uint64_t BYTES = 65536;
static const int64_t MS = 1000000;

static void classes_begin_at_powers_of_eight_from_a_kibibyte(void **unused) {
  (void)unused;
  const struct {
    uint64_t bytes;
    unsigned size_class;
  } cases[] = {{0, 0},        {1, 1},        {1023, 1},      {1024, 2},   {8191, 2},
               {8192, 3},     {65535, 3},    {65536, 4},     {524288, 5}, {4194304, 6},
               {33554431, 6}, {33554432, 7}, {UINT64_MAX, 7}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    assert_int_equal(siox_size_class(cases[i].bytes), cases[i].size_class);
  assert_true(siox_size_class_end(1) == 1024 && siox_size_class_end(6) == 33554432 &&
              siox_size_class_end(7) == UINT64_MAX);
}

static void times_are_counted_by_their_highest_bit(void **unused) {
  (void)unused;
  const struct {
    int64_t ns;
    unsigned bucket;
  } cases[] = {{-5, 0}, {0, 0},    {1, 0},     {2, 1},         {3, 1},
               {4, 2},  {1023, 9}, {1024, 10}, {INT64_MAX, 47}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    assert_int_equal(siox_time_bucket(cases[i].ns), cases[i].bucket);
}

static void a_call_is_counted_in_its_class(void **unused) {
  (void)unused;
  struct siox_activity_kind k = {0};
  siox_activity_count(&k, BYTES, 3 * MS);
  siox_activity_count(&k, BYTES, 2 * MS);
  assert_int_equal(k.classes[4].calls, 2);
  assert_int_equal(k.classes[4].bytes, 2 * BYTES);
  assert_int_equal(k.classes[4].longest_ns, 3 * MS);
  assert_int_equal(k.classes[4].times[21], 1); /* 2^21 ns is 2.097 ms */
  assert_int_equal(k.classes[4].times[20], 1);
}

static void slow_calls_are_bad_and_fast_ones_good(void **unused) {
  (void)unused;
  struct lab *lab = calls("response", NULL);
  for (int i = 0; i < 200; i++) {
    for (int k = 0; k < 10; k++)
      siox_activity_count(&kinds[0], BYTES, 5 * MS);
    assert_int_equal(ended(lab), 0);
  }
  for (int k = 0; k < 10; k++)
    siox_activity_count(&kinds[0], BYTES, k < 5 ? 5 * MS : 100 * MS);
  assert_int_equal(ended(lab), 1);
  assert_int_equal(lab->issues[0].severity, SIOX_ABNORMAL_BAD);
  assert_int_equal(lab->issues[0].category, SIOX_CATEGORY_DISK);
  assert_int_equal(lab->issues[0].activity, 0);
  assert_int_equal(lab->issues[0].size_class, 4);
  assert_near(lab->issues[0].value, 0.1, 1e-12);
  assert_near(lab->issues[0].high, 0x1p23 * 1e-9, 1e-12); /* 5 ms lies in [2^22, 2^23) ns */
  assert_non_null(strstr(lab->issues[0].evidence, "5 of 10 calls mpiio.read_at took longer"));
  for (int k = 0; k < 10; k++)
    siox_activity_count(&kinds[0], BYTES, MS);
  assert_int_equal(ended(lab), 1);
  assert_int_equal(lab->issues[0].severity, SIOX_ABNORMAL_GOOD);
  lab_close(lab);
}

static void each_kind_and_size_has_its_own_times(void **unused) {
  (void)unused;
  struct lab *lab = calls("response", NULL);
  for (int i = 0; i < 200; i++) {
    for (int k = 0; k < 10; k++) {
      siox_activity_count(&kinds[0], BYTES, 5 * MS);
      siox_activity_count(&kinds[0], 100 * BYTES, 300 * MS);
      siox_activity_count(&kinds[1], BYTES, MS);
    }
    assert_int_equal(ended(lab), 0);
  }
  siox_activity_count(&kinds[0], 100 * BYTES, 300 * MS);
  siox_activity_count(&kinds[0], BYTES, 5 * MS);
  siox_activity_count(&kinds[1], BYTES, MS);
  assert_int_equal(ended(lab), 0);
  siox_activity_count(&kinds[1], BYTES, 5 * MS);
  assert_int_equal(ended(lab), 1);
  assert_int_equal(lab->issues[0].activity, 1);
  lab_close(lab);
}

static void the_share_that_is_always_slow_is_no_anomaly(void **unused) {
  (void)unused;
  /* One call in 200 is ten times as slow, by chance alone: of 100,000 cycles at most one in a
   * thousand is told. */
  struct lab *lab = calls("response", NULL);
  uint64_t state = 1;
  int n = 0;
  for (int i = 0; i < 20000; i++) {
    for (int k = 0; k < 20; k++)
      siox_activity_count(&kinds[0], BYTES, test_below(&state, 200) ? 5 * MS : 50 * MS);
    n += ended(lab);
  }
  assert_true(n <= 20);
  /* Six of them in a cycle are: the chance of that is 38760 / 200^6, 6e-10. */
  for (int k = 0; k < 20; k++)
    siox_activity_count(&kinds[0], BYTES, k < 14 ? 5 * MS : 50 * MS);
  assert_int_equal(ended(lab), 1);
  lab_close(lab);
}

static void a_slow_collective_call_is_one_however_many_wait_for_it(void **unused) {
  (void)unused;
  /* As above, with five calls a cycle that four ranks make: each that is slow is so four times. */
  struct lab *lab = calls("response", NULL);
  uint64_t state = 1;
  int n = 0;
  kinds[0].together = true;
  for (int i = 0; i < 20000; i++) {
    for (int k = 0; k < 5; k++) {
      const bool slow = test_below(&state, 200) == 0;
      for (int r = 0; r < 4; r++)
        siox_activity_count(&kinds[0], BYTES, slow ? 50 * MS : 5 * MS);
    }
    kinds[0].classes[4].callers = 4;
    n += ended(lab);
  }
  assert_true(n <= 20);
  for (int k = 0; k < 20; k++)
    siox_activity_count(&kinds[0], BYTES, 50 * MS);
  kinds[0].classes[4].callers = 4;
  assert_int_equal(ended(lab), 1);
  assert_non_null(strstr(lab->issues[0].evidence, "20 of 20 calls"));
  kinds[0].together = false;
  lab_close(lab);
}

static void nothing_is_said_before_enough_calls_are_known(void **unused) {
  (void)unused;
  struct lab *lab = calls("response", (const char *[]){"least_calls=5000", NULL});
  for (int i = 0; i < 499; i++) {
    for (int k = 0; k < 10; k++)
      siox_activity_count(&kinds[0], BYTES, i < 400 ? 5 * MS : 500 * MS);
    assert_int_equal(ended(lab), 0);
  }
  lab_close(lab);
}

static void a_lasting_change_is_learned(void **unused) {
  (void)unused;
  struct lab *lab = calls("response", (const char *[]){"memory=10000", NULL});
  for (int i = 0; i < 2000; i++) {
    for (int k = 0; k < 10; k++)
      siox_activity_count(&kinds[0], BYTES, 5 * MS);
    ended(lab);
  }
  int n = 0;
  for (int i = 0; i < 20000; i++) {
    for (int k = 0; k < 10; k++)
      siox_activity_count(&kinds[0], BYTES, 50 * MS);
    n += ended(lab);
  }
  assert_in_range(n, 10, 2000);
  lab_close(lab);
}

static void slow_phases_over_five_percent_of_a_run_are_found(void **unused) {
  (void)unused;
  struct scores scores = {.what = "response"};
  enum { N = 10000 };
  for (uint64_t seed = 1; seed <= 60; seed++) {
    uint64_t state = seed;
    bool *injected = test_injected(&state, N, 500, 0.05, 1, 20);
    struct lab *lab = calls("response", NULL);
    struct score score = {0};
    for (size_t i = 0; i < N; i++) {
      /* Log-normal around 5 ms, as storage is; a slow disk takes five times as long and more. */
      const double slow = injected[i] ? 5 + 10 * test_uniform(&state) : 1;
      const int ncalls = 4 + (int)test_below(&state, 20);
      for (int k = 0; k < ncalls; k++)
        siox_activity_count(&kinds[0], BYTES,
                            (int64_t)(5e6 * slow * exp(0.3 * test_normal(&state))));
      score_add(&score, injected[i], ended(lab) > 0);
    }
    scores_add(&scores, &score);
    free(injected);
    lab_close(lab);
  }
  scores_check(&scores);
}

/* A call that has run for so long at the end of the next cycle. */
static int running(struct lab *lab, int kind, uint64_t bytes, double seconds) {
  struct siox_activity_class *c = &kinds[kind].classes[siox_size_class(bytes)];
  c->running = 1;
  c->oldest_ns = lab->cycle.now_ns + 100 * MS - (int64_t)(seconds * 1e9);
  return ended(lab);
}

static void a_call_that_runs_longer_than_the_limit_hangs(void **unused) {
  (void)unused;
  struct lab *lab = calls("hung", NULL);
  lab->cycle.now_ns = INT64_C(1000000000000);
  assert_int_equal(running(lab, 0, BYTES, 10), 0);
  assert_int_equal(running(lab, 0, BYTES, 10.1), 1);
  assert_int_equal(lab->issues[0].kind, SIOX_ISSUE_HUNG);
  assert_int_equal(lab->issues[0].severity, SIOX_ABNORMAL_BAD);
  assert_near(lab->issues[0].value, 10.1, 1e-6);
  assert_near(lab->issues[0].high, 10, 1e-9);
  lab_close(lab);
}

static void where_calls_take_long_ten_times_as_long_hangs(void **unused) {
  (void)unused;
  struct lab *lab = calls("hung", NULL);
  lab->cycle.now_ns = INT64_C(1000000000000);
  siox_activity_count(&kinds[0], BYTES, 4000 * MS);
  ended(lab);
  assert_int_equal(running(lab, 0, BYTES, 40), 0);
  assert_int_equal(running(lab, 0, BYTES, 40.1), 1);
  assert_int_equal(running(lab, 0, 100 * BYTES, 40), 1); /* of another size nothing is known */
  assert_int_equal(running(lab, 1, BYTES, 40), 1);
  lab_close(lab);
}

static void a_call_that_hung_and_ended_does_not_hide_the_next(void **unused) {
  (void)unused;
  struct lab *lab = calls("hung", NULL);
  lab->cycle.now_ns = INT64_C(1000000000000);
  for (int i = 0; i < 7; i++) {
    siox_activity_count(&kinds[0], BYTES, 60000 * MS);
    ended(lab);
    assert_int_equal(running(lab, 0, BYTES, 11), 1);
  }
  siox_activity_count(&kinds[0], BYTES, 50000 * MS); /* the eighth: it is what calls take here */
  ended(lab);
  assert_int_equal(running(lab, 0, BYTES, 499), 0);
  assert_int_equal(running(lab, 0, BYTES, 501), 1);
  lab_close(lab);
}

static void hung_calls_over_five_percent_of_a_run_are_found(void **unused) {
  (void)unused;
  struct scores scores = {.what = "hung (calls; precision of cycles)"};
  enum { N = 40000 };
  for (uint64_t seed = 1; seed <= 60; seed++) {
    uint64_t state = seed;
    bool *hangs = test_injected(&state, N, 500, 0.05, 110, 400); /* 11 to 40 s */
    struct lab *lab = calls("hung", NULL);
    lab->cycle.now_ns = INT64_C(1000000000000);
    struct score score = {0};
    bool found = false;
    int64_t since = 0;
    for (size_t i = 0; i < N; i++) {
      const int64_t end = lab->cycle.now_ns + 100 * MS;
      struct siox_activity_class *c = &kinds[0].classes[siox_size_class(BYTES)];
      for (int k = 0; k < 3; k++) /* others go on meanwhile */
        siox_activity_count(&kinds[0], BYTES, (int64_t)(50e6 * exp(0.5 * test_normal(&state))));
      c->running = 1;
      c->oldest_ns = end - (int64_t)(900e6 * test_uniform(&state));
      if (hangs[i]) {
        since = hangs[i - 1] ? since : end - 100 * MS;
        c->oldest_ns = since;
      } else if (hangs[i - (i > 0)]) {
        siox_activity_count(&kinds[0], BYTES, end - since);
      }
      const int n = ended(lab);
      found |= n > 0 && hangs[i];
      score_told(&score, n > 0, hangs[i]);
      if (hangs[i] && (i + 1 == N || !hangs[i + 1])) {
        score_episode(&score, found);
        found = false;
      }
    }
    scores_add(&scores, &score);
    free(hangs);
    lab_close(lab);
  }
  scores_check(&scores);
}

static void without_activities_nothing_is_said(void **unused) {
  (void)unused;
  for (int i = 0; i < 2; i++) {
    struct lab *lab = calls(i ? "hung" : "response", NULL);
    lab->activities = NULL;
    assert_int_equal(lab_cycle(lab), 0);
    lab_close(lab);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(classes_begin_at_powers_of_eight_from_a_kibibyte),
      cmocka_unit_test(times_are_counted_by_their_highest_bit),
      cmocka_unit_test(a_call_is_counted_in_its_class),
      cmocka_unit_test(slow_calls_are_bad_and_fast_ones_good),
      cmocka_unit_test(each_kind_and_size_has_its_own_times),
      cmocka_unit_test(the_share_that_is_always_slow_is_no_anomaly),
      cmocka_unit_test(a_slow_collective_call_is_one_however_many_wait_for_it),
      cmocka_unit_test(nothing_is_said_before_enough_calls_are_known),
      cmocka_unit_test(a_lasting_change_is_learned),
      cmocka_unit_test(slow_phases_over_five_percent_of_a_run_are_found),
      cmocka_unit_test(a_call_that_runs_longer_than_the_limit_hangs),
      cmocka_unit_test(where_calls_take_long_ten_times_as_long_hangs),
      cmocka_unit_test(a_call_that_hung_and_ended_does_not_hide_the_next),
      cmocka_unit_test(hung_calls_over_five_percent_of_a_run_are_found),
      cmocka_unit_test(without_activities_nothing_is_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
