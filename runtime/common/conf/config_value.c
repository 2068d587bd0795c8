/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Settings by type; see config_value.h. */
#include "common/conf/config_value.h"
#include "common/conf/text.h"
#include "common/log.h"
#include "common/url.h"
#include "common/word.h"
#include "siox/policy.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int refuse(struct siox__config_reader *in, int code, const char *text, const char *wanted) {
  snprintf(in->what, sizeof in->what, "\"%.80s\" is not %s", text, wanted);
  return code;
}

/* A path as it is to be used: relative ones of a file start at its directory. */
static char *place(const struct siox__config_reader *in, const char *path, size_t length) {
  char *out = NULL;
  if (!in->directory || *path == '/')
    return strndup(path, length);
  return asprintf(&out, "%s/%.*s", in->directory, (int)length, path) < 0 ? NULL : out;
}

/* The name; whether the argument suits the drives is known when the policy starts. */
static int read_policy(struct siox__config_reader *in, const char *text, char **field) {
  if (!siox_policy_find(text, NULL)) {
    size_t used = (size_t)snprintf(in->what, sizeof in->what, "\"%.80s\" is not one of", text);
    for (const char *const *name = siox_policy_names(); *name && used < sizeof in->what; name++)
      used += (size_t)snprintf(in->what + used, sizeof in->what - used, " %s", *name);
    return SIOX_EINVAL;
  }
  char *copy = strdup(text);
  if (!copy)
    return SIOX_ENOMEM;
  free(*field);
  *field = copy;
  return 0;
}

static int read_path(struct siox__config_reader *in, const char *text, char **field) {
  char *path = NULL;
  if (*text && !(path = place(in, text, strlen(text))))
    return SIOX_ENOMEM;
  free(*field);
  *field = path;
  return 0;
}

static int read_database(struct siox__config_reader *in, const char *text, char **field) {
  const size_t prefix = strlen(SIOX__CSV_PREFIX);
  const bool csv = !strncmp(text, SIOX__CSV_PREFIX, prefix);
  if (csv && !text[prefix])
    return refuse(in, SIOX_EINVAL, text, "csv:DIRECTORY");
  if (!csv && !siox__url_of_server(text)) {
    /* The rest of a URL is not repeated: it may have a password in it. */
    const char *scheme = strstr(text, "://");
    if (scheme && !memchr(text, '/', (size_t)(scheme - text))) {
      snprintf(in->what, sizeof in->what,
               "\"%.*s://\": postgresql://, csv:DIRECTORY or a path is wanted",
               (int)(scheme - text), text);
      return SIOX_EINVAL;
    }
    return read_path(in, text, field);
  }
  char *path = csv ? place(in, text + prefix, strlen(text + prefix)) : strdup(text), *whole = path;
  if (csv && path && asprintf(&whole, "%s%s", SIOX__CSV_PREFIX, path) < 0)
    whole = NULL;
  if (csv)
    free(path);
  if (!whole)
    return SIOX_ENOMEM;
  free(*field);
  *field = whole;
  return 0;
}

static int read_word(struct siox__config_reader *in, const char *text, char **field) {
  const size_t n = strlen(text);
  char *copy = NULL;
  if (n > 0 && !siox__is_word(text, n))
    return refuse(in, SIOX_EINVAL, text,
                  "a name of at most 63 letters, digits, dots, underscores and hyphens");
  if (n > 0 && !(copy = strdup(text)))
    return SIOX_ENOMEM;
  free(*field);
  *field = copy;
  return 0;
}

static void free_list(struct siox_config_list *list) {
  for (uint32_t i = 0; i < list->count; i++)
    free(list->item[i]);
  free(list->item);
  *list = (struct siox_config_list){0};
}

