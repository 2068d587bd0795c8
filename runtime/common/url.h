/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Places of databases: a path, csv:DIRECTORY or the URL of a server, which may have a password in
 * it. Thread-safe. */
#ifndef SIOX_COMMON_URL_H
#define SIOX_COMMON_URL_H
#include <stdbool.h>

#define SIOX__CSV_PREFIX "csv:"

/* postgresql://... or postgres://... */
bool siox__url_of_server(const char *place);
/* As others may see it: of a URL what stands between the user's name and the host is left out, and
 * of its parameters the values of all but a few that tell where it leads. The caller frees it;
 * NULL: no memory. */
char *siox__url_public(const char *place);
/* http://HOST, https://HOST:PORT, of a name or an address (IPv6 in brackets), and nothing more. */
bool siox__url_of_http(const char *text);

#endif
