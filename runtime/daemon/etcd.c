/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The client's thread, the keys that it holds, and what it does about a loss. */
#include "common/clock.h"
#include "common/worker.h"
#include "daemon/etcd_internal.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REVOKE_MS = 1000 };
static const int64_t S = INT64_C(1000000000);

static struct siox__held *find(const struct siox__etcd *e, const char *key) {
  struct siox__held *h = e->held;
  while (h && strcmp(h->key, key) != 0)
    h = h->next;
  return h;
}

int siox__etcd_hold(struct siox__etcd *e, const char *key, const void *value, size_t length) {
  struct siox__held *h = find(e, key);
  char *copy = malloc(length + 1);
  if (copy && !h && (h = calloc(1, sizeof *h)) && !(h->key = strdup(key))) {
    free(h);
    h = NULL;
  } else if (copy && h && !h->version) {
    h->next = e->held;
    e->held = h;
  }
  if (!copy || !h) {
    free(copy);
    return SIOX_ENOMEM;
  }
  memcpy(copy, value, length);
  free(h->value);
  h->value = copy;
  h->length = length;
  h->version++;
  h->dropped = false;
  return 0;
}

void siox__etcd_drop(struct siox__etcd *e, const char *key) {
  struct siox__held *h = find(e, key);
  if (h)
    h->dropped = true;
}

/* Half of the time is the same for all, half is not, so that not all come back at once. */
static int64_t pause_of(struct siox__etcd *e) {
  const unsigned doubled = e->failures < 5 ? e->failures : 5;
  const int64_t most = doubled == 5 ? 15 * S : S / 2 << doubled;
  e->seed = e->seed * 1103515245 + 12345;
  return most / 2 + most / 2 * (e->seed >> 16 & 1023) / 1024;
}

/* Everything begins anew, at the next server. The lease may still be there, and is asked for
 * first. */
void siox__etcd_lost(struct siox__etcd *e, int64_t now, const char *format, ...) {
  char why[sizeof e->status.why];
  va_list args;
  va_start(args, format);
  vsnprintf(why, sizeof why, format, args);
  va_end(args);
  siox__http_stop(e->http, SIOX__HTTP_ANSWER);
  siox__http_stop(e->http, SIOX__HTTP_STREAM);
  const char *server = e->servers[e->server];
  if (e->connected && now - e->connected_at > 30 * S)
    e->failures = 0;
  e->retry_at = now + pause_of(e);
  e->failures++;
  e->server = (e->server + 1) % e->nservers;
  e->asked = SIOX__ASKED_NOTHING;
  e->putting = NULL;
  e->keep_at = 0;
  e->listed = e->watching = e->created = false;
  e->page = e->list_revision = e->put_revision = e->seen_revision = 0;
  for (struct siox__held *h = e->held; h; h = h->next)
    h->put = false; /* who knows */
  pthread_mutex_lock(&e->lock);
  e->status.connected = false;
  e->status.losses += e->connected;
  snprintf(e->status.server, sizeof e->status.server, "%s", server);
  snprintf(e->status.why, sizeof e->status.why, "%s", why);
  pthread_mutex_unlock(&e->lock);
  if (e->connected || !e->told)
    e->calls.state(e->calls.context, false, server, why);
  e->connected = false;
  e->told = true;
}

void siox__etcd_connected(struct siox__etcd *e, int64_t now) {
  if (e->connected)
    return;
  const char *server = e->servers[e->server];
  e->connected = e->told = true;
  e->connected_at = now;
  pthread_mutex_lock(&e->lock);
  e->status.connected = true;
  snprintf(e->status.server, sizeof e->status.server, "%s", server);
  *e->status.why = 0;
  pthread_mutex_unlock(&e->lock);
  e->calls.state(e->calls.context, true, server, "");
}

/* So that what it held goes at once. */
static void give_back(struct siox__etcd *e) {
  struct siox__http_end end;
  if (!e->connected || !e->lease)
    return;
  siox__http_stop(e->http, SIOX__HTTP_STREAM);
  if (siox__http_post(e->http, SIOX__HTTP_ANSWER, e->servers[e->server], "/v3/lease/revoke",
                      siox__etcd_lease(e->lease), REVOKE_MS) < 0)
    return;
  for (const int64_t until = siox__now_ns() + 2 * S; siox__now_ns() < until;) {
    siox__http_wait(e->http, REVOKE_MS);
    if (siox__http_ended(e->http, SIOX__HTTP_ANSWER, &end))
      return;
  }
}

