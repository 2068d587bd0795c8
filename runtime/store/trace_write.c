/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writing a trace. Each stream gathers its events in a small buffer that becomes one block when it
 * is full; a block starts with fresh predictions, so every block can be read by itself. Definitions
 * go out before any block of events that might need them. After a failed write the file is cut back
 * to its last whole block and nothing more is written: what is there stays readable. */
#include "store/trace_wire.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct stream {
  uint32_t client, thread;
  uint32_t number;      /* in the blocks' frames */
  struct stream *next;  /* of its bucket */
  struct siox__out out; /* payload so far; data NULL: none */
  struct siox__trace_codec codec;
};

struct siox_trace_writer {
  int fd;
  int failed;      /* first error; sticky */
  uint64_t length; /* bytes of whole blocks in the file */
  int64_t start;
  uint32_t ndisks, nstreams, nbuckets, next_number;
  struct stream **bucket;      /* streams by (client, thread) */
  struct stream **disk;        /* by disk; NULL until its first segment */
  struct siox_drive *profiles; /* own copies: the caller's need not live as long */
  uint32_t *profile;           /* per disk */
  struct siox__out definitions;
};

static void put_frame(uint8_t frame[SIOX__TRACE_FRAME], enum siox__trace_block kind,
                      uint32_t number, const uint8_t *payload, size_t length) {
  struct siox__out out = {frame, 0, SIOX__TRACE_FRAME, 0};
  const uint8_t head[4] = {'S', 'X', (uint8_t)kind, 0};
  siox__out_bytes(&out, head, sizeof head);
  siox__out_fixed32(&out, number);
  siox__out_fixed32(&out, (uint32_t)length);
  siox__out_fixed32(&out, siox__crc32c(siox__crc32c(0, frame, 12), payload, length));
}

static int write_all(int fd, const uint8_t *data, size_t bytes) {
  while (bytes) {
    ssize_t n = write(fd, data, bytes);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return SIOX_EIO;
    data += n;
    bytes -= (size_t)n;
  }
  return 0;
}

static int put_block(struct siox_trace_writer *w, enum siox__trace_block kind, uint32_t number,
                     struct siox__out *out) {
  uint8_t frame[SIOX__TRACE_FRAME];
  if (w->failed)
    return w->failed;
  if (out->failed || out->length > SIOX__TRACE_BLOCK_MAX)
    return w->failed = out->failed ? out->failed : SIOX_ERANGE;
  put_frame(frame, kind, number, out->data, out->length);
  int rc = write_all(w->fd, frame, sizeof frame);
  if (rc == 0)
    rc = write_all(w->fd, out->data, out->length);
  if (rc) {
    w->failed = rc;
    if (ftruncate(w->fd, (off_t)w->length) != 0)
      return rc; /* the reader stops at the broken block */
    return rc;
  }
  w->length += sizeof frame + out->length;
  out->length = 0;
  return 0;
}

static int put_definitions(struct siox_trace_writer *w) {
  return w->definitions.length ? put_block(w, SIOX__BLOCK_DEFINITIONS, 0, &w->definitions)
                               : w->failed;
}

static int put_stream(struct siox_trace_writer *w, struct stream *s, enum siox__trace_block kind) {
  if (!s->out.length)
    return w->failed;
  int rc = put_definitions(w);
  return rc ? rc : put_block(w, kind, s->number, &s->out);
}

/* The caller's profiles are copied once per distinct address, as the disks of one model share
 * theirs. */
static int keep_profiles(struct siox_trace_writer *w, const struct siox_trace_header *h) {
  uint32_t n = 0;
  const struct siox_drive **seen = calloc((size_t)h->ndisks + 1, sizeof *seen);
  w->profile = calloc((size_t)h->ndisks + 1, sizeof *w->profile);
  if (!seen || !w->profile) {
    free(seen);
    return SIOX_ENOMEM;
  }
  for (uint32_t i = 0; i < h->ndisks; i++) {
    uint32_t k = i && h->drive[i] == h->drive[i - 1] ? w->profile[i - 1] : 0;
    while (k < n && seen[k] != h->drive[i])
      k++;
    if (k == n)
      seen[n++] = h->drive[i];
    w->profile[i] = k;
  }
  w->profiles = calloc((size_t)n + 1, sizeof *w->profiles);
  for (uint32_t k = 0; w->profiles && k < n; k++)
    w->profiles[k] = *seen[k];
  free(seen);
  return w->profiles ? 0 : SIOX_ENOMEM;
}

