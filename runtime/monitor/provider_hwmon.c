/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Linux hwmon: energies in microjoules (energyN_input) and powers in microwatts (powerN_average,
 * powerN_input) of whatever chips there are.
 *
 * Names and labels tell what some chips meter: amd_energy the sockets, drivers of graphics cards
 * the cards. Of others nobody knows what is behind them: a rail's power may be in a package's
 * already. They are read and not summed, until the setting `domains` tells what they are:
 *
 *   domains: "ina3221/VDD_IN=node ina219/power1=other" (patterns as of the shell)
 */
#include "monitor/builtin.h"
#include "monitor/meters.h"
#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLASS "/sys/class/hwmon"
static const int64_t LOOK_AGAIN_NS = 1000000000; /* for chips that come or go */

/* What is known of chips: the first pattern that fits "chip/label". */
static const struct rule {
  const char *pattern;
  enum siox_domain domain;
  bool part;
} rules[] = {
    {"amd_energy/Esocket*", SIOX_DOMAIN_PACKAGE, false},
    {"amd_energy/Ecore*", SIOX_DOMAIN_CORES, true},
    {"amdgpu/*", SIOX_DOMAIN_ACCELERATOR, false},
    {"nouveau/*", SIOX_DOMAIN_ACCELERATOR, false},
    {"i915/*", SIOX_DOMAIN_ACCELERATOR, false}, /* cards only: inside a package it has no meter */
    {"xe/card", SIOX_DOMAIN_ACCELERATOR, false},
    {"xe/*", SIOX_DOMAIN_ACCELERATOR, true}, /* the chip on the card */
    {"*", SIOX_DOMAIN_OTHER, true},
};

struct hwmon {
  char *root, *domains; /* the setting, or NULL */
  char *seen;           /* directories and chips, to notice others */
  struct siox__meters meters;
  int64_t looked_ns;
};

static bool domain_by_name(const char *text, size_t length, struct rule *rule) {
  rule->domain = siox_domain_find(text, length);
  rule->part = rule->domain == SIOX_DOMAIN_NONE;
  return rule->domain != SIOX_NDOMAINS;
}

/* The next "pattern=domain" of the setting: 1, 0 at its end, or negative. */
static int next_rule(const char **at, char pattern[64], struct rule *rule) {
  *at += strspn(*at, " \t\n");
  const size_t length = strcspn(*at, " \t\n");
  if (length == 0)
    return 0;
  const char *equals = memchr(*at, '=', length);
  if (!equals || equals == *at || equals - *at >= 64)
    return SIOX_ESYNTAX;
  snprintf(pattern, 64, "%.*s", (int)(equals - *at), *at);
  if (!domain_by_name(equals + 1, (size_t)(*at + length - equals - 1), rule))
    return SIOX_ENOENT;
  *at += length;
  return 1;
}

static struct rule rule_of(const struct hwmon *h, const char *chip, const char *label) {
  char name[64], pattern[64];
  struct rule rule;
  snprintf(name, sizeof name, "%.31s/%.31s", chip, label);
  for (const char *at = h->domains; at && next_rule(&at, pattern, &rule) > 0;)
    if (fnmatch(pattern, name, 0) == 0)
      return rule;
  size_t i = 0;
  while (fnmatch(rules[i].pattern, name, 0) != 0)
    i++;
  return rules[i];
}

/* "energy12_input": the number; 0: another file. */
static unsigned number_of(const char *file, const char *before, const char *behind) {
  uint64_t n;
  if (strncmp(file, before, strlen(before)) != 0)
    return 0;
  const char *p = file + strlen(before);
  return siox__input_number(&p, &n) && n < 100000 && strcmp(p, behind) == 0 ? (unsigned)n : 0;
}

/* A name that can be shown, or false. */
static bool word(const char *root, const char *path, char *text, size_t size) {
  const int n = siox__input_text(root, path, text, size);
  bool fine = n > 0;
  for (int i = 0; i < n; i++) {
    fine &= isprint((unsigned char)text[i]) != 0;
    if (text[i] == ' ' || text[i] == '/')
      text[i] = '_';
  }
  return fine;
}

static bool is_taken(const struct hwmon *h, const char *metric, const char *where) {
  for (size_t i = 0; i < h->meters.metrics.n; i++)
    if (strcmp(h->meters.metrics.list[i].where, where) == 0 &&
        strcmp(h->meters.metrics.list[i].name, metric) == 0)
      return true;
  return false;
}

/* "package-0" for a socket of amd_energy, else "chip/label"; "chip@hwmon3/label" where that is
 * taken, and where that is, too, since names are cut, "hwmon3/energy12": no other has it. */
