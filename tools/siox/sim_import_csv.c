/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The CSV of docs/sim.md: a header line with names of columns in any order, then a request or a
 * barrier a line. */
#include "common/conf/lines.h"
#include "sim_csv.h"
#include "sim_import.h"
#include <stdlib.h>
#include <string.h>

enum column { RANK, THREAD, FILE_NAME, OP, OFFSET, BYTES, START, END, COLUMNS };
static const char *const names[COLUMNS] = {"rank",   "thread", "file",  "op",
                                           "offset", "bytes",  "start", "end"};

struct reader {
  struct import_rows *rows;
  const char *path;
  size_t line;
  struct siox_diag *diag;
  int place[COLUMNS]; /* in the line, -1: not there */
  int columns;
};

static int fail(struct reader *r, const char *column, int code, const char *what,
                const char *text) {
  return import_fail(r->diag, r->path, r->line, column, code, what, text);
}

static int read_header(struct reader *r, char *line) {
  char *field[32];
  int n = sim_csv_split(line, field, 32);
  if (n < 1 || n > 32)
    return fail(r, NULL, SIOX_ESYNTAX, "expected a line with the names of the columns", NULL);
  for (int k = 0; k < COLUMNS; k++)
    r->place[k] = -1;
  for (int i = 0; i < n; i++) {
    int k = 0;
    while (k < COLUMNS && strcmp(names[k], field[i]) != 0)
      k++;
    if (k == COLUMNS || r->place[k] >= 0)
      return fail(r, field[i], SIOX_ESYNTAX,
                  k == COLUMNS ? "not a column: rank, thread, file, op, offset, bytes, start, end"
                               : "this column is there twice",
                  NULL);
    r->place[k] = i;
  }
  r->columns = n;
  for (int k = 0; k < COLUMNS; k++)
    if (r->place[k] < 0 && k != THREAD)
      return fail(r, names[k], SIOX_ESYNTAX, "this column is missing", NULL);
  return 0;
}

static int whole(struct reader *r, char **field, enum column c, int64_t low, int64_t high,
                 int64_t *value) {
  int rc = import_integer(field[r->place[c]], low, high, value);
  return rc ? fail(r, names[c], rc, rc == SIOX_ERANGE ? "out of range" : "expected a whole number",
                   field[r->place[c]])
            : 0;
}

static int moment(struct reader *r, char **field, enum column c, int64_t *ns) {
  int rc = import_seconds(field[r->place[c]], ns);
  return rc ? fail(r, names[c], rc, "expected seconds, not negative", field[r->place[c]]) : 0;
}

static int read_row(struct reader *r, char *line) {
  char *field[32];
  struct import_row row = {0};
  int64_t rank = 0, thread = 0;
  int rc, n = sim_csv_split(line, field, 32);
  if (n != r->columns)
    return fail(r, NULL, SIOX_ESYNTAX,
                n < 0 ? "a quote is not closed, or something follows it"
                      : "not as many fields as the first line has",
                NULL);
  const char *op = field[r->place[OP]];
  bool barrier = !strcmp(op, "barrier");
  row.write = !strcmp(op, "write");
  if (!barrier && !row.write && strcmp(op, "read") != 0)
    return fail(r, names[OP], SIOX_ESYNTAX, "expected read, write or barrier", op);
  if ((rc = whole(r, field, RANK, 0, INT32_MAX, &rank)) ||
      (r->place[THREAD] >= 0 && (rc = whole(r, field, THREAD, 0, 1 << 20, &thread))) ||
      (rc = whole(r, field, OFFSET, 0, INT64_MAX / 2, &row.offset)) ||
      (!barrier && (rc = whole(r, field, BYTES, 0, INT64_MAX / 2, &row.bytes))) ||
      (rc = moment(r, field, START, &row.start)) || (rc = moment(r, field, END, &row.end)))
    return rc;
  if (row.end < row.start)
    return fail(r, names[END], SIOX_ERANGE, "before start", field[r->place[END]]);
  row.rank = (int32_t)rank;
  row.thread = (uint32_t)thread;
  row.file = SIOX_IMPORT_BARRIER;
  if (!barrier && !*field[r->place[FILE_NAME]])
    return fail(r, names[FILE_NAME], SIOX_ESYNTAX, "a request needs a file", NULL);
  if (!barrier && (rc = import_file(r->rows, field[r->place[FILE_NAME]], &row.file)) != 0)
    return rc;
  return import_add(r->rows, &row);
}

int import_csv(struct import_rows *rows, FILE *in, const char *path, struct siox_diag *diag) {
  struct reader r = {.rows = rows, .path = path, .diag = diag};
  struct siox__lines lines = {.in = in};
  int rc = 0, got = 0;
  while (rc == 0 && (got = siox__lines_next(&lines)) > 0) {
    char *line = lines.text;
    r.line = lines.number;
    if (line[0] == '#' || line[strspn(line, " \t\r\n")] == 0)
      continue;
    rc = r.columns ? read_row(&r, line) : read_header(&r, line);
  }
  r.line = lines.number;
  if (rc == 0 && got < 0)
    rc = fail(&r, NULL, got, lines.what, NULL);
  siox__lines_free(&lines);
  if (rc == 0 && !r.columns)
    rc = fail(&r, NULL, SIOX_ESYNTAX, "there is no line with the names of the columns", NULL);
  return rc;
}
