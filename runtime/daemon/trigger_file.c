/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reading triggers. */
#include "daemon/trigger_file.h"
#include "common/conf/yaml.h"
#include "monitor/input.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

enum { KEY = 160, ARGUMENTS = 64 };

static const char *text_of(const yaml_node_t *node) {
  return node && node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : NULL;
}

/* The node at AT.NAME, and that key in `key`. */
static const yaml_node_t *at(struct siox__yaml *y, const char *where, const char *name,
                             char key[KEY]) {
  snprintf(key, KEY, "%s.%s", where, name);
  return siox__yaml_find(y, key);
}

static int known(struct siox__yaml *y, const char *where, const char *const *names,
                 struct siox_diag *diag) {
  const yaml_node_t *map = siox__yaml_find(y, where);
  if (map->type != YAML_MAPPING_NODE)
    return siox__yaml_fail(y, diag, SIOX_EINVAL, where, "expected keys and values");
  for (const yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top;
       p++) {
    const char *name = text_of(yaml_document_get_node(&y->tree, p->key));
    char key[KEY];
    bool found = false;
    for (const char *const *n = names; *n && name && !found; n++)
      found = strcmp(*n, name) == 0;
    snprintf(key, sizeof key, "%s.%.60s", where, name ? name : "?");
    if (!found)
      return siox__yaml_fail(y, diag, SIOX_EINVAL, key, "no such key");
  }
  return 0;
}

static int number(struct siox__yaml *y, const char *key, const yaml_node_t *node, double low,
                  double high, double *value, struct siox_diag *diag) {
  const char *text = text_of(node);
  if (!text)
    return siox__yaml_fail(y, diag, SIOX_EINVAL, key, "expected a number");
  return siox__yaml_number(y, key, text, low, high, value, diag);
}

/* "high_load" is "high load". */
static bool same_name(const char *a, const char *b) {
  for (; *a && *b; a++, b++)
    if (*a != *b && !(*a == '_' && *b == ' '))
      return false;
  return *a == *b;
}

static const char *state_name(unsigned i) {
  return i < SIOX_NCONDITIONS ? siox_condition_name((enum siox_condition)i) : NULL;
}
static const char *verdict_name(unsigned i) {
  return i <= SIOX_VERDICT_UNCLEAR ? siox_verdict_name((enum siox_verdict)i) : NULL;
}
static const char *category_name(unsigned i) {
  return i < SIOX_NCATEGORIES ? siox_category_name((enum siox_category)i) : NULL;
}
static const char *level_name(unsigned i) {
  return i <= SIOX_LEVEL_SYSTEM ? siox__level_name((enum siox_reasoner_level)i) : NULL;
}

static int bit_of(struct siox__yaml *y, const char *key, const yaml_node_t *node,
                  const char *(*name)(unsigned), uint32_t *bits, struct siox_diag *diag) {
  const char *text = text_of(node);
  char all[256] = "";
  for (unsigned i = 0; name(i); i++) {
    if (text && same_name(text, name(i))) {
      *bits |= 1u << i;
      return 0;
    }
    snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "", name(i));
  }
  return siox__yaml_fail(y, diag, SIOX_EINVAL, key, "\"%.60s\" is none of %s", text ? text : "",
                         all);
}

/* One name, or a list of them. */
static int bits_of(struct siox__yaml *y, const char *where, const char *what,
                   const char *(*name)(unsigned), uint32_t *bits, struct siox_diag *diag) {
  char key[KEY];
  const yaml_node_t *node = at(y, where, what, key);
  int e = 0;
  if (!node)
    return 0;
  if (node->type != YAML_SEQUENCE_NODE)
    return bit_of(y, key, node, name, bits, diag);
  for (const yaml_node_item_t *i = node->data.sequence.items.start;
       e == 0 && i < node->data.sequence.items.top; i++)
    e = bit_of(y, key, yaml_document_get_node(&y->tree, *i), name, bits, diag);
  return e;
}

