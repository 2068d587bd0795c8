/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* layouts.yaml; see siox/layouts.h. */
#include "common/conf/layouts_schema.h"
#include "common/conf/text.h"
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ENTRIES 65536

#define TEXT(member)                                                                               \
  CYAML_FIELD_STRING_PTR(#member, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,                        \
                         struct siox__layouts_text, member, 0, CYAML_UNLIMITED)
static const cyaml_schema_value_t node = {
    CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char *, 0, CYAML_UNLIMITED)};
static const cyaml_schema_field_t fields[] = {
    CYAML_FIELD_STRING_PTR("file", CYAML_FLAG_POINTER, struct siox__layouts_text, file, 1,
                           CYAML_UNLIMITED),
    TEXT(layout),
    TEXT(base),
    TEXT(factor),
    TEXT(unit),
    TEXT(disks),
    CYAML_FIELD_SEQUENCE("nodes", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
                         struct siox__layouts_text, nodes, &node, 1, SIOX_MAX_DISKS),
    CYAML_FIELD_END};
const cyaml_schema_value_t siox__layouts_entry = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct siox__layouts_text, fields)};
static const cyaml_schema_value_t schema = {CYAML_VALUE_SEQUENCE(
    CYAML_FLAG_POINTER, struct siox__layouts_text, &siox__layouts_entry, 0, MAX_ENTRIES)};

/* One entry under way. After an error rc is set and every further reading does nothing. */
struct loader {
  struct siox__yaml *yaml;
  const char *prefix; /* of keys: where the list stands in its file */
  struct siox_diag *diag;
  unsigned index;
  uint32_t ndisks, nnodes;
  const struct siox_array *array;
  int rc;
};

static void fail(struct loader *in, int code, const char *field, const char *what) {
  char key[160];
  snprintf(key, sizeof key, "%.70s[%u]%s%s", in->prefix, in->index, *field ? "." : "", field);
  if (in->rc == 0)
    in->rc = siox__yaml_fail(in->yaml, in->diag, code, key, "%s", what);
}

static uint32_t whole(struct loader *in, const char *field, const char *text, uint32_t low,
                      uint32_t high) {
  long v = 0;
  char what[256];
  int rc = siox__text_integer(text, low, high, &v, what, sizeof what);
  if (rc)
    fail(in, rc, field, what);
  return (uint32_t)v;
}

static void set_disks(struct loader *in, const struct siox__layouts_text *t, uint32_t ndisks) {
  in->ndisks = ndisks;
  char what[80];
  if (t->disks) {
    in->ndisks = whole(in, "disks", t->disks, 1, SIOX_MAX_DISKS);
    snprintf(what, sizeof what, "%s, but there are %u disks", t->disks, ndisks);
    if (ndisks && in->ndisks != ndisks)
      fail(in, SIOX_EINVAL, "disks", what);
  } else if (!ndisks) {
    fail(in, SIOX_EINVAL, "disks", "needed here: the number of disks is not known otherwise");
  }
  in->nnodes = in->array->members ? in->ndisks / in->array->members : in->ndisks;
}

/* A unit reads as in the text form, "64K". */
static uint64_t unit(struct loader *in, const char *text) {
  if (!text) {
    fail(in, SIOX_EINVAL, "unit", "this key is missing");
    return 0;
  }
  char whole_text[64];
  struct siox_layout l = {0};
  int n = snprintf(whole_text, sizeof whole_text, "0:1:%s", text);
  int rc = (size_t)n < sizeof whole_text ? siox_layout_parse(&l, 1, whole_text) : SIOX_ERANGE;
  if (rc)
    fail(in, rc, "unit",
         rc == SIOX_ERANGE ? "not between 1 and 2^64 - 1 bytes"
                           : "expected bytes, with K, M or G for binary multiples");
  uint64_t bytes = l.unit;
  siox_layout_free(&l);
  return bytes;
}

static void read_nodes(struct loader *in, const struct siox__layouts_text *t,
                       struct siox_layout *out) {
  uint64_t bytes = unit(in, t->unit);
  uint32_t *nodes = calloc(t->nodes_count, sizeof *nodes);
  if (!nodes)
    fail(in, SIOX_ENOMEM, "nodes", siox_strerror(SIOX_ENOMEM));
  char field[32];
  for (unsigned k = 0; in->rc == 0 && k < t->nodes_count; k++) {
    snprintf(field, sizeof field, "nodes[%u]", k);
    nodes[k] = whole(in, field, t->nodes[k], 0, in->nnodes - 1);
  }
  if (in->rc == 0) {
    int rc = siox_layout_nodes(out, in->nnodes, nodes, t->nodes_count, bytes);
    if (rc)
      fail(in, rc, "nodes",
           rc == SIOX_EINVAL   ? "a node is listed twice"
           : rc == SIOX_ERANGE ? "more nodes than disks"
                               : siox_strerror(rc));
  }
  free(nodes);
}

