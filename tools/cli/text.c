/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* See text.h. */
#include "cli/text.h"
#include <string.h>

void siox__fold(FILE *out, const char *text, int margin) {
  enum { WIDTH = 100 };
  int column = margin;
  while (*text) {
    int length = (int)strcspn(text, " ");
    if (column > margin && column + 1 + length > WIDTH) {
      fprintf(out, "\n%*s", margin, "");
      column = margin;
    } else if (column > margin) {
      fputc(' ', out);
      column++;
    }
    fprintf(out, "%.*s", length, text);
    column += length;
    text += length + (text[length] == ' ');
  }
  fputc('\n', out);
}

void siox__yaml_character(FILE *out, unsigned char c) {
  if (c < ' ' || c == 127)
    fprintf(out, "\\x%02x", c);
  else
    fprintf(out, c == '"' || c == '\\' ? "\\%c" : "%c", c);
}

void siox__yaml_quote(FILE *out, const char *text) {
  fputc('"', out);
  for (; *text; text++)
    siox__yaml_character(out, (unsigned char)*text);
  fputc('"', out);
}

void siox__csv_quote(FILE *out, const char *text) {
  fputc('"', out);
  for (; text && *text; text++) {
    if (*text == '"')
      fputc('"', out);
    fputc(*text, out);
  }
  fputc('"', out);
}
