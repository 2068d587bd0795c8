/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* POST over libcurl's multi interface. */
#include "daemon/etcd_http.h"
#include "daemon/curl.h"
#include "monitor/metrics.h"
#include "siox/error.h"
#ifdef SIOX_CURL
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { KEPT = 65536, CONNECT_MS = 3000 };

struct slot {
  CURL *easy;
  char *body;
  char *data;                         /* of the answer */
  size_t length, room, taken, looked; /* for the end of a line */
  bool open, ended, too_long;
  CURLcode result;
  char error[CURL_ERROR_SIZE];
};
struct siox__http {
  const struct siox__curl *curl;
  char *ca, *cert, *key;
  CURLM *multi;
  struct curl_slist *headers;
  struct slot slot[2];
};

/* Of NULL: NULL. */
static bool copy(char **to, const char *from) {
  *to = from ? strdup(from) : NULL;
  return !from || *to;
}

int siox__http_new(struct siox__http **out, const struct siox__http_files *files) {
  const struct siox__curl *curl = siox__curl();
  *out = NULL;
  if (!curl)
    return SIOX_EUNKNOWN;
  struct siox__http *h = calloc(1, sizeof *h);
  if (!h)
    return SIOX_ENOMEM;
  h->curl = curl;
  const bool named =
      copy(&h->ca, files->ca) && copy(&h->cert, files->cert) && copy(&h->key, files->key);
  h->multi = curl->multi_init();
  h->headers = curl->append(NULL, "Content-Type: application/json");
  for (int i = 0; i < 2; i++)
    h->slot[i].easy = curl->easy_init();
  if (!named || !h->multi || !h->headers || !h->slot[0].easy || !h->slot[1].easy) {
    siox__http_free(h);
    return SIOX_ENOMEM;
  }
  *out = h;
  return 0;
}

void siox__http_free(struct siox__http *h) {
  if (!h)
    return;
  for (int i = 0; i < 2; i++) {
    siox__http_stop(h, (enum siox__http_slot)i);
    h->curl->cleanup(h->slot[i].easy);
    free(h->slot[i].data);
  }
  h->curl->multi_cleanup(h->multi);
  h->curl->free_all(h->headers);
  free(h->ca);
  free(h->cert);
  free(h->key);
  free(h);
}

static size_t take(char *data, size_t one, size_t n, void *context) {
  struct slot *s = context;
  (void)one; /* 1, says libcurl */
  if (s->taken > 0) {
    s->length -= s->taken;
    s->looked = s->looked > s->taken ? s->looked - s->taken : 0;
    memmove(s->data, s->data + s->taken, s->length);
    s->taken = 0;
  }
  if (n > SIOX__HTTP_BYTES - s->length) {
    s->too_long = true;
    return 0;
  }
  if (s->length + n > s->room) {
    const size_t room = 2 * (s->length + n);
    char *more = realloc(s->data, room);
    if (!more)
      return 0;
    s->data = more;
    s->room = room;
  }
  memcpy(s->data + s->length, data, n);
  s->length += n;
  return n;
}

/* No command of a trigger gets these. */
static curl_socket_t open_socket(void *context, curlsocktype kind, struct curl_sockaddr *at) {
  (void)context, (void)kind;
  return socket(at->family, at->socktype | SOCK_CLOEXEC, at->protocol);
}

static void forget(struct slot *s) {
  if (s->room > KEPT) {
    free(s->data);
    s->data = NULL;
    s->room = 0;
  }
  s->length = s->taken = s->looked = 0;
}

void siox__http_stop(struct siox__http *h, enum siox__http_slot slot) {
  struct slot *s = &h->slot[slot];
  if (s->open)
    h->curl->multi_remove(h->multi, s->easy);
  s->open = s->ended = false;
  forget(s);
  free(s->body);
  s->body = NULL;
}

