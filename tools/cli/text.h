/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Text as people, shells' files and other programs read it back. */
#ifndef SIOX_TOOLS_CLI_TEXT_H
#define SIOX_TOOLS_CLI_TEXT_H
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Words in lines of at most 100 columns, all but the first behind a margin, where the first begins,
 * too; and the end of the line. */
void siox__fold(FILE *out, const char *text, int margin);

/* Between the double quotes of a YAML scalar. */
void siox__yaml_character(FILE *out, unsigned char c);
/* A YAML scalar in double quotes. */
void siox__yaml_quote(FILE *out, const char *text);
/* A field of CSV in quotes (RFC 4180). NULL: empty. */
void siox__csv_quote(FILE *out, const char *text);

#ifdef __cplusplus
}
#endif
#endif
