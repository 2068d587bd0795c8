/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* libcurl, where it was there when sioxd was built (SIOX_CURL). It and what it needs cost 30 ms at
 * every start, so it is never linked but loaded where a setting wants it. */
#ifndef SIOX_DAEMON_CURL_H
#define SIOX_DAEMON_CURL_H
#ifdef SIOX_CURL
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

/* CALL(name, symbol, type of what it returns, arguments) */
#define SIOX__CURL_CALLS(CALL)                                                                     \
  CALL(init, curl_global_init, CURLcode, (long))                                                   \
  CALL(easy_init, curl_easy_init, CURL *, (void))                                                  \
  CALL(setopt, curl_easy_setopt, CURLcode, (CURL *, CURLoption, ...))                              \
  CALL(perform, curl_easy_perform, CURLcode, (CURL *))                                             \
  CALL(getinfo, curl_easy_getinfo, CURLcode, (CURL *, CURLINFO, ...))                              \
  CALL(cleanup, curl_easy_cleanup, void, (CURL *))                                                 \
  CALL(strerror, curl_easy_strerror, const char *, (CURLcode))                                     \
  CALL(append, curl_slist_append, struct curl_slist *, (struct curl_slist *, const char *))        \
  CALL(free_all, curl_slist_free_all, void, (struct curl_slist *))                                 \
  CALL(multi_init, curl_multi_init, CURLM *, (void))                                               \
  CALL(multi_cleanup, curl_multi_cleanup, CURLMcode, (CURLM *))                                    \
  CALL(multi_add, curl_multi_add_handle, CURLMcode, (CURLM *, CURL *))                             \
  CALL(multi_remove, curl_multi_remove_handle, CURLMcode, (CURLM *, CURL *))                       \
  CALL(multi_perform, curl_multi_perform, CURLMcode, (CURLM *, int *))                             \
  CALL(multi_poll, curl_multi_poll, CURLMcode,                                                     \
       (CURLM *, struct curl_waitfd *, unsigned, int, int *))                                      \
  CALL(multi_wakeup, curl_multi_wakeup, CURLMcode, (CURLM *))                                      \
  CALL(multi_read, curl_multi_info_read, CURLMsg *, (CURLM *, int *))

struct siox__curl {
#define CALL(name, symbol, type, arguments) type(*name) arguments;
  SIOX__CURL_CALLS(CALL)
#undef CALL
};
/* NULL: libcurl.so.4 is not there. The first time before there are threads. */
const struct siox__curl *siox__curl(void);
#endif
#endif
