/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a process leaves of its regions' times for `siox run --profile`: a line that tells the
 * version, then a line for each region: the numbers of profile_row.def, its file and its function,
 * each followed by a tab or the line's end. */
#ifndef SIOX_COMMON_PROFILE_ROW_H
#define SIOX_COMMON_PROFILE_ROW_H
#include <stdint.h>
#include <stdio.h>

#define SIOX__PROFILE_VERSION 1

struct siox__profile_row {
#define SIOX_PROFILE_NUMBER(name, type, format, read, what) type name;
#include "common/profile_row.def"
#undef SIOX_PROFILE_NUMBER
  const char *file, *function;
};

void siox__profile_write_head(FILE *out);
/* A row whose texts have tabs or ends of lines in them is left out. */
void siox__profile_write(FILE *out, const struct siox__profile_row *row);

/* The first line. 0; SIOX_ESYNTAX: not of a profile; SIOX_EVERSION: of another version. */
int siox__profile_read_head(const char *line);
/* A line, which is cut up; the row's texts are in it. 0; SIOX_ESYNTAX: *what says what is wrong,
 * and *where is the text that is (NULL: there is none). */
int siox__profile_read(char *line, struct siox__profile_row *row, const char **what,
                       const char **where);
#endif
