/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A trigger's message to syslog (a datagram to /dev/log, as RFC 3164 has it) and its webhook (JSON
 * by POST). */
#include "daemon/act.h"
#include "daemon/curl.h"
#include "monitor/metrics.h"
#include <errno.h>
#include <jansson.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

int siox__act_syslog(const struct siox__doing *doing, const struct siox__action *action,
                     const struct siox__event *event, struct siox_diag *why) {
  enum { DAEMON = 3 << 3 }; /* the facility */
  struct sockaddr_un to = {.sun_family = AF_UNIX};
  char text[1024], when[32] = "";
  const time_t now = event->wall_ns / 1000000000;
  struct tm local;
  if (localtime_r(&now, &local))
    strftime(when, sizeof when, "%b %e %H:%M:%S", &local);
  const int n =
      snprintf(text, sizeof text, "<%d>%s sioxd[%d]: %s: %s, %s%s%s: %s",
               DAEMON | (int)action->value, when, (int)getpid(), siox__level_name(event->level),
               siox_condition_name(event->state), siox_verdict_name(event->verdict),
               *event->subject ? " of " : "", event->subject, event->evidence);
  const int length = snprintf(to.sun_path, sizeof to.sun_path, "%s/dev/log", doing->root);
  const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  int e = 0;
  if (length < 0 || (size_t)length >= sizeof to.sun_path)
    errno = ENAMETOOLONG;
  if (fd < 0 || length < 0 || (size_t)length >= sizeof to.sun_path ||
      sendto(fd, text, (size_t)(n < (int)sizeof text ? n : (int)sizeof text - 1), MSG_DONTWAIT,
             (const struct sockaddr *)&to, sizeof to) < 0) {
    snprintf(why->text, sizeof why->text, "syslog: %.80s/dev/log: %s", doing->root,
             strerror(errno));
    e = SIOX_EIO;
  }
  if (fd >= 0)
    close(fd);
  return e;
}

#ifdef SIOX_CURL
/* Asked when monitor.yaml is read, before there are threads. */
bool siox__act_has_webhooks(void) { return siox__curl(); }

static char *body_of(const struct siox__event *event) {
  json_t *o = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:f}", "host", event->host, "level",
                        siox__level_name(event->level), "state", siox_condition_name(event->state),
                        "verdict", siox_verdict_name(event->verdict), "category",
                        siox_category_name(event->category), "subject", event->subject, "evidence",
                        event->evidence, "time", 1e-9 * (double)event->wall_ns);
  if (o && *event->job) {
    json_object_set_new(o, "job", json_string(event->job));
    json_object_set_new(o, "rank", json_integer(event->rank));
    json_object_set_new(o, "pid", json_integer(event->pid));
  }
  char *text = o ? json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(15)) : NULL;
  json_decref(o);
  return text;
}

static size_t ignore(char *data, size_t size, size_t n, void *unused) {
  (void)data, (void)unused;
  return size * n;
}

/* Not 0: it is given up. */
static int goes_on(void *context, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d) {
  (void)a, (void)b, (void)c, (void)d;
  const struct siox__doing *doing = context;
  struct pollfd end = {.fd = doing->end_fd, .events = POLLIN};
  return poll(&end, 1, 0) > 0;
}

int siox__act_webhook(const struct siox__doing *doing, const struct siox__action *action,
                      const struct siox__event *event, struct siox_diag *why) {
  const struct siox__curl *curl = siox__curl(); /* there is one, or no webhook */
  CURL *c = curl->easy_init();
  char *body = body_of(event);
  struct curl_slist *headers = curl->append(NULL, "Content-Type: application/json");
  long status = 0;
  CURLcode r = CURLE_OUT_OF_MEMORY;
  if (c && body && headers) {
    curl->setopt(c, CURLOPT_URL, action->argv[0]);
    curl->setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
    curl->setopt(c, CURLOPT_NOPROXY, "localhost,127.0.0.1,::1");
    curl->setopt(c, CURLOPT_HTTPHEADER, headers);
    curl->setopt(c, CURLOPT_USERAGENT, "sioxd");
    curl->setopt(c, CURLOPT_POSTFIELDS, body);
    curl->setopt(c, CURLOPT_WRITEFUNCTION, ignore);
    curl->setopt(c, CURLOPT_NOSIGNAL, 1L);
    curl->setopt(c, CURLOPT_TIMEOUT_MS, (long)(action->seconds * 1e3));
    curl->setopt(c, CURLOPT_NOPROGRESS, 0L);
    curl->setopt(c, CURLOPT_XFERINFOFUNCTION, goes_on);
    curl->setopt(c, CURLOPT_XFERINFODATA, (void *)doing);
    r = curl->perform(c);
    curl->getinfo(c, CURLINFO_RESPONSE_CODE, &status);
  }
  if (r != CURLE_OK)
    snprintf(why->text, sizeof why->text, "webhook %.200s: %s", action->argv[0], curl->strerror(r));
  else if (status < 200 || status > 299)
    snprintf(why->text, sizeof why->text, "webhook %.200s: answered with status %ld",
             action->argv[0], status);
  curl->free_all(headers);
  curl->cleanup(c);
  free(body);
  return *why->text ? SIOX_EIO : 0;
}
#else
bool siox__act_has_webhooks(void) { return false; }

int siox__act_webhook(const struct siox__doing *doing, const struct siox__action *action,
                      const struct siox__event *event, struct siox_diag *why) {
  (void)doing, (void)event;
  snprintf(why->text, sizeof why->text, "webhook %.200s: this sioxd has no client of webhooks",
           action->argv[0]);
  return SIOX_EIO;
}
#endif
