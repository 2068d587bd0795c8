/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* --info KEY=VALUE: what a program of this directory tells MPI when it opens a file. */
#ifndef SIOX_TEST_APPS_INFO_OPTION_H
#define SIOX_TEST_APPS_INFO_OPTION_H
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct info_option {
  const char *hint[64];
  int n;
};

static inline bool info_option_add(struct info_option *o, const char *text) {
  const char *equals = strchr(text, '=');
  if (!equals || equals == text || equals - text > MPI_MAX_INFO_KEY || !equals[1] ||
      strlen(equals + 1) >= MPI_MAX_INFO_VAL || (size_t)o->n == sizeof o->hint / sizeof *o->hint)
    return false;
  o->hint[o->n++] = text;
  return true;
}

/* MPI_INFO_NULL where no hint was given. */
static inline MPI_Info info_option_make(const struct info_option *o) {
  MPI_Info info = MPI_INFO_NULL;
  if (o->n)
    MPI_Info_create(&info);
  for (int i = 0; i < o->n; i++) {
    char key[MPI_MAX_INFO_KEY + 1];
    const char *value = strchr(o->hint[i], '=') + 1;
    snprintf(key, sizeof key, "%.*s", (int)(value - 1 - o->hint[i]), o->hint[i]);
    MPI_Info_set(info, key, value);
  }
  return info;
}

#endif
