/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lines of CSV; see sim_csv.h. */
#include "sim_csv.h"
#include <stdbool.h>
#include <string.h>

int sim_csv_split(char *line, char **field, int max) {
  int n = 0;
  line[strcspn(line, "\r\n")] = 0;
  for (char *at = line;; at++) {
    char *to = at;
    if (n == max)
      return n + 1;
    field[n++] = at;
    if (*at == '"') {
      for (at++; *at && (*at != '"' || at[1] == '"'); at++) {
        at += *at == '"';
        *to++ = *at;
      }
      if (!*at || (at[1] && at[1] != ','))
        return -1;
      at++;
    } else {
      while (*at && *at != ',')
        at++;
      to = at;
    }
    bool last = !*at;
    *to = 0;
    if (last)
      return n;
  }
}
