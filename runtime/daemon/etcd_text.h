/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is said to etcd and what it answers, as JSON of its gateway (etcd 3.4, docs: "Why gRPC
 * gateway"): int64 are texts, keys and values base64, and each answer of a stream is a line with a
 * "result". Nothing that comes is trusted: numbers are checked, lengths are bounded. Pure;
 * thread-safe. */
#ifndef SIOX_DAEMON_ETCD_TEXT_H
#define SIOX_DAEMON_ETCD_TEXT_H
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  SIOX__ETCD_KEY = 510,     /* bytes of a key that are taken; */
  SIOX__ETCD_VALUE = 65536, /* and of a value */
};

/* Bytes of n, encoded; the text without its 0. */
#define SIOX__BASE64_LENGTH(n) (((n) + 2) / 3 * 4)
void siox__base64_put(const void *data, size_t n, char *text); /* and a 0 */
/* Only what siox__base64_put would have made. The bytes, at most SIZE of them; SIOX_ESYNTAX;
 * SIOX_ERANGE: there are more. */
int siox__base64_get(const char *text, size_t length, void *data, size_t size);

/* Requests: texts for free(), NULL without memory. lease 0: none. */
char *siox__etcd_put(const char *key, const void *value, size_t length, int64_t lease);
char *siox__etcd_delete(const char *key);
/* Keys from `from` on that begin with prefix, which is not empty; revision 0: as they are now. */
char *siox__etcd_range(const char *prefix, const char *from, size_t length, int64_t most,
                       int64_t revision);
char *siox__etcd_watch(const char *prefix, int64_t revision);
char *siox__etcd_grant(int64_t seconds);
char *siox__etcd_lease(int64_t id); /* to be kept, or revoked */

struct siox__etcd_answer {
  char error[160];           /* "": none; printable */
  bool no_lease;             /* it is that the lease is not there, */
  bool compacted;            /* or that the revision is not there any more */
  int64_t revision, id, ttl; /* 0: none */
  bool created, canceled, more;
  size_t n; /* keys, or events */
  json_t *root, *list;
  bool events;
};
/* SIOX_ESYNTAX: no answer of etcd. Also then siox__etcd_answer_end is harmless. */
int siox__etcd_read(struct siox__etcd_answer *a, const char *text, size_t length);
void siox__etcd_answer_end(struct siox__etcd_answer *a);

struct siox__etcd_item {
  size_t key_length, length;
  int64_t revision;                                          /* of its last change */
  bool deleted;                                              /* it has no value then */
  bool key_is_longer;                                        /* than what is here of it */
  char key[SIOX__ETCD_KEY + 1], value[SIOX__ETCD_VALUE + 1]; /* 0 behind them */
};
/* SIOX_ESYNTAX: it is none; SIOX_ERANGE: it is too long. What could be read of its key is there,
 * key_length 0: nothing. */
int siox__etcd_item(const struct siox__etcd_answer *a, size_t i, struct siox__etcd_item *item);

#endif