/* paths: items with a slash are, and begin where the file lies. */
static int read_items(struct siox__config_reader *in, const char *text, bool paths,
                      struct siox_config_list *field) {
  size_t n = 1;
  for (const char *p = text; *p; p++)
    n += *p == ',';
  if (n > SIOX_MAX_DISKS)
    return refuse(in, SIOX_ERANGE, text, "a list of at most 65536 items");
  struct siox_config_list list = {.item = calloc(n, sizeof *list.item)};
  if (!list.item)
    return SIOX_ENOMEM;
  int rc = 0;
  for (const char *p = text; rc == 0; p++) {
    p += strspn(p, " ");
    size_t length = strcspn(p, ",");
    const char *next = p + length;
    while (length > 0 && p[length - 1] == ' ')
      length--;
    if (length == 0)
      rc = refuse(in, SIOX_EINVAL, text, "a list of names: one of them is empty");
    else if (!(list.item[list.count] =
                   paths && memchr(p, '/', length) ? place(in, p, length) : strndup(p, length)))
      rc = SIOX_ENOMEM;
    else
      list.count++;
    p = next;
    if (!*p)
      break;
  }
  if (rc) {
    free_list(&list);
    return rc;
  }
  free_list(field);
  *field = list;
  return 0;
}

static int read_list(struct siox__config_reader *in, const char *text,
                     struct siox_config_list *field) {
  return read_items(in, text, true, field);
}

static int read_servers(struct siox__config_reader *in, const char *text,
                        struct siox_config_list *field) {
  enum { MOST = 32 };
  struct siox_config_list list = {0};
  const int e = *text ? read_items(in, text, false, &list) : 0;
  if (e < 0)
    return e;
  uint32_t good = 0;
  while (good < list.count && good < MOST && siox__url_of_http(list.item[good]))
    good++;
  if (good < list.count) {
    /* What is no server is not repeated: it may have a password in it. */
    snprintf(in->what, sizeof in->what,
             "number %u is not http://HOST:PORT or https://HOST:PORT and no more, of at most %d",
             good + 1, (int)MOST);
    free_list(&list);
    return SIOX_EINVAL;
  }
  free_list(field);
  *field = list;
  return 0;
}

static int read_count(struct siox__config_reader *in, const char *text, uint32_t *field) {
  long v;
  int rc = siox__text_integer(text, 1, SIOX_MAX_DISKS, &v, in->what, sizeof in->what);
  if (rc == 0)
    *field = (uint32_t)v;
  return rc;
}

static int read_factor(struct siox__config_reader *in, const char *text, double *field) {
  double v;
  int rc = siox__text_number(text, 0, 1e9, &v, in->what, sizeof in->what);
  if (rc == 0 && v == 0)
    return refuse(in, SIOX_ERANGE, text, "greater than 0");
  if (rc == 0)
    *field = v;
  return rc;
}

static int read_seconds(struct siox__config_reader *in, const char *text, double *field) {
  double v;
  int rc = siox__text_number(text, -1, 1e9, &v, in->what, sizeof in->what);
  if (rc == 0 && v < 0 && v != -1)
    return refuse(in, SIOX_ERANGE, text, "at least 0, nor -1 for never");
  if (rc == 0)
    *field = v;
  return rc;
}

static int read_speed(struct siox__config_reader *in, const char *text, int32_t *field) {
  if (siox__speed_of(text, field))
    return 0;
  long v;
  if (siox__text_integer(text, 1, INT32_MAX - 1, &v, in->what, sizeof in->what))
    return refuse(in, SIOX_EINVAL, text, "full, lowest or a speed above 0");
  *field = (int32_t)v;
  return 0;
}

static int read_layout(struct siox__config_reader *in, const char *text,
                       struct siox_layout *field) {
  struct siox_layout l;
  char every[32];
  snprintf(every, sizeof every, "0:%u:64K",
           in->array.members ? in->ndisks / in->array.members : in->ndisks);
  int rc = siox_layout_parse_over(&l, in->ndisks, &in->array, *text ? text : every);
  if (rc == SIOX_ENOMEM)
    return rc;
  if (rc) {
    snprintf(in->what, sizeof in->what,
             "\"%.80s\" is not a layout BASE:FACTOR:UNIT or N,N,...:UNIT over %u disks: %s", text,
             in->ndisks, siox_strerror(rc));
    return rc;
  }
  siox_layout_free(field);
  *field = l;
  return 0;
}

