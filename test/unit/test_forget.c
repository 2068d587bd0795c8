/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Jobs that come, work, leave and are forgotten, at random: against a list of who is there and
 * whose he is, kept the long way. */
#include "bank_support.h"
#include <stdio.h>

enum { STEPS = 20000, JOBS = 4096, USERS = 5 };

struct known {
  bool is, live;
  uint32_t number, client, owner;
};

static void users_are_apart(const struct siox_bank *bank, const struct known *k, uint32_t n) {
  const uint32_t *user = siox_bank_view(bank)->user;
  for (uint32_t a = 0; a < n; a++)
    for (uint32_t b = 0; b < a; b++)
      if (k[a].is && k[b].is)
        assert_int_equal(user[k[a].number] == user[k[b].number], k[a].owner == k[b].owner);
}

static double joules_of(struct siox_bank *bank, uint32_t job) {
  struct siox_job_totals t;
  assert_int_equal(siox_bank_job_totals(bank, job, &t), 0);
  return t.joules[0] + t.joules[1] + t.joules[2] + t.joules[3];
}

static void play(const char *policy, double delay_budget) {
  struct lab *lab = calloc(1, sizeof *lab);
  static struct known k[32];
  static uint64_t freed_at[JOBS]; /* 1 + how many were forgotten before, by number */
  uint64_t random = 3, forgotten = 0;
  uint32_t names = 0;
  double now = 0, by_disk = 0;
  memset(k, 0, sizeof k);
  memset(freed_at, 0, sizeof freed_at);
  make_drive(&lab->drive, FOUR_SPEEDS, 4);
  lab->limits.delay_budget = delay_budget;
  lab_start(lab, policy, 1, NULL, 0);
  for (int step = 0; step < STEPS; step++) {
    struct known *one = &k[test_below(&random, 32)];
    now += (double)test_below(&random, 3);
    if (!one->is) {
      char key[16];
      snprintf(key, sizeof key, "j%u", names++);
      assert_int_equal(siox_bank_job(lab->bank, key, &one->number), 0);
      assert_true(one->number < JOBS);
      if (freed_at[one->number]) /* it rested while a thousand others were forgotten */
        assert_true(forgotten - freed_at[one->number] >= 1000);
      freed_at[one->number] = 0;
      one->owner = (uint32_t)test_below(&random, USERS);
      assert_int_equal(siox_bank_job_user(lab->bank, one->number, one->owner), 0);
      one->is = true;
    } else if (!one->live && test_below(&random, 3)) {
      assert_int_equal(siox_bank_join(lab->bank, ns(now), one->number, &one->client), 0);
      one->live = true;
    } else if (!one->live) {
      assert_int_equal(siox_bank_job_forget(lab->bank, one->number), 0);
      assert_int_equal(siox_bank_job_forget(lab->bank, one->number), SIOX_EINVAL);
      freed_at[one->number] = ++forgotten;
      one->is = false;
    } else if (test_below(&random, 2)) {
      assert_int_equal(siox_bank_job_forget(lab->bank, one->number), SIOX_EINVAL);
      lab_read(lab, now, one->client, 64 * KB);
    } else {
      assert_int_equal(siox_bank_leave(lab->bank, ns(now), one->client), 0);
      one->live = false;
    }
    if (step % 16 == 0)
      users_are_apart(lab->bank, k, 32);
  }
  assert_true(forgotten > 2000 && siox_bank_njobs(lab->bank) < 1100);
  double by_job = joules_of(lab->bank, SIOX_NOBODY) + joules_of(lab->bank, SIOX_FORGOTTEN);
  for (uint32_t i = 0; i < 32; i++)
    by_job += k[i].is ? joules_of(lab->bank, k[i].number) : 0;
  by_disk = lab_joules(lab, 0);
  assert_true(fabs(by_job - by_disk) < 1e-9 * by_disk);
  lab_close(lab);
}

static void the_forgotten_are_summed_and_numbers_rest(void **state) {
  (void)state;
  play("timeout:2", 0);
  play("siox", 0);
  play("siox", 0.02);
  play("com", 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_forgotten_are_summed_and_numbers_rest)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
