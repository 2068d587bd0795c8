/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lines of CSV, RFC 4180. */
#ifndef SIOX_TOOLS_SIM_CSV_H
#define SIOX_TOOLS_SIM_CSV_H
#include <stdio.h>

/* Cuts a line into its fields in place. Returns their number, max + 1 for more, -1: a quote is not
 * closed. */
int sim_csv_split(char *line, char **field, int max);

#endif
