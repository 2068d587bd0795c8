/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Layouts as file systems state them. The first byte chooses the reader and the targets; the second
 * says how much of the rest is the first attribute. */
#include "fuzz.h"
#include "siox/placement.h"
#include <stdlib.h>
#include <string.h>

static const struct siox_target_range range[] = {{0, 1, 3}, {2, 2, 0}, {3, UINT64_MAX, 1}};
static const struct siox_targets targets[] = {
    {.ndisks = 8}, {.ndisks = 0}, {.ndisks = 4, .range = range, .count = 3}};

void fuzz_seeds(void) {
  static const unsigned char v1[] = "\0\0\xd0\x0b\xd1\x0b\1\0\0\0"
                                    "................\0\0\1\0\2\0\0\0"
                                    "....................\5\0\0\0"
                                    "....................\6\0\0";
  static const unsigned char composite[] =
      "\0\0\xd0\x0b\xd6\x0b\x88\0\0\0\1\0\0\0\0\0\1\0\0\0..............\1\0\0\0\x10\0\0\0"
      "\0\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\x50\0\0\0\x38\0\0\0................"
      "\xd0\x0b\xd1\x0b\1\0\0\0................\0\0\1\0\1\0\0\0....................\5\0\0";
  static const unsigned char pvfs[] = "\5\x20\x0d\0\0\0simple_stripe\0......"
                                      "\0\0\1\0\0\0\0\0\7\0\0\0\0\0\0\0\2\0\0\0\0\0\0";
  static const unsigned char beegfs[] = "\6\0\1\0\0\0\0\0\1\0\1\0\0\0\2\0\0";
  fuzz_seed("v1", v1, sizeof v1);
  fuzz_seed("composite", composite, sizeof composite);
  fuzz_seed("pvfs2", pvfs, sizeof pvfs);
  fuzz_seed("beegfs", beegfs, sizeof beegfs);
}

static void use(const struct siox_placement *p) {
  uint32_t ndisks = p->part[0].layout.ndisks;
  struct siox_mask mask;
  FUZZ_CHECK(siox_mask_init(&mask, ndisks) == 0);
  for (uint32_t i = 0; i < p->count; i++) {
    const struct siox_placement_part *part = &p->part[i];
    FUZZ_CHECK(part->start < part->end);
    FUZZ_CHECK(i == 0 || part->start >= p->part[i - 1].end);
    FUZZ_CHECK(part->layout.ndisks == ndisks && part->layout.unit > 0);
    FUZZ_CHECK(part->layout.factor >= 1 && part->layout.factor <= ndisks);
    for (uint32_t k = 0; k < part->layout.factor; k++)
      FUZZ_CHECK(part->layout.nodes[k] < ndisks);
    FUZZ_CHECK(siox_layout_mask(&part->layout, 12345, INT64_MAX, &mask) == 0);
  }
  siox_mask_free(&mask);
  FUZZ_CHECK(siox_placement_main(p, 1 << 20));
}

/* Exactly as long as it is said to be, so that the sanitizers see every step beyond. */
static void *copy(const uint8_t *data, size_t size) {
  void *p = malloc(size + !size);
  memcpy(p, data, size);
  return p;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 2)
    return 0;
  const struct siox_targets *t = &targets[data[0] % 3];
  struct siox_placement p;
  struct siox_diag diag = {""};
  size_t first = data[1], rest = size - 2;
  void *whole = copy(data + 2, rest);
  int rc;
  if (data[0] < 3) {
    rc = siox_placement_lustre(&p, whole, rest, t, &diag);
  } else if (data[0] < 6) {
    first = first < rest ? first : rest;
    void *dist = copy(data + 2, first), *handles = copy(data + 2 + first, rest - first);
    rc = siox_placement_pvfs2(&p, dist, first, handles, rest - first, t, &diag);
    free(dist);
    free(handles);
  } else {
    uint32_t word[64] = {0};
    memcpy(word, whole, rest < sizeof word ? rest : sizeof word);
    rc = siox_placement_beegfs(&p, word[0] & 7, word[1], word + 3, word[2] % 62, t, &diag);
  }
  FUZZ_CHECK((rc == 0) == (p.count > 0));
  FUZZ_CHECK(rc == 0 || rc == SIOX_ENOMEM || *diag.text);
  if (rc == 0)
    use(&p);
  siox_placement_free(&p);
  free(whole);
  return 0;
}
