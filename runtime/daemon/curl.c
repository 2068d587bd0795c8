/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loads libcurl. */
#include "daemon/curl.h"
#ifdef SIOX_CURL
#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

const struct siox__curl *siox__curl(void) {
  static struct siox__curl curl;
  static const struct {
    const char *name;
    void *at;
  } needed[] = {
#define CALL(name, symbol, type, arguments) {#symbol, &curl.name},
      SIOX__CURL_CALLS(CALL)
#undef CALL
  };
  static bool loaded;
  if (loaded)
    return &curl;
  void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return NULL;
  for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
    void *symbol = dlsym(library, needed[i].name);
    if (!symbol)
      return NULL;
    memcpy(needed[i].at, &symbol, sizeof symbol);
  }
  loaded = curl.init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  return loaded ? &curl : NULL;
}
#endif
