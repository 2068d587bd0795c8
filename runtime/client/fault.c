/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Fault injection, for tests that show hints to be no more than hints: with SIOX_FAULT=masks:SEED
 * the disks of every hint are replaced by random ones. The sequence depends on SEED and the rank
 * alone, so a run that went wrong can be repeated. */
#include "client/client.h"
#include "common/random.h"
#include <stdlib.h>
#include <string.h>

bool siox__fault_masks;

static uint64_t state;
static struct siox_mask random_mask;

void siox__fault_read(void) {
  static const char prefix[] = "masks:";
  const char *text = secure_getenv("SIOX_FAULT");
  char *end = NULL;
  siox__fault_masks = false;
  if (!text || !*text)
    return;
  if (!strncmp(text, prefix, sizeof prefix - 1) && strspn(text + sizeof prefix - 1, "0123456789"))
    state = strtoull(text + sizeof prefix - 1, &end, 10);
  if (!end || *end) {
    siox__warn_once("SIOX_FAULT: masks:SEED is known, \"%s\" is not; it is ignored", text);
    return;
  }
  /* Seeds and ranks are small: one step of the generator between them keeps sequences apart. */
  state = siox__random(&state) ^ (uint64_t)(int64_t)siox__client.rank;
  siox_mask_free(&random_mask);
  siox__fault_masks = siox_mask_init(&random_mask, siox__client.welcome.ndisks) == 0;
}

const struct siox_mask *siox__fault_mask(void) {
  siox_mask_zero(&random_mask);
  for (uint32_t d = 0; d < random_mask.ndisks; d++)
    if (siox__random(&state) >> 63)
      siox_mask_set(&random_mask, d);
  return &random_mask;
}