static int start_file(struct siox_trace_writer *w, const char *path,
                      const struct siox_trace_header *h, struct siox_diag *diag) {
  w->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (w->fd < 0) {
    if (diag)
      snprintf(diag->text, sizeof diag->text, "%s: cannot create the trace: %s", path,
               strerror(errno));
    return SIOX_EIO;
  }
  struct siox__out out = {0};
  siox__trace_put_header(&out, h);
  int rc = put_block(w, SIOX__BLOCK_HEADER, 0, &out);
  if (rc && diag)
    snprintf(diag->text, sizeof diag->text, "%s: cannot write the trace's header: %s", path,
             siox_strerror(rc));
  free(out.data);
  return rc;
}

static void discard(struct siox_trace_writer *w) {
  if (w->fd >= 0)
    close(w->fd);
  free(w->definitions.data);
  for (uint32_t i = 0; i < w->nbuckets; i++)
    for (struct stream *s = w->bucket[i], *next; s; s = next) {
      next = s->next;
      free(s->out.data);
      free(s);
    }
  for (uint32_t i = 0; w->disk && i < w->ndisks; i++)
    if (w->disk[i]) {
      free(w->disk[i]->out.data);
      free(w->disk[i]);
    }
  free(w->bucket);
  free(w->disk);
  free(w->profiles);
  free(w->profile);
  free(w);
}

int siox_trace_create(struct siox_trace_writer **out, const char *path,
                      const struct siox_trace_header *h, struct siox_diag *diag) {
  *out = NULL;
  if (diag)
    diag->text[0] = 0;
  if (h->ndisks > SIOX_MAX_DISKS || h->start < 0 || h->start > INT64_MAX / 4 ||
      (h->policy && strlen(h->policy) > SIOX__TRACE_STRING_MAX))
    return SIOX_EINVAL;
  for (uint32_t i = 0; i < h->ndisks; i++)
    if (!h->drive[i]->nlevels || h->drive[i]->nlevels > SIOX_MAX_LEVELS ||
        h->initial_level[i] >= h->drive[i]->nlevels)
      return SIOX_EINVAL;
  struct siox_trace_writer *w = calloc(1, sizeof *w);
  if (!w)
    return SIOX_ENOMEM;
  w->fd = -1;
  w->start = h->start;
  w->ndisks = h->ndisks;
  w->nbuckets = 64;
  w->bucket = calloc(w->nbuckets, sizeof(struct stream *));
  w->disk = calloc((size_t)w->ndisks + 1, sizeof(struct stream *));
  if (!w->bucket)
    w->nbuckets = 0;
  int rc = w->bucket && w->disk ? keep_profiles(w, h) : SIOX_ENOMEM;
  if (rc == 0)
    rc = start_file(w, path, h, diag);
  if (rc) {
    discard(w);
    return rc;
  }
  *out = w;
  return 0;
}

static uint32_t hash(uint32_t client, uint32_t thread, uint32_t nbuckets) {
  uint64_t key = ((uint64_t)client << 32 | thread) * UINT64_C(0x9e3779b97f4a7c15);
  return (uint32_t)(key >> 32) & (nbuckets - 1);
}

static void grow(struct siox_trace_writer *w) {
  uint32_t n = w->nbuckets * 2;
  struct stream **bucket = calloc(n, sizeof(struct stream *));
  if (!bucket)
    return; /* longer chains do no harm */
  for (uint32_t i = 0; i < w->nbuckets; i++)
    for (struct stream *s = w->bucket[i], *next; s; s = next) {
      next = s->next;
      uint32_t h = hash(s->client, s->thread, n);
      s->next = bucket[h];
      bucket[h] = s;
    }
  free(w->bucket);
  w->bucket = bucket;
  w->nbuckets = n;
}

static struct stream *stream_of(struct siox_trace_writer *w, uint32_t client, uint32_t thread) {
  uint32_t h = hash(client, thread, w->nbuckets);
  for (struct stream *s = w->bucket[h]; s; s = s->next)
    if (s->client == client && s->thread == thread)
      return s;
  struct stream *s = calloc(1, sizeof *s);
  if (!s)
    return NULL;
  s->client = client;
  s->thread = thread;
  s->number = w->next_number++;
  s->next = w->bucket[h];
  w->bucket[h] = s;
  if (++w->nstreams > w->nbuckets)
    grow(w);
  return s;
}

/* Client numbers are used again: the new owner's definition comes after everything the last one
 * did. */
static int end_client(struct siox_trace_writer *w, uint32_t client) {
  for (uint32_t i = 0; i < w->nbuckets; i++)
    for (struct stream **p = &w->bucket[i]; *p;) {
      struct stream *s = *p;
      if (s->client != client) {
        p = &s->next;
        continue;
      }
      int rc = put_stream(w, s, SIOX__BLOCK_EVENTS);
      if (rc)
        return rc;
      *p = s->next;
      free(s->out.data);
      free(s);
      w->nstreams--;
    }
  return w->failed;
}

