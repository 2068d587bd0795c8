/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* JSON by POST over libcurl: one request that is answered as a whole, and one whose answer is a
 * stream of lines, at the same time and on one thread. All but siox__http_wake is that thread's. */
#ifndef SIOX_DAEMON_ETCD_HTTP_H
#define SIOX_DAEMON_ETCD_HTTP_H
#include <stdbool.h>
#include <stddef.h>

struct siox__http;
enum siox__http_slot { SIOX__HTTP_ANSWER, SIOX__HTTP_STREAM };
/* More of an answer than this that has not been taken ends it. */
enum { SIOX__HTTP_BYTES = 8 << 20 };

struct siox__http_files {
  const char *ca, *cert, *key; /* NULL: the system's, none, none */
};
struct siox__http_end {
  char why[160]; /* "": it ended as it should; printable */
  bool too_long; /* why */
  long status;
  const char *body; /* until the next request there */
  size_t length;
};

/* Before there are threads. The files' names are copied. SIOX_EUNKNOWN: there is no libcurl. */
int siox__http_new(struct siox__http **out, const struct siox__http_files *files);
void siox__http_free(struct siox__http *h); /* NULL is fine */
/* The body is freed. milliseconds 0: it may take any time once there is a connection. What was
 * there before is given up. SIOX_ENOMEM. */
int siox__http_post(struct siox__http *h, enum siox__http_slot slot, const char *server,
                    const char *path, char *body, long milliseconds);
void siox__http_stop(struct siox__http *h, enum siox__http_slot slot);
/* Does what can be done, after so long or sooner when something comes or it is woken. */
void siox__http_wait(struct siox__http *h, int milliseconds);
void siox__http_wake(struct siox__http *h); /* from any thread */
/* True: the request has ended, said once. */
bool siox__http_ended(struct siox__http *h, enum siox__http_slot slot, struct siox__http_end *end);
/* The next whole line of the stream, until the next call; NULL: there is none yet. */
const char *siox__http_line(struct siox__http *h, size_t *length);

#endif
