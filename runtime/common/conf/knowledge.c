/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* knowledge.yaml. Every key is known and every value is checked: what it says ends up in other
 * users' programs. */
#include "common/conf/yaml.h"
#include "siox/knowledge_file.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { KEY = 160, MOST = 10000 };

struct place {
  struct siox__yaml *y;
  struct siox_diag *diag;
  char at[96]; /* "knowledge[3].situation" */
};

static const char *text_at(const struct place *p, const char *name, char key[KEY]) {
  snprintf(key, KEY, "%s.%s", p->at, name);
  const yaml_node_t *node = siox__yaml_find(p->y, key);
  return node && node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : NULL;
}

static int number(const struct place *p, const char *name, double low, double high, double *value) {
  char key[KEY];
  const char *text = text_at(p, name, key);
  if (!text)
    return siox__yaml_fail(p->y, p->diag, SIOX_EINVAL, key, "expected a number");
  return siox__yaml_number(p->y, key, text, low, high, value, p->diag);
}

static int choice(const struct place *p, const char *name, const char *(*of)(int), int *value) {
  char key[KEY];
  const char *text = text_at(p, name, key);
  for (int i = 0; text && of(i); i++)
    if (strcmp(text, of(i)) == 0) {
      *value = i;
      return 0;
    }
  return siox__yaml_fail(p->y, p->diag, SIOX_EINVAL, key, "is none of its values");
}

static const char *access_of(int i) {
  return i < SIOX_NACCESSES ? siox_access_name((enum siox_access)i) : NULL;
}
static const char *pattern_of(int i) {
  return i < SIOX_NPATTERNS ? siox_pattern_name((enum siox_pattern)i) : NULL;
}
static const char *yes_of(int i) { return i == 0 ? "no" : i == 1 ? "yes" : NULL; }

static int known(const struct place *p, const char *const *names) {
  const yaml_node_t *map = siox__yaml_find(p->y, p->at);
  if (!map || map->type != YAML_MAPPING_NODE)
    return siox__yaml_fail(p->y, p->diag, SIOX_EINVAL, p->at, "expected keys and values");
  for (const yaml_node_pair_t *q = map->data.mapping.pairs.start; q < map->data.mapping.pairs.top;
       q++) {
    const yaml_node_t *key = yaml_document_get_node(&p->y->tree, q->key);
    const char *name = key->type == YAML_SCALAR_NODE ? (const char *)key->data.scalar.value : "?";
    char path[KEY];
    bool found = false;
    for (const char *const *n = names; *n && !found; n++)
      found = strcmp(*n, name) == 0;
    snprintf(path, sizeof path, "%s.%.60s", p->at, name);
    if (!found)
      return siox__yaml_fail(p->y, p->diag, SIOX_EINVAL, path, "no such key");
  }
  return 0;
}

static int take_situation(const struct place *p, struct siox_situation *s) {
  static const char *const names[] = {"program",    "ranks", "access", "pattern",
                                      "collective", "size",  NULL};
  char key[KEY];
  double ranks = 0, size = 0;
  int access = 0, pattern = 0, yes = 0, e = known(p, names);
  if (e < 0)
    return e;
  const char *program = text_at(p, "program", key);
  if (!program || !*program || strlen(program) >= sizeof s->program)
    return siox__yaml_fail(p->y, p->diag, SIOX_EINVAL, key, "expected the file name of a program");
  snprintf(s->program, sizeof s->program, "%s", program);
  e = number(p, "ranks", 1, 1e9, &ranks);
  e = e < 0 ? e : number(p, "size", 0, 7, &size);
  e = e < 0 ? e : choice(p, "access", access_of, &access);
  e = e < 0 ? e : choice(p, "pattern", pattern_of, &pattern);
  e = e < 0 ? e : choice(p, "collective", yes_of, &yes);
  s->ranks = (uint32_t)ranks;
  s->size_class = (unsigned)size;
  s->access = (enum siox_access)access;
  s->pattern = (enum siox_pattern)pattern;
  s->collective = yes;
  return e;
}

static int take_settings(const struct place *p, struct siox_settings *s) {
  const char *names[SIOX_NADVICE + 2] = {NULL};
  char key[KEY];
  size_t n = 0;
  for (int k = 0; k < SIOX_NADVICE; k++)
    names[n++] = siox_advice_key((enum siox_advice_key)k);
  names[n] = "policy";
  const int e = known(p, names);
  if (e < 0)
    return e;
  for (int k = 0; k < SIOX_NADVICE; k++) {
    const char *value = text_at(p, names[k], key);
    struct siox_settings one;
    char text[128];
    snprintf(text, sizeof text, "%s=%.100s", names[k], value ? value : "");
    if (value && (strchr(value, ' ') || strlen(value) > 100 ||
                  siox_settings_parse(&one, text) < 0 || !*one.value[k]))
      return siox__yaml_fail(p->y, p->diag, SIOX_EINVAL, key, "is no value of a hint");
    if (value)
      memcpy(s->value[k], one.value[k], sizeof one.value[k]);
  }
  const char *policy = text_at(p, "policy", key);
  if (policy)
    snprintf(s->policy, sizeof s->policy, "%.39s", policy);
  return 0;
}

static int take_evidence(const struct place *p, struct siox_lesson *l) {
  static const char *const names[] = {
      "runs", "base_runs",  "seconds_per_mib", "base_seconds_per_mib",
      "gain", "confidence", "verdict",         "with_verdict",
      "base", NULL};
  double runs = 0, base_runs = 0;
  int e = known(p, names);
  e = e < 0 ? e : number(p, "runs", 0, 1e9, &runs);
  e = e < 0 ? e : number(p, "base_runs", 0, 1e9, &base_runs);
  e = e < 0 ? e : number(p, "gain", 0, 1, &l->gain);
  e = e < 0 ? e : number(p, "confidence", 0, 1, &l->confidence);
  l->runs = (uint32_t)runs;
  l->base_runs = (uint32_t)base_runs;
  return e;
}