static int read_clock(struct siox__config_reader *in, const char *text,
                      enum siox_config_clock *field) {
  if (strcmp(text, "monotonic") == 0)
    *field = SIOX_CLOCK_MONOTONIC;
  else if (strcmp(text, "stamped") == 0)
    *field = SIOX_CLOCK_STAMPED;
  else
    return refuse(in, SIOX_EINVAL, text, "monotonic or stamped");
  return 0;
}

/* By their numbers; NULL last. */
const char *const siox__record_names[] = {"off", "anomalies", "all", NULL};
const char *const siox__extent_names[] = {"all", "kept", NULL};

static int read_name(struct siox__config_reader *in, const char *text, const char *const *names,
                     const char *expected, int *number) {
  for (int i = 0; names[i]; i++)
    if (strcmp(text, names[i]) == 0) {
      *number = i;
      return 0;
    }
  return refuse(in, SIOX_EINVAL, text, expected);
}

static int read_record(struct siox__config_reader *in, const char *text, enum siox_record *field) {
  int number;
  const int e = read_name(in, text, siox__record_names, "all, anomalies or off", &number);
  if (e == 0)
    *field = (enum siox_record)number;
  return e;
}

static int read_extent(struct siox__config_reader *in, const char *text,
                       enum siox_config_extent *field) {
  int number;
  const int e = read_name(in, text, siox__extent_names, "all or kept", &number);
  if (e == 0)
    *field = (enum siox_config_extent)number;
  return e;
}

static int read_level(struct siox__config_reader *in, const char *text, int *field) {
  enum siox__log_level level;
  if (siox__log_level_parse(text, &level))
    return refuse(in, SIOX_EINVAL, text, "error, warn, info or debug");
  *field = (int)level;
  return 0;
}

static int convert(struct siox__config_reader *in, enum siox__config_kind kind, const char *text,
                   void *field) {
  switch (kind) {
  case SIOX__KIND_policy:
    return read_policy(in, text, field);
  case SIOX__KIND_path:
    return read_path(in, text, field);
  case SIOX__KIND_database:
    return read_database(in, text, field);
  case SIOX__KIND_word:
    return read_word(in, text, field);
  case SIOX__KIND_servers:
    return read_servers(in, text, field);
  case SIOX__KIND_count:
    return read_count(in, text, field);
  case SIOX__KIND_list:
    return read_list(in, text, field);
  case SIOX__KIND_rule:
    return siox_rule_parse(text, field) ? refuse(in, SIOX_EINVAL, text, "a, b or c") : 0;
  case SIOX__KIND_scale:
    return siox__text_number(text, 1, 1000, field, in->what, sizeof in->what);
  case SIOX__KIND_factor:
    return read_factor(in, text, field);
  case SIOX__KIND_amount:
    return siox__text_number(text, 0, 1e9, field, in->what, sizeof in->what);
  case SIOX__KIND_percent:
    return siox__text_number(text, 0, 100, field, in->what, sizeof in->what);
  case SIOX__KIND_seconds:
    return read_seconds(in, text, field);
  case SIOX__KIND_speed:
    return read_speed(in, text, field);
  case SIOX__KIND_layout:
    return read_layout(in, text, field);
  case SIOX__KIND_clock:
    return read_clock(in, text, field);
  case SIOX__KIND_record:
    return read_record(in, text, field);
  case SIOX__KIND_extent:
    return read_extent(in, text, field);
  case SIOX__KIND_level:
    return read_level(in, text, field);
  }
  return SIOX_EINVAL;
}

int siox__config_convert(struct siox__config_reader *in, enum siox__config_kind kind,
                         const char *text, void *field) {
  int rc = convert(in, kind, text, field);
  if (rc == SIOX_ENOMEM)
    snprintf(in->what, sizeof in->what, "%s", siox_strerror(rc));
  return rc;
}

void siox__config_release(enum siox__config_kind kind, void *field) {
  switch (kind) {
  case SIOX__KIND_policy:
  case SIOX__KIND_path:
  case SIOX__KIND_database:
  case SIOX__KIND_word:
    free(*(char **)field);
    break;
  case SIOX__KIND_list:
  case SIOX__KIND_servers:
    free_list(field);
    break;
  case SIOX__KIND_layout:
    siox_layout_free(field);
    break;
  default:
    break;
  }
}
