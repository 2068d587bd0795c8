/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* knowledge.yaml, as siox learn writes it (docs/knowledge.md). In siox_conf. */
#ifndef SIOX_KNOWLEDGE_FILE_H
#define SIOX_KNOWLEDGE_FILE_H
#include "siox/knowledge.h"
#include <stdio.h>
#ifdef __cplusplus
extern "C" {
#endif

struct siox_knowledge {
  struct siox_lesson *lesson;
  size_t n;
};
/* SIOX_ENOENT, SIOX_EIO, SIOX_ESYNTAX, SIOX_EINVAL, SIOX_ERANGE with file, line and key;
 * SIOX_ENOMEM. On an error *k is empty. */
int siox_knowledge_load(struct siox_knowledge *k, const char *path, struct siox_diag *diag);
void siox_knowledge_free(struct siox_knowledge *k); /* harmless on a zeroed object */
/* The same text that load reads. from: a comment, where it was learned from. */
void siox_knowledge_write(FILE *out, const struct siox_lesson *lessons, size_t n, const char *from);
/* For people: "writes with 8 ranks: cb_buffer_size=16777216 takes 40 % less time (3 runs against 4,
 * confidence 99 %)". */
void siox_lesson_text(const struct siox_lesson *lesson, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