static int take_when(struct siox__yaml *y, const char *where, struct siox_trigger_when *when,
                     struct siox_diag *diag) {
  static const char *const names[] = {"level", "state", "verdict", "category", "for", NULL};
  char at_when[KEY], key[KEY];
  uint32_t level = 0;
  double cycles = 1;
  const yaml_node_t *node = at(y, where, "when", at_when);
  when->level = SIOX_LEVEL_NODE;
  if (!node)
    return siox__yaml_fail(y, diag, SIOX_EINVAL, where, "has no `when`");
  int e = known(y, at_when, names, diag);
  if (e == 0 && (node = at(y, at_when, "level", key)))
    e = bit_of(y, key, node, level_name, &level, diag);
  while (level > 0 && !(level >> when->level & 1))
    when->level = (when->level + 1) % 3;
  if (e == 0)
    e = bits_of(y, at_when, "state", state_name, &when->states, diag);
  if (e == 0)
    e = bits_of(y, at_when, "verdict", verdict_name, &when->verdicts, diag);
  if (e == 0)
    e = bits_of(y, at_when, "category", category_name, &when->categories, diag);
  if (e == 0 && (node = at(y, at_when, "for", key)))
    e = number(y, key, node, 1, 1e9, &cycles, diag);
  when->cycles = (uint64_t)cycles;
  return e;
}

/* "1 per 60s", "3 per 2 h". */
static int take_at_most(struct siox__yaml *y, const char *where, struct siox_trigger_when *when,
                        struct siox_diag *diag) {
  char key[KEY], unit[8] = "s", rest[2] = "";
  const yaml_node_t *node = at(y, where, "at_most", key);
  unsigned times = 0;
  double per = 0;
  if (!node)
    return 0;
  const char *text = text_of(node);
  const int n = text ? sscanf(text, "%u per %lf %7[a-z]%1s", &times, &per, unit, rest) : 0;
  const double seconds = strcmp(unit, "s") == 0     ? 1
                         : strcmp(unit, "min") == 0 ? 60
                         : strcmp(unit, "h") == 0   ? 3600
                                                    : 0;
  if (n < 2 || n > 3 || seconds == 0 || !(per * seconds > 0 && per * seconds <= 1e8) || times < 1 ||
      times > SIOX_TRIGGER_TIMES)
    return siox__yaml_fail(y, diag, SIOX_EINVAL, key,
                           "expected N per T s (min, h), N from 1 to %d: 1 per 60s",
                           SIOX_TRIGGER_TIMES);
  when->at_most = times;
  when->per_ns = (int64_t)(per * seconds * 1e9);
  return 0;
}

/* Commands are run with the daemon's rights: nobody else may write them down. What counts is the
 * file that was read, whatever lies at its path by now. */
static int may_command(struct siox__yaml *y, const char *key, struct siox_diag *diag) {
  if ((y->owner != 0 && y->owner != geteuid()) || (y->mode & (S_IWGRP | S_IWOTH)))
    return siox__yaml_fail(y, diag, SIOX_EPERM, key,
                           "commands stand only in a file of root or of the daemon's user that "
                           "nobody else can write");
  return 0;
}

static int add_argument(struct siox__action *a, size_t n, const char *text) {
  char **more = realloc(a->argv, (n + 2) * sizeof *more);
  if (!more)
    return SIOX_ENOMEM;
  a->argv = more;
  a->argv[n + 1] = NULL;
  return (a->argv[n] = strdup(text)) ? 0 : SIOX_ENOMEM;
}

static int take_command(struct siox__yaml *y, const char *key, const yaml_node_t *node,
                        struct siox__action *a, struct siox_diag *diag) {
  const bool list = node->type == YAML_SEQUENCE_NODE;
  const size_t n =
      list ? (size_t)(node->data.sequence.items.top - node->data.sequence.items.start) : 1;
  int e = n > ARGUMENTS
              ? siox__yaml_fail(y, diag, SIOX_ERANGE, key, "more than %d words", ARGUMENTS)
              : may_command(y, key, diag);
  for (size_t i = 0; e == 0 && i < n; i++) {
    const char *text =
        text_of(list ? yaml_document_get_node(&y->tree, node->data.sequence.items.start[i]) : node);
    char path[4096];
    if (!text || (i == 0 && !strchr(text, '/')))
      return siox__yaml_fail(y, diag, SIOX_EINVAL, key,
                             "expected [PATH, ARGUMENT...], the path with a slash");
    if (i == 0 && (e = siox__beside(y->path, text, path, sizeof path)) < 0)
      return siox__yaml_fail(y, diag, e, key, "the path is too long");
    e = add_argument(a, i, i == 0 ? path : text);
  }
  if (e == 0 && n == 0)
    e = siox__yaml_fail(y, diag, SIOX_EINVAL, key, "there is no command");
  return e;
}

