/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A detector that does not come back, as a device does that no longer answers. It makes the file of
 * its setting `mark` before. */
#include "siox/adpi.h"
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static int open_asleep(const struct siox_adpi_env *env, void **state, struct siox_diag *diag) {
  (void)diag;
  *state = NULL; /* texts of settings live as long as the detector */
  for (size_t i = 0; i < env->nsettings; i++)
    if (strcmp(env->settings[i].key, "mark") == 0)
      *state = (void *)(uintptr_t)env->settings[i].value;
  return 0;
}
static int cycle_asleep(void *state, const struct siox_adpi_input *input, struct siox_issue *issues,
                        size_t max) {
  (void)input, (void)issues, (void)max;
  if (state)
    close(open(state, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
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
