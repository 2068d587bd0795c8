/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Between the monitor's thread and etcd's: a mailbox with the latest own report, and a table of
 * those that were heard, which has a node once however often it reports. Neither grows with time,
 * and both are looked at under a lock that nobody holds for long. */
#include "daemon/nodes.h"
#include "common/clock.h"
#include "common/word.h"
#include "daemon/etcd.h"
#include "daemon/nodes_table.h"
#include "daemon/nodes_text.h"
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

enum {
  MOST_NODES = 4096,
  SHOWN = 64, /* in the status */
};
static const int64_t S = INT64_C(1000000000);

struct siox__nodes {
  const struct siox__log *log;
  struct siox__etcd *etcd; /* under the lock, once there is more than one thread */
  bool left;               /* its thread does not end */
  char name[64], owner[17];
  char prefix[96], key[160]; /* PREFIX/v1/nodes/, and with the name */
  int64_t lease_ns;
  pthread_mutex_t lock;
  /* under the lock */
  struct siox__node_pace pace;
  struct siox__nodes_table heard;
  uint64_t ignored; /* keys and values that are nothing */
  bool namesake;    /* there is another daemon of this name */
  /* the client's thread's own */
  bool seen;       /* what this daemon has put */
  bool lost, held; /* etcd is; there is something under the key */
  int64_t lost_at;
};

static int64_t turn(void *context, struct siox__etcd *e, int64_t now) {
  struct siox__nodes *n = context;
  struct siox_node_report report;
  char value[SIOX__NODE_VALUE];
  pthread_mutex_lock(&n->lock);
  if (n->lost && now - n->lost_at > n->lease_ns)
    siox__nodes_table_drop_all(&n->heard); /* who knows whether they live */
  const size_t nodes = n->heard.live + 1;
  const bool due = siox__node_pace_due(&n->pace, nodes, now, &report);
  const bool dead = siox__node_pace_dead(&n->pace, now);
  int64_t next = siox__node_pace_next(&n->pace, nodes, now);
  pthread_mutex_unlock(&n->lock);
  if (n->lost && n->lost_at + n->lease_ns >= now && n->lost_at + n->lease_ns < next)
    next = n->lost_at + n->lease_ns + 1;
  if (due) {
    const int length = siox__node_value_put(&report, n->owner, value, sizeof value);
    n->held |= siox__etcd_hold(e, n->key, value, (size_t)length) == 0;
  } else if (dead && n->held) { /* the monitor hangs: this node does not live, whatever its lease */
    siox__etcd_drop(e, n->key);
    n->held = false;
    pthread_mutex_lock(&n->lock);
    n->pace.is_written = false;
    pthread_mutex_unlock(&n->lock);
  }
  return next;
}

static void begins(void *context) {
  struct siox__nodes *n = context;
  pthread_mutex_lock(&n->lock);
  siox__nodes_table_list_begins(&n->heard);
  pthread_mutex_unlock(&n->lock);
}

static void ends(void *context) {
  struct siox__nodes *n = context;
  pthread_mutex_lock(&n->lock);
  siox__nodes_table_list_ends(&n->heard);
  pthread_mutex_unlock(&n->lock);
}

/* What stands under this node's own key. A daemon that was here before may have left something
 * there; one that writes after this one has is another of the same name. */
static void hear_own(struct siox__nodes *n, bool deleted, const char *owner) {
  if (deleted) {
    n->pace.is_written = false; /* it is put again, at its pace */
    return;
  }
  if (strcmp(owner, n->owner) == 0) {
    n->seen = true;
    return;
  }
  if (!n->seen || n->namesake)
    return;
  n->namesake = true;
  siox__log(n->log, SIOX__LOG_WARN,
            "etcd: another daemon is called %s, too: give each its own `node`; what the others "
            "hear of this name is now one's, now the other's",
            n->name);
}

/* Under the lock. */
static bool hear(struct siox__nodes *n, const struct siox__etcd_item *item) {
  const size_t prefix = strlen(n->prefix);
  struct siox_node_report report = {.number = 0};
  char owner[17] = "";
  if (!item || item->key_length <= prefix || memcmp(item->key, n->prefix, prefix) != 0 ||
      !siox__is_word(item->key + prefix, item->key_length - prefix))
    return false;
  memcpy(report.name, item->key + prefix, item->key_length - prefix);
  const bool own = strcmp(report.name, n->name) == 0;
  if (!item->deleted && siox__node_value_get(item->value, item->length, &report, owner) < 0) {
    if (!own) /* what it said before says nothing any more */
      siox__nodes_table_drop(&n->heard, report.name);
    return false;
  }
  if (own)
    hear_own(n, item->deleted, owner);
  else if (item->deleted)
    siox__nodes_table_drop(&n->heard, report.name);
  else
    return siox__nodes_table_put(&n->heard, &report, owner) == 0;
  return true;
}