static int take_lesson(struct siox__yaml *y, size_t i, struct siox_lesson *l,
                       struct siox_diag *diag) {
  static const char *const names[] = {"situation", "response", "evidence", NULL};
  struct place p = {y, diag, ""};
  snprintf(p.at, sizeof p.at, "knowledge[%zu]", i);
  int e = known(&p, names);
  if (e < 0)
    return e;
  snprintf(p.at, sizeof p.at, "knowledge[%zu].situation", i);
  e = take_situation(&p, &l->situation);
  snprintf(p.at, sizeof p.at, "knowledge[%zu].response", i);
  e = e < 0 ? e : take_settings(&p, &l->response);
  snprintf(p.at, sizeof p.at, "knowledge[%zu].evidence", i);
  return e < 0 ? e : take_evidence(&p, l);
}

int siox_knowledge_load(struct siox_knowledge *k, const char *path, struct siox_diag *diag) {
  struct siox__yaml y;
  *k = (struct siox_knowledge){0};
  int e = siox__yaml_open(&y, path, diag);
  if (e < 0)
    return e;
  const yaml_node_t *root = yaml_document_get_root_node(&y.tree),
                    *list = siox__yaml_find(&y, "knowledge");
  const size_t n = list && list->type == YAML_SEQUENCE_NODE
                       ? (size_t)(list->data.sequence.items.top - list->data.sequence.items.start)
                       : 0;
  if (root->type != YAML_MAPPING_NODE || !list || list->type != YAML_SEQUENCE_NODE ||
      root->data.mapping.pairs.top - root->data.mapping.pairs.start != 1)
    e = siox__yaml_fail(&y, diag, SIOX_EINVAL, "",
                        "expected knowledge: and a list, and nothing else");
  else if (n > MOST)
    e = siox__yaml_fail(&y, diag, SIOX_ERANGE, "knowledge", "more than %d", MOST);
  else if (n > 0 && !(k->lesson = calloc(n, sizeof *k->lesson)))
    e = SIOX_ENOMEM;
  for (size_t i = 0; e == 0 && i < n; i++)
    e = take_lesson(&y, i, &k->lesson[k->n++], diag);
  siox__yaml_close(&y);
  if (e < 0)
    siox_knowledge_free(k);
  return e;
}

void siox_knowledge_free(struct siox_knowledge *k) {
  free(k->lesson);
  *k = (struct siox_knowledge){0};
}

/* In quotes, as JSON and YAML both have them. */
static void put_text(FILE *out, const char *text) {
  fputc('"', out);
  for (; *text; text++)
    if (*text == '"' || *text == '\\')
      fprintf(out, "\\%c", *text);
    else
      fputc(isprint((unsigned char)*text) ? *text : '?', out);
  fputc('"', out);
}

static void put_settings(FILE *out, const char *name, const struct siox_settings *s) {
  const char *between = "";
  fprintf(out, "%s: {", name);
  for (int k = 0; k < SIOX_NADVICE; k++)
    if (*s->value[k]) {
      fprintf(out, "%s%s: ", between, siox_advice_key((enum siox_advice_key)k));
      put_text(out, s->value[k]);
      between = ", ";
    }
  if (*s->policy) {
    fprintf(out, "%spolicy: ", between);
    put_text(out, s->policy);
  }
  fputs("}", out);
}

void siox_knowledge_write(FILE *out, const struct siox_lesson *lessons, size_t n,
                          const char *from) {
  fprintf(out, "# learned by siox learn from ");
  for (const char *p = from; *p; p++)
    fputc(isprint((unsigned char)*p) ? *p : '?', out);
  fprintf(out, "\nknowledge:%s\n", n ? "" : " []");
  for (size_t i = 0; i < n; i++) {
    const struct siox_lesson *l = &lessons[i];
    const struct siox_situation *s = &l->situation;
    fputs("  - situation: {program: ", out);
    put_text(out, s->program);
    fprintf(out, ", ranks: %u, access: %s, pattern: %s, collective: %s, size: %u}\n    ", s->ranks,
            siox_access_name(s->access), siox_pattern_name(s->pattern),
            s->collective ? "yes" : "no", s->size_class);
    put_settings(out, "response", &l->response);
    fprintf(out,
            "\n    evidence: {runs: %u, base_runs: %u, seconds_per_mib: %.6g, "
            "base_seconds_per_mib: %.6g, gain: %.4f, confidence: %.4f",
            l->runs, l->base_runs, l->cost, l->base_cost, l->gain, l->confidence);
    if (*l->verdict) {
      fputs(", verdict: ", out);
      put_text(out, l->verdict);
      fprintf(out, ", with_verdict: %u", l->with_verdict);
    }
    fputs(",\n               ", out);
    put_settings(out, "base", &l->base);
    fputs("}\n", out);
  }
}

void siox_lesson_text(const struct siox_lesson *l, char *text, size_t size) {
  char hints[1024];
  (void)siox_settings_format(&l->response, hints, sizeof hints);
  snprintf(text, size,
           "%s with %u ranks, %s: %s%s%s takes %.0f %% less time (%u runs against %u, "
           "confidence %.0f %%)",
           l->situation.program, l->situation.ranks, siox_access_name(l->situation.access), hints,
           *l->response.policy ? " policy=" : "", l->response.policy, 100 * l->gain, l->runs,
           l->base_runs, 100 * l->confidence);
}
