/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the pictures share; see svg.h. */
#include "svg.h"
#include <math.h>
#include <siox/error.h>

void svg_text(FILE *out, const char *s) {
  for (; *s; s++) {
    switch (*s) {
    case '&':
      fputs("&amp;", out);
      break;
    case '<':
      fputs("&lt;", out);
      break;
    case '>':
      fputs("&gt;", out);
      break;
    case '"':
      fputs("&quot;", out);
      break;
    default:
      fputc((unsigned char)*s < 32 ? ' ' : *s, out);
    }
  }
}

void svg_begin(FILE *out, double width, double height, const char *title) {
  fprintf(out,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
          "viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\" font-size=\"12\">\n<title>",
          width, height, width, height);
  svg_text(out, title);
  fprintf(out, "</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n");
}

void svg_label(FILE *out, double x, double y, const char *style, const char *text) {
  fprintf(out, "<text x=\"%.1f\" y=\"%.1f\"%s%s>", x, y, *style ? " " : "", style);
  svg_text(out, text);
  fputs("</text>\n", out);
}

int svg_end(FILE *out) {
  fputs("</svg>\n", out);
  return ferror(out) ? SIOX_EIO : 0;
}

double svg_round_up(double v) {
  double power = pow(10, floor(log10(v)));
  double part = v / power;
  return (part <= 1.0000001 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10) * power;
}
