/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the trace's writer and reader share: the block frame, numbers as bytes, and the two coders
 * (definitions, events). docs/trace-format.md is the description of the bytes. */
#ifndef SIOX_STORE_TRACE_WIRE_H
#define SIOX_STORE_TRACE_WIRE_H
#include "siox/trace.h"

#define SIOX__TRACE_FRAME 16            /* bytes before a block's payload */
#define SIOX__TRACE_BLOCK_MAX (8 << 20) /* longest payload a reader takes */
#define SIOX__TRACE_BLOCK_SOFT 16384    /* a stream's buffer that has passed this is written out */
#define SIOX__TRACE_STRING_MAX 65535
#define SIOX__TRACE_RUNS_MAX SIOX_MAX_DISKS
#define SIOX__TRACE_PROFILES_MAX 4096

enum siox__trace_block {
  SIOX__BLOCK_HEADER = 1, /* first, once */
  SIOX__BLOCK_DEFINITIONS,
  SIOX__BLOCK_EVENTS, /* of one (client, thread) */
  SIOX__BLOCK_DISK,   /* segments of one disk */
  SIOX__BLOCK_END,    /* last, empty; missing when the writer was killed */
};

uint32_t siox__crc32c(uint32_t crc, const void *data, size_t bytes); /* crc 0 to begin */

/* Bytes being written. failed is sticky: SIOX_ENOMEM. */
struct siox__out {
  uint8_t *data;
  size_t length, room;
  int failed;
};
void siox__out_bytes(struct siox__out *out, const void *data, size_t bytes);
void siox__out_varint(struct siox__out *out, uint64_t value);
void siox__out_fixed64(struct siox__out *out, uint64_t value); /* little-endian */
void siox__out_fixed32(struct siox__out *out, uint32_t value);
void siox__out_double(struct siox__out *out, double value);
void siox__out_string(struct siox__out *out, const char *text); /* NULL as "" */

/* Bytes being read. failed is sticky and leaves zeros as values: SIOX_EPROTO. */
struct siox__in {
  const uint8_t *data;
  size_t length, at;
  int failed;
  const char *why; /* with failed: what was wrong */
};
void siox__in_fail(struct siox__in *in, const char *why);
uint64_t siox__in_varint(struct siox__in *in);
uint64_t siox__in_fixed64(struct siox__in *in);
uint32_t siox__in_number(struct siox__in *in, uint32_t max, const char *why);
double siox__in_double(struct siox__in *in); /* finite */
/* The text with its NUL is put into text (fresh memory in *text, freed by the caller). */
void siox__in_string(struct siox__in *in, char **text);

static inline uint64_t siox__zigzag(uint64_t v) { return v << 1 ^ (0 - (v >> 63)); }
static inline uint64_t siox__unzigzag(uint64_t v) { return v >> 1 ^ (0 - (v & 1)); }

/* Header and definitions (trace_defs.c). */
void siox__trace_put_header(struct siox__out *out, const struct siox_trace_header *header);
struct siox__trace_header { /* a header with its own memory */
  struct siox_trace_header head;
  struct siox_drive *profiles;
  const struct siox_drive **drive;
  uint32_t *level;
  char *policy, *program;
  struct siox_limits limits;
};
int siox__trace_get_header(struct siox__in *in, struct siox__trace_header *header);
void siox__trace_free_header(struct siox__trace_header *header);

struct siox__trace_strings { /* of the definition read last */
  char *text[3];
};
void siox__trace_put_definition(struct siox__out *out, const struct siox_trace_event *event);
void siox__trace_get_definition(struct siox__in *in, struct siox_trace_event *event,
                                struct siox__trace_strings *strings);
void siox__trace_free_strings(struct siox__trace_strings *strings);

/* Events (trace_codec.c): the memory of one stream within one block. */
#define SIOX__TRACE_FIELDS_MAX 12
#define SIOX__TRACE_SELECT_MAX 4
#define SIOX__TRACE_CONTEXTS 16
#define SIOX__TRACE_DICT 16
#define SIOX__TRACE_KINDS SIOX_NTRACE_KINDS
struct siox__trace_context {
  uint64_t key; /* of kind and selecting fields; 0: unused */
  uint64_t last[SIOX__TRACE_FIELDS_MAX], change[SIOX__TRACE_FIELDS_MAX];
  uint32_t seen;                         /* events, up to 2 */
  uint64_t next[SIOX__TRACE_SELECT_MAX]; /* selecting fields of the event that followed */
};
struct siox__trace_codec {
  uint64_t start, end;                              /* of the last event */
  const struct siox_drive *drive;                   /* disk streams */
  uint8_t latest[SIOX__TRACE_KINDS];                /* 1 + context of the last event of a kind */
  uint8_t contexts, next_context, words, next_word; /* in use, replaced next */
  struct siox__trace_context context[SIOX__TRACE_CONTEXTS];
  uint64_t dict[SIOX__TRACE_DICT];
};
void siox__trace_begin(struct siox__trace_codec *codec, uint64_t time,
                       const struct siox_drive *drive);
void siox__trace_encode(struct siox__trace_codec *codec, struct siox__out *out,
                        const struct siox_trace_event *event);
/* runs: room for SIOX__TRACE_RUNS_MAX is made when a hint needs it. */
struct siox__trace_runs {
  struct siox_claim_run *item;
  uint32_t room;
};
void siox__trace_decode(struct siox__trace_codec *codec, struct siox__in *in,
                        struct siox_trace_event *event, struct siox__trace_runs *runs);
/* What is wrong with an event, or NULL: the same rules for what is written and what is read. */
const char *siox__trace_wrong(const struct siox_trace_event *event, uint32_t ndisks);
/* First time of a stream event, for the block's base. */
int64_t siox__trace_time(const struct siox_trace_event *event);

/* One block of a thread's events, read by itself and without a place of its own in the file: many
 * may be open at once over one reader. What siox_trace_read took once needs no checksum again. */
struct siox__trace_part {
  uint8_t *data;
  size_t room;
  struct siox__in in;
  uint32_t client, thread;
  struct siox__trace_codec codec;
  struct siox__trace_runs runs;
};
/* File offset of the block that the last event read was in. */
uint64_t siox__trace_block(const struct siox_trace_reader *r);
/* SIOX_EIO, SIOX_ETRUNCATED, SIOX_EPROTO (the file is another one now), SIOX_ENOMEM. A part may be
 * opened again and again; zeroed, it may be closed. */
int siox__trace_part_open(const struct siox_trace_reader *r, struct siox__trace_part *p,
                          uint64_t block);
/* 1 an event, 0 the block's end, negative an error. */
int siox__trace_part_read(const struct siox_trace_reader *r, struct siox__trace_part *p,
                          struct siox_trace_event *e);
void siox__trace_part_close(struct siox__trace_part *p);

#endif
