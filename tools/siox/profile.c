/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* See profile.h. */
#include "profile.h"
#include "cli/text.h"
#include "common/profile_row.h"
#include "common/region_kind.h"
#include "output.h"
#include "siox/error.h"
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct rows {
  struct siox__profile_row *at; /* the texts are owned */
  size_t n, max;
  const char *drive;
  double time_scale;
};

int siox__profile_begin(struct siox__profile *p, const char *path) {
  if (!siox__output_possible("siox run: --profile", path))
    return -1;
  char *here = *path == '/' ? strdup("") : getcwd(NULL, 0);
  int n = snprintf(p->directory, sizeof p->directory, "%s%s%s.XXXXXX", here ? here : "",
                   here && *here ? "/" : "", path);
  free(here);
  if (n >= (int)sizeof p->directory)
    errno = ENAMETOOLONG;
  if (n >= (int)sizeof p->directory || !mkdtemp(p->directory) ||
      setenv("SIOX_PROFILE_DIR", p->directory, 1) < 0) {
    fprintf(stderr, "siox run: --profile: %s: %s\n", path, strerror(errno));
    return -1;
  }
  p->path = path;
  return 0;
}

static bool keep(struct rows *rows, const struct siox__profile_row *r) {
  if (rows->n == rows->max) {
    size_t max = rows->max ? 2 * rows->max : 64;
    struct siox__profile_row *more = realloc(rows->at, max * sizeof *more);
    if (!more)
      return false;
    rows->at = more;
    rows->max = max;
  }
  struct siox__profile_row *own = &rows->at[rows->n];
  *own = *r;
  own->file = strdup(r->file);
  own->function = strdup(r->function);
  rows->n++;
  return own->file && own->function;
}

static void forget(struct siox__profile_row *row) {
  free((char *)row->file);
  free((char *)row->function);
}

/* One process's file. False after a message. */
static bool read_part(const char *path, struct rows *rows) {
  FILE *in = fopen(path, "re");
  char *line = NULL;
  const char *what = in ? NULL : strerror(errno), *where = NULL;
  size_t size = 0, number = 0;
  while (!what && getline(&line, &size, in) > 0) {
    struct siox__profile_row r;
    if (number++ == 0) {
      int rc = siox__profile_read_head(line);
      what = rc == SIOX_EVERSION
                 ? "the program's libsiox writes another version than this siox reads"
             : rc < 0 ? "not what libsiox writes"
                      : NULL;
    } else if (siox__profile_read(line, &r, &what, &where) == 0) {
      what = keep(rows, &r) ? NULL : siox_strerror(SIOX_ENOMEM);
    }
  }
  if (what && number)
    fprintf(stderr, "siox run: --profile: %s:%zu: %s%s%s%s\n", path, number, what,
            where ? ", not \"" : "", where ? where : "", where ? "\"" : "");
  else if (what)
    fprintf(stderr, "siox run: --profile: %s: %s\n", path, what);
  free(line);
  if (in)
    fclose(in);
  return !what;
}

static int compare(const void *a, const void *b) {
  const struct siox__profile_row *x = a, *y = b;
  int c = strcmp(x->file, y->file);
  if (!c)
    c = (x->line > y->line) - (x->line < y->line);
  if (!c)
    c = (x->column > y->column) - (x->column < y->column);
  if (!c)
    c = (x->kind > y->kind) - (x->kind < y->kind);
  return c ? c : (x->key > y->key) - (x->key < y->key);
}

/* One row a region, whichever processes measured it: the least times. */
static void merge(struct rows *rows) {
  size_t n = 0;
  qsort(rows->at, rows->n, sizeof *rows->at, compare);
  for (size_t i = 0; i < rows->n; i++) {
    struct siox__profile_row *to = n ? &rows->at[n - 1] : NULL, *r = &rows->at[i];
    if (!to || compare(to, r)) {
      rows->at[n++] = *r;
      continue;
    }
    to->instances += r->instances;
    to->least_ns = r->least_ns < to->least_ns ? r->least_ns : to->least_ns;
    if (r->iteration_ns > 0 && (to->iteration_ns <= 0 || r->iteration_ns < to->iteration_ns)) {
      to->iteration_ns = r->iteration_ns;
      to->iterations = r->iterations;
    }
    forget(r);
  }
  rows->n = n;
}

static int write_rows(void *context, FILE *out) {
  const struct rows *rows = context;
  fputs(
      "# What regions of a program took at the least, in ns, by siox run --profile. Compile with\n"
      "# SIOX_PROFILE=THIS_FILE to plan with these times.\n"
      "siox_profile: 1\n",
      out);
  if (rows->drive && *rows->drive) {
    fputs("drive: ", out);
    siox__yaml_quote(out, rows->drive);
    fputc('\n', out);
  }
  fprintf(out, "time_scale: %.17g\nregions:\n", rows->time_scale);
  for (size_t i = 0; i < rows->n; i++) {
    const struct siox__profile_row *r = &rows->at[i];
    fputs("  - {file: ", out);
    siox__yaml_quote(out, r->file);
    fputs(", function: ", out);
    siox__yaml_quote(out, r->function);
    fprintf(out,
            ", kind: %s, line: %" PRIu32 ", column: %" PRIu32 ", function_line: %" PRIu32
            ", key: %" PRIu64 ", instances: %" PRIu64 ", region_ns: %" PRId64,
            siox__region_kind_name(r->kind), r->line, r->column, r->function_line, r->key,
            r->instances, r->least_ns);
    if (r->iteration_ns > 0)
      fprintf(out, ", iterations: %" PRId64 ", iteration_ns: %.3f", r->iterations, r->iteration_ns);
    fputs("}\n", out);
  }
  return ferror(out) ? SIOX_EIO : 0;
}

/* Reads the files of the processes into rows, NULL: not at all, and removes them and the
 * directory. */
static bool empty(const char *directory, struct rows *rows) {
  DIR *d = opendir(directory);
  bool good = d != NULL;
  for (struct dirent *e; d && (e = readdir(d));) {
    char path[PATH_MAX + 256];
    if (e->d_name[0] == '.')
      continue;
    snprintf(path, sizeof path, "%s/%s", directory, e->d_name);
    good &= !rows || read_part(path, rows);
    unlink(path);
  }
  if (d)
    closedir(d);
  rmdir(directory);
  return good;
}

void siox__profile_drop(struct siox__profile *p) {
  if (p->path)
    empty(p->directory, NULL);
  p->path = NULL;
}

int siox__profile_end(struct siox__profile *p, const char *drive, double time_scale, bool quiet) {
  struct rows rows = {.drive = drive, .time_scale = time_scale};
  if (!p->path)
    return 0;
  bool good = empty(p->directory, &rows);
  merge(&rows);
  if (!rows.n)
    fprintf(stderr,
            "siox run: --profile: no region was measured, %s is not written: the command was not "
            "compiled with the pass, or ended before its end\n",
            p->path);
  else if (siox__output_write("siox run: --profile", p->path, write_rows, &rows))
    good = false;
  else if (!quiet)
    fprintf(stderr, "siox run: %zu regions measured, in %s: SIOX_PROFILE=%s compiles with them\n",
            rows.n, p->path, p->path);
  for (size_t i = 0; i < rows.n; i++)
    forget(&rows.at[i]);
  free(rows.at);
  p->path = NULL;
  return good ? 0 : -1;
}
