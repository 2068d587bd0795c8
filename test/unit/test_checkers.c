/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The bank's joules against test/check/energy.py and optimum.py, which integrate what `siox trace
 * cat` prints and share no line with the bank; and what the command says of bad input. */
#include "siox/oracle.h"
#include "siox/replay.h"
#include "trace_support.h"
#include <fcntl.h>

int siox__cmd_trace(int argc, char **argv);

#define MS INT64_C(1000000)
enum { NDISKS = 3 };

static struct siox_trace_writer *writer;
static struct siox_oracle *oracle[NDISKS]; /* fed as well when they are there */

static void record(void *context, const struct siox_segment *s) {
  (void)context;
  struct siox_oracle_service service = {s->start, s->end - s->start, s->bytes, 0};
  if (oracle[s->disk] && s->state == SIOX_ACTIVE)
    assert_int_equal(siox_oracle_serve(oracle[s->disk], &service), 0);
  struct siox_trace_event e = {.kind = SIOX_TRACE_SEGMENT};
  e.u.segment = *s;
  assert_int_equal(siox_trace_write(writer, &e), 0);
}

static struct siox_drive drive; /* of the last run, */
static int64_t last;            /* and its end */

/* Bursts of requests with gaps of up to 60 s between them, the gaps told to the policy; some hints
 * are wrong. */
static double run(const char *policy, enum siox_transition_rule rule) {
  struct siox_diag diag = {""};
  assert_int_equal(siox_drive_load(&drive, SIOX_SOURCE_DIR "/share/drives/36Z15.yaml", 1, &diag),
                   0);
  drive.rule = rule;
  const struct siox_drive *drives[NDISKS] = {&drive, &drive, &drive};
  const uint32_t top[NDISKS] = {3, 3, 3};
  struct siox_trace_header h = {
      .clock = 1, .ndisks = NDISKS, .drive = drives, .initial_level = top, .policy = policy};
  assert_int_equal(siox_trace_create(&writer, test_path("a.siox"), &h, NULL), 0);
  struct siox_bank_options o = {
      .ndisks = NDISKS, .drive = drives, .initial_level = top, .policy = policy, .segment = record};
  struct siox_bank *bank;
  struct siox_layout layout;
  uint32_t job, client;
  uint64_t seed = 9, seq = 0;
  int64_t now = 1000 * MS;
  assert_int_equal(siox_bank_create(&bank, &o), 0);
  assert_int_equal(siox_layout_parse(&layout, NDISKS, "0:3:64K"), 0);
  siox_bank_job(bank, "job", &job);
  siox_bank_join(bank, 0, job, &client);
  for (int burst = 0; burst < 40; burst++) {
    for (int i = 0; i < 5; i++) {
      struct siox_service service;
      struct siox_request q = {
          .arrival = now, .client = client, .file = 1, .layout = &layout, .bytes = 200000};
      q.offset = (int64_t)test_below(&seed, 1 << 20) * 1000;
      assert_int_equal(siox_bank_access(bank, &q, &service), 0);
      now = service.completion + (int64_t)test_below(&seed, 5 * MS);
    }
    int64_t gap = (int64_t)test_below(&seed, 60000 * MS),
            told = test_below(&seed, 4) ? gap : gap * 2;
    struct siox_claim_header head = {SIOX_CLAIM_VERSION, 0, 1, ++seq, now, 0};
    struct siox_claim_run away = {0, NDISKS, 6000, 0, now + told, SIOX_NEVER};
    assert_int_equal(siox_bank_claim(bank, now, client, &head, &away), 0);
    now += gap;
  }
  siox_bank_leave(bank, now, client);
  last = now;
  assert_int_equal(siox_bank_finish(bank, now), 0);
  double joules = 0;
  for (uint32_t d = 0; d < NDISKS; d++) {
    struct siox_disk_totals totals;
    siox_bank_disk_totals(bank, d, &totals);
    for (int k = 0; k < SIOX_NSTATES; k++)
      joules += totals.joules[k];
  }
  siox_layout_free(&layout);
  siox_bank_destroy(bank);
  assert_int_equal(siox_trace_close(writer), 0);
  return joules;
}

/* The command's exit status; its output goes to a file, what it says to another. */
static int trace_cat(const char *file, const char *option, const char *out, const char *err) {
  char *argv[] = {"trace", "cat", (char *)(uintptr_t)file, (char *)(uintptr_t)option, NULL};
  fflush(stdout);
  fflush(stderr);
  int old[2] = {dup(1), dup(2)}, to[2] = {open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600),
                                          open(err, O_WRONLY | O_CREAT | O_TRUNC, 0600)};
  for (int i = 0; i < 2; i++)
    dup2(to[i], 1 + i);
  int status = siox__cmd_trace(option ? 4 : 3, argv);
  fflush(stdout);
  fflush(stderr);
  for (int i = 0; i < 2; i++) {
    dup2(old[i], 1 + i);
    close(old[i]);
    close(to[i]);
  }
  return status;
}

static int check(const char *format, ...) {
  char command[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(command, sizeof command, format, arguments);
  va_end(arguments);
  fflush(stdout);
  return system(command);
}

static void the_integrator_agrees_under_every_rule_and_policy(void **state) {
  (void)state;
  const char *const policies[] = {"base", "siox", "claims", "rt", "static:9000"};
  for (int p = 0; p < 5; p++)
    for (int rule = SIOX_RULE_A; rule <= SIOX_RULE_C; rule++) {
      double joules = run(policies[p], (enum siox_transition_rule)rule);
      assert_int_equal(
          trace_cat(test_path("a.siox"), "--segments", test_path("out"), test_path("err")), 0);
      assert_int_equal(
          check(SIOX_PYTHON
                " %s/test/check/energy.py %s --profile %s/share/drives/36Z15.yaml --rule %s"
                " --total %.17g > /dev/null",
                SIOX_SOURCE_DIR, test_path("out"), SIOX_SOURCE_DIR,
                siox_rule_name((enum siox_transition_rule)rule), joules),
          0);
    }
}

static void the_integrator_finds_a_wrong_total(void **state) {
  (void)state;
  double joules = run("siox", SIOX_RULE_B);
  trace_cat(test_path("a.siox"), "--segments", test_path("out"), test_path("err"));
  assert_int_not_equal(
      check(SIOX_PYTHON " %s/test/check/energy.py %s --profile %s/share/drives/36Z15.yaml --rule b"
                        " --total %.17g > /dev/null 2>&1",
            SIOX_SOURCE_DIR, test_path("out"), SIOX_SOURCE_DIR, joules * (1 + 1e-8)),
      0);
}

static double optimum(enum siox_transition_rule rule, const char *key) {
  char text[512] = "";
  assert_int_equal(check(SIOX_PYTHON
                         " %s/test/check/optimum.py %s --profile %s/share/drives/36Z15.yaml"
                         " --rule %s > %s",
                         SIOX_SOURCE_DIR, test_path("out"), SIOX_SOURCE_DIR, siox_rule_name(rule),
                         test_path("err")),
                   0);
  FILE *f = fopen(test_path("err"), "r");
  assert_non_null(f);
  assert_non_null(fgets(text, sizeof text, f));
  fclose(f);
  const char *at = strstr(text, key);
  assert_non_null(at);
  return strtod(at + strlen(key), NULL);
}

static void the_optimum_starts_from_the_base_runs_joules(void **state) {
  (void)state;
  double joules = run("base", SIOX_RULE_B);
  trace_cat(test_path("a.siox"), "--segments", test_path("out"), test_path("err"));
  assert_true(fabs(optimum(SIOX_RULE_B, "\"joules_base\": ") - joules) <= 1e-9 * joules);
  double least = optimum(SIOX_RULE_B, "\"joules_optimum\": ");
  assert_true(least < joules &&
              least > joules * (1 - 0.634)); /* idle at 6000 RPM all the time: 1 - 3.73/10.2 */
}

/* Two programs in two languages, which share no line. */
static void the_optimum_is_the_oracles_of_direct_ways(void **state) {
  (void)state;
  for (int rule = SIOX_RULE_A; rule <= SIOX_RULE_C; rule++) {
    double joules = 0;
    run("base", (enum siox_transition_rule)rule); /* reads the drive */
    for (int d = 0; d < NDISKS; d++) {
      struct siox_oracle_options o = {
          .drive = &drive, .initial_level = 3, .end_level = 3, .ways = SIOX_ORACLE_DIRECT};
      assert_int_equal(siox_oracle_create(&oracle[d], &o), 0);
    }
    run("base", (enum siox_transition_rule)rule);
    trace_cat(test_path("a.siox"), "--segments", test_path("out"), test_path("err"));
    for (int d = 0; d < NDISKS; d++) {
      struct siox_oracle_result result;
      assert_int_equal(siox_oracle_finish(oracle[d], last, &result, NULL), 0);
      joules += result.joules;
      siox_oracle_destroy(oracle[d]);
      oracle[d] = NULL;
    }
    double checker = optimum((enum siox_transition_rule)rule, "\"joules_optimum\": ");
    if (!(fabs(joules - checker) <= 1e-9 * joules))
      fail_msg("rule %s: %.12g J, checker %.12g J", siox_rule_name((enum siox_transition_rule)rule),
               joules, checker);
  }
}

/* One service of 1 s at full speed, then nothing for `idle` seconds. */
static double optimum_of_an_end(double idle) {
  FILE *f = fopen(test_path("out"), "w");
  assert_non_null(f);
  fprintf(f,
          "disk,state,start_ns,end_ns,from_speed,to_speed,bytes,job,share\n"
          "0,active,0,1000000000,15000,15000,1,0,1\n"
          "0,idle,1000000000,%.0f,15000,15000,0,4294967295,1\n",
          1e9 + idle * 1e9);
  fclose(f);
  return optimum(SIOX_RULE_B, "\"joules_optimum\": ") - 13.5;
}

/* Joules of 15000 rpm -> w and back, w of full speed: 10.9 s for the whole ramp, idle at w 2.5
 * + 7.7 w^2. */
static double there_and_back(double w) {
  return 2 * 10.9 * (2.5 * (1 - w) + 7.7 * (1 - w * w * w) / 3);
}

static void the_optimums_end_stays_low_and_pays_the_way_back(void **state) {
  (void)state;
  /* 6.54 s down to 6000, the rest of 30 s there, and back after the end */
  double low = 2.5 + 7.7 * 0.16;
  assert_true(fabs(optimum_of_an_end(30) - (there_and_back(0.4) + low * (30 - 6.54))) < 1e-6);
}

static void the_optimums_end_stays_at_full_speed_when_the_way_back_costs_more(void **state) {
  (void)state;
  /* in 2 s the disk comes to w = 1 - 2 / 10.9, and 2 s of full speed cost less than both ways */
  assert_true(there_and_back(1 - 2 / 10.9) > 2 * 10.2);
  assert_true(fabs(optimum_of_an_end(2) - 2 * 10.2) < 1e-6);
}

static void the_optimums_end_takes_the_cheapest_level(void **state) {
  (void)state;
  /* 12000 pays from 7.94 s, 9000 is better from 9.6 s */
  double s = 9, w = 0.8;
  assert_true(fabs(optimum_of_an_end(s) -
                   (there_and_back(w) + (2.5 + 7.7 * w * w) * (s - 10.9 * (1 - w)))) < 1e-6);
}

static void a_damaged_trace_is_named_and_fails(void **state) {
  (void)state;
  run("base", SIOX_RULE_B);
  assert_int_equal(truncate(test_path("a.siox"), 300), 0);
  assert_int_equal(trace_cat(test_path("a.siox"), NULL, test_path("out"), test_path("err")), 1);
  assert_int_equal(check("grep -q 'a.siox: byte 300: ' %s", test_path("err")), 0);
  assert_int_equal(trace_cat(test_path("none"), NULL, test_path("out"), test_path("err")), 1);
  assert_int_equal(trace_cat(test_path("a.siox"), "--nonsense", test_path("out"), test_path("err")),
                   2);
}

static int clean(void **state) {
  unlink(test_path("out"));
  unlink(test_path("err"));
  return test_remove_directory(state);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_integrator_agrees_under_every_rule_and_policy),
      cmocka_unit_test(the_integrator_finds_a_wrong_total),
      cmocka_unit_test(the_optimum_starts_from_the_base_runs_joules),
      cmocka_unit_test(the_optimum_is_the_oracles_of_direct_ways),
      cmocka_unit_test(the_optimums_end_stays_low_and_pays_the_way_back),
      cmocka_unit_test(the_optimums_end_stays_at_full_speed_when_the_way_back_costs_more),
      cmocka_unit_test(the_optimums_end_takes_the_cheapest_level),
      cmocka_unit_test(a_damaged_trace_is_named_and_fails),
  };
  return cmocka_run_group_tests(tests, test_make_directory, clean);
}
