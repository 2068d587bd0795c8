/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* YAML files with places; see yaml.h. */
#include "common/conf/yaml.h"
#include "common/conf/text.h"
#include "common/conf/yaml_keys.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_FILE (16u << 20) /* far above any sane configuration */

static int say(struct siox_diag *diag, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static int say(struct siox_diag *diag, int code, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(diag->text, sizeof diag->text, format, args);
  va_end(args);
  return code;
}

static int no_memory(const char *path, struct siox_diag *diag) {
  return say(diag, SIOX_ENOMEM, "%s: %s", path, siox_strerror(SIOX_ENOMEM));
}

static int slurp(struct siox__yaml *y, struct siox_diag *diag) {
  FILE *file = fopen(y->path, "re");
  if (!file)
    return say(diag, errno == ENOENT ? SIOX_ENOENT : SIOX_EIO, "%s: %s", y->path, strerror(errno));
  size_t room = 0;
  struct stat st;
  int rc = 0;
  if (fstat(fileno(file), &st) < 0)
    rc = say(diag, SIOX_EIO, "%s: %s", y->path, strerror(errno));
  else
    y->owner = st.st_uid, y->mode = st.st_mode;
  while (rc == 0 && !feof(file)) {
    if (y->size == room) {
      room = room ? room * 2 : 8192;
      char *more = realloc(y->text, room);
      if (!more) {
        rc = no_memory(y->path, diag);
        break;
      }
      y->text = more;
    }
    y->size += fread(y->text + y->size, 1, room - y->size, file);
    if (ferror(file))
      rc = say(diag, SIOX_EIO, "%s: %s", y->path, strerror(errno));
    else if (y->size > MAX_FILE)
      rc = say(diag, SIOX_ERANGE, "%s: longer than %u bytes", y->path, MAX_FILE);
  }
  fclose(file);
  return rc;
}

static int parse_failed(const yaml_parser_t *p, const char *path, struct siox_diag *diag) {
  if (p->error == YAML_MEMORY_ERROR)
    return no_memory(path, diag);
  size_t line = p->problem_mark.line;
  if (p->error == YAML_READER_ERROR) /* has an offset instead of a mark */
    return say(diag, SIOX_ESYNTAX, "%s: at byte %zu: %s", path, p->problem_offset, p->problem);
  return say(diag, SIOX_ESYNTAX, "%s:%zu: %s%s%s", path, line + 1, p->context ? p->context : "",
             p->context ? ", " : "", p->problem ? p->problem : "not YAML");
}

/* libyaml's time grows with the square of how deep brackets stand in each other, and what reads the
 * tree calls itself for each. A mistake of another kind is left to who reads the tree. */
static int check_depth(struct siox__yaml *y, struct siox_diag *diag) {
  enum { MAX_DEPTH = 64 };
  yaml_parser_t parser;
  int rc = 0, depth = 0;
  bool over = false;
  if (!yaml_parser_initialize(&parser))
    return no_memory(y->path, diag);
  yaml_parser_set_input_string(&parser, (const unsigned char *)y->text, y->size);
  while (!over && rc == 0) {
    yaml_event_t event;
    if (!yaml_parser_parse(&parser, &event))
      break;
    over = event.type == YAML_STREAM_END_EVENT || event.type == YAML_NO_EVENT;
    depth += event.type == YAML_SEQUENCE_START_EVENT || event.type == YAML_MAPPING_START_EVENT;
    depth -= event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT;
    if (depth > MAX_DEPTH)
      rc = say(diag, SIOX_ERANGE, "%s:%zu: more than %d levels deep", y->path,
               event.start_mark.line + 1, MAX_DEPTH);
    yaml_event_delete(&event);
  }
  yaml_parser_delete(&parser);
  return rc;
}

/* y->text as a tree. */
static int parse(struct siox__yaml *y, struct siox_diag *diag) {
  yaml_parser_t parser;
  int rc = check_depth(y, diag);
  if (rc)
    return rc;
  if (!yaml_parser_initialize(&parser))
    return no_memory(y->path, diag);
  yaml_parser_set_input_string(&parser, (const unsigned char *)y->text, y->size);
  if (!yaml_parser_load(&parser, &y->tree)) {
    rc = parse_failed(&parser, y->path, diag);
  } else if (!yaml_document_get_root_node(&y->tree)) {
    rc = say(diag, SIOX_ESYNTAX, "%s:1: the file is empty", y->path);
  } else {
    yaml_document_t next;
    if (!yaml_parser_load(&parser, &next)) {
      rc = parse_failed(&parser, y->path, diag);
    } else {
      if (yaml_document_get_root_node(&next))
        rc = say(diag, SIOX_ESYNTAX, "%s:%zu: a second document begins here", y->path,
                 next.start_mark.line + 1);
      yaml_document_delete(&next);
    }
  }
  yaml_parser_delete(&parser);
  return rc;
}

int siox__yaml_open(struct siox__yaml *y, const char *path, struct siox_diag *diag) {
  *y = (struct siox__yaml){.path = path};
  diag->text[0] = '\0';
  int rc = slurp(y, diag);
  if (rc) {
    free(y->text);
    *y = (struct siox__yaml){0};
    return rc;
  }
  rc = parse(y, diag);
  if (rc)
    siox__yaml_close(y);
  return rc;
}

int siox__yaml_parse(struct siox__yaml *y, const char *name, const char *text,
                     struct siox_diag *diag) {
  *y = (struct siox__yaml){.path = name, .text = strdup(text), .size = strlen(text)};
  diag->text[0] = '\0';
  int rc = y->text ? parse(y, diag) : no_memory(name, diag);
  if (rc)
    siox__yaml_close(y);
  return rc;
}

int siox__yaml_renew(struct siox__yaml *y, char *text, size_t size, struct siox_diag *diag) {
  yaml_document_delete(&y->tree);
  free(y->text);
  y->text = text;
  y->size = size;
  return parse(y, diag);
}

void siox__yaml_close(struct siox__yaml *y) {
  yaml_document_delete(&y->tree);
  free(y->text);
  *y = (struct siox__yaml){0};
}

static const char *scalar(const yaml_node_t *node) {
  return node && node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : "";
}

/* Last pair with this key: a repeated key is reported where it is repeated. */
static const yaml_node_pair_t *pair_of(struct siox__yaml *y, const yaml_node_t *map,
                                       const char *key, size_t length) {
  if (!map || map->type != YAML_MAPPING_NODE)
    return NULL;
  for (const yaml_node_pair_t *p = map->data.mapping.pairs.top;
       p-- > map->data.mapping.pairs.start;) {
    const char *name = scalar(yaml_document_get_node(&y->tree, p->key));
    if (strlen(name) == length && memcmp(name, key, length) == 0)
      return p;
  }
  return NULL;
}

/* Follows a key path as far as it exists; *line gets the line (from 1) of the last key or item
 * found. */
static const yaml_node_t *follow(struct siox__yaml *y, const char *key, size_t *line) {
  const yaml_node_t *node = yaml_document_get_root_node(&y->tree);
  *line = node ? node->start_mark.line + 1 : 1;
  while (node && *key) {
    if (*key == '[') {
      char *end;
      unsigned long i = strtoul(key + 1, &end, 10);
      if (node->type != YAML_SEQUENCE_NODE ||
          i >= (size_t)(node->data.sequence.items.top - node->data.sequence.items.start))
        return NULL;
      node = yaml_document_get_node(&y->tree, node->data.sequence.items.start[i]);
      if (node)
        *line = node->start_mark.line + 1;
      key = *end == ']' ? end + 1 : end;
    } else {
      key += *key == '.';
      size_t length = strcspn(key, ".[");
      const yaml_node_pair_t *pair = pair_of(y, node, key, length);
      if (!pair)
        return NULL;
      *line = yaml_document_get_node(&y->tree, pair->key)->start_mark.line + 1;
      node = yaml_document_get_node(&y->tree, pair->value);
      key += length;
    }
  }
  return node;
}

const yaml_node_t *siox__yaml_find(struct siox__yaml *y, const char *key) {
  size_t line;
  return follow(y, key, &line);
}

size_t siox__yaml_line(struct siox__yaml *y, const char *key) {
  size_t line;
  follow(y, key, &line);
  return line;
}

int siox__yaml_fail(struct siox__yaml *y, struct siox_diag *diag, int code, const char *key,
                    const char *format, ...) {
  char what[sizeof diag->text];
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  return say(diag, code, "%s:%zu: %s%s%s", y->path, siox__yaml_line(y, key), key, *key ? ": " : "",
             what);
}

int siox__yaml_number(struct siox__yaml *y, const char *key, const char *text, double low,
                      double high, double *value, struct siox_diag *diag) {
  char what[256];
  int rc = siox__text_number(text, low, high, value, what, sizeof what);
  return rc ? siox__yaml_fail(y, diag, rc, key, "%s", what) : 0;
}

/* What libcyaml logs about one failure: a message, then where it was, innermost first. */
struct failure {
  char what[256];
  char part[8][80]; /* ".field" or "[index]" */
  unsigned nparts;
  bool seen;
};

static void note_place(struct failure *f, const char *line) {
  const char *from = strchr(line, '\''), *to = from ? strchr(from + 1, '\'') : NULL;
  if (!to || f->nparts == sizeof f->part / sizeof *f->part)
    return;
  int n = (int)(to - from - 1);
  char *part = f->part[f->nparts++];
  if (strncmp(line, "  in sequence", 13) == 0)
    snprintf(part, sizeof *f->part, "[%ld]", strtol(from + 1, NULL, 10) - 1); /* counts from 1 */
  else
    snprintf(part, sizeof *f->part, ".%.*s", n, from + 1);
}

static void collect(cyaml_log_t level, void *context, const char *format, va_list args) {
  struct failure *f = context;
  char line[256];
  vsnprintf(line, sizeof line, format, args);
  line[strcspn(line, "\n")] = '\0';
  if (level < CYAML_LOG_ERROR)
    return;
  if (strncmp(line, "  in ", 5) == 0) {
    note_place(f, line);
  } else if (!f->seen) {
    f->seen = true;
    snprintf(f->what, sizeof f->what, "%s", strncmp(line, "Load: ", 6) ? line : line + 6);
  }
}

/* The text after prefix in f->what, or NULL. */
static const char *after(const struct failure *f, const char *prefix) {
  size_t n = strlen(prefix);
  return strncmp(f->what, prefix, n) == 0 ? f->what + n : NULL;
}

/* libcyaml's words in ours, at the key that is meant rather than the one it had just read. */
static int report(struct siox__yaml *y, const cyaml_schema_value_t *schema, struct failure *f,
                  cyaml_err_t error, struct siox_diag *diag) {
  if (error == CYAML_ERR_OOM)
    return no_memory(y->path, diag);
  const char *key = NULL, *what = NULL, *rest;
  char meant[320] = "";
  unsigned skip = 0; /* innermost parts that name the neighbour of what is wrong */
  if ((rest = after(f, "Unexpected key: "))) {
    key = rest;
    what = "unknown key";
    siox__yaml_meant(siox__yaml_fields(schema, f->part, f->nparts), key, meant, sizeof meant);
  } else if ((rest = after(f, "Missing required mapping field: "))) {
    skip = f->nparts && f->part[0][0] == '.';
    key = rest;
    what = "this key is missing";
  } else if (after(f, "Mapping field already seen: ")) {
    what = "this key is given twice";
  } else if (after(f, "Insufficient entries")) {
    skip = f->nparts && f->part[0][0] == '[';
    what = "the list has too few entries";
  } else if (after(f, "Excessive entries")) {
    skip = f->nparts && f->part[0][0] == '[';
    what = "the list has too many entries";
  } else if (after(f, "Expecting STRING")) {
    what = "expected a single value";
  } else if (after(f, "Expecting SEQUENCE")) {
    what = "expected a list";
  } else if (after(f, "Expecting MAPPING")) {
    what = "expected keys with values";
  } else {
    what = f->seen ? f->what : cyaml_strerror(error);
  }
  char path[1024] = "";
  size_t used = 0;
  for (unsigned i = f->nparts; i-- > skip;)
    used += (size_t)snprintf(path + used, sizeof path - used, "%s", f->part[i]);
  if (key)
    snprintf(path + used, sizeof path - used, ".%s", key);
  return siox__yaml_fail(y, diag, SIOX_EINVAL, path[0] == '.' ? path + 1 : path, "%s%s", what,
                         meant);
}

int siox__yaml_read(struct siox__yaml *y, const cyaml_schema_value_t *schema, void **out,
                    unsigned *count, struct siox_diag *diag) {
  struct failure failure = {0};
  const cyaml_config_t config = {
      .log_fn = collect, .log_ctx = &failure, .log_level = CYAML_LOG_WARNING, .mem_fn = cyaml_mem};
  *out = NULL;
  cyaml_err_t error = cyaml_load_data((const uint8_t *)y->text, y->size, &config, schema,
                                      (cyaml_data_t **)out, count);
  return error == CYAML_OK ? 0 : report(y, schema, &failure, error, diag);
}

void siox__yaml_free(const cyaml_schema_value_t *schema, void *value, unsigned count) {
  const cyaml_config_t config = {.mem_fn = cyaml_mem};
  cyaml_free(&config, schema, value, count);
}