static void *run(void *context) {
  struct siox__etcd *e = context;
  while (!atomic_load(&e->ending)) {
    int64_t now = siox__now_ns();
    const int64_t next = e->calls.turn(e->calls.context, e, now);
    siox__etcd_ask(e, now);
    const int64_t due = siox__etcd_due(e, now);
    const int64_t wait = (next < due ? next : due) - now;
    siox__http_wait(e->http, wait < 0 ? 0 : wait > 60 * S ? 60000 : (int)(wait / 1000000 + 1));
    siox__etcd_hear(e, siox__now_ns());
  }
  give_back(e);
  pthread_mutex_lock(&e->lock);
  e->ended = true;
  pthread_cond_signal(&e->end);
  pthread_mutex_unlock(&e->lock);
  return NULL;
}

static void destroy(struct siox__etcd *e) {
  for (struct siox__held *h = e->held, *next; h; h = next) {
    next = h->next;
    free(h->key);
    free(h->value);
    free(h);
  }
  siox__http_free(e->http);
  for (size_t i = 0; i < e->nservers; i++)
    free(e->servers[i]);
  free(e->servers);
  free(e->prefix);
  free(e);
}

static int begin(struct siox__etcd *e) {
  pthread_mutex_init(&e->lock, NULL);
  siox__cond_start(&e->end);
  return siox__worker_start(&e->thread, run, e);
}

static int copy(struct siox__etcd *e, const struct siox__etcd_options *options) {
  e->prefix = strdup(options->prefix);
  e->servers = calloc(options->servers->count, sizeof *e->servers);
  for (uint32_t i = 0; e->servers && i < options->servers->count; i++, e->nservers++)
    if (!(e->servers[i] = strdup(options->servers->item[i])))
      return SIOX_ENOMEM;
  if (!e->prefix || !e->servers)
    return SIOX_ENOMEM;
  e->server = options->seed % e->nservers;
  snprintf(e->status.server, sizeof e->status.server, "%s", e->servers[e->server]);
  snprintf(e->status.why, sizeof e->status.why, "not yet");
  return 0;
}

int siox__etcd_start(struct siox__etcd **out, const struct siox__etcd_options *options) {
  struct siox__etcd *e = calloc(1, sizeof *e);
  *out = NULL;
  if (!e)
    return SIOX_ENOMEM;
  e->calls = options->calls;
  e->lease_s = options->lease_s;
  e->seed = options->seed;
  int error = copy(e, options);
  if (error == 0)
    error = siox__http_new(&e->http, &options->files);
  *out = e; /* calls may look at it as soon as there is a thread */
  if (error == 0)
    error = begin(e);
  if (error < 0) {
    *out = NULL;
    destroy(e);
  }
  return error;
}

bool siox__etcd_end(struct siox__etcd *e) {
  if (!e)
    return true;
  atomic_store(&e->ending, true);
  siox__http_wake(e->http);
  const int64_t by = siox__now_ns() + 4 * S;
  const struct timespec until = {by / S, by % S};
  pthread_mutex_lock(&e->lock);
  while (!e->ended && pthread_cond_timedwait(&e->end, &e->lock, &until) == 0)
    ;
  const bool ended = e->ended;
  pthread_mutex_unlock(&e->lock);
  if (!ended) {
    pthread_detach(e->thread);
    return false;
  }
  pthread_join(e->thread, NULL);
  pthread_cond_destroy(&e->end);
  pthread_mutex_destroy(&e->lock);
  destroy(e);
  return true;
}

void siox__etcd_wake(struct siox__etcd *e) { siox__http_wake(e->http); }

void siox__etcd_status(struct siox__etcd *e, struct siox__etcd_status *status) {
  pthread_mutex_lock(&e->lock);
  *status = e->status;
  pthread_mutex_unlock(&e->lock);
}