static int take_syslog(struct siox__yaml *y, const char *key, const yaml_node_t *node,
                       struct siox__action *a, struct siox_diag *diag) {
  static const char *const names[] = {"emerg",   "alert",  "crit", "err",
                                      "warning", "notice", "info", "debug"};
  const char *text = text_of(node);
  for (int i = 0; text && i < 8; i++)
    if (strcmp(text, names[i]) == 0) {
      a->value = i;
      return 0;
    }
  return siox__yaml_fail(y, diag, SIOX_EINVAL, key,
                         "expected emerg, alert, crit, err, warning, notice, info or debug");
}

static int take_webhook(struct siox__yaml *y, const char *key, const yaml_node_t *node,
                        struct siox__action *a, struct siox_diag *diag) {
  const char *text = text_of(node);
  if (!text || (strncmp(text, "http://", 7) != 0 && strncmp(text, "https://", 8) != 0))
    return siox__yaml_fail(y, diag, SIOX_EINVAL, key, "expected http:// or https:// and a place");
  if (!siox__act_has_webhooks())
    return siox__yaml_fail(y, diag, SIOX_EINVAL, key,
                           "libcurl.so.4 is not there, or was not when this sioxd was built");
  return add_argument(a, 0, text);
}

static int take_detail(struct siox__yaml *y, const char *key, const yaml_node_t *node,
                       struct siox__action *a, struct siox_diag *diag) {
  const char *text = text_of(node);
  if (!text || siox_record_parse(text, &a->mode) < 0 || a->mode == SIOX_RECORD_OFF)
    return siox__yaml_fail(y, diag, SIOX_EINVAL, key, "expected all or anomalies");
  return 0;
}

/* The kinds of action: what names it, and the key of a time that it has, wants or lacks. */
static const struct kind {
  const char *name, *time;
  double usual; /* seconds; 0: it must be said */
} kinds[] = {[SIOX__ACTION_RECORD] = {"record", NULL, 0},
             [SIOX__ACTION_INTERVAL] = {"interval", "seconds", 0},
             [SIOX__ACTION_DETAIL] = {"record_activities", "seconds", 0},
             [SIOX__ACTION_ADVISE] = {"advise", NULL, 0},
             [SIOX__ACTION_COMMAND] = {"command", "timeout", 30},
             [SIOX__ACTION_SYSLOG] = {"syslog", NULL, 0},
             [SIOX__ACTION_WEBHOOK] = {"webhook", "timeout", 5}};
enum { NKINDS = sizeof kinds / sizeof *kinds };

static int take_value(struct siox__yaml *y, const char *key, const yaml_node_t *node,
                      struct siox__action *a, struct siox_diag *diag) {
  switch (a->kind) {
  case SIOX__ACTION_RECORD:
    return number(y, key, node, 1, 1e9, &a->value, diag);
  case SIOX__ACTION_INTERVAL:
    return number(y, key, node, 0.01, 3600, &a->value, diag);
  case SIOX__ACTION_DETAIL:
    return take_detail(y, key, node, a, diag);
  case SIOX__ACTION_ADVISE:
    return siox__yaml_fail(y, diag, SIOX_EINVAL, key, "has no value: do: [advise]");
  case SIOX__ACTION_COMMAND:
    return take_command(y, key, node, a, diag);
  case SIOX__ACTION_SYSLOG:
    return take_syslog(y, key, node, a, diag);
  case SIOX__ACTION_WEBHOOK:
    return take_webhook(y, key, node, a, diag);
  }
  return SIOX_EINVAL;
}

