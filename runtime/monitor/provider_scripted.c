/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Readings out of a file, for trials of detectors and of configurations: what a machine said once,
 * or what one would like it to say.
 *
 *   # energy of a package that idles for a second and then works
 *   metric energy package-0 J counter domain=package scale=1e-6 bound=400
 *   metric utilisation cpu 1 gauge
 *   at 0    0          0.01
 *   at 1    20000000   0.98
 *   at 2    120000000  -
 *
 * Times are seconds after the first reading; each row holds until the next one, the last one for
 * good; - is a reading that failed. Counters are whole counts. A place that is the whole node is
 * written as -. */
#include "monitor/builtin.h"
#include "monitor/input.h"
#include "monitor/metrics.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct row {
  double at;
  size_t first; /* of its readings */
};
struct scripted {
  struct siox__metrics metrics;
  struct row *rows;
  size_t nrows, row_room;
  struct siox_reading *readings;
  size_t reading_room;
  int64_t began_ns; /* INT64_MIN: not yet */
};
/* Where reading the file is. */
struct reader {
  struct scripted *s;
  const char *file;
  unsigned line;
  struct siox_diag *diag;
};

static int wrong(const struct reader *r, const char *word, const char *what) {
  snprintf(r->diag->text, sizeof r->diag->text, "%.300s:%u: %.80s: %s", r->file, r->line,
           word ? word : "", what);
  return SIOX_ESYNTAX;
}

static void close_scripted(void *state) {
  struct scripted *s = state;
  siox__metrics_free(&s->metrics);
  free(s->rows);
  free(s->readings);
  free(s);
}

static bool real(const char *word, double *value) {
  char *end;
  *value = strtod(word, &end);
  return end != word && *end == 0 && isfinite(*value);
}

static bool whole(const char *word, uint64_t *value) {
  return siox__input_number(&word, value) && *word == 0;
}

static bool domain_of(const char *word, enum siox_domain *domain) {
  *domain = siox_domain_find(word, strlen(word));
  return *domain != SIOX_NDOMAINS;
}

/* "key=value" of a metric. */
static int option(const struct reader *r, char *word, struct siox_metric *m) {
  char *value = strchr(word, '=');
  if (strcmp(word, "estimated") == 0) {
    m->flags |= SIOX_METRIC_ESTIMATED;
    return 0;
  }
  if (!value)
    return wrong(r, word, "is not key=value");
  *value++ = 0;
  bool good = false;
  if (strcmp(word, "domain") == 0)
    good = domain_of(value, &m->domain);
  else if (strcmp(word, "scale") == 0)
    good = real(value, &m->scale) && m->scale > 0;
  else if (strcmp(word, "bound") == 0)
    good = real(value, &m->bound) && m->bound >= 0;
  else if (strcmp(word, "wrap") == 0 && strcmp(value, "unknown") == 0)
    good = (m->wrap = SIOX_WRAP_UNKNOWN) != 0;
  else if (strcmp(word, "wrap") == 0)
    good = whole(value, &m->wrap);
  else
    return wrong(r, word, "is none of domain, scale, bound, wrap, estimated");
  return good ? 0 : wrong(r, value, "is no value for this");
}

static int metric_line(const struct reader *r, char *rest) {
  char *words[4], *save = NULL;
  int n = 0;
  for (char *from = rest; n < 4 && (words[n] = strtok_r(from, " \t", &save)); from = NULL)
    n++;
  if (n < 4)
    return wrong(r, "metric", "NAME PLACE UNIT counter|gauge|sampled [key=value...]");
  if (r->s->nrows > 0)
    return wrong(r, words[0], "metrics stand before the first row");
  enum siox_metric_kind kind = SIOX_METRIC_COUNTER;
  while (kind <= SIOX_METRIC_SAMPLED && strcmp(siox_metric_kind_name(kind), words[3]) != 0)
    kind++;
  if (kind > SIOX_METRIC_SAMPLED)
    return wrong(r, words[3], "is none of counter, gauge, sampled");
  struct siox_metric *m = siox__metrics_add(&r->s->metrics, kind, words[0],
                                            strcmp(words[1], "-") == 0 ? "" : words[1], words[2]);
  if (!m)
    return SIOX_ENOMEM;
  int e = 0;
  for (char *w; e == 0 && (w = strtok_r(NULL, " \t", &save));)
    e = option(r, w, m);
  return e;
}

static int value(const struct reader *r, const char *word, const struct siox_metric *m,
                 struct siox_reading *out) {
  *out = (struct siox_reading){0};
  if (strcmp(word, "-") == 0)
    out->error = SIOX_EIO;
  else if (m->kind == SIOX_METRIC_COUNTER ? !whole(word, &out->count) : !real(word, &out->value))
    return wrong(r, word, m->kind == SIOX_METRIC_COUNTER ? "is no count" : "is no number");
  return 0;
}

