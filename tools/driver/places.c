/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Does a source have MPI-IO in its text? Only then is the front end told to keep places in the
 * source, which names calls by file and line and takes a fifth of the time of a file that has none.
 * A text without MPI-IO that gets it in some way that is not seen here (a macro of a header in <>)
 * is instrumented all the same, with calls by function and number. */
#include "driver.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum {
  MOST_FILES = 200
}; /* headers looked into for one source; beyond that it counts as having MPI-IO */
static const off_t largest = 64 << 20;

struct search {
  const struct siox__line *line;
  struct siox__args seen;
};

static bool in_file(struct search *s, const char *path);

static char *read_text(const char *path, size_t *length) {
  struct stat status;
  FILE *f = fopen(path, "re");
  char *text = NULL;
  if (f && fstat(fileno(f), &status) == 0 && S_ISREG(status.st_mode) && status.st_size < largest &&
      (text = malloc((size_t)status.st_size + 1)))
    text[ *length = fread(text, 1, (size_t)status.st_size, f)] = 0;
  if (f)
    fclose(f);
  return text;
}

/* MPI_File_, mpi_file_; and the libraries above: hdf5.h, H5Dwrite needs its header; pnetcdf.h,
 * ncmpi_, nfmpi_. */
static bool names_mpi_io(const char *text, size_t length) {
  for (const char *at = text, *end = text + length; at < end; at++) {
    at = memchr(at, '_', (size_t)(end - at));
    if (!at)
      break;
    if (at - text >= 3 && end - at > 6 && !strncasecmp(at - 3, "mpi_file_", 9))
      return true;
    if (at - text >= 5 && (!memcmp(at - 5, "ncmpi_", 6) || !strncasecmp(at - 5, "nfmpi_", 6)))
      return true;
  }
  return strstr(text, "hdf5") || strstr(text, "pnetcdf");
}

/* A header in quotes: beside the file that names it, then in the directories of -I and -iquote. */
static bool in_header(struct search *s, const char *from, const char *name, size_t length) {
  const char *slash = strrchr(from, '/');
  char path[PATH_MAX];
  int size = snprintf(path, sizeof path, "%.*s%.*s", slash ? (int)(slash + 1 - from) : 0, from,
                      (int)length, name);
  struct stat status;
  if (size > 0 && (size_t)size < sizeof path && stat(path, &status) == 0)
    return in_file(s, path);
  for (size_t i = 0; i < s->line->directories.n; i++) {
    size = snprintf(path, sizeof path, "%s/%.*s", s->line->directories.v[i], (int)length, name);
    if (size > 0 && (size_t)size < sizeof path && stat(path, &status) == 0)
      return in_file(s, path);
  }
  return false; /* the compiler will say so, or it is under an #if */
}

static bool in_file(struct search *s, const char *path) {
  for (size_t i = 0; i < s->seen.n; i++)
    if (!strcmp(s->seen.v[i], path))
      return false;
  if (s->seen.n == MOST_FILES)
    return true;
  siox__add(&s->seen, siox__text("%s", path));
  size_t length = 0;
  char *text = read_text(path, &length);
  if (!text)
    return true; /* whatever it is */
  bool found = names_mpi_io(text, length);
  for (char *at = text; !found && (at = strstr(at, "include")); at += 7) {
    char *quote = at + 7 + strspn(at + 7, " \t");
    size_t name = *quote == '"' || *quote == '\'' ? strcspn(quote + 1, "\"'\n") : 0;
    found = name && in_header(s, path, quote + 1, name);
  }
  free(text);
  return found;
}

bool siox__mentions_mpi_io(const struct siox__line *line) {
  struct search s = {.line = line};
  if (line->forced)
    return true; /* a header of -include */
  for (size_t i = 0; i < line->files.n; i++)
    if (!strcmp(line->files.v[i], "-") || in_file(&s, line->files.v[i]))
      return true;
  return false;
}
