/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* SIOX_FAULT=masks:SEED: hints name other disks than the program said, and are otherwise what it
 * said. */
#include "daemon_double.h"
#include "siox/siox.h"
#include "support.h"
#include <stdlib.h>
#include <string.h>

static void the_disks_of_hints_are_random(void **state) {
  (void)state;
  enum { HINTS = 200, DISKS = 6 };
  static unsigned char record[16384];
  struct siox_mask first;
  int named[DISKS] = {0}, claims = 0;
  assert_int_equal(siox_mask_parse(&first, "100000"), 0);
  for (int i = 0; i < HINTS; i++)
    assert_int_equal(siox_set_speed_at(&first, 9000, 0, 1000 + i, SIOX_NEVER, NULL), 0);
  siox_mask_free(&first);
  while (double_record(0, record, sizeof record) > 0) {
    struct siox_rec_head head;
    struct siox_claim_header claim;
    memcpy(&head, record, sizeof head);
    if (head.type != SIOX_REC_CLAIM)
      continue;
    memcpy(&claim, record + sizeof head, sizeof claim);
    claims++;
    for (uint32_t i = 0; i < claim.nruns; i++) {
      struct siox_claim_run run;
      memcpy(&run, record + sizeof head + sizeof claim + i * sizeof run, sizeof run);
      assert_int_equal(run.speed, 9000);
      assert_int_equal(run.flag, 0);
      assert_in_range(run.need_by, 1000, 1000 + HINTS - 1);
      for (uint32_t d = run.first; d < run.first + run.count; d++)
        named[d]++;
    }
  }
  /* One in 64 masks is empty and leaves nothing to send. */
  assert_in_range(claims, HINTS * 9 / 10, HINTS);
  for (int d = 0; d < DISKS; d++) /* each with probability 1/2: 100 expected, sigma 7 */
    assert_in_range(named[d], 58, 142);
}

int main(void) {
  const struct double_options options = {.ndisks = 6, .ring_bytes = 65536, .layout = "1:3:64K"};
  setenv("SIOX_FAULT", "masks:3", 1);
  double_start(&options);
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_disks_of_hints_are_random)};
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  double_stop();
  return failed;
}