static int row_line(const struct reader *r, char *rest) {
  struct scripted *s = r->s;
  char *save = NULL, *word = strtok_r(rest, " \t", &save);
  double at;
  if (!word || !real(word, &at) || at < 0)
    return wrong(r, word, "a row begins with its time in seconds");
  if (s->nrows > 0 && at <= s->rows[s->nrows - 1].at)
    return wrong(r, word, "is not later than the row before");
  if (s->nrows == s->row_room) {
    const size_t room = s->row_room ? 2 * s->row_room : 64;
    struct row *rows = realloc(s->rows, room * sizeof *rows);
    struct siox_reading *readings =
        rows ? realloc(s->readings, room * (s->metrics.n + 1) * sizeof *readings) : NULL;
    s->rows = rows ? rows : s->rows;
    s->readings = readings ? readings : s->readings;
    if (!readings)
      return SIOX_ENOMEM;
    s->row_room = room;
  }
  s->rows[s->nrows] = (struct row){at, s->nrows * s->metrics.n};
  for (size_t i = 0; i < s->metrics.n; i++) {
    word = strtok_r(NULL, " \t", &save);
    if (!word)
      return wrong(r, s->metrics.list[i].name, "has no value in this row");
    const int e = value(r, word, &s->metrics.list[i], &s->readings[s->rows[s->nrows].first + i]);
    if (e < 0)
      return e;
  }
  if ((word = strtok_r(NULL, " \t", &save)))
    return wrong(r, word, "there are fewer metrics than values");
  s->nrows++;
  return 0;
}

static int parse(struct reader *r, char *text) {
  char *save = NULL;
  int e = 0;
  for (char *line = text, *next; line && e == 0; line = next) {
    next = strchr(line, '\n');
    if (next)
      *next++ = 0;
    r->line++;
    line[strcspn(line, "#\r")] = 0;
    char *word = strtok_r(line, " \t", &save);
    if (!word)
      continue;
    if (strcmp(word, "metric") == 0)
      e = metric_line(r, save);
    else if (strcmp(word, "at") == 0)
      e = row_line(r, save);
    else
      e = wrong(r, word, "a line begins with metric or at");
  }
  return e == 0 && r->s->nrows == 0 ? wrong(r, r->file, "has no row") : e;
}

static int open_scripted(const struct siox_provider_env *env, void **state,
                         struct siox_diag *diag) {
  static const char *const known[] = {"file", NULL};
  int e = siox__settings_known(env, "scripted", known, diag);
  const char *file = siox__setting(env, "file");
  if (e < 0)
    return e;
  if (!file) {
    snprintf(diag->text, sizeof diag->text, "%s: scripted: needs the setting file",
             env->origin ? env->origin : "settings");
    return SIOX_EINVAL;
  }
  char path[4096];
  if ((e = siox__beside(env->origin, file, path, sizeof path)) < 0) {
    snprintf(diag->text, sizeof diag->text, "%.300s: %s", file, siox_strerror(e));
    return e;
  }
  file = path;
  struct scripted *s = calloc(1, sizeof *s);
  if (!s)
    return SIOX_ENOMEM;
  s->began_ns = INT64_MIN;
  char *text = NULL;
  size_t length = 0;
  struct reader r = {.s = s, .file = file, .diag = diag};
  e = siox__input_all("", file, &text, &length);
  if (e < 0)
    snprintf(diag->text, sizeof diag->text, "%.300s: %s", file, siox_strerror(e));
  else if (strlen(text) < length)
    e = wrong(&r, file, "is no text");
  else
    e = parse(&r, text);
  free(text);
  if (e < 0)
    close_scripted(s);
  else
    *state = s;
  return e;
}

static size_t metrics_of_scripted(void *state, const struct siox_metric **out) {
  struct scripted *s = state;
  *out = s->metrics.list;
  return s->metrics.n;
}

static int read_scripted(void *state, int64_t now_ns, struct siox_reading *readings) {
  struct scripted *s = state;
  if (s->began_ns == INT64_MIN)
    s->began_ns = now_ns;
  const double at = 1e-9 * (double)(now_ns - s->began_ns);
  size_t low = 0,
         high = s->nrows; /* rows before low are not later than now, those from high on are */
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (s->rows[middle].at <= at + 1e-9)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0)
    return SIOX_EUNKNOWN;
  memcpy(readings, s->readings + s->rows[low - 1].first, s->metrics.n * sizeof *readings);
  return 0;
}

static void probe_scripted(const struct siox_provider_env *env, struct siox_probe *probe) {
  *probe = (struct siox_probe){0};
  if (!siox__setting(env, "file")) {
    probe->error = SIOX_ENOENT;
    snprintf(probe->why, sizeof probe->why, "no file is set: only for trials");
  }
}

const struct siox_provider siox__provider_scripted = {
    .abi = SIOX_PROVIDER_ABI,
    .name = "scripted",
    .about = "readings out of a file, for trials",
    .priority = 100, /* whoever scripts energy wants that */
    .probe = probe_scripted,
    .open = open_scripted,
    .metrics = metrics_of_scripted,
    .read = read_scripted,
    .close = close_scripted,
};
