/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Settings by type as text, as they would be written in a file: so that a daemon can say what it
 * runs with and others can compare. */
#include "common/conf/config_value.h"
#include "common/conf/text.h"
#include "common/log.h"
#include "common/url.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A relative path means something else in every directory. */
static void put_path(FILE *out, const char *path) {
  char *directory = *path == '/' ? NULL : getcwd(NULL, 0);
  if (directory)
    fprintf(out, "%s/", directory);
  fputs(path, out);
  free(directory);
}

static void put_database(FILE *out, const char *place) {
  const size_t prefix = strlen(SIOX__CSV_PREFIX);
  char *url = siox__url_of_server(place) ? siox__url_public(place) : NULL;
  if (url) {
    fputs(url, out);
  } else if (!strncmp(place, SIOX__CSV_PREFIX, prefix)) {
    fputs(SIOX__CSV_PREFIX, out);
    put_path(out, place + prefix);
  } else if (!siox__url_of_server(place)) {
    put_path(out, place);
  }
  free(url);
}

static void put_list(FILE *out, const struct siox_config_list *list, bool paths) {
  for (uint32_t i = 0; i < list->count; i++) {
    if (i)
      fputc(',', out);
    if (paths && strchr(list->item[i], '/'))
      put_path(out, list->item[i]);
    else
      fputs(list->item[i], out);
  }
}

static void put_layout(FILE *out, const struct siox_layout *layout) {
  int length = siox_layout_format(layout, NULL, 0);
  char *text = length < 0 ? NULL : malloc((size_t)length + 1);
  if (text && siox_layout_format(layout, text, (size_t)length + 1) >= 0)
    fputs(text, out);
  free(text);
}

static void put_speed(FILE *out, int32_t speed) {
  const char *name = siox__speed_name(speed);
  if (name)
    fputs(name, out);
  else
    fprintf(out, "%d", (int)speed);
}

static void put(FILE *out, enum siox__config_kind kind, const void *field) {
  static const char *const level[] = {"error", "warn", "info", "debug"};
  const char *path;
  switch (kind) {
  case SIOX__KIND_policy:
    fputs(*(char *const *)field, out);
    break;
  case SIOX__KIND_path:
    if ((path = *(char *const *)field))
      put_path(out, path);
    break;
  case SIOX__KIND_database:
    if ((path = *(char *const *)field))
      put_database(out, path);
    break;
  case SIOX__KIND_word:
    if ((path = *(char *const *)field))
      fputs(path, out);
    break;
  case SIOX__KIND_count:
    fprintf(out, "%u", *(const uint32_t *)field);
    break;
  case SIOX__KIND_list:
  case SIOX__KIND_servers:
    put_list(out, field, kind == SIOX__KIND_list);
    break;
  case SIOX__KIND_rule:
    fputs(siox_rule_name(*(const enum siox_transition_rule *)field), out);
    break;
  case SIOX__KIND_scale:
  case SIOX__KIND_factor:
  case SIOX__KIND_amount:
  case SIOX__KIND_percent:
  case SIOX__KIND_seconds:
    fprintf(out, "%.15g", *(const double *)field);
    break;
  case SIOX__KIND_speed:
    put_speed(out, *(const int32_t *)field);
    break;
  case SIOX__KIND_layout:
    put_layout(out, field);
    break;
  case SIOX__KIND_clock:
    fputs(*(const enum siox_config_clock *)field == SIOX_CLOCK_STAMPED ? "stamped" : "monotonic",
          out);
    break;
  case SIOX__KIND_record:
    fputs(siox__record_names[*(const enum siox_record *)field], out);
    break;
  case SIOX__KIND_extent:
    fputs(siox__extent_names[*(const enum siox_config_extent *)field], out);
    break;
  case SIOX__KIND_level:
    fputs(level[*(const int *)field], out);
    break;
  }
}

char *siox__config_format(enum siox__config_kind kind, const void *field) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (!out)
    return NULL;
  put(out, kind, field);
  if (fclose(out) == 0)
    return text;
  free(text);
  return NULL;
}
