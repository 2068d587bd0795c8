/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Settings as text. */
#include "siox/knowledge.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

const char *siox_advice_key(enum siox_advice_key key) {
  static const char *const keys[] = {
#define SIOX_ADVICE(key) #key,
#include "siox/advice.def"
#undef SIOX_ADVICE
  };
  return (unsigned)key < SIOX_NADVICE ? keys[key] : "?";
}

const char *siox_access_name(enum siox_access access) {
  static const char *const names[] = {"read", "write", "both"};
  return (unsigned)access < SIOX_NACCESSES ? names[access] : "?";
}

const char *siox_pattern_name(enum siox_pattern pattern) {
  static const char *const names[] = {"sequential", "strided", "random", "unknown"};
  return (unsigned)pattern < SIOX_NPATTERNS ? names[pattern] : "?";
}

static bool plain(const char *text, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (!isalnum((unsigned char)text[i]) && !strchr("_-+.:,", text[i]))
      return false;
  return true;
}

int siox_settings_parse(struct siox_settings *s, const char *text) {
  *s = (struct siox_settings){0};
  for (const char *p = text; *p;) {
    p += strspn(p, " ");
    const size_t key = strcspn(p, "= "), rest = p[key] == '=' ? strcspn(p + key + 1, " ") : 0;
    const char *value = p + key + 1;
    for (int k = 0; k < SIOX_NADVICE && p[key] == '='; k++) {
      const char *name = siox_advice_key((enum siox_advice_key)k);
      if (strlen(name) != key || memcmp(name, p, key) != 0)
        continue;
      if (rest >= sizeof s->value[k] || !plain(value, rest))
        return SIOX_EINVAL;
      memcpy(s->value[k], value, rest);
      s->value[k][rest] = 0;
    }
    p += p[key] == '=' ? key + 1 + rest : key;
  }
  return 0;
}

int siox_settings_format(const struct siox_settings *s, char *text, size_t size) {
  int n = 0;
  if (size > 0)
    *text = 0;
  for (int k = 0; k < SIOX_NADVICE; k++)
    if (*s->value[k])
      n += snprintf(text + ((size_t)n < size ? (size_t)n : size),
                    (size_t)n < size ? size - (size_t)n : 0, "%s%s=%s", n ? " " : "",
                    siox_advice_key((enum siox_advice_key)k), s->value[k]);
  return n;
}
