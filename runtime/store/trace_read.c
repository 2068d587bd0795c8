/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reading a trace, a block at a time: memory is that of the largest block and does not grow with
 * the file. Everything is checked before it is believed, and every error says at which byte of the
 * file it was met. */
#include "store/trace_wire.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct siox_trace_reader {
  int fd;
  char *path;
  uint64_t block; /* file offset of the present block's frame */
  uint64_t next;  /* and of what follows it */
  uint8_t *data;  /* payload */
  size_t room;
  struct siox__in in;
  enum siox__trace_block kind;
  uint32_t client, thread, disk; /* of the present block */
  int over;                      /* 1: the end, or the error that every further read gives */
  bool ended;
  struct siox_diag last;
  struct siox__trace_header header;
  struct siox__trace_strings strings;
  struct siox__trace_runs runs;
  struct siox__trace_codec codec;
};

static int fail(struct siox_trace_reader *r, int code, uint64_t offset, const char *why,
                struct siox_diag *diag) {
  snprintf(r->last.text, sizeof r->last.text, "%.400s: byte %llu: %s", r->path,
           (unsigned long long)offset, why);
  if (diag)
    *diag = r->last;
  return r->over = code;
}

static int fail_in_block(struct siox_trace_reader *r, struct siox_diag *diag) {
  return fail(r, r->in.failed, r->block + SIOX__TRACE_FRAME + r->in.at,
              r->in.why ? r->in.why : "malformed", diag);
}

/* Bytes read, fewer at the end of the file; negative: SIOX_EIO. */
static ssize_t read_all(int fd, uint8_t *data, size_t bytes) {
  size_t done = 0;
  while (done < bytes) {
    ssize_t n = read(fd, data + done, bytes - done);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return SIOX_EIO;
    if (n == 0)
      break;
    done += (size_t)n;
  }
  return (ssize_t)done;
}