static bool text_fits(const char *text) { return !text || strlen(text) <= SIOX__TRACE_STRING_MAX; }

static int define(struct siox_trace_writer *w, const struct siox_trace_event *e) {
  int rc = w->failed;
  struct siox_trace_event cut = *e;
  char program[4096];
  switch (e->kind) {
  case SIOX_TRACE_JOB:
    if (!text_fits(e->u.job.key))
      return SIOX_ERANGE;
    break;
  case SIOX_TRACE_CLIENT:
    rc = end_client(w, e->u.client_def.client);
    if (e->u.client_def.program && strlen(e->u.client_def.program) >= sizeof program) {
      memcpy(program, e->u.client_def.program, sizeof program - 1);
      program[sizeof program - 1] = 0;
      cut.u.client_def.program = program; /* for people */
    }
    break;
  case SIOX_TRACE_FILE:
    if (!text_fits(e->u.file.path) || !text_fits(e->u.file.layout))
      return SIOX_ERANGE;
    break;
  default:
    if (!text_fits(e->u.site.file) || !text_fits(e->u.site.function) || !text_fits(e->u.site.call))
      return SIOX_ERANGE;
  }
  if (rc)
    return rc;
  siox__trace_put_definition(&w->definitions, &cut);
  if (w->definitions.failed)
    return w->failed = w->definitions.failed;
  return w->definitions.length > SIOX__TRACE_BLOCK_SOFT ? put_definitions(w) : 0;
}

static int put_event(struct siox_trace_writer *w, struct stream *s,
                     const struct siox_trace_event *e, const struct siox_drive *drive,
                     uint32_t first, uint32_t second) {
  enum siox__trace_block kind = drive ? SIOX__BLOCK_DISK : SIOX__BLOCK_EVENTS;
  if (!s->out.length) {
    uint64_t time = (uint64_t)siox__trace_time(e);
    siox__out_varint(&s->out, first);
    if (!drive)
      siox__out_varint(&s->out, second);
    siox__out_varint(&s->out, siox__zigzag(time - (uint64_t)w->start));
    siox__trace_begin(&s->codec, time, drive);
  }
  siox__trace_encode(&s->codec, &s->out, e);
  if (s->out.failed)
    return w->failed = s->out.failed;
  return s->out.length > SIOX__TRACE_BLOCK_SOFT ? put_stream(w, s, kind) : 0;
}

int siox_trace_write(struct siox_trace_writer *w, const struct siox_trace_event *e) {
  if (w->failed)
    return w->failed;
  if (e->kind <= SIOX_TRACE_SITE)
    return define(w, e);
  if (e->kind >= SIOX_NTRACE_KINDS || siox__trace_wrong(e, w->ndisks))
    return SIOX_EINVAL;
  if (e->kind == SIOX_TRACE_SEGMENT) {
    uint32_t d = e->u.segment.disk;
    if (!w->disk[d] && !(w->disk[d] = calloc(1, sizeof(struct stream))))
      return w->failed = SIOX_ENOMEM;
    w->disk[d]->number = d;
    return put_event(w, w->disk[d], e, &w->profiles[w->profile[d]], d, 0);
  }
  struct stream *s = stream_of(w, e->client, e->thread);
  if (!s)
    return w->failed = SIOX_ENOMEM;
  return put_event(w, s, e, NULL, e->client, e->thread);
}

int siox_trace_flush(struct siox_trace_writer *w) {
  int rc = put_definitions(w);
  for (uint32_t i = 0; i < w->nbuckets && rc == 0; i++)
    for (struct stream *s = w->bucket[i]; s && rc == 0; s = s->next)
      rc = put_stream(w, s, SIOX__BLOCK_EVENTS);
  for (uint32_t i = 0; i < w->ndisks && rc == 0; i++)
    if (w->disk[i])
      rc = put_stream(w, w->disk[i], SIOX__BLOCK_DISK);
  return rc;
}

int siox_trace_close(struct siox_trace_writer *w) {
  if (!w)
    return 0;
  struct siox__out end = {0};
  int rc = siox_trace_flush(w);
  if (rc == 0)
    rc = put_block(w, SIOX__BLOCK_END, 0, &end);
  if (fsync(w->fd) != 0 && errno != EINVAL && errno != EROFS &&
      rc == 0) /* a pipe or device cannot sync */
    rc = SIOX_EIO;
  if (close(w->fd) != 0 && rc == 0)
    rc = SIOX_EIO;
  w->fd = -1;
  discard(w);
  return rc;
}
