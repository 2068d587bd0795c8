/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the words of the report mean, and links to the pages that define them. */
#include "sim_paper.h"
#include <libgen.h>
#include <stdlib.h>
#include <string.h>

/* Links go where they lead only from a report in docs/ beside the directory's share/. */
static bool is_in_docs(const struct sim_paper *p, const char *report) {
  char *copy = report ? strdup(report) : NULL, *docs = NULL;
  char *from = copy ? realpath(dirname(copy), NULL) : NULL, *to = NULL;
  if (asprintf(&docs, "%s/../../docs", p->files.directory) < 0)
    docs = NULL;
  to = docs ? realpath(docs, NULL) : NULL;
  bool same = from && to && !strcmp(from, to);
  free(copy);
  free(docs);
  free(from);
  free(to);
  return same;
}

void sim_paper_page(const struct sim_paper *p, const char *report, const char *page, FILE *out) {
  if (is_in_docs(p, report))
    fprintf(out, "[docs/%s](%s)", page, page);
  else
    fprintf(out, "docs/%s", page);
}

/* "share/paper" of "/a/share/paper". */
static const char *last_two(const char *path) {
  const char *end = strrchr(path, '/');
  while (end > path && end[-1] != '/')
    end--;
  return end;
}

void sim_paper_choices(const struct sim_paper *p, const char *report, FILE *out) {
  char *real = is_in_docs(p, report) ? realpath(p->files.directory, NULL) : NULL;
  const char *below = real ? last_two(real) : NULL; /* of docs/.. */
  if (below)
    fprintf(out, "[%s/README.md](../%s/README.md)", below, below);
  else
    fprintf(out, "%s/README.md", p->files.directory);
  free(real);
}

void sim_paper_terms(const struct sim_paper *p, const char *report, FILE *out) {
  static const struct {
    const char *term, *what, *page;
  } terms[] = {
#define SIM_TERM(term, what, page) {term, what, page},
#include "sim_paper_terms.def"
  };
  fputs("| word | what it means here | more |\n| --- | --- | --- |\n", out);
  for (size_t i = 0; i < sizeof terms / sizeof *terms; i++) {
    fprintf(out, "| %s | %s | ", terms[i].term, terms[i].what);
    sim_paper_page(p, report, terms[i].page, out);
    fputs(" |\n", out);
  }
}
