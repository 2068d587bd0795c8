/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Values put into a YAML text; see yaml.h. */
#include "common/conf/yaml.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int no_memory(const struct siox__yaml *y, struct siox_diag *diag) {
  snprintf(diag->text, sizeof diag->text, "%s: %s", y->path, siox_strerror(SIOX_ENOMEM));
  return SIOX_ENOMEM;
}

/* libyaml counts characters, without the byte order mark; text is UTF-8. */
static size_t byte_of(const struct siox__yaml *y, size_t character) {
  size_t i = y->size >= 3 && memcmp(y->text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
  for (size_t seen = 0; i < y->size; i++) {
    bool first = ((unsigned char)y->text[i] & 0xc0) != 0x80;
    if (first && seen++ == character)
      break;
  }
  return i;
}

/* The bytes of the text between two characters become another text. */
static int splice(struct siox__yaml *y, size_t from, size_t to, const char *by,
                  struct siox_diag *diag) {
  size_t length = strlen(by);
  from = byte_of(y, from);
  to = byte_of(y, to);
  char *text = malloc(y->size + length + 1);
  if (!text)
    return no_memory(y, diag);
  memcpy(text, y->text, from);
  memcpy(text + from, by, length);
  memcpy(text + from + length, y->text + to, y->size - to);
  return siox__yaml_renew(y, text, from + length + (y->size - to), diag);
}

int siox__yaml_replace(struct siox__yaml *y, const char *key, const char *value,
                       struct siox_diag *diag) {
  const yaml_node_t *node = siox__yaml_find(y, key);
  if (!node)
    return siox__yaml_fail(y, diag, SIOX_ENOENT, key, "this key is not there");
  if (node->type != YAML_SCALAR_NODE)
    return siox__yaml_fail(y, diag, SIOX_EINVAL, key, "expected a single value");
  return splice(y, node->start_mark.index, node->end_mark.index, value, diag);
}

/* Where keys of a mapping in lines begin. An anchor or a tag in front of it may stand elsewhere. */
static int column_of(struct siox__yaml *y, const yaml_node_t *map) {
  size_t i = byte_of(y, map->start_mark.index);
  const yaml_node_pair_t *first = map->data.mapping.pairs.start;
  if (i < y->size && (y->text[i] == '&' || y->text[i] == '!') &&
      first < map->data.mapping.pairs.top)
    map = yaml_document_get_node(&y->tree, first->key);
  return (int)map->start_mark.column;
}

/* Behind the brace, which may have an anchor or a tag in front: neither has braces in it. */
static size_t in_braces(const struct siox__yaml *y, const yaml_node_t *map) {
  size_t from = byte_of(y, map->start_mark.index), i = from;
  while (i < y->size && y->text[i] != '{')
    i++;
  return map->start_mark.index + (i - from) + 1;
}

/* In braces in front, else in lines of its own behind what is there, so that lines keep their
 * numbers. */
static int add(struct siox__yaml *y, const yaml_node_t *map, const char *key, const char *value,
               struct siox_diag *diag) {
  bool braces = map->data.mapping.style == YAML_FLOW_MAPPING_STYLE;
  size_t at = braces ? in_braces(y, map) : map->end_mark.index;
  bool unended = !braces && byte_of(y, at) == y->size && y->size && y->text[y->size - 1] != '\n';
  int from = unended ? 0 : (int)map->end_mark.column, to = column_of(y, map);
  char *text = NULL;
  int n = braces ? asprintf(&text, "%s: %s, ", key, value)
                 : asprintf(&text, "%s%*s%s: %s\n%*s", unended ? "\n" : "",
                            to > from ? to - from : 0, "", key, value, from, "");
  if (n < 0)
    return no_memory(y, diag);
  int rc = splice(y, at, at, text, diag);
  free(text);
  return rc;
}

int siox__yaml_set(struct siox__yaml *y, const char *key, const char *value,
                   struct siox_diag *diag) {
  if (siox__yaml_find(y, key))
    return siox__yaml_replace(y, key, value, diag);
  const char *name = strrchr(key, '.');
  char *parent = strndup(key, name ? (size_t)(name - key) : 0);
  if (!parent)
    return no_memory(y, diag);
  const yaml_node_t *map = siox__yaml_find(y, parent);
  free(parent);
  if (!map || map->type != YAML_MAPPING_NODE)
    return siox__yaml_fail(y, diag, SIOX_ENOENT, key, "there is nothing that could have this key");
  return add(y, map, name ? name + 1 : key, value, diag);
}