static void found(void *context, const struct siox__etcd_item *item) {
  struct siox__nodes *n = context;
  pthread_mutex_lock(&n->lock);
  n->ignored += !hear(n, item);
  pthread_mutex_unlock(&n->lock);
}

static void state(void *context, bool connected, const char *server, const char *why) {
  struct siox__nodes *n = context;
  const bool before = n->lost;
  const int64_t now = siox__now_ns();
  n->lost = !connected;
  n->seen = false; /* what this one has put may have gone with its lease */
  if (connected && before)
    siox__log(n->log, SIOX__LOG_WARN, "etcd %s: there again, after %.1f s", server,
              1e-9 * (double)(now - n->lost_at));
  else if (connected)
    siox__log(n->log, SIOX__LOG_INFO, "etcd %s: this node is %s", server, n->name);
  else {
    n->lost_at = now;
    siox__log(n->log, SIOX__LOG_WARN,
              "etcd %s: %s; other nodes are not heard, and it is tried again and again", server,
              why);
  }
}

void siox__nodes_tell(struct siox__nodes *n, const struct siox_node_report *own) {
  if (!n)
    return;
  const int64_t now = siox__now_ns();
  pthread_mutex_lock(&n->lock);
  const struct siox_node_report before = n->pace.latest;
  const bool rare = now - n->pace.told_ns > S;
  siox__node_pace_tell(&n->pace, own, now);
  if (n->etcd && (rare || before.state != own->state || before.verdict != own->verdict))
    siox__etcd_wake(n->etcd);
  pthread_mutex_unlock(&n->lock);
}

size_t siox__nodes_news(struct siox__nodes *n, struct siox__node_news *news, size_t max) {
  if (!n)
    return 0;
  pthread_mutex_lock(&n->lock);
  const size_t given = siox__nodes_table_news(&n->heard, news, max);
  pthread_mutex_unlock(&n->lock);
  return given;
}

/* Those that are not as usual first. */
static json_t *list(const struct siox__nodes_table *t) {
  json_t *o = json_array();
  for (int good = 0; good < 2; good++)
    for (size_t i = 0; i < t->n && json_array_size(o) < SHOWN; i++) {
      const struct siox_node_report *r = &t->node[i].report;
      if (!t->node[i].gone && (r->state == SIOX_GOOD) == good)
        json_array_append_new(o, json_pack("{s:s, s:s, s:s}", "node", r->name, "state",
                                           siox_condition_name(r->state), "verdict",
                                           siox_verdict_name(r->verdict)));
    }
  return o;
}

json_t *siox__nodes_json(struct siox__nodes *n, bool all) {
  struct siox__etcd_status s = {.connected = false};
  if (!n)
    return json_null();
  pthread_mutex_lock(&n->lock);
  if (n->etcd)
    siox__etcd_status(n->etcd, &s);
  json_t *o =
      json_pack("{s:s, s:s, s:b, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:b}", "node", n->name,
                "server", s.server, "connected", s.connected, "why", s.why, "heard",
                (json_int_t)n->heard.live, "writes", (json_int_t)s.puts, "requests",
                (json_int_t)s.requests, "lists", (json_int_t)s.lists, "losses",
                (json_int_t)s.losses, "ignored", (json_int_t)n->ignored, "namesake", n->namesake);
  if (all)
    json_object_set_new(o, "nodes", list(&n->heard));
  pthread_mutex_unlock(&n->lock);
  return o;
}

