/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The configuration file. Profiles and layouts that it names are not opened: they have targets of
 * their own, and an input could name any file of the machine. */
#include "fuzz.h"
#include "siox/config.h"
#include <string.h>

void fuzz_seeds(void) {
  static const char text[] =
#define SIOX_CONFIG(type, key, initial, environment, help) #key ": \"" initial "\"\n"
#include "siox/config.def"
#undef SIOX_CONFIG
      ;
  static const char other[] = "mount: /scratch/siox\ndisks: 8\ndrive: [36Z15, ./other.yaml]\n"
                              "time_scale: 10\ndefault_layout: \"0:8:64K\"\npolicy: static:9000\n";
  fuzz_seed("defaults.yaml", text, sizeof text - 1);
  fuzz_seed("config.yaml", other, sizeof other - 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *path = fuzz_file(data, size);
  struct siox_config config;
  struct siox_diag diag = {""};
  if (siox_config_load(&config, path, NULL, 0, &diag) < 0) {
    FUZZ_CHECK(diag.text[0]);
    return 0;
  }
  FUZZ_CHECK(config.policy && config.disks >= 1);
  fuzz_touch_text(config.policy);
  fuzz_touch_text(config.mount);
  siox_config_free(&config);
  return 0;
}
