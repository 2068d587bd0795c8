/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* scenario.yaml of `siox sim`, with generated jobs only: an input that names a file could name any
 * file of the machine. */
#include "fuzz.h"
#include "sim.h"
#include <string.h>

void fuzz_seeds(void) {
  static const char text[] =
      "disks: 4\ncache: {size: 1M, block: 4K, rate: 1G, read_ahead: 64K, write_back: no}\narray: "
      "2\narray_unit: 16K\narray_parity: no\ndrive: 36Z15\ntransition_rule: b\ndefault_layout: "
      "\"0:4:64K\"\n"
      "layouts:\n- {file: \"*.dat\", base: 1, factor: 3, unit: 64K}\n"
      "schemes: [rt, siox]\njobs:\n"
      "- {name: a, start: 5, repeats: 2, pause: 1, instances: 3, think: 1.5,\n"
      "   generate: {processes: 2, phases: 10, gap: 8, burst: 4, request: 128K, error: 25}}\n"
      "- {generate: {processes: 1, phases: 2, gap: 1, burst: 1, request: 1M, seed: 3, hints: "
      "no}}\n";
  fuzz_seed("scenario.yaml", text, sizeof text - 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct sim_scenario s;
  struct siox_diag diag = {""};
  if (memchr(data, '/', size) || memmem(data, size, "trace", 5))
    return 0;
  if (sim_scenario_load(&s, fuzz_file(data, size), NULL, 0, &diag) < 0) {
    FUZZ_CHECK(diag.text[0]);
    return 0;
  }
  FUZZ_CHECK(s.ndisks >= 1 && s.njobs >= 1 && s.widest >= 1 && s.widest <= s.ndisks);
  for (uint32_t d = 0; d < s.ndisks; d++)
    FUZZ_CHECK(s.initial_level[d] < s.drive[d]->nlevels);
  sim_scenario_free(&s);
  return 0;
}
