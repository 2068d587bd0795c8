/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One request at a time, and the watch beside it. The order: the lease, the list, the watch, what
 * is to be put. A reason to begin anew that is etcd's own (a compacted revision, a lease that is
 * not there) is no loss. */
#include "daemon/etcd_internal.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ANSWER_MS = 5000, PAGE = 256 };
static const int64_t S = INT64_C(1000000000);

static void post(struct siox__etcd *e, int64_t now, enum siox__asked asked, const char *path,
                 char *body) {
  e->asked = asked;
  if (siox__http_post(e->http, SIOX__HTTP_ANSWER, e->servers[e->server], path, body, ANSWER_MS) <
      0) {
    siox__etcd_lost(e, now, "no memory for a request");
    return;
  }
  pthread_mutex_lock(&e->lock);
  e->status.requests++;
  e->status.puts += asked == SIOX__PUT;
  pthread_mutex_unlock(&e->lock);
}

static void list_anew(struct siox__etcd *e, int64_t page) {
  siox__http_stop(e->http, SIOX__HTTP_STREAM);
  e->listed = e->watching = false;
  e->list_revision = 0;
  e->page = page;
  e->from_length = strlen(e->prefix);
  memcpy(e->from, e->prefix, e->from_length);
}

/* A revision was compacted. A server that says so again and again is let be for a while. */
static void list_again(struct siox__etcd *e, int64_t now) {
  if (e->relisted_at && now - e->relisted_at < S) {
    siox__etcd_lost(e, now, "revisions are compacted before they can be watched");
    return;
  }
  e->relisted_at = now;
  list_anew(e, PAGE);
}

/* The lease is not there any more: another one is asked for next. */
static void lease_is_lost(struct siox__etcd *e, int64_t now) {
  const bool again = e->lease_lost_at && now - e->lease_lost_at < S;
  e->lease = 0;
  e->lease_lost_at = now;
  if (again)
    siox__etcd_lost(e, now, "leases are lost as soon as they are granted");
}

static void watch(struct siox__etcd *e, int64_t now) {
  e->watching = true;
  e->created = false;
  e->watched_at = now;
  if (siox__http_post(e->http, SIOX__HTTP_STREAM, e->servers[e->server], "/v3/watch",
                      siox__etcd_watch(e->prefix, e->list_revision + 1), 0) < 0)
    siox__etcd_lost(e, now, "no memory for a watch");
}

static void ask_held(struct siox__etcd *e, int64_t now) {
  struct siox__held *h = e->held;
  while (h && !h->dropped && h->put && h->said == h->version)
    h = h->next;
  if (!h)
    return;
  e->putting = h;
  h->said = h->version;
  if (h->dropped)
    post(e, now, SIOX__DROP, "/v3/kv/deleterange", siox__etcd_delete(h->key));
  else
    post(e, now, SIOX__PUT, "/v3/kv/put", siox__etcd_put(h->key, h->value, h->length, e->lease));
}

void siox__etcd_ask(struct siox__etcd *e, int64_t now) {
  if (e->asked != SIOX__ASKED_NOTHING || now < e->retry_at)
    return;
  if (!e->lease)
    post(e, now, SIOX__GRANT, "/v3/lease/grant", siox__etcd_grant(e->lease_s));
  else if (now >= e->keep_at)
    post(e, now, SIOX__KEEP, "/v3/lease/keepalive", siox__etcd_lease(e->lease));
  else if (!e->listed) {
    if (!e->page)
      list_anew(e, PAGE);
    post(e, now, SIOX__LIST, "/v3/kv/range",
         siox__etcd_range(e->prefix, e->from, e->from_length, e->page, e->list_revision));
  } else if (!e->watching)
    watch(e, now);
  else if (e->created)
    ask_held(e, now);
}

static void item(struct siox__etcd *e, const struct siox__etcd_answer *a, size_t i) {
  const int r = siox__etcd_item(a, i, &e->item);
  e->calls.found(e->calls.context, r < 0 ? NULL : &e->item);
  size_t n = e->item.key_length;
  if (n == 0)
    return;
  memcpy(e->from, e->item.key, n);
  if (e->item.key_is_longer) { /* the keys behind all that begin so */
    while (n > 1 && (unsigned char)e->from[n - 1] == UCHAR_MAX)
      n--;
    e->from[n - 1] = (char)((unsigned char)e->from[n - 1] + 1);
  } else {
    e->from[n++] = 0; /* the one behind it */
  }
  e->from_length = n;
}

static void hear_list(struct siox__etcd *e, const struct siox__etcd_answer *a, int64_t now) {
  const size_t before = e->from_length;
  char from[sizeof e->from];
  memcpy(from, e->from, before);
  if (a->revision == INT64_MAX) { /* the watch begins with the next one */
    siox__etcd_lost(e, now, "a list of a revision that has no next one");
    return;
  }
  if (!e->list_revision) {
    e->calls.begins(e->calls.context);
    e->list_revision = a->revision;
  }
  for (size_t i = 0; i < a->n; i++)
    item(e, a, i);
  if (a->more && before == e->from_length && !memcmp(from, e->from, before)) {
    siox__etcd_lost(e, now, "a list that has no end");
    return;
  }
  e->listed = !a->more;
  if (!e->listed)
    return;
  e->page = 0; /* the next list begins with what there is then */
  e->seen_revision = e->list_revision;
  e->calls.ends(e->calls.context);
  pthread_mutex_lock(&e->lock);
  e->status.lists++;
  pthread_mutex_unlock(&e->lock);
}

