/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a process leaves of its regions' times: each test's program runs in a process of its own and
 * leaves them when that ends. */
#include "client/profile.h"
#include "common/profile_row.h"
#include "support.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)

static struct siox_region work = {.kind = SIOX_REGION_LOOP, .file = "a.c", .function = "f"},
                          steps = {.kind = SIOX_REGION_STEPS, .file = "a.c", .function = "f"};
static int64_t now = 100 * SECOND;

static void iterate(int64_t k, int64_t time, bool accesses) {
  if (accesses)
    siox__profile_access();
  now += time;
  siox__profile_tick(&steps, k + 1, now);
}

/* The row of a region of this kind that the program leaves. */
static struct siox__profile_row row_of(void (*program)(void), uint32_t kind) {
  const char *directory = getenv("SIOX_PROFILE_DIR"), *what, *where;
  char path[512] = "", line[512];
  struct siox__profile_row row = {0};
  int status = -1;
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    program();
    exit(0); /* not _exit: a destructor writes it */
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  DIR *all = opendir(directory);
  assert_non_null(all);
  for (struct dirent *e; (e = readdir(all));)
    if (e->d_name[0] != '.')
      snprintf(path, sizeof path, "%s/%.255s", directory, e->d_name);
  closedir(all);
  FILE *in = fopen(path, "r");
  assert_non_null(in);
  assert_non_null(fgets(line, sizeof line, in));
  while (row.kind != kind && fgets(line, sizeof line, in)) {
    line[strcspn(line, "\n")] = 0;
    assert_int_equal(siox__profile_read(line, &row, &what, &where), 0);
  }
  fclose(in);
  unlink(path);
  assert_int_equal(row.kind, kind);
  return row;
}

static void some_iterations_write(void) {
  siox__profile_enter(&steps, 6, now);
  for (int64_t k = 0; k < 6; k++)
    iterate(k, k % 3 == 2 ? 10 * SECOND : SECOND, k % 3 == 2);
  siox__profile_leave(&steps, now);
}

static void iterations_that_access_files_do_not_count(void **state) {
  (void)state;
  struct siox__profile_row r = row_of(some_iterations_write, SIOX_REGION_STEPS);
  assert_int_equal(r.iterations, 4);
  assert_true(r.iteration_ns == (double)SECOND);
  assert_int_equal(r.least_ns, 24 * SECOND); /* of the loop, with all that it does */
}

static void all_iterations_write(void) {
  siox__profile_enter(&steps, 6, now);
  for (int64_t k = 0; k < 6; k++)
    iterate(k, 2 * SECOND, true);
  siox__profile_leave(&steps, now);
}

static void where_all_iterations_access_files_all_count(void **state) {
  (void)state;
  struct siox__profile_row r = row_of(all_iterations_write, SIOX_REGION_STEPS);
  assert_int_equal(r.iterations, 6);
  assert_true(r.iteration_ns == 2.0 * SECOND);
}

static void work_between_accesses(void) {
  siox__profile_enter(&steps, 2, now);
  for (int64_t k = 0; k < 2; k++) {
    siox__profile_access();
    siox__profile_enter(&work, 8, now);
    for (int64_t i = 1; i <= 8; i++) {
      now += SECOND;
      if ((i & (i - 1)) == 0)
        siox__profile_tick(&work, i, now);
    }
    siox__profile_leave(&work, now);
    iterate(k, SECOND, false);
  }
  siox__profile_leave(&steps, now);
}

static void what_was_accessed_before_a_loop_is_no_part_of_it(void **state) {
  (void)state;
  struct siox__profile_row r = row_of(work_between_accesses, SIOX_REGION_LOOP);
  assert_int_equal(r.instances, 2);
  assert_int_equal(r.iterations, 8);
  assert_true(r.iteration_ns == (double)SECOND);
}

int main(void) {
  static char directory[] = "/tmp/test_profile.XXXXXX";
  if (!getenv("SIOX_PROFILE_DIR")) { /* looked at before main */
    if (!mkdtemp(directory) || setenv("SIOX_PROFILE_DIR", directory, 1))
      return 1;
    execl("/proc/self/exe", "test_profile", (char *)NULL);
    return 1;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(iterations_that_access_files_do_not_count),
      cmocka_unit_test(where_all_iterations_access_files_all_count),
      cmocka_unit_test(what_was_accessed_before_a_loop_is_no_part_of_it),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  rmdir(getenv("SIOX_PROFILE_DIR"));
  return failed;
}
