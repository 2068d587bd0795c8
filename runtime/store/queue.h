/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Rows that wait, packed into chunks: a row takes as many bytes as it has, chunks are there only
 * while rows wait in them. At most SIOX__QUEUE_BYTES; what does not fit is for the caller to count.
 * No lock of its own: the store has one around it. Only what siox__queue_first() gave may be read
 * without it. */
#ifndef SIOX_STORE_QUEUE_H
#define SIOX_STORE_QUEUE_H
#include "store/store.h"
#include <stddef.h>

enum {
  SIOX__CHUNK_BYTES = 512 * 1024, /* about 4000 activities */
  SIOX__QUEUE_BYTES = 16 * 1024 * 1024,
  SIOX__RESERVE_BYTES = 1024 * 1024, /* more, for rows that others hang on, and for rare ones */
  SIOX__TEXT_BYTES = 4200,           /* of one text; a longer one is cut: no path is */
};

/* A row in bytes, texts made valid UTF-8 (each byte that is none a question mark), since databases
 * take no other: the length, a multiple of 8, or 0: no room. to is aligned to 8. */
size_t siox__row_pack(void *to, size_t room, const struct siox__store_row *row);
/* The length; texts point into from. */
size_t siox__row_unpack(const void *from, struct siox__store_row *row);

struct siox__chunk {
  struct siox__chunk *next;
  uint32_t rows, done_rows;
  size_t used, done; /* bytes in data; those before done are written */
  _Alignas(8) unsigned char data[];
};
struct siox__queue {
  struct siox__chunk *first, *last;
  struct siox__chunk
      *spare;    /* one is kept, so that a busy daemon does not ask the kernel each time */
  uint64_t rows; /* waiting */
  size_t bytes;  /* of all chunks but the spare */
};

/* 0, SIOX_EFULL or SIOX_ENOMEM. A flood of activities, levels or claims leaves room for the others.
 */
int siox__queue_put(struct siox__queue *q, const struct siox__store_row *row);
/* The oldest rows, which nobody adds to any more; NULL: none wait. */
struct siox__chunk *siox__queue_first(struct siox__queue *q);
/* Rows of the first chunk, bytes long, are written. */
void siox__queue_done(struct siox__queue *q, uint32_t rows, size_t bytes);
void siox__queue_free(struct siox__queue *q);

#endif
