/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads what a compiler's command line asks for. Nothing is changed: whatever is not understood is
 * the compiler's. */
#include "driver.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Words as the GNU tools read them: spaces part, quotes keep together, a backslash takes the next
 * character as it is. */
void siox__split(char *text, struct siox__args *out) {
  for (char *in = text; *in;) {
    while (isspace((unsigned char)*in))
      in++;
    if (!*in)
      return;
    char *word = in, *end = in, quote = 0;
    for (; *in && (quote || !isspace((unsigned char)*in)); in++) {
      if (*in == '\\' && in[1])
        *end++ = *++in;
      else if (quote ? *in == quote : *in == '\'' || *in == '"')
        quote = quote ? 0 : *in;
      else
        *end++ = *in;
    }
    bool last = !*in;
    *end = 0;
    siox__add(out, word);
    if (last)
      return;
    in++;
  }
}

bool siox__read_response(const char *path, struct siox__args *out) {
  FILE *f = fopen(path, "re");
  if (!f)
    return false;
  char *text = NULL;
  size_t size = 0;
  ssize_t length = getdelim(&text, &size, 0, f);
  bool bad = length < 0 && ferror(f);
  fclose(f);
  if (length > 0)
    siox__split(text, out); /* the words stay in it */
  return !bad;
}

static bool is_one_of(const char *text, const char *const *list) {
  for (; *list; list++)
    if (!strcmp(text, *list))
      return true;
  return false;
}

static bool takes_value(const char *option) {
  static const char *const list[] = {
#define SIOX_VALUE(option) option,
#include "values.def"
#undef SIOX_VALUE
      NULL};
  return is_one_of(option, list);
}

/* What an input is: by the language that -x gave, else by its name. */
enum kind { SOURCE, ASSEMBLY, HEADER, OTHER };
static enum kind kind_of(const char *name, const char *language) {
  if (language) {
    if (!strncmp(language, "assembler", 9))
      return ASSEMBLY;
    return strstr(language, "-header") ? HEADER : SOURCE;
  }
  static const char *const sources[] = {
      "c",   "i",   "C",   "cc",  "cp",  "cpp", "CPP", "cxx", "c++", "ii",  "m",   "M",
      "mm",  "cu",  "bc",  "ll",  "f",   "F",   "for", "FOR", "ftn", "f77", "f90", "F90",
      "f95", "F95", "f03", "F03", "f08", "F08", "f18", "F18", "fpp", "FPP", NULL};
  static const char *const headers[] = {"h", "H", "hh", "hp", "hpp", "hxx", "h++", NULL};
  static const char *const assembly[] = {"s", "S", "asm", "sx", NULL};
  if (!strcmp(name, "-"))
    return SOURCE;
  const char *dot = strrchr(name, '.'), *slash = strrchr(name, '/');
  if (!dot || (slash && dot < slash))
    return OTHER;
  if (is_one_of(dot + 1, sources))
    return SOURCE;
  if (is_one_of(dot + 1, headers))
    return HEADER;
  return is_one_of(dot + 1, assembly) ? ASSEMBLY : OTHER;
}

/* Nothing is included any more. */
static bool is_preprocessed(const char *name, const char *language) {
  static const char *const endings[] = {"i", "ii", "bc", "ll", NULL};
  const char *dot = strrchr(name, '.');
  if (language)
    return !strcmp(language, "ir") || strstr(language, "cpp-output");
  return dot && is_one_of(dot + 1, endings);
}

struct reader {
  struct siox__line *line;
  const char *language; /* of -x */
  bool value, names_language, names_directory, only_inputs;
  bool headers, others;
};

static void input(struct reader *r, const char *name) {
  enum kind kind = kind_of(name, r->language);
  r->line->inputs = true;
  if (kind == SOURCE) {
    r->line->sources = true;
    r->line->reads |= !is_preprocessed(name, r->language);
    siox__add(&r->line->files, name);
  }
  if (kind == HEADER)
    r->headers = true;
  else
    r->others = true;
}

static void option(struct reader *r, const char *text) {
  /* Nothing is generated, or nothing is linked. */
  static const char *const no_code[] = {"-E",
                                        "-M",
                                        "-MM",
                                        "-fsyntax-only",
                                        "--analyze",
                                        "-emit-ast",
                                        "-emit-pch",
                                        "--precompile",
                                        "-fdriver-only",
                                        "--preprocess",
                                        "-verify-pch",
                                        "-module-file-info",
                                        NULL};
  static const char *const no_link[] = {"-c",        "-S",   "-r",   "--compile", "--assemble",
                                        "-emit-obj", "-fc1", "-cc1", NULL};
  static const char *const statics[] = {"-static", "--static", "-static-pie", NULL};
  struct siox__line *line = r->line;
  if (!strcmp(text, "--")) {
    r->only_inputs = true;
  } else if (!strcmp(text, "-x")) {
    r->names_language = true;
  } else if (!strncmp(text, "-x", 2)) {
    r->language = strcmp(text, "-xnone") ? text + 2 : NULL;
  } else if (!strcmp(text, "-l")) {
    r->value = line->inputs = r->others = true;
  } else if (!strncmp(text, "-l", 2)) {
    line->inputs = r->others = true;
  } else if (is_one_of(text, no_code)) {
    line->preprocess = true;
  } else if (is_one_of(text, no_link)) {
    line->link = false;
  } else if (!strncmp(text, "-flto", 5)) {
    line->lto = strcmp(text, "-flto=thin") ? SIOX__LTO_FULL : SIOX__LTO_THIN;
  } else if (!strcmp(text, "-fno-lto")) {
    line->lto = SIOX__LTO_NONE;
  } else if (!strncmp(text, "-fuse-ld=", 9) || !strncmp(text, "--ld-path=", 10)) {
    line->lld = strstr(text, "lld");
  } else if (is_one_of(text, statics)) {
    line->is_static = true;
  } else if (!strcmp(text, "-I") || !strcmp(text, "-iquote")) {
    r->value = r->names_directory = true;
  } else if (!strncmp(text, "-I", 2)) {
    siox__add(&line->directories, text + 2);
  } else {
    line->forced |= !strcmp(text, "-include") || !strcmp(text, "-imacros");
    r->value = takes_value(text);
  }
}

static void read_all(struct reader *r, char *const *argv, int depth) {
  for (; *argv; argv++) {
    const char *text = *argv;
    struct siox__args words = {0};
    if (text[0] == '@' && depth < SIOX__NESTED && siox__read_response(text + 1, &words)) {
      if (words.n)
        read_all(r, words.v, depth + 1);
    } else if (r->value) {
      if (r->names_directory)
        siox__add(&r->line->directories, text);
      r->value = r->names_directory = false;
    } else if (r->names_language) {
      r->names_language = false;
      r->language = strcmp(text, "none") ? text : NULL;
    } else if (text[0] != '-' || !text[1] || r->only_inputs) {
      input(r, text);
    } else {
      option(r, text);
    }
  }
}

void siox__read_line(struct siox__line *line, char *const *argv) {
  *line = (struct siox__line){.link = true};
  struct reader reader = {.line = line};
  read_all(&reader, argv, 0);
  /* A header by itself becomes a precompiled header. */
  line->link &= line->inputs && !line->preprocess && !(reader.headers && !reader.others);
}