static void where_of(const struct hwmon *h, const char *metric, const char *dir, const char *chip,
                     const char *label, const char *plain, enum siox_domain domain,
                     char where[56]) {
  const char *socket = label + strlen("Esocket");
  if (domain == SIOX_DOMAIN_PACKAGE && strncmp(label, "Esocket", strlen("Esocket")) == 0 &&
      isdigit((unsigned char)*socket))
    snprintf(where, 56, "package-%.8s", socket);
  else
    snprintf(where, 56, "%.24s/%.24s", chip, label);
  if (is_taken(h, metric, where))
    snprintf(where, 56, "%.18s@%.12s/%.22s", chip, dir, label);
  if (is_taken(h, metric, where))
    snprintf(where, 56, "%.24s/%.24s", dir, plain);
}

/* metered: the chip has energies, which tell of its powers' joules. */
static int add(struct hwmon *h, const char *dir, const char *chip, const char *file,
               const char *label_file, const char *plain, bool energy, bool metered) {
  char path[256], label[32], where[56];
  snprintf(path, sizeof path, CLASS "/%s/%s", dir, label_file);
  if (!word(h->root, path, label, sizeof label))
    snprintf(label, sizeof label, "%s", plain);
  const struct rule rule = rule_of(h, chip, label);
  where_of(h, energy ? "energy" : "power", dir, chip, label, plain, rule.domain, where);
  snprintf(path, sizeof path, CLASS "/%s/%s", dir, file);
  struct siox_metric *m =
      siox__meters_add(&h->meters, h->root, path, energy ? SIOX_METRIC_COUNTER : SIOX_METRIC_GAUGE,
                       energy ? "energy" : "power", where, energy ? "J" : "W");
  if (!m)
    return SIOX_ENOMEM;
  m->domain = rule.domain;
  m->polarity = SIOX_LESS_IS_BETTER;
  m->flags = rule.part || (!energy && metered) ? SIOX_METRIC_PART : 0;
  m->scale = 1e-6;
  m->wrap = energy ? SIOX_WRAP_UNKNOWN : 0; /* drivers add up; how far, no file says */
  m->bound = siox__meter_most(rule.domain);
  return 0;
}

/* A power's mean says more of its joules than what it is just now. */
static bool has_average(char *const *files, size_t n, unsigned number) {
  for (size_t i = 0; i < n; i++)
    if (number_of(files[i], "power", "_average") == number)
      return true;
  return false;
}

static int add_chip(struct hwmon *h, const char *dir, const char *chip) {
  char path[256], **files;
  size_t n;
  bool metered = false;
  snprintf(path, sizeof path, CLASS "/%s", dir);
  int e = siox__input_names(h->root, path, &files, &n);
  if (e < 0)
    return e == SIOX_ENOMEM ? e : 0;         /* it went away meanwhile */
  for (size_t i = 0; e == 0 && i < n; i++) { /* in order: energies stand first */
    char label[48], plain[24];
    const unsigned energy = number_of(files[i], "energy", "_input");
    const unsigned average = number_of(files[i], "power", "_average");
    const unsigned input = number_of(files[i], "power", "_input");
    const unsigned number = energy ? energy : average ? average : input;
    if (number == 0 || (input && has_average(files, n, input)))
      continue;
    snprintf(plain, sizeof plain, "%s%u", energy ? "energy" : "power", number);
    snprintf(label, sizeof label, "%s_label", plain);
    e = add(h, dir, chip, files[i], label, plain, energy != 0, metered);
    metered |= energy != 0;
  }
  siox__input_names_free(files, n);
  return e;
}

/* All chips as "hwmon0=name\n..." for the caller to free. */
static int survey(const char *root, char **out) {
  char **dirs, *text = NULL;
  size_t n, size = 0;
  int e = siox__input_names(root, CLASS, &dirs, &n);
  FILE *f = e < 0 ? NULL : open_memstream(&text, &size);
  if (e == 0 && !f)
    e = SIOX_ENOMEM;
  for (size_t i = 0; e == 0 && i < n; i++) {
    char path[256], chip[32];
    if (strlen(dirs[i]) > 24 || strchr(dirs[i], '='))
      continue;
    snprintf(path, sizeof path, CLASS "/%s/name", dirs[i]);
    if (!word(root, path, chip, sizeof chip))
      snprintf(chip, sizeof chip, "unnamed");
    fprintf(f, "%s=%s\n", dirs[i], chip);
  }
  siox__input_names_free(dirs, n);
  if (f && fclose(f) != 0)
    e = SIOX_ENOMEM;
  if (e < 0) {
    free(text);
    text = NULL;
  }
  *out = text;
  return e;
}

static int build(struct hwmon *h) {
  int e = 0;
  siox__meters_free(&h->meters);
  for (const char *p = h->seen; e == 0 && *p; p = strchr(p, '\n') + 1) {
    char dir[32], chip[32];
    const char *equals = strchr(p, '=');
    snprintf(dir, sizeof dir, "%.*s", (int)(equals - p), p);
    snprintf(chip, sizeof chip, "%.*s", (int)strcspn(equals + 1, "\n"), equals + 1);
    e = add_chip(h, dir, chip);
  }
  siox__meters_settle(&h->meters);
  return e;
}

