/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* siox providers: what can be measured on this machine, what stands in the way of the rest, and, if
 * asked, a sample. */
#include "cli/slip.h"
#include "cli/text.h"
#include "monitor/builtin.h"
#include "monitor/metrics.h"
#include "siox/collector.h"
#include "siox/modules.h"
#include "siox_tool.h"
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char usage[] =
    "usage: siox providers [--sample[=SECONDS]] [--json] [--monitor FILE] [--root DIR] [NAME...]\n"
    "\n"
    "Shows each source of measurements, or those that are named: whether it works here, what it\n"
    "measures and how finely; of one that may not be read, the command that grants it; of one that "
    "is\n"
    "not there, what is missing.\n"
    "\n"
    "  -s, --sample[=SECONDS]  read what works twice, so far apart (1), and show every value\n"
    "      --json              as JSON\n"
    "      --monitor FILE      with the settings that monitor.yaml has for them "
    "(docs/monitoring.md)\n"
    "      --root DIR          a captured tree in place of the machine: DIR/sys, DIR/proc, "
    "DIR/dev\n"
    "                          (environment SIOX_SYSFS_ROOT)\n"
    "\n"
    "Ends with 1 where a source that was named does not work.\n"
    "\n"
    "examples: siox providers\n"
    "          siox providers --sample=5 processors utilisation\n"
    "          siox providers --monitor monitor.yaml --sample model\n"
    "          siox providers --json | python3 -m json.tool\n";

struct options {
  bool json, sample;
  double seconds;
  const char *root, *monitor;
  char **names;
  int nnames;
  struct siox_modules modules;
};

static struct siox_provider_env env_of(const struct options *o, const struct siox_provider *p,
                                       int64_t period_ns) {
  struct siox_provider_env env = {
      .root = o->root, .origin = "command line", .period_ns = period_ns};
  for (size_t i = 0; i < o->modules.nproviders; i++)
    if (!strcmp(o->modules.provider[i].plugin, p->name)) {
      env.origin = o->modules.file;
      env.settings = o->modules.provider[i].settings;
      env.nsettings = o->modules.provider[i].nsettings;
      break;
    }
  return env;
}

/* 0, or the exit status + 1. */
static int parse(int argc, char **argv, struct options *o) {
  enum { JSON = 256, ROOT, MONITOR };
  static const struct option known[] = {{"json", no_argument, NULL, JSON},
                                        {"sample", optional_argument, NULL, 's'},
                                        {"monitor", required_argument, NULL, MONITOR},
                                        {"root", required_argument, NULL, ROOT},
                                        {"help", no_argument, NULL, 'h'},
                                        {0}};
  char *end = NULL;
  const char *root = getenv("SIOX_SYSFS_ROOT");
  *o = (struct options){.seconds = 1, .root = root ? root : ""};
  opterr = 0; /* siox__slip_option says it */
  for (int c; (c = getopt_long(argc, argv, ":s::h", known, NULL)) != -1;)
    switch (c) {
    case JSON:
      o->json = true;
      break;
    case 's':
      o->sample = true;
      if (optarg && (!((o->seconds = strtod(optarg, &end)) >= 0.01) || *end || o->seconds > 1e5))
        return siox__slip(argv[0], "--sample: \"%s\": seconds from 0.01 to 100000 are wanted",
                          optarg) +
               1;
      break;
    case MONITOR:
      o->monitor = optarg;
      break;
    case ROOT:
      o->root = optarg;
      break;
    case 'h':
      fputs(usage, stdout);
      return 1;
    default:
      return siox__slip_option(argv, known) + 1;
    }
  o->names = argv + optind;
  o->nnames = argc - optind;
  for (int i = 0; i < o->nnames; i++)
    if (!siox_provider_find(o->names[i]) && strcmp(o->names[i], SIOX__DRIVES_NAME) != 0)
      return siox__slip(argv[0], "\"%s\": no such provider", o->names[i]) + 1;
  return 0;
}

static bool is_named(const struct options *o, const char *name) {
  for (int i = 0; i < o->nnames; i++)
    if (strcmp(o->names[i], name) == 0)
      return true;
  return o->nnames == 0;
}
static bool wanted(const struct options *o, const struct siox_provider *p) {
  return is_named(o, p->name);
}

/* What the provider says of itself; probe.error < 0: it does not work. Opened in a collector of its
 * own, so that what is wrong with one source is told of that one. */
