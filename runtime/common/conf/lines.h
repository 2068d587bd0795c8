/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Texts by lines, of which none is longer than a line of a text is: what is no text at all, a
 * device that never ends too, is an error at its first line and takes no memory. */
#ifndef SIOX_COMMON_CONF_LINES_H
#define SIOX_COMMON_CONF_LINES_H
#include <stddef.h>
#include <stdio.h>

enum { SIOX__LINE_MAX = 1 << 20 }; /* bytes */
struct siox__lines {
  FILE *in;
  char *text;  /* the present line, with its end */
  size_t room; /* freed by siox__lines_free */
  size_t number;
  char what[64]; /* of an error */
};
/* 1: there is one; 0 at the end; SIOX_ERANGE: longer than SIOX__LINE_MAX; SIOX_ESYNTAX: a zero byte
 * is in it; SIOX_EIO; SIOX_ENOMEM. */
int siox__lines_next(struct siox__lines *l);
void siox__lines_free(struct siox__lines *l);

#endif
