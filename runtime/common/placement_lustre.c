/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lustre's striping attribute, lustre.lov. Byte offsets:
 *
 *   v1  0 magic 0BD10BD0 | 4 pattern | 8 object id, 16 | 24 stripe bytes | 28 count, 16 bit | 30 |
 * 32 objects v3  the same with magic 0BD30BD0 and a pool's name of 16 bytes before the objects,
 * which begin at 48 object, 24 bytes: id, 16 | generation | 20 OST index composite  0 magic
 * 0BD60BD0 | 4 size | 8 generation | 12 flags, 16 bit | 14 entries, 16 bit | ... | 32 entries
 *   entry, 48 bytes: 0 id | 4 flags | 8 start, 64 bit | 16 end, 64 bit | 24 offset of its v1 or v3
 * | 28 its size | ...
 *
 * Numbers are in the byte order of whoever wrote them, which the magic number shows. */
#include "common/placement.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
  V1 = 0x0BD10BD0,
  V3 = 0x0BD30BD0,
  COMPOSITE = 0x0BD60BD0,
  V1_HEAD = 32,
  V3_HEAD = 48,
  OBJECT = 24,
  OBJECT_INDEX = 20,
  ENTRY = 48,
};
/* Of a pattern. RAID 0 alone is 1; 0x200 puts several stripes on one OST, and has that bit besides.
 */
enum { ON_MDT = 0x100, OVERSTRIPED = 0x200, FOREIGN = 0x400, RAID0 = 1 };
#define RELEASED 0x80000000u /* the data is in an archive */
enum { STALE = 1, INITIALISED = 0x10, EXTENSION = 0x40, PARITY = 0x80 }; /* of a component */
enum { ALL_TARGETS = 0xffff };

struct reader {
  struct siox__bytes bytes;
  const struct siox_targets *targets;
  struct siox_placement *out;
  struct siox_diag *diag;
  const char *why; /* a part was left out */
};

static uint32_t get32(const struct reader *r, size_t offset) {
  return (uint32_t)siox__bytes_get(&r->bytes, offset, 4);
}
static uint32_t get16(const struct reader *r, size_t offset) {
  return (uint32_t)siox__bytes_get(&r->bytes, offset, 2);
}
static uint64_t get64(const struct reader *r, size_t offset) {
  return siox__bytes_get(&r->bytes, offset, 8);
}

static int truncated(const struct reader *r, uint64_t offset) {
  return siox__placement_fail(
      r->diag, SIOX_ETRUNCATED,
      "lustre.lov ends too early, at byte %zu: something begins at byte %" PRIu64, r->bytes.size,
      offset);
}

/* Why a component's data is on no disk, NULL: it is on some. */
static const char *off_disk(uint32_t pattern, uint32_t count) {
  if (pattern & RELEASED)
    return "its data is in an archive";
  if (pattern & ON_MDT)
    return "its data is on a metadata server";
  if (pattern & FOREIGN)
    return "its layout is of another system";
  if (!count || count == ALL_TARGETS)
    return "it is on no target yet";
  return NULL;
}

/* A v1 or v3 in [at, at + size) that holds [start, end) of the file. */
static int read_plain(struct reader *r, size_t at, size_t size, uint64_t start, uint64_t end) {
  if (size < V1_HEAD)
    return truncated(r, at);
  uint32_t magic = get32(r, at), pattern = get32(r, at + 4), unit = get32(r, at + 24);
  uint32_t count = get16(r, at + 28), head = magic == V3 ? V3_HEAD : V1_HEAD;
  if (magic != V1 && magic != V3)
    return siox__placement_fail(r->diag, SIOX_EVERSION,
                                "lustre.lov: magic number %08x at byte %zu is not known", magic,
                                at);
  const char *why = off_disk(pattern, count);
  if (why) {
    r->why = why;
    return 0;
  }
  if ((pattern & 0xffff & ~(uint32_t)OVERSTRIPED) != RAID0)
    return siox__placement_fail(r->diag, SIOX_EVERSION,
                                "lustre.lov: pattern %#x at byte %zu is not striping", pattern,
                                at + 4);
  if (!unit)
    return siox__placement_fail(r->diag, SIOX_EPROTO, "lustre.lov: stripes of 0 bytes at byte %zu",
                                at + 24);
  if (size < head || (size - head) / OBJECT < count)
    return truncated(r, at + head);
  uint64_t *target = malloc(count * sizeof *target);
  if (!target)
    return SIOX_ENOMEM;
  for (uint32_t i = 0; i < count; i++)
    target[i] = get32(r, at + head + (size_t)i * OBJECT + OBJECT_INDEX);
  int rc = siox__placement_add(r->out, start, end, unit, target, count, r->targets, r->diag);
  free(target);
  return rc;
}

static int read_entry(struct reader *r, size_t entry) {
  uint64_t start = get64(r, entry + 8), end = get64(r, entry + 16);
  uint32_t offset = get32(r, entry + 24), size = get32(r, entry + 28);
  if (start >= end)
    return siox__placement_fail(
        r->diag, SIOX_EPROTO, "lustre.lov: a component from %" PRIu64 " to %" PRIu64 " at byte %zu",
        start, end, entry + 8);
  if (!siox__bytes_hold(&r->bytes, offset, size))
    return truncated(r, offset);
  return read_plain(r, offset, size, start, end);
}

static int read_composite(struct reader *r) {
  if (!siox__bytes_hold(&r->bytes, 0, 32))
    return truncated(r, 32);
  uint32_t n = get16(r, 14), mirror = 0;
  bool chosen = false;
  if (!siox__bytes_hold(&r->bytes, 32, (uint64_t)n * ENTRY))
    return truncated(r, 32 + (uint64_t)n * ENTRY);
  for (uint32_t i = 0; i < n; i++) {
    size_t entry = 32 + (size_t)i * ENTRY;
    uint32_t id = get32(r, entry), flags = get32(r, entry + 4);
    if ((flags & (STALE | EXTENSION | PARITY)) || (chosen && id >> 16 != mirror))
      continue; /* EXTENSION: room for the component before it */
    mirror = id >> 16;
    chosen = true;
    if (!(flags & INITIALISED)) {
      r->why = "it is on no target yet";
      continue;
    }
    int rc = read_entry(r, entry);
    if (rc)
      return rc;
  }
  return 0;
}

int siox_placement_lustre(struct siox_placement *out, const void *bytes, size_t size,
                          const struct siox_targets *targets, struct siox_diag *diag) {
  struct reader r = {.bytes = {.at = bytes, .size = size},
                     .targets = targets,
                     .out = out,
                     .diag = diag,
                     .why = "it has no components"};
  memset(out, 0, sizeof *out);
  if (size < 4)
    return truncated(&r, 4);
  uint32_t magic = get32(&r, 0);
  r.bytes.big = __builtin_bswap32(magic) == V1 || __builtin_bswap32(magic) == V3 ||
                __builtin_bswap32(magic) == COMPOSITE;
  int rc = get32(&r, 0) == COMPOSITE ? read_composite(&r) : read_plain(&r, 0, size, 0, UINT64_MAX);
  if (rc == 0)
    rc = siox__placement_settle(out, targets, diag);
  if (rc == 0 && !out->count)
    rc = siox__placement_fail(diag, SIOX_EUNKNOWN, "no disk holds it: %s", r.why);
  if (rc)
    siox_placement_free(out);
  return rc;
}