static json_t *look(const struct options *o, const struct siox_provider *p) {
  const struct siox_provider_env env = env_of(o, p, 100000000);
  struct siox_probe probe;
  struct siox_collector *c = NULL;
  struct siox_diag diag = {{0}};
  p->probe(&env, &probe);
  if (probe.error == 0 && (probe.error = siox_collector_new(&c)) == 0 &&
      (probe.error = siox_collector_add(c, p, &env, &diag)) < 0)
    snprintf(probe.why, sizeof probe.why, "%.255s",
             diag.text[0] ? diag.text : siox_strerror(probe.error));
  siox__printable(probe.why); /* of paths */
  siox__printable(probe.grant);
  json_t *metrics = json_array();
  const struct siox_cycle *cycle = c ? siox_collector_last(c) : NULL;
  for (size_t i = 0; cycle && probe.error == 0 && i < cycle->nseries; i++) {
    const struct siox_metric *m = &cycle->series[i].metric;
    json_array_append_new(metrics, json_pack("{s:s, s:s, s:s, s:s, s:s, s:b}", "name", m->name,
                                             "where", m->where, "unit", m->unit, "kind",
                                             siox_metric_kind_name(m->kind), "domain",
                                             siox_domain_name(m->domain), "estimated",
                                             (m->flags & SIOX_METRIC_ESTIMATED) != 0));
  }
  siox_collector_free(c);
  return json_pack("{s:s, s:s, s:b, s:s?, s:s?, s:o, s:i, s:f, s:o}", "name", p->name, "about",
                   p->about, "works", probe.error == 0, "why", probe.error < 0 ? probe.why : NULL,
                   "grant", probe.error < 0 && probe.grant[0] ? probe.grant : NULL, "permitted",
                   json_boolean(probe.error != SIOX_EPERM), "priority", (int)p->priority,
                   "resolution_s", probe.resolution_s, "metrics", metrics);
}

/* The daemon's own: nobody else can read it. */
static json_t *of_the_daemon(void) {
  return json_pack("{s:s, s:s, s:b, s:n, s:n, s:b, s:i, s:f, s:[], s:b}", "name", SIOX__DRIVES_NAME,
                   "about", SIOX__DRIVES_ABOUT, "works", true, "why", "grant", "permitted", true,
                   "priority", SIOX__DRIVES_PRIORITY, "resolution_s", 0.0, "metrics", "daemon",
                   true);
}

static const char *text_of(const json_t *o, const char *key) {
  const char *text = json_string_value(json_object_get(o, key));
  return text ? text : "";
}

/* The different names of the metrics, and at how many places there are any. */
static void put_metrics(const json_t *metrics) {
  char line[2048] = "";
  size_t places = 0;
  const char *first = text_of(json_array_get(metrics, 0), "name");
  for (size_t i = 0; i < json_array_size(metrics); i++) {
    const char *name = text_of(json_array_get(metrics, i), "name");
    const char *domain = text_of(json_array_get(metrics, i), "domain");
    bool told = false;
    places += strcmp(name, first) == 0;
    for (size_t j = 0; j < i && !told; j++)
      told = strcmp(name, text_of(json_array_get(metrics, j), "name")) == 0 &&
             strcmp(domain, text_of(json_array_get(metrics, j), "domain")) == 0;
    const size_t at = strlen(line);
    if (!told && at < sizeof line - 1)
      snprintf(line + at, sizeof line - at, strcmp(domain, "none") == 0 ? "%s%s" : "%s%s (%s)",
               at ? ", " : "", name, domain);
  }
  const size_t at = strlen(line);
  if (places > 1 && at < sizeof line - 1)
    snprintf(line + at, sizeof line - at, "; %zu places", places);
  if (line[0]) {
    fputs("               ", stdout);
    siox__fold(stdout, line, 15);
  }
}

static void put_provider(const json_t *p) {
  const double resolution = json_number_value(json_object_get(p, "resolution_s"));
  const bool works = json_is_true(json_object_get(p, "works"));
  printf("%-14s ", text_of(p, "name"));
  siox__fold(stdout, text_of(p, "about"), 15);
  printf("               %s", works                                            ? "works"
                              : json_is_false(json_object_get(p, "permitted")) ? "not permitted: "
                                                                               : "not here: ");
  if (json_is_true(json_object_get(p, "daemon")))
    printf(" in the daemon, for up to %d disks: siox disks\n", SIOX__DRIVES_MOST);
  else if (works && resolution > 0)
    printf(", resolution %g ms\n", 1e3 * resolution);
  else if (works)
    putchar('\n');
  else
    siox__fold(stdout, text_of(p, "why"), 15);
  if (*text_of(p, "grant"))
    printf("               to grant it: %s\n", text_of(p, "grant"));
  put_metrics(json_object_get(p, "metrics"));
}

