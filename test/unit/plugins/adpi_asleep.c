/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A detector that does not come back, as a device does that no longer answers. */
#include "siox/adpi.h"
#include <unistd.h>

static int open_asleep(const struct siox_adpi_env *env, void **state, struct siox_diag *diag) {
  (void)env, (void)state, (void)diag;
  return 0;
}
static int cycle_asleep(void *state, const struct siox_adpi_input *input, struct siox_issue *issues,
                        size_t max) {
  (void)state, (void)input, (void)issues, (void)max;
  for (;;)
    pause();
}
static void close_asleep(void *state) { (void)state; }

extern const struct siox_adpi siox_adpi;
const struct siox_adpi siox_adpi = {.abi = SIOX_ADPI_ABI,
                                    .name = "asleep",
                                    .about = "never comes back",
                                    .open = open_asleep,
                                    .cycle = cycle_asleep,
                                    .close = close_asleep};
