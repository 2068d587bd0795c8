/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* layouts.yaml. What is read can be looked up, used and written as text again. */
#include "fuzz.h"
#include "siox/layouts.h"
#include <string.h>

void fuzz_seeds(void) {
  static const char text[] = "- {file: \"*.dat\", layout: \"0:4:64K\"}\n"
                             "- {file: \"results/*\", base: 4, factor: 3, unit: 64K, disks: 8}\n"
                             "- {file: /x, nodes: [5, 2, 7], unit: 1M}\n";
  fuzz_seed("layouts.yaml", text, sizeof text - 1);
}

static void use(const struct siox_layout *l) {
  char text[256];
  struct siox_layout again;
  struct siox_mask mask;
  FUZZ_CHECK(l->factor >= 1 && l->factor <= l->ndisks && l->unit > 0);
  int n = siox_layout_format(l, text, sizeof text);
  FUZZ_CHECK(n > 0);
  if (n < (int)sizeof text) {
    FUZZ_CHECK(siox_layout_parse(&again, l->ndisks, text) == 0);
    FUZZ_CHECK(siox_layout_equal(l, &again));
    siox_layout_free(&again);
  }
  FUZZ_CHECK(siox_mask_init(&mask, l->ndisks) == 0);
  FUZZ_CHECK(siox_layout_mask(l, 12345, INT64_MAX, &mask) == 0);
  FUZZ_CHECK(siox_layout_mask_strided(l, 1, -70000, INT64_MAX, 5, &mask) == 0);
  siox_mask_free(&mask);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *path = fuzz_file(data, size);
  for (uint32_t ndisks = 0; ndisks <= 8; ndisks += 8) {
    struct siox_layouts layouts;
    struct siox_diag diag = {""};
    if (siox_layouts_load(&layouts, path, ndisks, &diag) < 0) {
      FUZZ_CHECK(strstr(diag.text, path) == diag.text);
      continue;
    }
    for (uint32_t i = 0; i < layouts.count; i++)
      use(&layouts.entry[i].layout);
    siox_layouts_find(&layouts, "/scratch/results/a.dat");
    siox_layouts_free(&layouts);
  }
  return 0;
}
