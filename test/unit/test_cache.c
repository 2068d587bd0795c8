/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A server's cache against a list that is searched from end to end; and the bank's promise to slow
 * no disk whose data wait in one. */
#include "bank_support.h"
#include "energy/cache.h"
#include <string.h>

enum { MOST = 300 };
struct twin {
  uint64_t file, number;
  bool dirty;
};

/* Files and blocks at random, far more than there is room for. */
static void the_block_least_recently_used_makes_room(void **state) {
  (void)state;
  static const struct siox_layout layout;
  for (uint32_t most = 1; most <= MOST; most = most * 3 + 1) {
    struct siox__cache c;
    struct twin list[MOST + 1]; /* the newest first */
    uint32_t n = 0, dirty[MOST];
    uint64_t seed = most, bytes = 0;
    siox__cache_init(&c, most);
    for (int round = 0; round < 20000; round++) {
      uint64_t file = test_below(&seed, 3), number = test_below(&seed, 2 * most + 1);
      uint32_t at = 0;
      while (at < n && (list[at].file != file || list[at].number != number))
        at++;
      struct siox__block *b = siox__cache_find(&c, file, number);
      assert_int_equal(b != NULL, at < n);
      if (b) {
        siox__cache_use(&c, b);
      } else {
        assert_int_equal(siox__cache_must_clean(&c), n == most && list[n - 1].dirty);
        if (siox__cache_must_clean(&c)) {
          uint32_t before = c.ndirty;
          siox__cache_clean(&c, dirty);
          for (uint32_t i = 0; i < before; i++)
            for (uint32_t k = 0; k < i; k++)
              assert_int_not_equal(dirty[i], dirty[k]);
          for (uint32_t i = 0; i < n; i++)
            list[i].dirty = false;
          bytes = 0;
        }
        b = siox__cache_add(&c, file, number, &layout);
        assert_non_null(b);
        if (n == most)
          n--;
        at = n++;
        list[at] = (struct twin){file, number, false};
      }
      struct twin moved = list[at];
      memmove(&list[1], &list[0], at * sizeof *list);
      list[0] = moved;
      if (test_below(&seed, 8) == 0) {
        siox__cache_dirty(&c, b, 10, 20);
        siox__cache_dirty(&c, b, 15, 30);
        bytes += list[0].dirty ? 0 : 20;
        list[0].dirty = true;
      }
      assert_int_equal(c.dirty, bytes);
      assert_true(c.room <= 2 * most + 64);
    }
    siox__cache_free(&c);
  }
}

/* Released at 2 s, with nothing known of its next use; its data are on disk at 200 s. */
static void no_policy_slows_a_disk_before_its_data_are_written(void **state) {
  (void)state;
  static const char *const policies[] = {"timeout:5", "hw", "com", "rt", "claims", "siox"};
  for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
    struct lab *lab = lab_open(policies[i], 2);
    lab->drive.level[0].serves = strcmp(policies[i], "timeout:5") != 0; /* it only goes to sleep */
    uint32_t client = lab_join(lab, "a");
    lab_read(lab, 1, client, 1 << 20);
    assert_int_equal(siox_bank_unflushed(lab->bank, 0, ns(200)), 0);
    lab_hint(lab, 2, client, "11", SIOX_SPEED_LOWEST, 0, 0, 0);
    assert_int_equal(lab_speed(lab, 199.9, 0), 15000);
    assert_int_equal(lab_disk(lab, 0).transitions_down, 0);
    if (strcmp(policies[i], "hw") !=
        0) /* its steps are few in that time, but so they are of disk 1 */
      assert_true(lab_speed(lab, 250, 0) < 15000);
    assert_true(lab_speed(lab, 2000, 0) < 15000);
    lab_close(lab);
  }
}

/* A server writes back to a disk that sleeps: it wakes, and is unknown from then on. What it does
 * for a disk that serves needs no prediction and is nobody's request. */
static void what_a_server_does_by_itself_is_no_request(void **state) {
  (void)state;
  struct lab *lab = lab_open("siox", 2);
  uint32_t client = lab_join(lab, "a"), server = lab_join(lab, "server");
  lab_hint(lab, 1, client, "11", SIOX_SPEED_LOWEST, 0, 1000, 0);
  const struct siox_extent piece[] = {{0, 0, 65536}, {0, 131072, 65536}};
  struct siox_service service;
  struct siox_request r = {.arrival = ns(50),
                           .client = server,
                           .file = 1,
                           .layout = &lab->layout,
                           .write = true,
                           .piece = piece,
                           .npieces = 2,
                           .own = true};
  int32_t speed = lab_speed(lab, 50, 0);
  assert_true(speed < 15000);
  assert_int_equal(siox_bank_access(lab->bank, &r, &service), 0);
  assert_false(service.missed);
  assert_int_equal(lab_speed(lab, 60, 0), speed);
  assert_int_equal(lab_disk(lab, 0).requests, 2);
  assert_int_equal(lab_job(lab, 1).requests, 0);
  uint32_t active = 0;
  for (size_t i = 0; i < lab->nseen; i++)
    if (lab->seen[i].state == SIOX_ACTIVE) {
      assert_int_equal(lab->seen[i].pieces, 0); /* nobody waits for it */
      assert_int_equal(lab->seen[i].job, 1);
      active++;
    }
  assert_int_equal(active, 2);
  lab_close(lab);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_policy_slows_a_disk_before_its_data_are_written),
      cmocka_unit_test(what_a_server_does_by_itself_is_no_request),
      cmocka_unit_test(the_block_least_recently_used_makes_room),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