static void read_triplet(struct loader *in, const struct siox__layouts_text *t,
                         struct siox_layout *out) {
  uint32_t base = t->base ? whole(in, "base", t->base, 0, in->nnodes - 1) : 0;
  uint32_t factor = t->factor ? whole(in, "factor", t->factor, 1, in->nnodes) : in->nnodes;
  uint64_t bytes = unit(in, t->unit);
  int rc = in->rc ? 0 : siox_layout_triplet(out, in->nnodes, base, factor, bytes);
  if (rc)
    fail(in, rc, "", siox_strerror(rc));
}

static void read_text(struct loader *in, const struct siox__layouts_text *t,
                      struct siox_layout *out) {
  int rc = siox_layout_parse_over(out, in->ndisks, in->array, t->layout);
  char what[256];
  snprintf(what, sizeof what,
           "\"%.80s\" is not a layout BASE:FACTOR:UNIT or N,N,...:UNIT over %u disks: %s",
           t->layout, in->ndisks, siox_strerror(rc));
  if (rc)
    fail(in, rc, "layout", what);
}

static void read_entry(struct loader *in, const struct siox__layouts_text *t, uint32_t ndisks,
                       struct siox_layouts_entry *out) {
  set_disks(in, t, ndisks);
  if (t->layout && (t->nodes || t->base || t->factor || t->unit))
    fail(in, SIOX_EINVAL, "layout", "stands alone, without base, factor, nodes and unit");
  if (t->nodes && (t->base || t->factor))
    fail(in, SIOX_EINVAL, "nodes", "stands with unit, without base and factor");
  if (in->rc)
    return;
  if (!(out->file = strdup(t->file)))
    fail(in, SIOX_ENOMEM, "file", siox_strerror(SIOX_ENOMEM));
  else if (t->layout)
    read_text(in, t, &out->layout);
  else if (t->nodes)
    read_nodes(in, t, &out->layout);
  else
    read_triplet(in, t, &out->layout);
  if (in->rc == 0 && in->array->members && !out->layout.array.members &&
      siox_layout_over(&out->layout, in->array) < 0)
    fail(in, SIOX_ERANGE, "", siox_strerror(SIOX_ERANGE));
}

int siox__layouts_read(struct siox__yaml *yaml, const char *prefix,
                       const struct siox__layouts_text *list, unsigned count, uint32_t ndisks,
                       const struct siox_array *array, struct siox_layouts *layouts,
                       struct siox_diag *diag) {
  struct loader in = {.yaml = yaml, .prefix = prefix, .array = array, .diag = diag};
  *layouts = (struct siox_layouts){0};
  if (count > 0 && !(layouts->entry = calloc(count, sizeof *layouts->entry)))
    fail(&in, SIOX_ENOMEM, "", siox_strerror(SIOX_ENOMEM));
  for (in.index = 0; in.rc == 0 && in.index < count; in.index++) {
    layouts->count = in.index + 1;
    read_entry(&in, &list[in.index], ndisks, &layouts->entry[in.index]);
  }
  if (in.rc)
    siox_layouts_free(layouts);
  return in.rc;
}

int siox_layouts_load(struct siox_layouts *layouts, const char *path, uint32_t ndisks,
                      struct siox_diag *diag) {
  struct siox__yaml yaml;
  *layouts = (struct siox_layouts){0};
  int rc = siox__yaml_open(&yaml, path, diag);
  if (rc)
    return rc;
  void *list = NULL;
  unsigned count = 0;
  rc = siox__yaml_read(&yaml, &schema, &list, &count, diag);
  if (rc == 0)
    rc = siox__layouts_read(&yaml, "", list, count, ndisks, &(struct siox_array){0}, layouts, diag);
  siox__yaml_free(&schema, list, count);
  siox__yaml_close(&yaml);
  return rc;
}

void siox_layouts_free(struct siox_layouts *layouts) {
  for (uint32_t i = 0; i < layouts->count; i++) {
    free(layouts->entry[i].file);
    siox_layout_free(&layouts->entry[i].layout);
  }
  free(layouts->entry);
  *layouts = (struct siox_layouts){0};
}

bool siox__layouts_match(const char *pattern, const char *file) {
  if (pattern[0] == '/')
    return fnmatch(pattern, file, 0) == 0;
  bool components = strchr(pattern, '/') != NULL;
  for (const char *tail = file; tail;) {
    const char *slash = strchr(tail, '/');
    if ((components || !slash) && fnmatch(pattern, tail, 0) == 0)
      return true;
    tail = slash ? slash + 1 : NULL;
  }
  return false;
}

const struct siox_layout *siox_layouts_find(const struct siox_layouts *layouts, const char *file) {
  for (uint32_t i = layouts->count; i-- > 0;)
    if (siox__layouts_match(layouts->entry[i].file, file))
      return &layouts->entry[i].layout;
  return NULL;
}
