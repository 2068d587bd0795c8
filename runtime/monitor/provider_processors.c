/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* /proc/stat: what the processors did, as proc(5) counts it, in ticks of USER_HZ (100 a second in
 * every Linux ABI). The kernel's counts of idle and iowait can go back by a little; such a sample
 * is lost. */
#include "monitor/builtin.h"
#include "monitor/input.h"
#include "monitor/metrics.h"
#include "monitor/processor_time.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { USER_HZ = 100 };

enum { NCOLUMNS = SIOX__NPROCESSOR_TIMES };

struct processors {
  struct siox__input stat;
  struct siox__metrics metrics;
  char *text;
  size_t size;
};

static void close_processors(void *state) {
  struct processors *p = state;
  siox__input_close(&p->stat);
  siox__metrics_free(&p->metrics);
  free(p->text);
  free(p);
}

/* The file as it is now, in p->text. */
static int load(struct processors *p) {
  for (;;) {
    const int n = siox__input_again(&p->stat, p->text, p->size);
    /* Only the lines "cpu..." at the beginning are wanted, but interrupts follow, as long as they
     * like. */
    if (n >= 0 || (n == SIOX_ERANGE && strstr(p->text, "\nintr")))
      return 0;
    if (n != SIOX_ERANGE || p->size > 1 << 22)
      return n;
    char *more = realloc(p->text, 2 * p->size);
    if (!more)
      return SIOX_ENOMEM;
    p->text = more;
    p->size *= 2;
  }
}

/* The next line "cpuN ..." from *at on: its name and counts, and how many columns there are. */
static bool next_line(const char **at, char *name, size_t size, uint64_t counts[NCOLUMNS], int *n) {
  const char *p = *at;
  if (strncmp(p, "cpu", 3) != 0)
    return false;
  const size_t length = strcspn(p, " \n"), shown = length < size ? length : size - 1;
  memcpy(name, p, shown);
  name[shown] = 0;
  p += length;
  for (*n = 0; *n < NCOLUMNS; ++*n) {
    while (*p == ' ')
      p++;
    if (!siox__input_number(&p, &counts[*n]))
      break;
  }
  p += strcspn(p, "\n");
  *at = *p ? p + 1 : p;
  return true;
}

static int list(struct processors *p) {
  char name[32];
  uint64_t counts[NCOLUMNS];
  int n;
  p->metrics.n = 0;
  for (const char *at = p->text; next_line(&at, name, sizeof name, counts, &n);)
    for (int i = 0; i < n; i++) {
      const bool whole = strcmp(name, "cpu") == 0;
      struct siox_metric *m =
          siox__metrics_add(&p->metrics, SIOX_METRIC_COUNTER, siox__processor_times[i].metric,
                            whole ? "" : name, "s");
      if (!m)
        return SIOX_ENOMEM;
      m->scale = 1.0 / USER_HZ;
      if (!whole)
        m->bound = 2; /* seconds of a processor a second; ticks are coarse and the file is not read
                         at once */
    }
  return p->metrics.n > 0 ? 0 : SIOX_ESYNTAX;
}

static int open_processors(const struct siox_provider_env *env, void **state,
                           struct siox_diag *diag) {
  static const char *const known[] = {NULL};
  int e = siox__settings_known(env, "processors", known, diag);
  if (e < 0)
    return e;
  struct processors *p = calloc(1, sizeof *p);
  if (!p || !(p->text = malloc(p->size = 8192))) {
    free(p);
    return SIOX_ENOMEM;
  }
  e = siox__input_at(&p->stat, env->root, "/proc/stat");
  if (e == 0 && (e = load(p)) == 0)
    e = list(p);
  if (e < 0) {
    snprintf(diag->text, sizeof diag->text, "%s: %s", p->stat.path, siox_strerror(e));
    close_processors(p);
    return e;
  }
  *state = p;
  return 0;
}

static size_t metrics_of_processors(void *state, const struct siox_metric **out) {
  struct processors *p = state;
  *out = p->metrics.list;
  return p->metrics.n;
}

static int read_processors(void *state, int64_t now_ns, struct siox_reading *readings) {
  struct processors *p = state;
  (void)now_ns;
  int e = load(p);
  if (e < 0)
    return e;
  char name[32];
  uint64_t counts[NCOLUMNS];
  int n;
  size_t at_metric = 0;
  for (const char *at = p->text; next_line(&at, name, sizeof name, counts, &n);)
    for (int i = 0; i < n; i++, at_metric++) {
      const struct siox_metric *m = &p->metrics.list[at_metric];
      if (at_metric == p->metrics.n || strcmp(m->where, strcmp(name, "cpu") == 0 ? "" : name) != 0)
        return (e = list(p)) < 0 ? e : 1; /* a processor came or went */
      readings[at_metric] = (struct siox_reading){.count = counts[i]};
    }
  return at_metric == p->metrics.n ? 0 : (e = list(p)) < 0 ? e : 1;
}

static void probe_processors(const struct siox_provider_env *env, struct siox_probe *probe) {
  siox__probe_file(env, "/proc/stat", probe);
  probe->resolution_s = 1.0 / USER_HZ;
}

const struct siox_provider siox__provider_processors = {
    .abi = SIOX_PROVIDER_ABI,
    .name = "processors",
    .about = "what each processor did: user, system, idle, waiting for I/O, ... (/proc/stat)",
    .probe = probe_processors,
    .open = open_processors,
    .metrics = metrics_of_processors,
    .read = read_processors,
    .close = close_processors,
};
