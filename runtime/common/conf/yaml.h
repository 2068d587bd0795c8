/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reading a YAML file through libcyaml with messages that name file, line and key. libcyaml fills
 * the structs and finds unknown, missing and repeated keys, but states lines only roughly, takes
 * "4w" for a number and cannot say later where a value stood; so the file is kept as a libyaml tree
 * too, in which every place is looked up by its key path
 * ("levels[2].idle_w", items counted from 0). Not thread-safe per object. */
#ifndef SIOX_COMMON_CONF_YAML_H
#define SIOX_COMMON_CONF_YAML_H
#include "siox/error.h"
#include <cyaml/cyaml.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <yaml.h>

struct siox__yaml {
  const char *path; /* as given; kept, not copied */
  char *text;
  size_t size;
  uid_t owner; /* of the file that was read, as it was then; 0 of a text */
  mode_t mode;
  yaml_document_t tree;
};

/* Reads one document. SIOX_ENOENT, SIOX_EIO, SIOX_ESYNTAX (also for an empty file or a second
 * document), SIOX_ENOMEM. */
int siox__yaml_open(struct siox__yaml *y, const char *path, struct siox_diag *diag);
/* The same of a text; name stands for the file in messages. */
int siox__yaml_parse(struct siox__yaml *y, const char *name, const char *text,
                     struct siox_diag *diag);
void siox__yaml_close(struct siox__yaml *y);
/* Another text in the place of a single value that stands in the file. SIOX_ENOENT (with a message,
 * as all), SIOX_EINVAL (not a single value), SIOX_ESYNTAX, SIOX_ENOMEM. */
int siox__yaml_replace(struct siox__yaml *y, const char *key, const char *value,
                       struct siox_diag *diag);
/* The same, or a new key of the mapping that its path leads to; SIOX_ENOENT: there is no such
 * mapping. Lines that are there keep their numbers. */
int siox__yaml_set(struct siox__yaml *y, const char *key, const char *value,
                   struct siox_diag *diag);
/* For these two: another text (malloc's, owned from now on) in the place of the whole one.
 * SIOX_ESYNTAX, SIOX_ENOMEM. */
int siox__yaml_renew(struct siox__yaml *y, char *text, size_t size, struct siox_diag *diag);

/* Fills *out (freed by siox__yaml_free with the same schema) after the schema, whose top is a
 * pointer to a mapping or a sequence; *count gets the entries of a sequence. SIOX_EINVAL with the
 * first thing that is wrong. */
int siox__yaml_read(struct siox__yaml *y, const cyaml_schema_value_t *schema, void **out,
                    unsigned *count, struct siox_diag *diag);
void siox__yaml_free(const cyaml_schema_value_t *schema, void *value, unsigned count);

/* The node at a key path, or NULL. */
const yaml_node_t *siox__yaml_find(struct siox__yaml *y, const char *key);

/* From 1. */
size_t siox__yaml_line(struct siox__yaml *y, const char *key);

/* Writes "FILE:LINE: KEY: what" with the line of key, or of what is there of it; returns code. key
 * "" names no key. */
int siox__yaml_fail(struct siox__yaml *y, struct siox_diag *diag, int code, const char *key,
                    const char *format, ...) __attribute__((format(printf, 5, 6)));

/* A finite decimal number in [low, high] from a scalar's text. SIOX_EINVAL or SIOX_ERANGE with a
 * message. */
int siox__yaml_number(struct siox__yaml *y, const char *key, const char *text, double low,
                      double high, double *value, struct siox_diag *diag);

#endif
