/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A tree of small files that stands in for a machine's /sys, /proc and /dev; a provider gets its
 * root. */
#ifndef SIOX_TEST_TREE_H
#define SIOX_TEST_TREE_H
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct tree {
  char root[64];
};

static inline void tree_new(struct tree *t) {
  snprintf(t->root, sizeof t->root, "/tmp/siox-tree.XXXXXX");
  assert_non_null(mkdtemp(t->root));
}

static inline void tree_remove_below(const char *path) {
  DIR *d = opendir(path);
  for (struct dirent *e; d && (e = readdir(d));) {
    char below[4096];
    if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
      continue;
    snprintf(below, sizeof below, "%s/%s", path, e->d_name);
    if (unlink(below) != 0)
      tree_remove_below(below);
  }
  if (d)
    closedir(d);
  rmdir(path);
}
static inline void tree_free(struct tree *t) { tree_remove_below(t->root); }

static inline char *tree_path(const struct tree *t, const char *path, char buffer[4096]) {
  snprintf(buffer, 4096, "%s%s", t->root, path);
  return buffer;
}

/* Writes a file, in place as the kernel changes its own, and the directories above it. */
static inline void tree_put(const struct tree *t, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static inline void tree_put(const struct tree *t, const char *path, const char *format, ...) {
  char full[4096];
  tree_path(t, path, full);
  for (char *at = full + strlen(t->root) + 1; (at = strchr(at, '/')); at++) {
    *at = 0;
    assert_true(mkdir(full, 0777) == 0 || errno == EEXIST);
    *at = '/';
  }
  FILE *f = fopen(full, "w");
  assert_non_null(f);
  va_list arguments;
  va_start(arguments, format);
  vfprintf(f, format, arguments);
  va_end(arguments);
  assert_int_equal(fclose(f), 0);
}

static inline void tree_remove(const struct tree *t, const char *path) {
  char full[4096];
  if (unlink(tree_path(t, path, full)) != 0)
    tree_remove_below(full);
}

/* path is a symbolic link to target, which is taken as it stands. */
static inline void tree_link(const struct tree *t, const char *target, const char *path) {
  char full[4096];
  assert_int_equal(symlink(target, tree_path(t, path, full)), 0);
}

#endif
