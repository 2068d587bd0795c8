/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "daemon/spread.h"

static const char *const names[] = {
#define SIOX__FIGURE(name) #name,
    SIOX__FIGURES
#undef SIOX__FIGURE
};

void siox__spread_add(struct siox__spread *s, int32_t rank, int32_t pid,
                      const double figures[SIOX__NFIGURES]) {
  struct siox__spread_of *of = rank >= 0 ? &s->ranks : &s->others;
  for (int i = 0; i < SIOX__NFIGURES; i++) {
    const double x = figures[i];
    if (of->n == 0 || x < of->figure[i].least)
      of->figure[i].least = x;
    if (of->n == 0 || x > of->figure[i].most) {
      of->figure[i].most = x;
      of->figure[i].rank = rank;
      of->figure[i].pid = pid;
    }
    of->figure[i].sum += x;
  }
  of->n++;
}

json_t *siox__spread_json(const struct siox__spread *s) {
  const struct siox__spread_of *of = s->ranks.n > 0 ? &s->ranks : &s->others;
  json_t *figures = json_object();
  for (int i = 0; of->n > 0 && i < SIOX__NFIGURES; i++)
    json_object_set_new(figures, names[i],
                        json_pack("{s:f, s:f, s:f, s:i, s:i}", "minimum", of->figure[i].least,
                                  "average", of->figure[i].sum / of->n, "maximum",
                                  of->figure[i].most, "rank", (int)of->figure[i].rank, "pid",
                                  (int)of->figure[i].pid));
  return json_pack("{s:I, s:I, s:o}", "ranks", (json_int_t)s->ranks.n, "others",
                   (json_int_t)s->others.n, "figures", figures);
}
