/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* See lines.h. */
#include "common/conf/lines.h"
#include "siox/error.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int fail(struct siox__lines *l, int code, const char *what) {
  snprintf(l->what, sizeof l->what, "%s", what);
  return code;
}

static int grow(struct siox__lines *l) {
  size_t room = l->room ? 2 * l->room : 256;
  char *more = realloc(l->text, room);
  if (!more)
    return fail(l, SIOX_ENOMEM, siox_strerror(SIOX_ENOMEM));
  l->text = more;
  l->room = room;
  return 0;
}

int siox__lines_next(struct siox__lines *l) {
  size_t n = 0;
  int c = 0;
  l->number++;
  while (c != '\n' && (c = getc_unlocked(l->in)) != EOF) {
    if (c == 0)
      return fail(l, SIOX_ESYNTAX, "a zero byte: this is no text");
    if (n >= SIOX__LINE_MAX)
      return fail(l, SIOX_ERANGE, "longer than a line may be");
    int rc = n + 2 > l->room ? grow(l) : 0;
    if (rc)
      return rc;
    l->text[n++] = (char)c;
  }
  if (ferror(l->in)) /* a directory opens, too */
    return fail(l, SIOX_EIO, strerror(errno));
  if (n == 0) {
    l->number--;
    return 0;
  }
  l->text[n] = 0;
  return 1;
}

void siox__lines_free(struct siox__lines *l) {
  free(l->text);
  l->text = NULL;
  l->room = 0;
}
