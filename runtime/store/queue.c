/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* See queue.h. A packed row: its kind and length, then what schema.def gives the kind: numbers,
 * reals, and texts with their lengths before them and a zero behind. */
#include "store/queue.h"
#include "store/schema.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { NO_TEXT = 0xffff };
struct head {
  uint16_t kind, unused;
  uint32_t length;
};

/* Bytes of the character that begins at s, 0: none does (RFC 3629). */
static size_t character(const unsigned char *s) {
  if (s[0] < 0x80)
    return 1;
  if (s[0] >= 0xc2 && s[0] < 0xe0)
    return (s[1] & 0xc0) == 0x80 ? 2 : 0;
  if (s[0] >= 0xe0 && s[0] < 0xf0)
    return (s[1] & 0xc0) == 0x80 && (s[2] & 0xc0) == 0x80 && !(s[0] == 0xe0 && s[1] < 0xa0) &&
                   !(s[0] == 0xed && s[1] >= 0xa0)
               ? 3
               : 0;
  if (s[0] >= 0xf0 && s[0] < 0xf5)
    return (s[1] & 0xc0) == 0x80 && (s[2] & 0xc0) == 0x80 && (s[3] & 0xc0) == 0x80 &&
                   !(s[0] == 0xf0 && s[1] < 0x90) && !(s[0] == 0xf4 && s[1] >= 0x90)
               ? 4
               : 0;
  return 0;
}

/* Copies at most SIOX__TEXT_BYTES bytes; to has room for them and the zero. */
static size_t put_text(unsigned char *to, const char *text) {
  const unsigned char *s = (const unsigned char *)text;
  size_t n = 0;
  while (*s) {
    size_t bytes = character(s);
    if (n + (bytes ? bytes : 1) > SIOX__TEXT_BYTES)
      break;
    if (bytes)
      memcpy(to + n, s, bytes);
    else
      to[n] = '?';
    n += bytes ? bytes : 1;
    s += bytes ? bytes : 1;
  }
  to[n] = 0;
  return n;
}

size_t siox__row_pack(void *to, size_t room, const struct siox__store_row *row) {
  const struct siox__table *t = &siox__tables[row->kind];
  unsigned char *at = to;
  size_t most = sizeof(struct head) + 8u * (t->numbers + t->reals) + 8;
  for (unsigned i = 0; i < t->texts; i++)
    most += 3 + (row->text[i] ? strnlen(row->text[i], SIOX__TEXT_BYTES) : 0);
  if (most > room)
    return 0;
  at += sizeof(struct head);
  memcpy(at, row->number, 8u * t->numbers);
  at += 8u * t->numbers;
  memcpy(at, row->real, 8u * t->reals);
  at += 8u * t->reals;
  for (unsigned i = 0; i < t->texts; i++) {
    uint16_t length = NO_TEXT;
    if (row->text[i])
      length = (uint16_t)put_text(at + sizeof length, row->text[i]);
    memcpy(at, &length, sizeof length);
    at += sizeof length + (row->text[i] ? length + 1u : 0);
  }
  size_t length = ((size_t)(at - (unsigned char *)to) + 7) & ~(size_t)7;
  memcpy(to, &(struct head){(uint16_t)row->kind, 0, (uint32_t)length}, sizeof(struct head));
  return length;
}

size_t siox__row_unpack(const void *from, struct siox__store_row *row) {
  const unsigned char *at = from;
  struct head head;
  memcpy(&head, at, sizeof head);
  const struct siox__table *t = &siox__tables[head.kind];
  row->kind = (enum siox__row_kind)head.kind;
  at += sizeof head;
  memcpy(row->number, at, 8u * t->numbers);
  at += 8u * t->numbers;
  memcpy(row->real, at, 8u * t->reals);
  at += 8u * t->reals;
  for (unsigned i = 0; i < t->texts; i++) {
    uint16_t length;
    memcpy(&length, at, sizeof length);
    at += sizeof length;
    row->text[i] = length == NO_TEXT ? NULL : (const char *)at;
    at += length == NO_TEXT ? 0 : length + 1u;
  }
  return head.length;
}

static bool comes_in_floods(enum siox__row_kind kind) {
  return kind == SIOX__ROW_ACTIVITY || kind == SIOX__ROW_LEVEL || kind == SIOX__ROW_CLAIM;
}

static int add_chunk(struct siox__queue *q, size_t most) {
  if (q->bytes + SIOX__CHUNK_BYTES > most)
    return SIOX_EFULL;
  struct siox__chunk *c = q->spare;
  q->spare = NULL;
  if (!c && !(c = malloc(SIOX__CHUNK_BYTES)))
    return SIOX_ENOMEM;
  *c = (struct siox__chunk){0};
  if (q->last)
    q->last->next = c;
  else if (q->first) /* alone, and being written */
    q->first->next = c;
  else
    q->first = c;
  q->last = c;
  q->bytes += SIOX__CHUNK_BYTES;
  return 0;
}

int siox__queue_put(struct siox__queue *q, const struct siox__store_row *row) {
  enum { ROOM = SIOX__CHUNK_BYTES - sizeof(struct siox__chunk) };
  const size_t most = SIOX__QUEUE_BYTES + (comes_in_floods(row->kind) ? 0 : SIOX__RESERVE_BYTES);
  struct siox__chunk *c = q->last;
  if (q->bytes > most)
    return SIOX_EFULL;
  size_t length = c ? siox__row_pack(c->data + c->used, ROOM - c->used, row) : 0;
  if (!length) {
    int r = add_chunk(q, most);
    if (r < 0)
      return r;
    c = q->last;
    length = siox__row_pack(c->data, ROOM, row); /* an empty chunk has room for any row */
  }
  c->used += length;
  c->rows++;
  q->rows++;
  return 0;
}

struct siox__chunk *siox__queue_first(struct siox__queue *q) {
  if (q->first && q->first == q->last)
    q->last = NULL; /* the next row begins a chunk */
  return q->first;
}

void siox__queue_done(struct siox__queue *q, uint32_t rows, size_t bytes) {
  struct siox__chunk *c = q->first;
  c->done_rows += rows;
  c->done += bytes;
  q->rows -= rows;
  if (c->done_rows < c->rows)
    return;
  q->first = c->next;
  if (q->last == c)
    q->last = NULL;
  q->bytes -= SIOX__CHUNK_BYTES;
  free(q->spare);
  q->spare = c;
}

void siox__queue_free(struct siox__queue *q) {
  free(q->spare);
  for (struct siox__chunk *c = q->first, *next; c; c = next) {
    next = c->next;
    free(c);
  }
  *q = (struct siox__queue){0};
}
