/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a process tells the daemon of itself, by what resource managers, launchers and people leave
 * in its environment. Each case is a process of its own. */
#include "daemon_double.h"
#include "siox/siox.h"
#include "support.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const variables[] = {"SIOX_JOB",       "SLURM_JOB_ID", "SLURM_STEP_ID",
                                        "SLURM_PROCID",   "PMI_JOBID",    "PMI_RANK",
                                        "PMIX_NAMESPACE", "PMIX_RANK",    "SIOX_DELAY_BUDGET"};

/* Greets from a child with NAME=VALUE... in its environment (NULL ends them). */
static struct siox_msg_hello greeting(const char *const *environment) {
  pid_t child = fork();
  int status;
  if (!child) {
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
      unsetenv(variables[i]);
    for (; *environment; environment++)
      putenv((char *)(uintptr_t)*environment);
    exit(siox_ndisks() == 4 ? 0 : 1);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  struct double_message m;
  struct siox_msg_hello hello;
  assert_true(double_count(SIOX_MSG_HELLO, &m) > 0);
  assert_int_equal(m.length, sizeof hello);
  memcpy(&hello, m.body, sizeof hello);
  return hello;
}
#define GREETING(...) greeting((const char *const[]){__VA_ARGS__, NULL})

static void begins(const struct siox_msg_hello *hello, const char *text) {
  if (strncmp(hello->job, text, strlen(text)))
    fail_msg("\"%s\" does not begin with \"%s\"", hello->job, text);
}

static void a_slurm_step_is_a_job(void **state) {
  (void)state;
  struct siox_msg_hello h =
      GREETING("SLURM_JOB_ID=77", "SLURM_STEP_ID=3", "SLURM_PROCID=5", "PMI_JOBID=x");
  assert_string_equal(h.job, "slurm/77.3");
  assert_int_equal(h.rank, 5);
}

static void in_an_allocation_without_a_step_the_launcher_tells_jobs_apart(void **state) {
  (void)state;
  struct siox_msg_hello h = GREETING("SLURM_JOB_ID=77", "PMI_RANK=0");
  begins(&h, "slurm/77/");
  assert_true(strlen(h.job) > strlen("slurm/77/"));
}

static void a_pmix_namespace_is_a_job(void **state) {
  (void)state;
  struct siox_msg_hello h = GREETING("PMIX_NAMESPACE=prte-9@1", "PMIX_RANK=0");
  assert_string_equal(h.job, "pmix/prte-9@1");
}

static void a_pmi_job_is_a_job(void **state) {
  (void)state;
  struct siox_msg_hello h = GREETING("PMI_JOBID=88", "PMI_RANK=0");
  begins(&h, "pmi/88/");
}

static void a_given_name_stands_before_what_the_job_is(void **state) {
  (void)state;
  struct siox_msg_hello h = GREETING("SIOX_JOB=night", "SLURM_JOB_ID=77", "SLURM_STEP_ID=3");
  assert_string_equal(h.job, "night/slurm/77.3");
}

static void a_given_name_is_the_job_of_a_program_without_a_launcher(void **state) {
  (void)state;
  struct siox_msg_hello h = GREETING("SIOX_JOB=night");
  assert_string_equal(h.job, "night");
}

static void without_anything_a_process_is_a_job(void **state) {
  (void)state;
  struct siox_msg_hello h = GREETING("HOME=/");
  begins(&h, "pid/");
  assert_true(h.delay_budget < 0);
}

static void a_delay_budget_goes_along_as_a_part_of_one(void **state) {
  (void)state;
  struct siox_msg_hello h = GREETING("SIOX_DELAY_BUDGET=2.5");
  assert_float_equal(h.delay_budget, 0.025, 1e-12);
}

static void what_is_no_percentage_is_no_delay_budget(void **state) {
  (void)state;
  static const char *const wrong[] = {"SIOX_DELAY_BUDGET=2x", "SIOX_DELAY_BUDGET=101",
                                      "SIOX_DELAY_BUDGET=-1", "SIOX_DELAY_BUDGET=."};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    assert_true(GREETING(wrong[i]).delay_budget < 0);
}

int main(void) {
  const struct double_options options = {.ndisks = 4, .ring_bytes = 4096, .layout = "0:4:64K"};
  double_start(&options);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_slurm_step_is_a_job),
      cmocka_unit_test(in_an_allocation_without_a_step_the_launcher_tells_jobs_apart),
      cmocka_unit_test(a_pmix_namespace_is_a_job),
      cmocka_unit_test(a_pmi_job_is_a_job),
      cmocka_unit_test(a_given_name_stands_before_what_the_job_is),
      cmocka_unit_test(a_given_name_is_the_job_of_a_program_without_a_launcher),
      cmocka_unit_test(without_anything_a_process_is_a_job),
      cmocka_unit_test(a_delay_budget_goes_along_as_a_part_of_one),
      cmocka_unit_test(what_is_no_percentage_is_no_delay_budget),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  double_stop();
  return failed;
}
