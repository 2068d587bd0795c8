/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The table of built-in detectors, and what they have in common. */
#include "monitor/adpi.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct siox_adpi *const table[] = {
#define SIOX_ADPI(name) &siox__adpi_##name,
#include "siox/adpis.def"
#undef SIOX_ADPI
    NULL,
};

const struct siox_adpi *const *siox_adpis(void) { return table; }

const struct siox_adpi *siox_adpi_find(const char *name) {
  for (const struct siox_adpi *const *p = table; *p; p++)
    if (strcmp((*p)->name, name) == 0)
      return *p;
  return NULL;
}

const char *siox_condition_name(enum siox_condition c) {
  static const char *const names[] = {"GOOD", "ABNORMAL_GOOD", "ABNORMAL_BAD", "ABNORMAL_OTHER"};
  return c < SIOX_NCONDITIONS ? names[c] : "unknown";
}

static const struct {
  const char *name, *words;
} categories[] = {
#define SIOX_CATEGORY(name, text, words) {text, words},
#include "siox/categories.def"
#undef SIOX_CATEGORY
};

const char *siox_category_name(enum siox_category c) {
  return c < SIOX_NCATEGORIES ? categories[c].name : "none";
}

enum siox_category siox_category_of(const struct siox_series *series) {
  if (series->metric.domain != SIOX_DOMAIN_NONE)
    return SIOX_CATEGORY_ENERGY;
  for (enum siox_category c = 0; c < SIOX_NCATEGORIES; c++) {
    if (strcmp(series->metric.where, categories[c].name) == 0)
      return c;
    for (const char *p = categories[c].words; *p;) {
      char word[24];
      const size_t n = strcspn(p, " ");
      snprintf(word, sizeof word, "%.*s", (int)n, p);
      if (strstr(series->metric.name, word))
        return c;
      p += n + (p[n] == ' ');
    }
  }
  return SIOX_NCATEGORIES;
}

static int number_of(const char *text, double *value) {
  char *end;
  errno = 0;
  *value = strtod(text, &end);
  if (end == text || errno != 0 || !isfinite(*value))
    return SIOX_EINVAL;
  while (*end == ' ')
    end++;
  if (*end == '%') {
    *value /= 100;
    end++;
  }
  return *end ? SIOX_EINVAL : 0;
}

int siox__numbers_read(const char *origin, const struct siox_option *settings, size_t nsettings,
                       const char *who, const struct siox__number *numbers, size_t n, void *into,
                       const char *const *texts, const char **text, struct siox_diag *diag) {
  for (size_t i = 0; i < n; i++)
    *(double *)((char *)into + numbers[i].offset) = numbers[i].value;
  for (size_t t = 0; texts && texts[t]; t++)
    text[t] = NULL;
  for (size_t i = 0; i < nsettings; i++) {
    const struct siox_option *s = &settings[i];
    size_t at = 0, t = 0;
    double value;
    while (at < n && strcmp(numbers[at].key, s->key) != 0)
      at++;
    while (texts && texts[t] && strcmp(texts[t], s->key) != 0)
      t++;
    if (at == n && texts && texts[t]) {
      text[t] = s->value;
      continue;
    }
    if (at == n) {
      snprintf(diag->text, sizeof diag->text, "%s:%u: %s: %s has no such setting", origin, s->line,
               s->key, who);
      return SIOX_EINVAL;
    }
    if (number_of(s->value, &value) < 0) {
      snprintf(diag->text, sizeof diag->text, "%s:%u: %s: '%s' is no number", origin, s->line,
               s->key, s->value);
      return SIOX_EINVAL;
    }
    if (value < numbers[at].least || value > numbers[at].most) {
      snprintf(diag->text, sizeof diag->text, "%s:%u: %s: %s is not between %g and %g", origin,
               s->line, s->key, s->value, numbers[at].least, numbers[at].most);
      return SIOX_ERANGE;
    }
    *(double *)((char *)into + numbers[at].offset) = value;
  }
  return 0;
}

const char *siox__list_next(const char **list, size_t *length) {
  const char *name = *list + strspn(*list, ", ");
  *length = strcspn(name, ", ");
  *list = name + *length;
  return *length > 0 ? name : NULL;
}

int siox__listed(const char *list, const char *name) {
  const size_t length = strlen(name);
  size_t n;
  for (const char *one; (one = siox__list_next(&list, &n));)
    if (n == length && strncmp(one, name, n) == 0)
      return 1;
  return 0;
}

int siox__slots_grow(struct siox__slots *s, size_t n, size_t size) {
  if (n <= s->n)
    return 0;
  char *more = realloc(s->at, n * size);
  if (!more)
    return SIOX_ENOMEM;
  memset(more + s->n * size, 0, (n - s->n) * size);
  s->at = more;
  s->n = n;
  return 0;
}

int siox__slots_series(struct siox__slots *s, const struct siox_cycle *cycle, size_t size) {
  const size_t before = s->n, n = cycle->nseries;
  if (cycle->lists > 0 && cycle->lists == s->lists)
    return 0;
  if (n > before) {
    uint32_t *more = realloc(s->generation, n * sizeof *more);
    if (!more)
      return SIOX_ENOMEM;
    s->generation = more;
    if (siox__slots_grow(s, n, size) < 0)
      return SIOX_ENOMEM;
    for (size_t i = before; i < n; i++)
      s->generation[i] = cycle->series[i].generation;
  }
  for (size_t i = 0; i < n; i++)
    if (s->generation[i] != cycle->series[i].generation) {
      memset((char *)s->at + i * size, 0, size);
      s->generation[i] = cycle->series[i].generation;
    }
  s->lists = cycle->lists;
  return 0;
}

void siox__slots_free(struct siox__slots *s) {
  free(s->at);
  free(s->generation);
  *s = (struct siox__slots){0};
}

struct siox_issue *siox__issue(struct siox__issues *issues, struct siox_issue *spare) {
  struct siox_issue *i = issues->n < issues->max ? &issues->list[issues->n] : spare;
  issues->n++;
  *i = (struct siox_issue){
      .series = SIOX_NO_INDEX, .activity = SIOX_NO_INDEX, .category = SIOX_NCATEGORIES};
  return i;
}

int siox__is_sample(const struct siox_sample *s) {
  return s->state == SIOX_SAMPLE_VALID && isfinite(s->value) && isfinite(s->amount);
}

enum siox_condition siox__severity(enum siox_polarity polarity, int side) {
  if (polarity == SIOX_NEITHER_IS_BETTER)
    return SIOX_ABNORMAL_OTHER;
  return (int)polarity == side ? SIOX_ABNORMAL_GOOD : SIOX_ABNORMAL_BAD;
}

void siox__series_name(const struct siox_series *s, char *text, size_t size) {
  snprintf(text, size, s->metric.where[0] ? "%s of %s" : "%s%s", s->metric.name, s->metric.where);
}

int siox__is_meter(const struct siox_series *s) {
  const struct siox_metric *m = &s->metric;
  return m->domain != SIOX_DOMAIN_NONE && !(m->flags & SIOX_METRIC_ESTIMATED) &&
         (m->kind == SIOX_METRIC_COUNTER || strcmp(m->unit, "W") == 0);
}
