/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Who belongs to which communicator (runtime/daemon/members.c), against sets kept the long way. */
#include "daemon/daemon.h"
#include "support.h"
#include <stdlib.h>
#include <string.h>

enum { LAST = 64 }; /* communicators that a client is known in */

static void each_member_is_known_once(void **state) {
  (void)state;
  struct siox__members *m;
  uint32_t n;
  assert_int_equal(siox__members_create(&m), 0);
  for (int twice = 0; twice < 2; twice++)
    for (uint32_t client = 0; client < 5; client++)
      assert_false(siox__members_add(m, 77, client));
  const uint32_t *list = siox__members_of(m, 77, &n);
  assert_int_equal(n, 5);
  uint32_t seen = 0;
  for (uint32_t i = 0; i < n; i++)
    seen |= 1u << list[i];
  assert_int_equal(seen, 31);
  siox__members_drop(m, 3);
  siox__members_of(m, 77, &n);
  assert_int_equal(n, 4);
  assert_null(siox__members_of(m, 78, &n));
  assert_int_equal(n, 0);
  siox__members_destroy(m);
}

static void a_client_is_known_in_the_last_it_was_seen_in(void **state) {
  (void)state;
  struct siox__members *m;
  uint64_t random = 5, last[LAST + 1] = {0}; /* of client 0, the newest first */
  uint32_t n, known = 0;
  assert_int_equal(siox__members_create(&m), 0);
  for (int step = 0; step < 20000; step++) {
    uint64_t uid = 1 + test_below(&random, 200);
    uint32_t at = 0;
    while (at < known && last[at] != uid)
      at++;
    bool forgets = at == known && known == LAST;
    uint64_t old = forgets ? last[LAST - 1] : 0;
    memmove(last + 1, last, (forgets ? LAST - 1 : at) * sizeof *last);
    last[0] = uid;
    known += at == known && !forgets;
    assert_int_equal(siox__members_add(m, uid, 0), forgets);
    if (old) {
      siox__members_of(m, old, &n);
      assert_int_equal(n, 0);
    }
    for (uint32_t i = 0; i < known; i++) {
      siox__members_of(m, last[i], &n);
      assert_int_equal(n, 1);
    }
  }
  siox__members_destroy(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_member_is_known_once),
      cmocka_unit_test(a_client_is_known_in_the_last_it_was_seen_in)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
