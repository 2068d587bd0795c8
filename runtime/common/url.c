/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A password is left out wherever it may stand, also in a URL that no server would take: what is
 * shown is what is known to be harmless. */
#include "common/url.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool siox__url_of_server(const char *place) {
  return !strncmp(place, "postgresql://", 13) || !strncmp(place, "postgres://", 11);
}

static bool harmless(const char *name, size_t length) {
  static const char *const known[] = {
      "host",    "hostaddr", "port",           "dbname", "user", "sslmode", "target_session_attrs",
      "service", "options",  "connect_timeout"};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strlen(known[i]) == length && !memcmp(known[i], name, length))
      return true;
  return false;
}

static void put_parameters(FILE *out, const char *at) {
  for (char before = '?'; *at; before = '&') {
    size_t length = strcspn(at, "&"), name = strcspn(at, "=&");
    fputc(before, out);
    if (harmless(at, name))
      fwrite(at, 1, length, out);
    else if (name < length) /* a word without a value may be anything */
      fprintf(out, "%.*s=...", (int)name, at);
    else
      fputs("...", out);
    at += length + (at[length] == '&');
  }
}

char *siox__url_public(const char *place) {
  if (!siox__url_of_server(place))
    return strdup(place);
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  if (!out)
    return NULL;
  const char *user = strstr(place, "://") + 3, *end = user + strcspn(user, "?"), *host = user;
  for (const char *c = user; c < end; c++) /* a password may hold @, too, rightly or not */
    if (*c == '@')
      host = c + 1;
  fwrite(place, 1, (size_t)(user - place), out);
  if (host > user)
    fprintf(out, "%.*s@", (int)strcspn(user, ":@"), user);
  if (host == user && strchr(end, '@')) /* ? may be of a password */
    fputs("...", out);
  else
    fwrite(host, 1, (size_t)(end - host), out);
  if (*end)
    put_parameters(out, end + 1);
  bool lost = ferror(out) != 0;
  if (fclose(out) != 0 || lost) {
    free(text);
    return NULL;
  }
  return text;
}

bool siox__url_of_http(const char *text) {
  const char *host = !strncmp(text, "http://", 7)    ? text + 7
                     : !strncmp(text, "https://", 8) ? text + 8
                                                     : "";
  const bool bracket = *host == '[';
  host += bracket;
  const size_t n = strspn(host, bracket ? "0123456789abcdefABCDEF:."
                                        : "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                          "0123456789.-_");
  const char *port = host + n;
  if (n == 0 || n > 100 || (bracket && *port++ != ']'))
    return false;
  if (!*port)
    return true;
  unsigned number = 0;
  const size_t digits = strspn(port + 1, "0123456789");
  for (size_t i = 1; i <= digits && i <= 5; i++)
    number = 10 * number + (unsigned)(port[i] - '0');
  return *port == ':' && digits > 0 && digits <= 5 && !port[1 + digits] && number > 0 &&
         number <= 65535;
}
