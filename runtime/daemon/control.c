/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What tools ask: {"ask": NAME, ...}, one row of `asks` each. Anyone who may connect may look, a
 * page at a time; only the daemon's user and root may change something (admin.c). An ask that is
 * not understood gets {"error": text}. */
#include "daemon/daemon.h"
#include "daemon/monitor.h"
#include "daemon/status.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Of a page for whoever asks. */
enum { DISKS_A_PAGE = 256 };

/* Every setting as text, so that who joins can compare (tools/siox/join.c). */
static json_t *settings(const struct siox_config *config) {
  json_t *o = json_object();
  for (enum siox_setting i = 0; i < SIOX_NSETTINGS; i++) {
    char *text = siox_config_text(config, i);
    json_object_set_new(o, siox_config_key(i), text ? json_string(text) : json_null());
    free(text);
  }
  return o;
}

/* What all this costs. */
static json_t *own_cost(void) {
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  return json_pack("{s:f, s:I}", "cpu_seconds",
                   (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                       1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec),
                   "most_memory_bytes", (json_int_t)used.ru_maxrss * 1024);
}

static json_t *text_or_null(const char *text) { return text ? json_string(text) : json_null(); }

static json_t *common(struct siox__daemon *d) {
  json_t *o =
      json_pack("{s:i, s:i, s:s, s:f, s:s, s:i, s:b, s:b, s:b, s:i, s:i}", "pid", (int)getpid(),
                "uid", (int)geteuid(), "policy", d->config->policy, "time_scale",
                d->config->time_scale, "clock", d->stamped ? "stamped" : "monotonic", "ndisks",
                (int)d->drives.ndisks, "begun", d->begun, "finished", d->finished, "draining",
                d->draining, "clients", (int)d->njoined, "connections", (int)d->nsessions);
  json_object_set_new(o, "now", d->bank ? json_integer(siox_bank_now(d->bank)) : json_null());
  json_object_set_new(o, "transition_rule",
                      json_string(siox_rule_name(d->config->transition_rule)));
  json_object_set_new(o, "mount", text_or_null(d->config->mount));
  char *record = d->config->record ? siox_config_text(d->config, SIOX_SETTING_record) : NULL;
  json_object_set_new(o, "record", text_or_null(record)); /* absolute: others read it */
  free(record);
  json_object_set_new(o, "start", d->begun ? json_integer(d->start) : json_null());
  json_object_set_new(o, "trace_error",
                      text_or_null(*d->trace_error.text ? d->trace_error.text : NULL));
  json_object_set_new(o, "settings", settings(d->config));
  char *database = d->config->database ? siox_config_text(d->config, SIOX_SETTING_database) : NULL;
  json_object_set_new(o, "database", text_or_null(database)); /* without a password */
  free(database);
  json_object_set_new(o, "self", own_cost());
  json_object_set_new(o, "recording", siox__record_json(d));
  json_object_set_new(o, "monitor", siox__monitor_json(d->monitor));
  json_object_set_new(o, "counters", siox__status_counters(d));
  return o;
}

/* The first page, which for most is all. For an administrator it always is. */
static void add_disks(struct siox__session *s, json_t *o) {
  uint32_t next, most = siox__admin(s) ? s->d->drives.ndisks : DISKS_A_PAGE;
  json_object_set_new(o, "disks", siox__status_disks(s, 0, most, &next));
  json_object_set_new(o, "more_disks", json_boolean(next < s->d->drives.ndisks));
}

static json_t *status(struct siox__session *s, json_t *ask) {
  (void)ask;
  json_t *o = common(s->d);
  add_disks(s, o);
  return o;
}

static uint32_t page(const json_t *ask, const char *key, uint32_t usual) {
  const json_t *value = json_object_get(ask, key);
  json_int_t n = json_integer_value(value);
  return value && n >= 0 && n <= UINT32_MAX ? (uint32_t)n : usual;
}

/* {"ask": "disks", "first": 0, "count": 100}: "next" is where to go on, null at the end. */
static json_t *disks(struct siox__session *s, json_t *ask) {
  json_t *o = common(s->d);
  uint32_t next, most = page(ask, "count", DISKS_A_PAGE);
  json_object_set_new(o, "disks",
                      siox__status_disks(s, page(ask, "first", 0),
                                         most < DISKS_A_PAGE ? most : DISKS_A_PAGE, &next));
  json_object_set_new(o, "next", next < s->d->drives.ndisks ? json_integer(next) : json_null());
  return o;
}