static int64_t clock_ns(clockid_t id) {
  struct timespec t;
  clock_gettime(id, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static int cycle_now(struct siox_collector *c) {
  const int64_t boot = clock_ns(CLOCK_BOOTTIME);
  return siox_collector_cycle(c, clock_ns(CLOCK_MONOTONIC), boot);
}

static json_t *series_json(const struct siox_series *s) {
  const bool valid = s->last.state == SIOX_SAMPLE_VALID;
  json_t *o = json_pack("{s:s, s:s, s:s, s:s, s:s, s:b, s:b}", "provider", s->provider->name,
                        "name", s->metric.name, "where", s->metric.where, "unit", s->metric.unit,
                        "kind", siox_metric_kind_name(s->metric.kind), "estimated",
                        (s->metric.flags & SIOX_METRIC_ESTIMATED) != 0, "counts", s->counts);
  json_object_set_new(o, "value", valid ? json_real(s->last.value) : json_null());
  if (!valid)
    json_object_set_new(
        o, "why",
        json_string(s->last.error < 0 ? siox_strerror(s->last.error) : "no second reading"));
  return o;
}

static void put_series(const struct siox_series *s) {
  const char *per = s->metric.kind == SIOX_METRIC_COUNTER ? "/s" : "";
  printf("%-12s %-26s %-22s ", s->provider->name, s->metric.name,
         s->metric.where[0] ? s->metric.where : "node");
  if (s->last.state == SIOX_SAMPLE_VALID)
    printf("%14.6g %s%s%s\n", s->last.value, s->metric.unit, per,
           s->metric.flags & SIOX_METRIC_ESTIMATED ? " estimated" : "");
  else
    printf("%14s %s\n", "-", s->last.error < 0 ? siox_strerror(s->last.error) : "");
}

/* Reads what works twice. The exit status. */
static int sample(const struct options *o) {
  struct siox_collector *c;
  struct siox_diag diag;
  if (siox_collector_new(&c) < 0)
    return 1;
  for (const struct siox_provider *const *p = siox_providers(); *p; p++) {
    const struct siox_provider_env env = env_of(o, *p, (int64_t)(1e9 * o->seconds));
    struct siox_probe probe;
    (*p)->probe(&env, &probe);
    const int e = probe.error < 0 ? probe.error : siox_collector_add(c, *p, &env, &diag);
    if (e < 0 && o->nnames > 0 && wanted(o, *p))
      fprintf(stderr, "siox providers: %s: %s\n", (*p)->name,
              probe.error < 0 ? probe.why : diag.text);
  }
  int e = cycle_now(c);
  struct timespec left = {(time_t)o->seconds, (long)(1e9 * (o->seconds - floor(o->seconds)))};
  while (e == 0 && clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR)
    ;
  if (e == 0)
    e = cycle_now(c);
  const struct siox_cycle *cycle = siox_collector_last(c);
  json_t *list = json_array();
  for (size_t i = 0; e == 0 && i < cycle->nseries; i++) {
    const struct siox_series *s = &cycle->series[i];
    if (s->gone || !wanted(o, s->provider))
      continue;
    if (o->json)
      json_array_append_new(list, series_json(s));
    else
      put_series(s);
  }
  bool estimated = false;
  const double joules = siox_cycle_joules(cycle, &estimated);
  if (o->json) {
    json_t *all = json_pack("{s:f, s:f, s:b, s:o}", "seconds", 1e-9 * (double)cycle->dt_ns,
                            "joules", joules, "estimated", estimated, "series", list);
    json_dumpf(all, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
    putchar('\n');
    json_decref(all);
  } else {
    json_decref(list);
  }
  siox_collector_free(c);
  if (e < 0)
    fprintf(stderr, "siox providers: %s\n", siox_strerror(e));
  return e < 0;
}

int siox__cmd_providers(int argc, char **argv) {
  struct options o;
  const int told = parse(argc, argv, &o);
  if (told != 0)
    return told - 1;
  struct siox_diag diag = {""};
  if (o.monitor && siox_modules_load(&o.modules, o.monitor, &diag) < 0) {
    fprintf(stderr, "siox providers: %s\n", diag.text);
    return SIOX__USAGE;
  }
  bool failed = false;
  json_t *all = json_array();
  for (const struct siox_provider *const *p = siox_providers(); *p; p++)
    if (wanted(&o, *p)) {
      json_t *told_of = look(&o, *p);
      failed |= o.nnames > 0 && !json_is_true(json_object_get(told_of, "works"));
      json_array_append_new(all, told_of);
    }
  if (is_named(&o, SIOX__DRIVES_NAME))
    json_array_append_new(all, of_the_daemon());
  int status = failed;
  if (o.sample)
    status |= sample(&o);
  else if (o.json)
    json_dumpf(all, stdout, JSON_INDENT(1)), putchar('\n');
  else
    for (size_t i = 0; i < json_array_size(all); i++)
      put_provider(json_array_get(all, i));
  json_decref(all);
  siox_modules_free(&o.modules);
  if (fflush(stdout) != 0 || ferror(stdout)) {
    fprintf(stderr, "siox providers: cannot write: %s\n", strerror(errno));
    return 1;
  }
  return status;
}