static void prepare(struct siox__http *h, struct slot *s, const char *url, long milliseconds) {
  const struct siox__curl *curl = h->curl;
  curl->setopt(s->easy, CURLOPT_URL, url);
  curl->setopt(s->easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl->setopt(s->easy, CURLOPT_PROXY, ""); /* whatever the environment says */
  curl->setopt(s->easy, CURLOPT_HTTPHEADER, h->headers);
  curl->setopt(s->easy, CURLOPT_USERAGENT, "sioxd");
  curl->setopt(s->easy, CURLOPT_POSTFIELDS, s->body);
  curl->setopt(s->easy, CURLOPT_WRITEFUNCTION, take);
  curl->setopt(s->easy, CURLOPT_WRITEDATA, s);
  curl->setopt(s->easy, CURLOPT_ERRORBUFFER, s->error);
  curl->setopt(s->easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
  curl->setopt(s->easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
  curl->setopt(s->easy, CURLOPT_NOSIGNAL, 1L);
  curl->setopt(s->easy, CURLOPT_TCP_KEEPALIVE, 1L);
  curl->setopt(s->easy, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
  curl->setopt(s->easy, CURLOPT_TIMEOUT_MS, milliseconds);
  if (h->ca)
    curl->setopt(s->easy, CURLOPT_CAINFO, h->ca);
  if (h->cert)
    curl->setopt(s->easy, CURLOPT_SSLCERT, h->cert);
  if (h->key)
    curl->setopt(s->easy, CURLOPT_SSLKEY, h->key);
}

int siox__http_post(struct siox__http *h, enum siox__http_slot slot, const char *server,
                    const char *path, char *body, long milliseconds) {
  struct slot *s = &h->slot[slot];
  char url[512];
  siox__http_stop(h, slot);
  s->body = body;
  s->too_long = false;
  *s->error = 0;
  snprintf(url, sizeof url, "%s%s", server, path);
  if (!body)
    return SIOX_ENOMEM;
  prepare(h, s, url, milliseconds);
  s->open = h->curl->multi_add(h->multi, s->easy) == CURLM_OK;
  return s->open ? 0 : SIOX_ENOMEM;
}

void siox__http_wait(struct siox__http *h, int milliseconds) {
  int running, left;
  h->curl->multi_perform(h->multi, &running);
  const CURLMsg *m = h->curl->multi_read(h->multi, &left);
  if (!m) {
    h->curl->multi_poll(h->multi, NULL, 0, milliseconds, NULL);
    h->curl->multi_perform(h->multi, &running);
    m = h->curl->multi_read(h->multi, &left);
  }
  for (; m; m = h->curl->multi_read(h->multi, &left))
    for (int i = 0; i < 2; i++)
      if (m->msg == CURLMSG_DONE && m->easy_handle == h->slot[i].easy) {
        h->slot[i].ended = true;
        h->slot[i].result = m->data.result;
      }
}

void siox__http_wake(struct siox__http *h) { h->curl->multi_wakeup(h->multi); }

bool siox__http_ended(struct siox__http *h, enum siox__http_slot slot, struct siox__http_end *end) {
  struct slot *s = &h->slot[slot];
  if (!s->ended)
    return false;
  s->ended = false;
  *end = (struct siox__http_end){
      .too_long = s->too_long, .body = s->data ? s->data : "", .length = s->length};
  h->curl->getinfo(s->easy, CURLINFO_RESPONSE_CODE, &end->status);
  if (s->too_long)
    snprintf(end->why, sizeof end->why, "an answer longer than %d MiB", SIOX__HTTP_BYTES >> 20);
  else if (s->result != CURLE_OK)
    snprintf(end->why, sizeof end->why, "%.150s",
             *s->error ? s->error : h->curl->strerror(s->result));
  siox__printable(end->why);
  h->curl->multi_remove(h->multi, s->easy);
  s->open = false;
  return true;
}

const char *siox__http_line(struct siox__http *h, size_t *length) {
  struct slot *s = &h->slot[SIOX__HTTP_STREAM];
  const char *line = s->data ? s->data + s->taken : NULL;
  const size_t from = s->looked > s->taken ? s->looked : s->taken;
  const char *end = line ? memchr(s->data + from, '\n', s->length - from) : NULL;
  if (!end) {
    s->looked = s->length;
    if (s->taken == s->length)
      forget(s);
    return NULL;
  }
  *length = (size_t)(end - line);
  s->taken += *length + 1;
  return line;
}
#else
int siox__http_new(struct siox__http **out, const struct siox__http_files *files) {
  (void)files;
  *out = NULL;
  return SIOX_EUNKNOWN;
}
void siox__http_free(struct siox__http *h) { (void)h; }
int siox__http_post(struct siox__http *h, enum siox__http_slot slot, const char *server,
                    const char *path, char *body, long milliseconds) {
  (void)h, (void)slot, (void)server, (void)path, (void)body, (void)milliseconds;
  return SIOX_EUNKNOWN;
}
void siox__http_stop(struct siox__http *h, enum siox__http_slot slot) { (void)h, (void)slot; }
void siox__http_wait(struct siox__http *h, int milliseconds) { (void)h, (void)milliseconds; }
void siox__http_wake(struct siox__http *h) { (void)h; }
bool siox__http_ended(struct siox__http *h, enum siox__http_slot slot, struct siox__http_end *end) {
  (void)h, (void)slot, (void)end;
  return false;
}
const char *siox__http_line(struct siox__http *h, size_t *length) {
  (void)h, (void)length;
  return NULL;
}
#endif
