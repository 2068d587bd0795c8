/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Other recorders' texts: rows that a reader gathers, written as a trace by sim_import.c. */
#ifndef SIOX_TOOLS_SIM_IMPORT_H
#define SIOX_TOOLS_SIM_IMPORT_H
#include "siox_tool.h"

struct import_row {
  int64_t start, end; /* ns */
  int64_t offset, bytes;
  uint32_t file; /* in names; SIOX_IMPORT_BARRIER: a barrier of all ranks, offset is its number */
  int32_t rank;
  uint32_t thread; /* 0: not known */
  bool write;
};
#define SIOX_IMPORT_BARRIER UINT32_MAX

struct import_rows {
  struct import_row *row;
  size_t count, room;
  char **name; /* of files */
  uint32_t names, name_room;
  int64_t end;       /* of the run, where it is known; 0 */
  char *program;     /* or NULL */
  uint64_t left_out; /* rows of another layer than the one taken */
  uint64_t reversed; /* requests that ended before they began: taken as no time */
};
/* SIOX_ENOMEM. */
int import_add(struct import_rows *rows, const struct import_row *row);
int import_file(struct import_rows *rows, const char *name, uint32_t *file);

/* The text's readers (sim_import_csv.c, sim_import_dxt.c). Errors are "PATH:LINE: what" or
 * "PATH:LINE: COLUMN: what": SIOX_ESYNTAX, SIOX_ERANGE, SIOX_EIO, SIOX_ENOMEM. */
int import_csv(struct import_rows *rows, FILE *in, const char *path, struct siox_diag *diag);
int import_dxt(struct import_rows *rows, FILE *in, const char *path, struct siox_diag *diag);

/* A number that is all of the text. The first: seconds, not negative, as ns. SIOX_ESYNTAX,
 * SIOX_ERANGE. */
int import_seconds(const char *text, int64_t *ns);
int import_integer(const char *text, int64_t low, int64_t high, int64_t *value);
int import_fail(struct siox_diag *diag, const char *path, size_t line, const char *column, int code,
                const char *what, const char *text);

#endif