static void close_hwmon(void *state) {
  struct hwmon *h = state;
  siox__meters_free(&h->meters);
  free(h->root);
  free(h->domains);
  free(h->seen);
  free(h);
}

/* Is there a meter, and one that may be read? */
static int judge(struct hwmon *h, char *why, size_t size) {
  int first = 0;
  for (size_t i = 0; i < h->meters.metrics.n; i++) {
    uint64_t count;
    const int e = siox__input_again_u64(&h->meters.list[i].in, &count);
    if (e >= 0)
      return 0;
    if (first == 0 || e == SIOX_EPERM) {
      first = e;
      snprintf(why, size, "%s: %s", h->meters.list[i].in.path, siox_strerror(e));
    }
  }
  if (first == 0)
    snprintf(why, size, "%s" CLASS ": no chip meters energy or power", h->root);
  return first < 0 ? first : SIOX_ENOENT;
}

static int start(const struct siox_provider_env *env, struct hwmon **out, char *why, size_t size) {
  const char *domains = siox__setting(env, "domains");
  struct hwmon *h = calloc(1, sizeof *h);
  int e = h ? 0 : SIOX_ENOMEM;
  if (e == 0 && (!(h->root = strdup(env->root)) || (domains && !(h->domains = strdup(domains)))))
    e = SIOX_ENOMEM;
  if (e == 0 && (e = survey(h->root, &h->seen)) < 0)
    snprintf(why, size, "%s" CLASS ": %s", h->root, siox_strerror(e));
  if (e == 0 && (e = build(h)) == 0)
    e = judge(h, why, size);
  if (e < 0 && h)
    close_hwmon(h);
  if (e == 0) {
    h->looked_ns = INT64_MIN;
    *out = h;
  }
  return e;
}

static int check_domains(const struct siox_provider_env *env, struct siox_diag *diag) {
  for (size_t i = 0; i < env->nsettings; i++) {
    const struct siox_option *s = &env->settings[i];
    char pattern[64];
    struct rule rule;
    const char *at = s->value;
    int e = 1;
    while (e > 0)
      e = next_rule(&at, pattern, &rule);
    if (e < 0) {
      snprintf(diag->text, sizeof diag->text,
               "%s:%u: domains: %.40s: expected CHIP/LABEL=DOMAIN, where DOMAIN is node, psys, "
               "package, cores, uncore, dram, accelerator, disk, other or none",
               env->origin ? env->origin : "settings", s->line, at);
      return SIOX_EINVAL;
    }
  }
  return 0;
}

static int open_hwmon(const struct siox_provider_env *env, void **state, struct siox_diag *diag) {
  static const char *const known[] = {"domains", NULL};
  struct hwmon *h;
  int e = siox__settings_known(env, "hwmon", known, diag);
  if (e == 0)
    e = check_domains(env, diag);
  if (e == 0 && (e = start(env, &h, diag->text, sizeof diag->text)) == 0)
    *state = h;
  return e;
}

static size_t metrics_of_hwmon(void *state, const struct siox_metric **out) {
  struct hwmon *h = state;
  *out = h->meters.metrics.list;
  return h->meters.metrics.n;
}

static int read_hwmon(void *state, int64_t now_ns, struct siox_reading *readings) {
  struct hwmon *h = state;
  if (h->looked_ns == INT64_MIN)
    h->looked_ns = now_ns;
  if (now_ns - h->looked_ns >= LOOK_AGAIN_NS) {
    char *now;
    h->looked_ns = now_ns;
    int e = survey(h->root, &now);
    if (e < 0)
      return e;
    const bool same = strcmp(now, h->seen) == 0;
    free(same ? now : h->seen);
    if (!same) {
      h->seen = now;
      return (e = build(h)) < 0 ? e : 1;
    }
  }
  return siox__meters_read(&h->meters, readings);
}

static void probe_hwmon(const struct siox_provider_env *env, struct siox_probe *probe) {
  struct hwmon *h;
  *probe = (struct siox_probe){0}; /* each chip has its own */
  probe->error = start(env, &h, probe->why, sizeof probe->why);
  if (probe->error == 0)
    close_hwmon(h);
  if (probe->error == SIOX_EPERM)
    snprintf(probe->grant, sizeof probe->grant,
             "cd " CLASS " && sudo chgrp $(id -g) hwmon*/energy*_input && sudo chmod g+r "
             "hwmon*/energy*_input  # until reboot; whoever reads them can spy on others' "
             "computations by their power (CVE-2020-12912)");
}

const struct siox_provider siox__provider_hwmon = {
    .abi = SIOX_PROVIDER_ABI,
    .name = "hwmon",
    .about = "energy and power of sockets, cards and rails that chips meter (/sys/class/hwmon)",
    .priority = 50,
    .probe = probe_hwmon,
    .open = open_hwmon,
    .metrics = metrics_of_hwmon,
    .read = read_hwmon,
    .close = close_hwmon,
};
