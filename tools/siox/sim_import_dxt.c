/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The text of darshan-dxt-parser: sections of one file and rank each, with a line a request. The
 * requests of the POSIX layer are taken, for they are what reaches disks; those of MPI-IO only from
 * a log without them. */
#include "common/conf/lines.h"
#include "sim_import.h"
#include <stdlib.h>
#include <string.h>

enum { FIELDS = 8 }; /* module, rank, read or write, segment, offset, length, start, end */

struct reader {
  struct import_rows *rows;
  const char *path;
  size_t line;
  struct siox_diag *diag;
  uint32_t file;
  bool has_file, posix;
  struct import_rows mpiio; /* until it is known that there is no POSIX layer; names are rows' */
};

static int fail(struct reader *r, const char *column, int code, const char *what,
                const char *text) {
  return import_fail(r->diag, r->path, r->line, column, code, what, text);
}

static int read_comment(struct reader *r, char *line) {
  static const char section[] = "# DXT, file_id: ", name[] = ", file_name: ", exe[] = "# exe: ",
                    time[] = "# run time: ";
  line[strcspn(line, "\r\n")] = 0;
  if (!strncmp(line, section, sizeof section - 1)) {
    char *at = strstr(line, name);
    if (!at)
      return fail(r, NULL, SIOX_ESYNTAX, "a section without file_name", NULL);
    r->has_file = true;
    return import_file(r->rows, at + sizeof name - 1, &r->file);
  }
  if (!strncmp(line, exe, sizeof exe - 1) && !r->rows->program)
    return (r->rows->program = strdup(line + sizeof exe - 1)) ? 0 : SIOX_ENOMEM;
  if (!strncmp(line, time, sizeof time - 1) &&
      import_seconds(line + sizeof time - 1, &r->rows->end))
    return fail(r, "run time", SIOX_ESYNTAX, "expected seconds", line + sizeof time - 1);
  return 0;
}

static int whole(struct reader *r, const char *column, const char *text, int64_t low,
                 int64_t *value) {
  int rc = import_integer(text, low, INT64_MAX / 2, value);
  return rc ? fail(r, column, rc, "expected a whole number", text) : 0;
}

static int read_request(struct reader *r, char *line) {
  char *field[FIELDS], *rest = line;
  int n = 0, rc;
  while (n < FIELDS && (field[n] = strtok_r(rest, " \t\r\n", &rest)) != NULL)
    n++;
  bool posix = n && !strcmp(field[0], "X_POSIX");
  if (!posix && (!n || strcmp(field[0], "X_MPIIO") != 0))
    return fail(r, NULL, SIOX_ESYNTAX, "not a line of darshan-dxt-parser", n ? field[0] : NULL);
  if (n < FIELDS)
    return fail(r, NULL, SIOX_ESYNTAX, "a request has eight fields or more", NULL);
  if (!r->has_file)
    return fail(r, NULL, SIOX_ESYNTAX, "a request before the first file", NULL);
  struct import_row row = {.file = r->file};
  int64_t rank;
  row.write = !strcmp(field[2], "write");
  if (!row.write && strcmp(field[2], "read") != 0)
    return fail(r, "Wt/Rd", SIOX_ESYNTAX, "expected read or write", field[2]);
  if ((rc = whole(r, "Rank", field[1], 0, &rank)) ||
      (rc = whole(r, "Offset", field[4], -1, &row.offset)) ||
      (rc = whole(r, "Length", field[5], 0, &row.bytes)))
    return rc;
  if ((rc = import_seconds(field[6], &row.start)) != 0)
    return fail(r, "Start(s)", rc, "expected seconds, not negative", field[6]);
  if ((rc = import_seconds(field[7], &row.end)) != 0)
    return fail(r, "End(s)", rc, "expected seconds, not negative", field[7]);
  if (rank > INT32_MAX)
    return fail(r, "Rank", SIOX_ERANGE, "out of range", field[1]);
  row.rank = (int32_t)rank;
  if (row.end < row.start) {
    row.end = row.start;
    r->rows->reversed++;
  }
  r->posix |= posix;
  if (row.offset < 0) { /* old logs do not know where MPI-IO was */
    r->rows->left_out++;
    return posix ? fail(r, "Offset", SIOX_ERANGE, "not known", field[4]) : 0;
  }
  return import_add(posix ? r->rows : &r->mpiio, &row);
}

int import_dxt(struct import_rows *rows, FILE *in, const char *path, struct siox_diag *diag) {
  struct reader r = {.rows = rows, .path = path, .diag = diag};
  struct siox__lines lines = {.in = in};
  int rc = 0, got = 0;
  while (rc == 0 && (got = siox__lines_next(&lines)) > 0) {
    char *line = lines.text;
    r.line = lines.number;
    if (line[0] == '#')
      rc = read_comment(&r, line);
    else if (line[strspn(line, " \t\r\n")] != 0)
      rc = read_request(&r, line);
  }
  r.line = lines.number;
  if (rc == 0 && got < 0)
    rc = fail(&r, NULL, got, lines.what, NULL);
  siox__lines_free(&lines);
  if (rc == 0 && r.line == 0)
    rc = fail(&r, NULL, SIOX_ESYNTAX, "the file is empty", NULL);
  if (r.posix)
    rows->left_out += r.mpiio.count;
  for (size_t i = 0; rc == 0 && !r.posix && i < r.mpiio.count; i++)
    rc = import_add(rows, &r.mpiio.row[i]);
  free(r.mpiio.row);
  return rc;
}