static int take_action(struct siox__yaml *y, const char *where, struct siox__action *a,
                       struct siox_diag *diag) {
  const yaml_node_t *node = siox__yaml_find(y, where);
  char key[KEY], what[KEY];
  a->line = (unsigned)siox__yaml_line(y, where);
  if (text_of(node) && strcmp(text_of(node), "syslog") == 0) {
    a->kind = SIOX__ACTION_SYSLOG;
    a->value = LOG_WARNING;
    return 0;
  }
  if (text_of(node) && strcmp(text_of(node), "advise") == 0) {
    a->kind = SIOX__ACTION_ADVISE;
    return 0;
  }
  int kind = 0;
  while (kind < NKINDS &&
         (node->type != YAML_MAPPING_NODE || !(at(y, where, kinds[kind].name, what))))
    kind++;
  if (kind == NKINDS)
    return siox__yaml_fail(y, diag, SIOX_EINVAL, where,
                           "expected record, interval, record_activities, advise, command, "
                           "syslog or webhook");
  const struct kind *k = &kinds[kind];
  const char *const names[] = {k->name, k->time, NULL};
  a->kind = (enum siox__action_kind)kind;
  a->seconds = k->usual;
  int e = known(y, where, names, diag);
  if (e == 0)
    e = take_value(y, what, siox__yaml_find(y, what), a, diag);
  if (e < 0 || !k->time)
    return e;
  if ((node = at(y, where, k->time, key)))
    return number(y, key, node, 0.1, 1e6, &a->seconds, diag);
  return a->seconds > 0
             ? 0
             : siox__yaml_fail(y, diag, SIOX_EINVAL, key, "for how many seconds is not said");
}

static int take_rule(struct siox__yaml *y, const char *where, struct siox__rule *rule,
                     struct siox_diag *diag) {
  static const char *const names[] = {"when", "at_most", "do", NULL};
  char key[KEY];
  rule->line = (unsigned)siox__yaml_line(y, where);
  int e = known(y, where, names, diag);
  if (e == 0)
    e = take_when(y, where, &rule->when, diag);
  if (e == 0)
    e = take_at_most(y, where, &rule->when, diag);
  if (e < 0)
    return e;
  const yaml_node_t *list = at(y, where, "do", key);
  if (!list || list->type != YAML_SEQUENCE_NODE)
    return siox__yaml_fail(y, diag, SIOX_EINVAL, key, "expected a list of what to do");
  const size_t n = (size_t)(list->data.sequence.items.top - list->data.sequence.items.start);
  if (n < 1 || n > SIOX__ACTIONS_MOST)
    return siox__yaml_fail(y, diag, SIOX_ERANGE, key, "expected 1 to %d things to do",
                           SIOX__ACTIONS_MOST);
  if (!(rule->action = calloc(n, sizeof *rule->action)))
    return SIOX_ENOMEM;
  for (size_t i = 0; e == 0 && i < n; i++) {
    snprintf(key, sizeof key, "%.60s.do[%zu]", where, i);
    e = take_action(y, key, &rule->action[rule->nactions++], diag);
  }
  return e;
}

int siox__rules_load(struct siox__rules *rules, const char *path, struct siox_diag *diag) {
  struct siox__yaml y;
  *rules = (struct siox__rules){0};
  int e = siox__yaml_open(&y, path, diag);
  if (e < 0)
    return e;
  const yaml_node_t *list = siox__yaml_find(&y, "triggers");
  const size_t n = list && list->type == YAML_SEQUENCE_NODE
                       ? (size_t)(list->data.sequence.items.top - list->data.sequence.items.start)
                       : 0;
  if (list && list->type != YAML_SEQUENCE_NODE)
    e = siox__yaml_fail(&y, diag, SIOX_EINVAL, "triggers", "expected a list");
  else if (n > SIOX__TRIGGERS_MOST)
    e = siox__yaml_fail(&y, diag, SIOX_ERANGE, "triggers", "more than %d", SIOX__TRIGGERS_MOST);
  else if (n > 0 && !(rules->rule = calloc(n, sizeof *rules->rule)))
    e = SIOX_ENOMEM;
  for (size_t i = 0; e == 0 && i < n; i++) {
    char where[32];
    snprintf(where, sizeof where, "triggers[%zu]", i);
    e = take_rule(&y, where, &rules->rule[rules->n++], diag);
  }
  siox__yaml_close(&y);
  if (e < 0)
    siox__rules_free(rules);
  return e;
}

void siox__rules_free(struct siox__rules *rules) {
  for (size_t i = 0; i < rules->n; i++) {
    for (size_t k = 0; k < rules->rule[i].nactions; k++) {
      struct siox__action *a = &rules->rule[i].action[k];
      for (char **word = a->argv; word && *word; word++)
        free(*word);
      free(a->argv);
    }
    free(rules->rule[i].action);
  }
  free(rules->rule);
  *rules = (struct siox__rules){0};
}
