/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* etcd's JSON. */
#include "daemon/etcd_text.h"
#include "monitor/metrics.h"
#include "siox/error.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void siox__base64_put(const void *data, size_t n, char *text) {
  const unsigned char *p = data;
  for (; n > 0; p += 3, text += 4) {
    const size_t here = n < 3 ? n : 3;
    const uint32_t three = (uint32_t)p[0] << 16 | (here > 1 ? (uint32_t)p[1] << 8 : 0) |
                           (here > 2 ? (uint32_t)p[2] : 0);
    for (size_t i = 0; i < 4; i++)
      text[i] = i <= here ? digits[three >> (18 - 6 * i) & 63] : '=';
    n -= here;
  }
  *text = 0;
}

static int digit(char c) {
  const char *at = c ? strchr(digits, c) : NULL;
  return at ? (int)(at - digits) : -1;
}

int siox__base64_get(const char *text, size_t length, void *data, size_t size) {
  if (length % 4)
    return SIOX_ESYNTAX;
  const size_t pad = length == 0 || text[length - 1] != '=' ? 0 : text[length - 2] == '=' ? 2 : 1;
  const size_t n = length / 4 * 3 - pad;
  unsigned char *out = data;
  if (n > size || n > INT32_MAX)
    return SIOX_ERANGE;
  for (size_t i = 0, done = 0; i < length; i += 4, done += 3) {
    uint32_t three = 0;
    const size_t here = n - done < 3 ? n - done : 3;
    for (size_t k = 0; k < 4; k++) {
      const int d = k <= here ? digit(text[i + k]) : 0;
      if (d < 0)
        return SIOX_ESYNTAX;
      three = three << 6 | (uint32_t)d;
    }
    if (here < 3 && three & (UINT32_C(0xffffff) >> 8 * here))
      return SIOX_ESYNTAX; /* bits that no byte has */
    for (size_t k = 0; k < here; k++)
      out[done + k] = (unsigned char)(three >> (16 - 8 * k));
  }
  return (int)n;
}

static json_t *encoded(const void *data, size_t n) {
  char *text = malloc(SIOX__BASE64_LENGTH(n) + 1);
  if (!text)
    return NULL;
  siox__base64_put(data, n, text);
  json_t *o = json_string(text);
  free(text);
  return o;
}

static json_t *number(int64_t n) {
  char text[24];
  snprintf(text, sizeof text, "%" PRId64, n);
  return json_string(text);
}

static char *dump(json_t *o) {
  char *text = o ? json_dumps(o, JSON_COMPACT) : NULL;
  json_decref(o);
  return text;
}

char *siox__etcd_put(const char *key, const void *value, size_t length, int64_t lease) {
  return dump(json_pack("{s:o, s:o, s:o}", "key", encoded(key, strlen(key)), "value",
                        encoded(value, length), "lease", number(lease)));
}

char *siox__etcd_delete(const char *key) {
  return dump(json_pack("{s:o}", "key", encoded(key, strlen(key))));
}

/* The first key that no longer begins with prefix, which is text: no byte of it is 255. */
static json_t *after(const char *prefix) {
  const size_t n = strlen(prefix);
  char *end = strdup(prefix);
  if (!end)
    return NULL;
  if (n > 0)
    end[n - 1]++;
  json_t *o = encoded(end, n);
  free(end);
  return o;
}

char *siox__etcd_range(const char *prefix, const char *from, size_t length, int64_t most,
                       int64_t revision) {
  return dump(json_pack("{s:o, s:o, s:o, s:o}", "key", encoded(from, length), "range_end",
                        after(prefix), "limit", number(most), "revision", number(revision)));
}

char *siox__etcd_watch(const char *prefix, int64_t revision) {
  return dump(json_pack("{s:{s:o, s:o, s:o}}", "create_request", "key",
                        encoded(prefix, strlen(prefix)), "range_end", after(prefix),
                        "start_revision", number(revision)));
}

char *siox__etcd_grant(int64_t seconds) { return dump(json_pack("{s:o}", "TTL", number(seconds))); }

char *siox__etcd_lease(int64_t id) { return dump(json_pack("{s:o}", "ID", number(id))); }

