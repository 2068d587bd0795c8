/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Drive profiles. One that is accepted can be reckoned with: every figure finite, every closed form
 * defined. */
#include "fuzz.h"
#include "siox/drive.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void copy(const char *name) {
  static char data[1 << 16];
  char path[4096];
  snprintf(path, sizeof path, "%s/share/drives/%s", SIOX_SOURCE_DIR, name);
  FILE *f = fopen(path, "rb");
  if (!f) {
    perror(path);
    exit(1);
  }
  size_t size = fread(data, 1, sizeof data, f);
  fclose(f);
  fuzz_seed(name, data, size);
}

void fuzz_seeds(void) {
  static const char table[] = "name: t\nseek_ms: 1\nlevels:\n"
                              "  - {speed: 1, idle_w: 1, active_w: 2, rate: 1e6, rotation_ms: 1}\n"
                              "  - {speed: 2, idle_w: 3, active_w: 4, rate: 2e6, rotation_ms: 0}\n"
                              "transitions:\n  - {from: 1, to: 2, seconds: 1, joules: 5}\n"
                              "  - {from: 2, to: 1, seconds: 1, joules: 2}\n"
                              "wear: {start_stop_per_day: 27, load_unload_per_day: 329}\n";
  fuzz_seed("table.yaml", table, sizeof table - 1);
  copy("36Z15.yaml");
  copy("ES.3.yaml");
  copy("PM981.yaml");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct siox_drive d;
  struct siox_diag diag = {""};
  const char *path = fuzz_file(data, size);
  if (siox_drive_load(&d, path, 10, &diag) < 0) {
    FUZZ_CHECK(strstr(diag.text, path) == diag.text);
    return 0;
  }
  FUZZ_CHECK(d.nlevels >= 1 && d.nlevels <= SIOX_MAX_LEVELS && d.level[d.nlevels - 1].serves);
  for (uint32_t l = 0; l < d.nlevels; l++) {
    double joules;
    const struct siox_level *level = &d.level[l];
    FUZZ_CHECK(isfinite(level->idle_w) && level->idle_w >= 0);
    FUZZ_CHECK(l == 0 || level->speed > d.level[l - 1].speed);
    if (level->serves)
      FUZZ_CHECK(siox_drive_service_ns(&d, l, 1 << 20, false) >= 0);
    FUZZ_CHECK(siox_drive_min_gap(&d, l) >= 0);
    siox_drive_gap_saving(&d, l, INT64_C(20000000000));
    for (uint32_t to = 0; to < d.nlevels; to++)
      if (siox_drive_transition_ns(&d, level->speed, d.level[to].speed) >= 0) {
        FUZZ_CHECK(siox_drive_transition_j(&d, level->speed, d.level[to].speed, &joules) == 0);
        FUZZ_CHECK(isfinite(joules) && joules >= 0);
      }
  }
  FUZZ_CHECK(siox_drive_break_even(&d) >= 0);
  siox_drive_best_level(&d, INT64_C(20000000000));
  return 0;
}
