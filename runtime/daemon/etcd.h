/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A client of etcd on a thread of its own: keys that are held under one lease, and one prefix that
 * is listed and then watched. Whatever happens to the servers - none, refused, killed, started
 * again, a lease that is lost, a revision that is compacted, nonsense - it goes on trying, at most
 * every 15 s, and then claims its keys again and lists again: that is the same as at the first
 * time. Nothing is waited for but by that thread. */
#ifndef SIOX_DAEMON_ETCD_H
#define SIOX_DAEMON_ETCD_H
#include "daemon/etcd_http.h"
#include "daemon/etcd_text.h"
#include "siox/config.h"

struct siox__etcd;

/* All are called by the client's thread, with the context. */
struct siox__etcd_calls {
  /* Before each wait, and when siox__etcd_wake was called: may hold and drop keys; when it wants to
   * be called again at the latest. */
  int64_t (*turn)(void *context, struct siox__etcd *e, int64_t now_ns);
  /* A list of all keys begins, has one, has ended; then what changes. item NULL: one that is none
   * or is too long. */
  void (*begins)(void *context);
  void (*found)(void *context, const struct siox__etcd_item *item);
  void (*ends)(void *context);
  /* The prefix is watched, and the keys are held, or no longer, and why: once a change. */
  void (*state)(void *context, bool connected, const char *server, const char *why);
  void *context;
};
struct siox__etcd_options {
  const struct siox_config_list *servers; /* at least one; copied, as are */
  struct siox__http_files files;
  const char *prefix;
  int64_t lease_s;
  unsigned seed; /* so that not all clients try at once */
  struct siox__etcd_calls calls;
};
/* What is told of it. */
struct siox__etcd_status {
  bool connected;
  char server[128], why[200];
  uint64_t puts, requests, losses, lists;
};

/* SIOX_EUNKNOWN: there is no libcurl. */
int siox__etcd_start(struct siox__etcd **out, const struct siox__etcd_options *options);
/* Gives the lease back where a server answers within a second. False: the thread does not end (a
 * name server does not answer): it is left behind, with all that it calls. */
bool siox__etcd_end(struct siox__etcd *e); /* NULL is fine */
void siox__etcd_wake(struct siox__etcd *e);
void siox__etcd_status(struct siox__etcd *e, struct siox__etcd_status *status);
/* In `turn` and the other calls only. The key is to have the value, as long as this client lives;
 * SIOX_ENOMEM. */
int siox__etcd_hold(struct siox__etcd *e, const char *key, const void *value, size_t length);
void siox__etcd_drop(struct siox__etcd *e, const char *key);

#endif
