/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What etcd.c (the thread) and etcd_step.c (what is asked next, and what an answer means) share. */
#ifndef SIOX_DAEMON_ETCD_INTERNAL_H
#define SIOX_DAEMON_ETCD_INTERNAL_H
#include "daemon/etcd.h"
#include <pthread.h>
#include <stdatomic.h>

struct siox__held {
  struct siox__held *next;
  char *key, *value;
  size_t length;
  uint64_t version, said; /* of the value; that is being put, or was */
  bool put;               /* version `said` is there */
  bool dropped;
};
enum siox__asked {
  SIOX__ASKED_NOTHING,
  SIOX__GRANT,
  SIOX__KEEP,
  SIOX__LIST,
  SIOX__PUT,
  SIOX__DROP
};

struct siox__etcd {
  struct siox__etcd_calls calls;
  int64_t lease_s;
  char *prefix;
  char **servers;
  size_t nservers;
  struct siox__http *http;
  pthread_t thread;
  atomic_bool ending;
  pthread_mutex_t lock;
  pthread_cond_t end;
  struct siox__etcd_status status; /* under the lock, as is */
  bool ended;

  /* the thread's own */
  size_t server; /* that is asked now */
  enum siox__asked asked;
  struct siox__held *held, *putting;
  int64_t lease;   /* 0: none */
  int64_t keep_at; /* when it is to be kept again */
  int64_t lease_lost_at, relisted_at, watched_at, retry_at;
  unsigned failures, seed;
  bool listed, watching, created, connected, told;
  int64_t connected_at;
  char from[SIOX__ETCD_KEY + 2]; /* the next key of the list */
  size_t from_length;
  int64_t page, list_revision; /* 0: of now */
  int64_t put_revision, put_at, seen_revision, seen_at;
  struct siox__etcd_item item;
};

/* etcd_step.c */
void siox__etcd_ask(struct siox__etcd *e, int64_t now);
void siox__etcd_hear(struct siox__etcd *e, int64_t now);
int64_t siox__etcd_due(const struct siox__etcd *e, int64_t now); /* when to look again */
/* etcd.c */
void siox__etcd_lost(struct siox__etcd *e, int64_t now, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void siox__etcd_connected(struct siox__etcd *e, int64_t now);

#endif