static void hear_lease(struct siox__etcd *e, const struct siox__etcd_answer *a, int64_t now) {
  if (e->asked == SIOX__GRANT && a->id <= 0) {
    siox__etcd_lost(e, now, "a lease without a number");
    return;
  }
  if (e->asked == SIOX__GRANT) {
    e->lease = a->id;
    for (struct siox__held *h = e->held; h; h = h->next)
      h->put = false;
  } else if (a->ttl <= 0) {
    lease_is_lost(e, now);
    return;
  }
  e->keep_at = now + e->lease_s * S / 3;
}

static void hear_held(struct siox__etcd *e, const struct siox__etcd_answer *a, int64_t now) {
  struct siox__held *h = e->putting, **at = &e->held;
  e->putting = NULL;
  if (e->asked == SIOX__PUT) {
    h->put = true;
    if (e->put_revision <= e->seen_revision)
      e->put_at = now; /* the first one that the watch has not said */
    e->put_revision = a->revision;
    return;
  }
  if (!h->dropped)
    return; /* held again meanwhile: it is put next */
  while (*at != h)
    at = &(*at)->next;
  *at = h->next;
  free(h->key);
  free(h->value);
  free(h);
}

static void hear_answer(struct siox__etcd *e, const struct siox__http_end *end, int64_t now) {
  struct siox__etcd_answer a = {.n = 0};
  const enum siox__asked asked = e->asked;
  if (end->too_long && asked == SIOX__LIST && e->page > 1) {
    list_anew(e, 1); /* somebody's values are that long: one by one they are not */
    e->asked = SIOX__ASKED_NOTHING;
    return;
  }
  if (*end->why) {
    siox__etcd_lost(e, now, "%s", end->why);
    return;
  }
  const int r = siox__etcd_read(&a, end->body, end->length);
  if (r == 0 && a.no_lease && (asked == SIOX__PUT || asked == SIOX__KEEP))
    lease_is_lost(e, now);
  else if (r == 0 && a.compacted && asked == SIOX__LIST)
    list_again(e, now);
  else if (r < 0)
    siox__etcd_lost(e, now, "what answers with status %ld is not etcd", end->status);
  else if (*a.error)
    siox__etcd_lost(e, now, "%s", a.error);
  else if (asked == SIOX__GRANT || asked == SIOX__KEEP)
    hear_lease(e, &a, now);
  else if (asked == SIOX__LIST)
    hear_list(e, &a, now);
  else if (e->putting)
    hear_held(e, &a, now);
  e->asked = SIOX__ASKED_NOTHING;
  siox__etcd_answer_end(&a);
}

static void hear_line(struct siox__etcd *e, const char *line, size_t length, int64_t now) {
  struct siox__etcd_answer a = {.n = 0};
  const int r = siox__etcd_read(&a, line, length);
  if (r < 0)
    siox__etcd_lost(e, now, "the watch says what is no JSON of etcd");
  else if (*a.error)
    siox__etcd_lost(e, now, "%s", a.error);
  else if (a.compacted)
    list_again(e, now);
  else if (a.canceled)
    siox__etcd_lost(e, now, "the watch was ended by the server");
  else {
    e->created |= a.created;
    e->seen_at = now;
    e->seen_revision = a.revision > e->seen_revision ? a.revision : e->seen_revision;
    for (size_t i = 0; a.events && i < a.n; i++) {
      const int bad = siox__etcd_item(&a, i, &e->item);
      e->calls.found(e->calls.context, bad < 0 ? NULL : &e->item);
    }
    if (e->created)
      siox__etcd_connected(e, now);
  }
  siox__etcd_answer_end(&a);
}

/* A watch that does not begin, or says nothing while something that this client itself has put is
 * still to be said, is dead, whatever TCP thinks. One that is late but goes on is let be: a server
 * that has much to do would have more with another list. */
static int64_t deaf_at(const struct siox__etcd *e) {
  if (e->watching && !e->created)
    return e->watched_at + ANSWER_MS * (S / 1000);
  const int64_t last = e->put_at > e->seen_at ? e->put_at : e->seen_at;
  return e->watching && e->put_revision > e->seen_revision ? last + 10 * S : INT64_MAX;
}

void siox__etcd_hear(struct siox__etcd *e, int64_t now) {
  struct siox__http_end end;
  const char *line;
  size_t length;
  while (e->watching && (line = siox__http_line(e->http, &length)))
    if (length > 0)
      hear_line(e, line, length, now);
  if (siox__http_ended(e->http, SIOX__HTTP_STREAM, &end) && e->watching)
    siox__etcd_lost(e, now, "%s", *end.why ? end.why : "the watch has ended");
  else if (now >= deaf_at(e))
    siox__etcd_lost(e, now, "%s",
                    e->created ? "the watch says nothing of what was put"
                               : "there is no answer to a watch");
  if (siox__http_ended(e->http, SIOX__HTTP_ANSWER, &end) && e->asked != SIOX__ASKED_NOTHING)
    hear_answer(e, &end, now);
}

int64_t siox__etcd_due(const struct siox__etcd *e, int64_t now) {
  const int64_t deaf = deaf_at(e);
  if (e->asked != SIOX__ASKED_NOTHING)
    return deaf; /* the answer wakes */
  if (now < e->retry_at)
    return e->retry_at;
  if (!e->lease || !e->listed || !e->watching)
    return now;
  for (const struct siox__held *h = e->held; e->created && h; h = h->next)
    if (h->dropped || !h->put || h->said != h->version)
      return now;
  return e->keep_at < deaf ? e->keep_at : deaf;
}
