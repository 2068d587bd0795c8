/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the pictures share. Plain shapes and text: no scripts, no fonts of its own, one file. */
#ifndef SIOX_TOOLS_SVG_H
#define SIOX_TOOLS_SVG_H
#include <stdio.h>

/* The head, with a white ground. */
void svg_begin(FILE *out, double width, double height, const char *title);
void svg_text(FILE *out, const char *text); /* escaped */
/* A whole text element; style as attributes, "" none. */
void svg_label(FILE *out, double x, double y, const char *style, const char *text);
int svg_end(FILE *out); /* 0 or SIOX_EIO */

double svg_round_up(double v); /* to 1, 2 or 5 times a power of ten */

#endif
