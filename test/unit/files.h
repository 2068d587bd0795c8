/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Files of a test in a directory of its own, as group fixtures: cmocka_run_group_tests(tests,
 * test_files_begin, test_files_end). */
#ifndef SIOX_TEST_UNIT_FILES_H
#define SIOX_TEST_UNIT_FILES_H
#include "support.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char test_directory[] = "/tmp/siox-test-XXXXXX";

static inline int test_files_begin(void **state) {
  (void)state;
  return mkdtemp(test_directory) ? 0 : -1;
}

static inline int test_files_end(void **state) {
  (void)state;
  DIR *dir = opendir(test_directory);
  if (!dir)
    return -1;
  for (struct dirent *e; (e = readdir(dir));)
    unlinkat(dirfd(dir), e->d_name, 0);
  closedir(dir);
  return rmdir(test_directory);
}

/* Path of NAME in the directory, valid until the next call; with text, the file is written. */
static inline const char *test_file(const char *name, const char *text) {
  static char path[256];
  snprintf(path, sizeof path, "%s/%s", test_directory, name);
  if (text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
  }
  return path;
}

/* The message must be DIRECTORY/NAME followed by this. */
static inline void expect_message(const char *got, const char *name, const char *rest) {
  char expected[1024];
  snprintf(expected, sizeof expected, "%s/%s%s", test_directory, name, rest);
  assert_string_equal(got, expected);
}

#endif