/* An int64 as etcd writes it, or as a number; absent: 0. False: it is no such thing. */
static bool whole(const json_t *o, const char *key, int64_t *n) {
  const json_t *v = json_object_get(o, key);
  *n = 0;
  if (json_is_integer(v)) {
    *n = json_integer_value(v);
    return true;
  }
  const char *text = json_string_value(v), *p = text;
  if (!text)
    return !v;
  const bool negative = *p == '-';
  p += negative;
  bool fits = *p;
  for (; fits && *p; p++)
    fits = *p >= '0' && *p <= '9' && !__builtin_mul_overflow(*n, 10, n) &&
           !__builtin_sub_overflow(*n, *p - '0', n); /* downwards: there is one more */
  return fits && (negative || !__builtin_sub_overflow(0, *n, n));
}

static void tell(struct siox__etcd_answer *a, const json_t *error) {
  const json_t *inside = json_object_get(error, "message");
  const char *text = json_string_value(inside ? inside : error);
  snprintf(a->error, sizeof a->error, "%s", text && *text ? text : "an error without words");
  siox__printable(a->error);
  a->no_lease = strstr(a->error, "requested lease not found");
  a->compacted = strstr(a->error, "has been compacted");
}

int siox__etcd_read(struct siox__etcd_answer *a, const char *text, size_t length) {
  *a = (struct siox__etcd_answer){.n = 0};
  a->root = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL);
  const json_t *result = json_object_get(a->root, "result"), *o = result ? result : a->root;
  const json_t *error = json_object_get(a->root, "error");
  int64_t compacted = 0;
  if (!json_is_object(o))
    return SIOX_ESYNTAX;
  if (error) {
    tell(a, error);
    return 0;
  }
  if (!json_is_object(json_object_get(o, "header")) ||
      !whole(json_object_get(o, "header"), "revision", &a->revision) || !whole(o, "ID", &a->id) ||
      !whole(o, "TTL", &a->ttl) || !whole(o, "compact_revision", &compacted) || a->revision < 0)
    return SIOX_ESYNTAX;
  a->created = json_is_true(json_object_get(o, "created"));
  a->canceled = json_is_true(json_object_get(o, "canceled"));
  a->more = json_is_true(json_object_get(o, "more"));
  a->compacted = a->canceled && compacted > 0;
  a->list = json_object_get(o, "kvs");
  if (!a->list) {
    a->list = json_object_get(o, "events");
    a->events = true;
  }
  a->n = json_array_size(a->list);
  return !a->list || json_is_array(a->list) ? 0 : SIOX_ESYNTAX;
}

void siox__etcd_answer_end(struct siox__etcd_answer *a) {
  json_decref(a->root);
  a->root = NULL;
}

/* Absent: empty. */
static int decoded(const json_t *v, char *data, size_t size, size_t *length) {
  const char *text = v ? json_string_value(v) : "";
  const int n = text ? siox__base64_get(text, v ? json_string_length(v) : 0, data, size) : 0;
  if (!text || n < 0)
    return text ? n : SIOX_ESYNTAX;
  *length = (size_t)n;
  data[n] = 0;
  return 0;
}

int siox__etcd_item(const struct siox__etcd_answer *a, size_t i, struct siox__etcd_item *item) {
  const json_t *one = json_array_get(a->list, i);
  const json_t *kv = a->events ? json_object_get(one, "kv") : one;
  const char *type = json_string_value(json_object_get(one, "type"));
  const json_t *key = json_object_get(kv, "key");
  item->key_length = item->length = 0;
  item->key_is_longer = false;
  item->deleted = a->events && type && !strcmp(type, "DELETE");
  if (!json_is_object(kv) || !whole(kv, "mod_revision", &item->revision))
    return SIOX_ESYNTAX;
  int e = decoded(key, item->key, SIOX__ETCD_KEY, &item->key_length);
  if (e == SIOX_ERANGE) {
    const int n = siox__base64_get(json_string_value(key), SIOX__BASE64_LENGTH(SIOX__ETCD_KEY),
                                   item->key, SIOX__ETCD_KEY);
    item->key_length = n < 0 ? 0 : (size_t)n;
    item->key[item->key_length] = 0;
    item->key_is_longer = n > 0;
  }
  return e < 0 ? e
         : item->deleted
             ? 0
             : decoded(json_object_get(kv, "value"), item->value, SIOX__ETCD_VALUE, &item->length);
}