/* What can be seen to be wrong before anything is tried. */
static int check(const struct siox_config *c, struct siox_diag *diag) {
  const struct {
    enum siox_setting setting;
    const char *path;
  } files[] = {{SIOX_SETTING_etcd_ca, c->etcd_ca},
               {SIOX_SETTING_etcd_cert, c->etcd_cert},
               {SIOX_SETTING_etcd_key, c->etcd_key}};
  bool secure = false;
  for (uint32_t i = 0; i < c->etcd.count; i++)
    secure |= !strncmp(c->etcd.item[i], "https:", 6);
  for (size_t i = 0; i < 3; i++)
    if (files[i].path && !secure)
      return siox_config_refuse(c, files[i].setting, diag, SIOX_EINVAL,
                                "no server of `etcd` is https://");
    else if (files[i].path && access(files[i].path, R_OK) < 0)
      return siox_config_refuse(c, files[i].setting, diag, SIOX_EIO, "%.300s: %s", files[i].path,
                                strerror(errno));
  if (!c->etcd_cert != !c->etcd_key)
    return siox_config_refuse(c, c->etcd_cert ? SIOX_SETTING_etcd_cert : SIOX_SETTING_etcd_key,
                              diag, SIOX_EINVAL,
                              "a certificate and its key go together: %s is unset",
                              c->etcd_cert ? "etcd_key" : "etcd_cert");
  if (c->etcd_lease < 2 || c->etcd_lease > 600)
    return siox_config_refuse(c, SIOX_SETTING_etcd_lease, diag, SIOX_ERANGE,
                              "seconds from 2 to 600 are wanted");
  if (!c->etcd_prefix)
    return siox_config_refuse(c, SIOX_SETTING_etcd_prefix, diag, SIOX_EINVAL, "must not be empty");
  return 0;
}

static int name(struct siox__nodes *n, const struct siox_config *c, struct siox_diag *diag) {
  uint64_t number = 0;
  if (c->node)
    snprintf(n->name, sizeof n->name, "%s", c->node);
  else if (gethostname(n->name, sizeof n->name - 1) < 0 || !siox__is_word(n->name, strlen(n->name)))
    return siox_config_refuse(c, SIOX_SETTING_node, diag, SIOX_EINVAL,
                              "the host's name is not one of 1 to 63 letters, digits, dots, "
                              "underscores and hyphens: give this node another");
  if (getrandom(&number, sizeof number, GRND_NONBLOCK) != (ssize_t)sizeof number)
    number = (uint64_t)siox__now_ns() ^ (uint64_t)getpid() << 40;
  snprintf(n->owner, sizeof n->owner, "%016" PRIx64, number);
  snprintf(n->prefix, sizeof n->prefix, "%s/v1/nodes/", c->etcd_prefix);
  snprintf(n->key, sizeof n->key, "%s%s", n->prefix, n->name);
  return 0;
}

int siox__nodes_start(struct siox__nodes **out, const struct siox_config *c,
                      const struct siox__log *log, struct siox_diag *diag) {
  *out = NULL;
  if (c->etcd.count == 0)
    return 0;
  int e = check(c, diag);
  struct siox__nodes *n = e == 0 ? calloc(1, sizeof *n) : NULL;
  if (!n)
    return e < 0 ? e : SIOX_ENOMEM;
  n->log = log;
  n->lease_ns = (int64_t)(c->etcd_lease * 1e9);
  n->heard.most = MOST_NODES - 1; /* and this one */
  pthread_mutex_init(&n->lock, NULL);
  e = name(n, c, diag);
  const struct siox__etcd_options options = {.servers = &c->etcd,
                                             .files = {c->etcd_ca, c->etcd_cert, c->etcd_key},
                                             .prefix = n->prefix,
                                             .lease_s = (int64_t)(c->etcd_lease + 0.5),
                                             .seed = (unsigned)strtoul(n->owner, NULL, 16),
                                             .calls = {turn, begins, found, ends, state, n}};
  if (e == 0 && (e = siox__etcd_start(&n->etcd, &options)) == SIOX_EUNKNOWN)
    e = siox_config_refuse(c, SIOX_SETTING_etcd, diag, e,
                           "libcurl.so.4 is not there, or was not when this sioxd was built");
  if (e < 0)
    siox__nodes_free(n);
  else
    *out = n;
  return e;
}

void siox__nodes_stop(struct siox__nodes *n) {
  if (!n)
    return;
  pthread_mutex_lock(&n->lock);
  struct siox__etcd *etcd = n->etcd;
  n->etcd = NULL;
  pthread_mutex_unlock(&n->lock);
  n->left |= !siox__etcd_end(etcd);
}

void siox__nodes_free(struct siox__nodes *n) {
  siox__nodes_stop(n);
  if (!n || n->left) /* a thread that does not end may still want it */
    return;
  pthread_mutex_destroy(&n->lock);
  siox__nodes_table_free(&n->heard);
  free(n);
}
