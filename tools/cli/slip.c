/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* See slip.h. */
#include "cli/slip.h"
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

int siox__slip(const char *command, const char *format, ...) {
  va_list list;
  va_start(list, format);
  fprintf(stderr, "%s: ", command);
  vfprintf(stderr, format, list);
  fprintf(stderr, "; try %s --help\n", command);
  va_end(list);
  return SIOX__SLIP;
}

int siox__slip_option(char **argv, const struct option *known) {
  /* Of a long option getopt_long leaves the word behind; of a short one only the letter, and the
   * word may have other letters yet to be read. */
  const char *word = argv[optind - 1];
  if (strncmp(word, "--", 2) != 0 || !word[2]) {
    for (const struct option *o = known; o->name; o++)
      if (optopt && o->val == optopt)
        return siox__slip(argv[0], "-%c needs a value", optopt);
    return siox__slip(argv[0], "no option -%c", optopt);
  }
  size_t length = strcspn(word, "=");
  int begin_so = 0;
  const struct option *found = NULL;
  for (const struct option *o = known; o->name; o++)
    if (!strncmp(o->name, word + 2, length - 2)) {
      bool whole = strlen(o->name) == length - 2;
      begin_so = whole ? 1 : begin_so + 1;
      found = o;
      if (whole)
        break;
    }
  if (begin_so > 1)
    return siox__slip(argv[0], "%.*s: more than one option begins so", (int)length, word);
  if (!found)
    return siox__slip(argv[0], "no option %.*s", (int)length, word);
  return siox__slip(argv[0], word[length] ? "--%s takes no value" : "--%s needs a value",
                    found->name);
}