/* {"ask": "jobs", "first": 0}: those that have processes now, likewise. */
static json_t *jobs(struct siox__session *s, json_t *ask) {
  uint32_t next;
  json_t *o = json_object();
  json_object_set_new(o, "jobs", siox__status_live_jobs(s, page(ask, "first", 0), &next));
  json_object_set_new(o, "next", next < s->d->njobs ? json_integer(next) : json_null());
  json_object_set_new(o, "unattributed", siox__status_unattributed(s->d));
  json_object_set_new(o, "forgotten", siox__status_forgotten(s->d));
  return o;
}

static json_t *report(struct siox__session *s, json_t *ask) {
  json_t *o = common(s->d);
  add_disks(s, o);
  json_object_set_new(
      o, "jobs", siox__status_jobs(s->d, json_string_value(json_object_get(ask, "job")), s->uid));
  json_object_set_new(o, "unattributed", siox__status_unattributed(s->d));
  json_object_set_new(o, "forgotten", siox__status_forgotten(s->d));
  return o;
}

/* {"ask": "layout", "dev": N, "ino": N}: as the file was last opened. */
static json_t *layout(struct siox__session *s, json_t *ask) {
  const struct siox__file *f =
      siox__files_known(s->d, (uint64_t)json_integer_value(json_object_get(ask, "dev")),
                        (uint64_t)json_integer_value(json_object_get(ask, "ino")));
  json_t *o = json_pack("{s:i}", "ndisks", (int)s->d->drives.ndisks);
  json_object_set_new(o, "path", text_or_null(f ? f->path : NULL));
  json_object_set_new(o, "layout", text_or_null(f ? f->layout_text : NULL));
  return o;
}

static json_t *flush(struct siox__session *s, json_t *ask) {
  (void)ask;
  siox__record_flush(s->d);
  return common(s->d);
}

/* The end of the measurement: only when nobody is being measured any more, and only by whose daemon
 * it is; otherwise what there is so far. */
static json_t *finish(struct siox__session *s, json_t *ask) {
  if (siox__admin(s))
    siox__session_reap(s->d);
  if (s->d->njoined || !siox__admin(s))
    siox__record_flush(s->d);
  else
    siox__daemon_finish(s->d);
  return report(s, ask);
}

static json_t *stop(struct siox__session *s, json_t *ask) {
  json_t *o = flush(s, ask);
  siox__daemon_leave(s->d, "a tool asked for it");
  return o;
}

static const struct {
  const char *name;
  json_t *(*answer)(struct siox__session *s, json_t *ask);
  bool admin; /* not for everybody */
} asks[] = {{"status", status, false},
            {"disks", disks, false},
            {"jobs", jobs, false},
            {"report", report, false},
            {"layout", layout, false},
            {"flush", flush, false},
            {"finish", finish, false},
            {"stop", stop, true},
            {"level", siox__admin_level, true},
            {"slow", siox__admin_slow, true},
            {"release", siox__admin_release, true},
            {"drain", siox__admin_drain, true}};

static json_t *names_of_asks(void) {
  char text[256] = "";
  size_t n = 0;
  for (size_t i = 0; i < sizeof asks / sizeof *asks && n < sizeof text; i++)
    n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", i ? ", " : "", asks[i].name);
  return json_sprintf("ask: one of %s", text);
}

int siox__control(struct siox__session *s, uint32_t tag, const char *text, size_t length) {
  json_error_t error;
  json_t *ask = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
  const char *name = json_string_value(json_object_get(ask, "ask"));
  json_t *answer = NULL;
  siox__session_drain_all(s->d); /* it is asked what was done so far */
  if (s->closing) {
    json_decref(ask);
    return 0;
  }
  siox__daemon_catch_up(s->d);
  siox__monitor_view(s->d->monitor, siox__admin(s));
  siox__work(s, SIOX__WORK_A_TURN); /* one a turn */
  for (size_t i = 0; name && i < sizeof asks / sizeof *asks && !answer; i++)
    if (!strcmp(name, asks[i].name))
      answer = asks[i].admin && !siox__admin(s) ? siox__admin_refusal(s) : asks[i].answer(s, ask);
  if (!answer)
    answer = json_pack("{s:o}", "error", ask ? names_of_asks() : json_string(error.text));
  char *out = json_dumps(answer, JSON_COMPACT | JSON_REAL_PRECISION(17));
  json_decref(answer);
  json_decref(ask);
  if (!out)
    return SIOX_ENOMEM;
  siox__answer(s, tag, out);
  return 0;
}
