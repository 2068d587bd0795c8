/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* See profile_row.h. */
#include "common/profile_row.h"
#include "common/region_kind.h"
#include "siox/error.h"
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char head[] = "siox profile rows ";

void siox__profile_write_head(FILE *out) { fprintf(out, "%s%d\n", head, SIOX__PROFILE_VERSION); }

static bool plain(const char *text) { return !strpbrk(text, "\t\n"); }

void siox__profile_write(FILE *out, const struct siox__profile_row *row) {
  if (!plain(row->file) || !plain(row->function))
    return;
#define SIOX_PROFILE_NUMBER(name, type, format, read, what)                                        \
  fprintf(out, "%" format "\t", row->name);
#include "common/profile_row.def"
#undef SIOX_PROFILE_NUMBER
  fprintf(out, "%s\t%s\n", row->file, row->function);
}

static bool read_u64(const char *text, uint64_t *to) {
  char *end;
  errno = 0;
  *to = strtoull(text, &end, 10);
  return isdigit((unsigned char)*text) && !*end && !errno;
}

static bool read_u32(const char *text, uint32_t *to) {
  uint64_t wide;
  bool good = read_u64(text, &wide) && wide <= UINT32_MAX;
  *to = (uint32_t)wide;
  return good;
}

static bool read_i64(const char *text, int64_t *to) {
  uint64_t wide;
  bool good = read_u64(text, &wide) && wide <= INT64_MAX;
  *to = (int64_t)wide;
  return good;
}

static bool read_f64(const char *text, double *to) {
  char *end;
  *to = strtod(text, &end);
  return isdigit((unsigned char)*text) && !*end && isfinite(*to);
}

int siox__profile_read_head(const char *line) {
  uint32_t version;
  char number[16] = "";
  if (strncmp(line, head, sizeof head - 1) != 0)
    return SIOX_ESYNTAX;
  line += sizeof head - 1;
  size_t length = strcspn(line, "\n");
  if (length >= sizeof number)
    return SIOX_EVERSION;
  memcpy(number, line, length);
  if (!read_u32(number, &version))
    return SIOX_ESYNTAX;
  return version == SIOX__PROFILE_VERSION ? 0 : SIOX_EVERSION;
}

/* The field that begins at *line, which is moved behind it; NULL: there is none. */
static char *field(char **line) { return strsep(line, "\t\n"); }

int siox__profile_read(char *line, struct siox__profile_row *row, const char **what,
                       const char **where) {
#define SIOX_PROFILE_NUMBER(name, type, format, read, help)                                        \
  *what = #name ": expected a number";                                                             \
  *where = field(&line);                                                                           \
  if (!*where || !read_##read(*where, &row->name))                                                 \
    return SIOX_ESYNTAX;
#include "common/profile_row.def"
#undef SIOX_PROFILE_NUMBER
  *what = "expected a file and a function";
  row->file = field(&line);
  row->function = field(&line);
  *where = NULL;
  if (!row->file || !row->function || !*row->function)
    return SIOX_ESYNTAX;
  *what = "kind: there is no such kind of region";
  return siox__region_kind_name(row->kind) ? 0 : SIOX_ESYNTAX;
}
