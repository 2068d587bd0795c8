/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reading files with a line a place. */
#include "monitor/table.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Devices come, and partitions become devices of their own, by a person's hand. */
static const int64_t LOOK_AGAIN_NS = INT64_C(2000000000);

struct line {
  char name[56];
  bool wanted;
};
struct siox__table_state {
  const struct siox__table *table;
  char root[256];
  struct siox__input in; /* stays open */
  char *text;
  size_t room;
  struct siox__metrics metrics; /* ncolumns a place, places in the file's order */
  /* What was said of the lines' names, in their order, since looked_ns. */
  struct line *lines;
  size_t nlines, lines_room;
  int64_t looked_ns;
};

void siox__table_close(void *state) {
  struct siox__table_state *s = state;
  siox__metrics_free(&s->metrics);
  siox__input_close(&s->in);
  free(s->text);
  free(s->lines);
  free(s);
}

size_t siox__table_metrics(void *state, const struct siox_metric **out) {
  struct siox__table_state *s = state;
  *out = s->metrics.list;
  return s->metrics.n;
}

/* The whole file, in s->text. */
static int read_all(struct siox__table_state *s) {
  enum { FIRST = 16384, LARGEST = 16 << 20 };
  int n = SIOX_ERANGE;
  while (n == SIOX_ERANGE) {
    if (s->room > 0 && (n = siox__input_again(&s->in, s->text, s->room)) != SIOX_ERANGE)
      break;
    const size_t room = s->room ? 4 * s->room : FIRST;
    char *more = room > LARGEST ? NULL : realloc(s->text, room);
    if (!more)
      return room > LARGEST ? SIOX_ERANGE : SIOX_ENOMEM;
    s->text = more;
    s->room = room;
  }
  return n < 0 ? n : 0;
}

/* The answer of before, if the line of that number had that name; else it is asked. */
static bool is_wanted(struct siox__table_state *s, size_t number, const char *name) {
  if (!s->table->wanted)
    return true;
  if (number < s->nlines && strcmp(s->lines[number].name, name) == 0)
    return s->lines[number].wanted;
  const bool wanted = s->table->wanted(s->root, name);
  s->nlines = number < s->nlines ? number : s->nlines; /* those behind it are others now */
  if (number != s->nlines)
    return wanted;
  if (s->nlines == s->lines_room) {
    struct line *more = realloc(s->lines, (2 * s->lines_room + 16) * sizeof *more);
    if (!more)
      return wanted;
    s->lines = more;
    s->lines_room = 2 * s->lines_room + 16;
  }
  struct line *added = &s->lines[s->nlines++];
  added->wanted = wanted;
  snprintf(added->name, sizeof added->name, "%s", name);
  return wanted;
}

/* The next line from *at on that is wanted; *number of those that have a name. */
static bool next_place(struct siox__table_state *s, char **at, size_t *number, char *name,
                       size_t size, const char **numbers) {
  while (*at && **at) {
    char *line = *at, *end = strchr(line, '\n');
    *at = end ? end + 1 : NULL;
    if (end)
      *end = 0;
    if (s->table->line(line, name, size, numbers) && is_wanted(s, (*number)++, name))
      return true;
  }
  return false;
}

static int list(struct siox__table_state *s, char *text) {
  char name[56];
  const char *numbers;
  size_t number = 0;
  s->metrics.n = 0;
  for (char *at = text; next_place(s, &at, &number, name, sizeof name, &numbers);)
    for (size_t i = 0; i < s->table->ncolumns; i++) {
      const struct siox__table_column *c = &s->table->columns[i];
      struct siox_metric *m = siox__metrics_add(&s->metrics, c->kind, c->metric, name, c->unit);
      if (!m)
        return SIOX_ENOMEM;
      m->scale = c->scale;
      m->wrap = c->wrap;
      m->polarity = c->polarity;
    }
  return 0;
}

/* The columns of one line; those that it does not have are SIOX_ENOENT. */
static void numbers_of(const struct siox__table *t, const char *numbers,
                       struct siox_reading *readings) {
  uint64_t values[32];
  unsigned n = 0;
  for (const char *p = numbers; n < sizeof values / sizeof values[0]; n++) {
    p += strspn(p, " \t");
    if (!siox__input_number(&p, &values[n]) || (*p && *p != ' ' && *p != '\t'))
      break;
  }
  for (size_t i = 0; i < t->ncolumns; i++) {
    const struct siox__table_column *c = &t->columns[i];
    readings[i] = (struct siox_reading){.error = c->number < n ? 0 : SIOX_ESYNTAX};
    if (c->number < n && c->kind == SIOX_METRIC_COUNTER)
      readings[i].count = values[c->number];
    else if (c->number < n)
      readings[i].value = (double)values[c->number] * c->scale;
  }
}

int siox__table_read(void *state, int64_t now_ns, struct siox_reading *readings) {
  struct siox__table_state *s = state;
  char name[56];
  size_t at_metric = 0, number = 0;
  const char *numbers;
  int e = read_all(s);
  if (e < 0)
    return e;
  if (now_ns - s->looked_ns >= LOOK_AGAIN_NS) {
    s->nlines = 0;
    s->looked_ns = now_ns;
  }
  bool same = true;
  for (char *at = s->text; same && next_place(s, &at, &number, name, sizeof name, &numbers);
       at_metric += s->table->ncolumns) {
    same = at_metric < s->metrics.n && strcmp(s->metrics.list[at_metric].where, name) == 0;
    if (same)
      numbers_of(s->table, numbers, readings + at_metric);
  }
  if (same && at_metric == s->metrics.n)
    return 0;
  e = read_all(s); /* its lines were cut apart */
  return e < 0 ? e : list(s, s->text) < 0 ? SIOX_ENOMEM : 1;
}

int siox__table_open(const struct siox__table *table, const struct siox_provider_env *env,
                     const char *provider, struct siox__table_state **state,
                     struct siox_diag *diag) {
  static const char *const known[] = {NULL};
  int e = siox__settings_known(env, provider, known, diag);
  if (e < 0)
    return e;
  struct siox__table_state *s = calloc(1, sizeof *s);
  if (!s)
    return SIOX_ENOMEM;
  s->table = table;
  e = (size_t)snprintf(s->root, sizeof s->root, "%s", env->root) < sizeof s->root ? 0 : SIOX_ERANGE;
  s->in.fd = -1;
  if (e == 0 && (e = siox__input_at(&s->in, s->root, table->path)) == 0 && (e = read_all(s)) == 0)
    e = list(s, s->text);
  if (e < 0) {
    snprintf(diag->text, sizeof diag->text, "%s%s: %s", env->root, table->path, siox_strerror(e));
    siox__table_close(s);
    return e;
  }
  *state = s;
  return 0;
}