static uint32_t fixed32(const uint8_t *p) {
  return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* The payload is read in steps, so that a length that lies does not cost its memory. */
static int read_payload(struct siox_trace_reader *r, uint32_t length, struct siox_diag *diag) {
  size_t done = 0;
  while (done < length) {
    size_t step = length - done < 65536 ? length - done : 65536;
    if (done + step > r->room) {
      size_t room = r->room ? r->room * 2 : 65536;
      uint8_t *grown = realloc(r->data, room);
      if (!grown)
        return fail(r, SIOX_ENOMEM, r->block, "out of memory", diag);
      r->data = grown;
      r->room = room;
      continue;
    }
    ssize_t n = read_all(r->fd, r->data + done, step);
    if (n < 0)
      return fail(r, SIOX_EIO, r->block, "cannot be read", diag);
    done += (size_t)n;
    if ((size_t)n < step)
      return fail(r, SIOX_ETRUNCATED, r->block + SIOX__TRACE_FRAME + done,
                  "the file ends inside a block", diag);
  }
  return 0;
}

/* Reads and checks the next block. 1 a block, 0 the end, negative an error. */
static int next_block(struct siox_trace_reader *r, struct siox_diag *diag) {
  uint8_t frame[SIOX__TRACE_FRAME];
  r->block = r->next;
  ssize_t n = read_all(r->fd, frame, sizeof frame);
  if (n < 0)
    return fail(r, SIOX_EIO, r->block, "cannot be read", diag);
  if (n == 0 && r->ended)
    return 0;
  if (r->ended)
    return fail(r, SIOX_EPROTO, r->block, "something follows the end block", diag);
  if (n == 0)
    return fail(r, SIOX_ETRUNCATED, r->block,
                "the end block is missing: the writer was ended, or is still at work", diag);
  if ((size_t)n >= 2 && (frame[0] != 'S' || frame[1] != 'X'))
    return fail(r, SIOX_EPROTO, r->block,
                r->block ? "no block starts here" : "this is not a Siox trace", diag);
  if ((size_t)n < sizeof frame)
    return fail(r, SIOX_ETRUNCATED, r->block + (uint64_t)n, "the file ends inside a block", diag);
  uint32_t length = fixed32(frame + 8);
  if (length > SIOX__TRACE_BLOCK_MAX)
    return fail(r, SIOX_EPROTO, r->block + 8, "a block is longer than any can be", diag);
  int rc = read_payload(r, length, diag);
  if (rc)
    return rc;
  if (siox__crc32c(siox__crc32c(0, frame, 12), r->data, length) != fixed32(frame + 12))
    return fail(r, SIOX_ECHECKSUM, r->block, "the block's checksum does not match", diag);
  r->next = r->block + SIOX__TRACE_FRAME + length;
  r->kind = frame[2];
  r->in = (struct siox__in){r->data, length, 0, 0, NULL};
  if (frame[2] < SIOX__BLOCK_HEADER || frame[2] > SIOX__BLOCK_END || frame[3])
    return fail(r, SIOX_EPROTO, r->block + 2, "the block's kind is not known", diag);
  if ((r->kind == SIOX__BLOCK_HEADER) != (r->block == 0))
    return fail(r, SIOX_EPROTO, r->block + 2, "the header block is not the first, or comes twice",
                diag);
  return 1;
}

/* The start of a block of events: whose they are and when it begins. */
static int begin_events(struct siox_trace_reader *r, struct siox_diag *diag) {
  static const char wide[] = "a number is wider than 32 bits";
  const struct siox_drive *drive = NULL;
  if (r->kind == SIOX__BLOCK_DISK) {
    r->client = r->thread = 0;
    r->disk = siox__in_number(&r->in, UINT32_MAX, wide);
    if (r->disk >= r->header.head.ndisks)
      siox__in_fail(&r->in, "the block's disk is not there");
    else
      drive = r->header.head.drive[r->disk];
  } else {
    r->client = siox__in_number(&r->in, UINT32_MAX, wide);
    r->thread = siox__in_number(&r->in, UINT32_MAX, wide);
  }
  uint64_t time = siox__unzigzag(siox__in_varint(&r->in)) + (uint64_t)r->header.head.start;
  if (r->in.failed)
    return fail_in_block(r, diag);
  siox__trace_begin(&r->codec, time, drive);
  return 0;
}

int siox_trace_open(struct siox_trace_reader **out, const char *path, struct siox_diag *diag) {
  *out = NULL;
  if (diag)
    diag->text[0] = 0;
  struct siox_trace_reader *r = calloc(1, sizeof *r);
  if (!r || !(r->path = strdup(path))) {
    free(r);
    return SIOX_ENOMEM;
  }
  r->fd = open(path, O_RDONLY | O_CLOEXEC);
  int rc = 0;
  if (r->fd < 0) {
    rc = errno == ENOENT ? SIOX_ENOENT : SIOX_EIO;
    if (diag)
      snprintf(diag->text, sizeof diag->text, "%.400s: %s", path, strerror(errno));
  }
  if (rc == 0) {
    rc = next_block(r, diag);
    rc = rc > 0 ? 0 : rc;
  }
  if (rc == 0 && siox__trace_get_header(&r->in, &r->header))
    rc = fail_in_block(r, diag);
  if (rc == 0 && (r->header.head.start < 0 || r->header.head.start > INT64_MAX / 4))
    rc = fail(r, SIOX_EPROTO, SIOX__TRACE_FRAME, "a time is out of range", diag);
  if (rc) {
    siox_trace_reader_close(r);
    return rc;
  }
  *out = r;
  return 0;
}

const struct siox_trace_header *siox_trace_header(const struct siox_trace_reader *r) {
  return &r->header.head;
}

static int read_event(struct siox_trace_reader *r, struct siox_trace_event *e,
                      struct siox_diag *diag) {
  size_t at = r->in.at;
  if (r->kind == SIOX__BLOCK_DEFINITIONS) {
    siox__trace_get_definition(&r->in, e, &r->strings);
    return r->in.failed ? fail_in_block(r, diag) : 1;
  }
  e->client = r->client;
  e->thread = r->thread;
  siox__trace_decode(&r->codec, &r->in, e, &r->runs);
  if (r->in.failed)
    return fail_in_block(r, diag);
  if (e->kind == SIOX_TRACE_SEGMENT)
    e->u.segment.disk = r->disk;
  const char *why = siox__trace_wrong(e, r->header.head.ndisks);
  return why ? fail(r, SIOX_EPROTO, r->block + SIOX__TRACE_FRAME + at, why, diag) : 1;
}

int siox_trace_read(struct siox_trace_reader *r, struct siox_trace_event *e,
                    struct siox_diag *diag) {
  while (!r->over) {
    if (r->in.at < r->in.length)
      return read_event(r, e, diag);
    int rc = next_block(r, diag);
    if (rc < 0)
      return rc;
    if (rc == 0) {
      r->over = 1;
      break;
    }
    if (r->kind == SIOX__BLOCK_END) {
      r->ended = true;
      if (r->in.length)
        return fail(r, SIOX_EPROTO, r->block, "the end block is not empty", diag);
    } else if (r->kind != SIOX__BLOCK_DEFINITIONS && (rc = begin_events(r, diag)) != 0)
      return rc;
  }
  if (r->over < 0 && diag)
    *diag = r->last;
  return r->over < 0 ? r->over : 0;
}

uint64_t siox__trace_block(const struct siox_trace_reader *r) { return r->block; }

/* pread until all is there. */
static int read_at(int fd, uint64_t at, uint8_t *data, size_t bytes) {
  for (size_t done = 0; done < bytes;) {
    ssize_t n = pread(fd, data + done, bytes - done, (off_t)(at + done));
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return n < 0 ? SIOX_EIO : SIOX_ETRUNCATED;
    done += (size_t)n;
  }
  return 0;
}

int siox__trace_part_open(const struct siox_trace_reader *r, struct siox__trace_part *p,
                          uint64_t block) {
  uint8_t frame[SIOX__TRACE_FRAME] = {0};
  int rc = read_at(r->fd, block, frame, sizeof frame);
  uint32_t length = fixed32(frame + 8);
  if (rc == 0 && (frame[2] != SIOX__BLOCK_EVENTS || length > SIOX__TRACE_BLOCK_MAX))
    rc = SIOX_EPROTO;
  if (rc == 0 && length > p->room) {
    uint8_t *grown = realloc(p->data, length);
    if (!grown)
      return SIOX_ENOMEM;
    p->data = grown;
    p->room = length;
  }
  if (rc == 0)
    rc = read_at(r->fd, block + SIOX__TRACE_FRAME, p->data, length);
  if (rc)
    return rc;
  p->in = (struct siox__in){p->data, length, 0, 0, NULL};
  p->client = siox__in_number(&p->in, UINT32_MAX, "");
  p->thread = siox__in_number(&p->in, UINT32_MAX, "");
  uint64_t time = siox__unzigzag(siox__in_varint(&p->in)) + (uint64_t)r->header.head.start;
  siox__trace_begin(&p->codec, time, NULL);
  return p->in.failed;
}

int siox__trace_part_read(const struct siox_trace_reader *r, struct siox__trace_part *p,
                          struct siox_trace_event *e) {
  if (p->in.at >= p->in.length)
    return 0;
  e->client = p->client;
  e->thread = p->thread;
  siox__trace_decode(&p->codec, &p->in, e, &p->runs);
  if (p->in.failed)
    return p->in.failed;
  return siox__trace_wrong(e, r->header.head.ndisks) ? SIOX_EPROTO : 1;
}

void siox__trace_part_close(struct siox__trace_part *p) {
  free(p->data);
  free(p->runs.item);
  memset(p, 0, sizeof *p);
}

void siox_trace_reader_close(struct siox_trace_reader *r) {
  if (!r)
    return;
  if (r->fd >= 0)
    close(r->fd);
  siox__trace_free_header(&r->header);
  siox__trace_free_strings(&r->strings);
  free(r->runs.item);
  free(r->data);
  free(r->path);
  free(r);
}
