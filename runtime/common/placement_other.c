/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* PVFS2 and OrangeFS, and BeeGFS. A distribution is encoded little-endian as the length of its name
 * (32 bits), the name and a NUL, room up to the next multiple of 8, and its parameters: of
 * simple_stripe the bytes of a strip, 64 bits. Handles are 64 bits each, in the order of the data
 * files. */
#include "common/placement.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { HANDLES_MAX = 65536 };

static int strip_of(const struct siox__bytes *b, uint64_t *strip, bool *basic,
                    struct siox_diag *diag) {
  if (!siox__bytes_hold(b, 0, 4))
    return siox__placement_fail(diag, SIOX_ETRUNCATED, "system.pvfs2.md: %zu bytes", b->size);
  uint64_t length = siox__bytes_get(b, 0, 4);
  const char *name = (const char *)b->at + 4;
  if (!siox__bytes_hold(b, 4, length + 1))
    return siox__placement_fail(diag, SIOX_ETRUNCATED,
                                "system.pvfs2.md: a name of %" PRIu64 " bytes in %zu", length,
                                b->size);
  *basic = length == 10 && !memcmp(name, "basic_dist", 11);
  if (*basic)
    return 0;
  if (length != 13 || memcmp(name, "simple_stripe", 14) != 0)
    return siox__placement_fail(diag, SIOX_EVERSION,
                                "system.pvfs2.md: distribution \"%.*s\" is not striping in turns",
                                (int)(length < 40 ? length : 40), name);
  uint64_t at = (4 + length + 1 + 7) & ~UINT64_C(7);
  if (!siox__bytes_hold(b, at, 8))
    return siox__placement_fail(diag, SIOX_ETRUNCATED,
                                "system.pvfs2.md: no strip size at byte %" PRIu64, at);
  *strip = siox__bytes_get(b, at, 8);
  if (!*strip || *strip > INT64_MAX)
    return siox__placement_fail(diag, SIOX_EPROTO,
                                "system.pvfs2.md: strips of %" PRId64 " bytes at byte %" PRIu64,
                                (int64_t)*strip, at);
  return 0;
}

int siox_placement_pvfs2(struct siox_placement *out, const void *dist, size_t dist_size,
                         const void *handles, size_t handles_size,
                         const struct siox_targets *targets, struct siox_diag *diag) {
  const struct siox__bytes d = {.at = dist, .size = dist_size};
  const struct siox__bytes h = {.at = handles, .size = handles_size};
  uint64_t strip = UINT64_C(1) << 62, n = handles_size / 8;
  bool basic;
  memset(out, 0, sizeof *out);
  int rc = strip_of(&d, &strip, &basic, diag);
  if (rc)
    return rc;
  if (handles_size % 8 || !n || n > HANDLES_MAX)
    return siox__placement_fail(diag, SIOX_EPROTO,
                                "system.pvfs2.dh: %zu bytes are no list of handles", handles_size);
  if (!targets->count)
    return siox__placement_fail(diag, SIOX_EUNKNOWN,
                                "which disk a handle is on stands in the server's configuration: "
                                "a map of handles is needed");
  uint64_t *handle = malloc((size_t)n * sizeof *handle);
  if (!handle)
    return SIOX_ENOMEM;
  for (size_t i = 0; i < n; i++)
    handle[i] = siox__bytes_get(&h, 8 * i, 8);
  rc = siox__placement_add(out, 0, UINT64_MAX, strip, handle, basic ? 1 : (uint32_t)n, targets,
                           diag);
  free(handle);
  if (rc == 0)
    rc = siox__placement_settle(out, targets, diag);
  if (rc)
    siox_placement_free(out);
  return rc;
}

int siox_placement_beegfs(struct siox_placement *out, uint32_t pattern, uint32_t chunk,
                          const uint32_t *target, uint32_t ntargets,
                          const struct siox_targets *targets, struct siox_diag *diag) {
  memset(out, 0, sizeof *out);
  if (pattern < 1 || pattern > 3)
    return siox__placement_fail(diag, SIOX_EVERSION, "BeeGFS pattern %u is not known", pattern);
  if (!chunk || !ntargets)
    return siox__placement_fail(diag, SIOX_EPROTO, "BeeGFS tells chunks of %u bytes on %u targets",
                                chunk, ntargets);
  uint64_t *wide = malloc((size_t)ntargets * sizeof *wide);
  if (!wide)
    return SIOX_ENOMEM;
  for (uint32_t i = 0; i < ntargets; i++)
    wide[i] = target[i];
  int rc = siox__placement_add(out, 0, UINT64_MAX, chunk, wide, ntargets, targets, diag);
  free(wide);
  if (rc == 0)
    rc = siox__placement_settle(out, targets, diag);
  if (rc)
    siox_placement_free(out);
  return rc;
}
