/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What file systems say of a file's layout, from vectors that the encoders here build byte by byte.
 */
#include "siox/placement.h"
#include "support.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The encoder: appends numbers, least significant byte first, or last when `big`. */
static uint8_t image[4096];
static size_t used;
static bool big;

static void put(uint64_t value, unsigned width) {
  for (unsigned i = 0; i < width; i++)
    image[used + i] = (uint8_t)(value >> 8 * (big ? width - 1 - i : i));
  used += width;
}
static void put_zeros(unsigned n) {
  memset(image + used, 0, n);
  used += n;
}
static void begin(void) {
  memset(image, 0xee, sizeof image);
  used = 0;
  big = false;
}
/* lov_user_md: pool NULL makes a v1. */
static void put_plain(const char *pool, uint32_t pattern, uint32_t stripe, uint32_t count,
                      const uint32_t *ost) {
  put(pool ? 0x0BD30BD0 : 0x0BD10BD0, 4);
  put(pattern, 4);
  put(0x200000401, 8); /* object id and sequence */
  put(7, 8);
  put(stripe, 4);
  put(count, 2);
  put(0, 2);
  if (pool) {
    memset(image + used, 0, 16);
    memcpy(image + used, pool, strlen(pool));
    used += 16;
  }
  for (uint32_t i = 0; ost && i < count; i++) {
    put(1000 + i, 8);
    put(0, 8);
    put(3, 4);
    put(ost[i], 4);
  }
}
struct component {
  uint32_t id, flags;
  uint64_t start, end;
  uint32_t pattern, stripe, count;
  const uint32_t *ost;
};
static void put_composite(const struct component *c, uint32_t n) {
  uint32_t at = 32 + 48 * n, whole = at;
  for (uint32_t i = 0; i < n; i++)
    whole += 32 + (c[i].ost ? 24 * c[i].count : 0);
  put(0x0BD60BD0, 4);
  put(whole, 4);
  put(5, 4);
  put(0, 2);
  put(n, 2);
  put(0, 2);
  put_zeros(14);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t size = 32 + (c[i].ost ? 24 * c[i].count : 0);
    put(c[i].id, 4);
    put(c[i].flags, 4);
    put(c[i].start, 8);
    put(c[i].end, 8);
    put(at, 4);
    put(size, 4);
    put_zeros(16);
    at += size;
  }
  for (uint32_t i = 0; i < n; i++)
    put_plain(NULL, c[i].pattern, c[i].stripe, c[i].count, c[i].ost);
}

static const struct siox_targets eight = {.ndisks = 8};

static void expect_parts(const struct siox_placement *p, const char *const *text) {
  char have[128];
  uint32_t n = 0;
  for (; text[n]; n++) {
    assert_true(n < p->count);
    int length = snprintf(have, sizeof have, "%llu-%lld ", (unsigned long long)p->part[n].start,
                          (long long)p->part[n].end);
    siox_layout_format(&p->part[n].layout, have + length, sizeof have - (size_t)length);
    assert_string_equal(have, text[n]);
  }
  assert_int_equal(p->count, n);
}
#define EXPECT_PARTS(p, ...) expect_parts(p, (const char *const[]){__VA_ARGS__, NULL})

static void expect_lustre(const char *layout) {
  struct siox_placement p;
  struct siox_diag diag = {""};
  assert_int_equal(siox_placement_lustre(&p, image, used, &eight, &diag), 0);
  assert_string_equal(diag.text, "");
  EXPECT_PARTS(&p, layout);
  siox_placement_free(&p);
}
static void expect_refused(int code, const char *what) {
  struct siox_placement p;
  struct siox_diag diag = {""};
  assert_int_equal(siox_placement_lustre(&p, image, used, &eight, &diag), code);
  if (!strstr(diag.text, what))
    assert_string_equal(diag.text, what);
  assert_int_equal(p.count, 0);
  assert_null(p.part);
}

static const uint32_t three[] = {5, 6, 7}, mixed[] = {5, 2, 7, 0}, one[] = {3};

static void lustre_v1_gives_its_targets_in_order(void **state) {
  (void)state;
  begin();
  put_plain(NULL, 1, 1 << 20, 3, three);
  expect_lustre("0--1 5:3:1M");
  begin();
  put_plain(NULL, 1, 65536, 4, mixed);
  expect_lustre("0--1 5,2,7,0:64K");
}

static void lustre_v3_has_a_pool_before_its_targets(void **state) {
  (void)state;
  begin();
  put_plain("flash", 1, 4 << 20, 3, three);
  expect_lustre("0--1 5:3:4M");
}

static void lustre_of_the_other_byte_order(void **state) {
  (void)state;
  begin();
  big = true;
  put_plain("flash", 1, 4 << 20, 3, three);
  expect_lustre("0--1 5:3:4M");
  begin();
  big = true;
  put_composite(&(struct component){65537, 0x10, 0, UINT64_MAX, 1, 65536, 1, one}, 1);
  expect_lustre("0--1 3:1:64K");
}

static void lustre_composite_has_a_part_a_component(void **state) {
  (void)state;
  struct siox_placement p;
  begin();
  put_composite((const struct component[]){{1, 0x10, 0, 1 << 20, 1, 1 << 20, 1, one},
                                           {2, 0x10, 1 << 20, 1 << 30, 1, 1 << 20, 3, three},
                                           {3, 0, 1 << 30, UINT64_MAX, 1, 1 << 22, 0xffff, NULL}},
                3);
  assert_int_equal(siox_placement_lustre(&p, image, used, &eight, NULL), 0);
  EXPECT_PARTS(&p, "0-1048576 3:1:1M",
               "1048576-1073741824 5:3:1M"); /* the last is not placed yet */
  siox_placement_free(&p);
}

static void lustre_component_on_a_metadata_server_is_left_out(void **state) {
  (void)state;
  begin();
  put_composite((const struct component[]){{1, 0x10, 0, 65536, 0x100, 65536, 0, NULL},
                                           {2, 0x10, 65536, UINT64_MAX, 1, 1 << 20, 3, three}},
                2);
  expect_lustre("65536--1 5:3:1M");
}

static void lustre_mirror_that_is_stale_is_left_out(void **state) {
  (void)state;
  begin();
  put_composite((const struct component[]){{0x10001, 0x11, 0, UINT64_MAX, 1, 65536, 1, one},
                                           {0x20002, 0x10, 0, UINT64_MAX, 1, 1 << 20, 3, three},
                                           {0x30003, 0x10, 0, UINT64_MAX, 1, 65536, 1, one}},
                3);
  expect_lustre("0--1 5:3:1M");
}

static void lustre_that_lies_on_no_disk_says_why(void **state) {
  (void)state;
  begin();
  put_plain(NULL, 0x100, 65536, 0, NULL);
  expect_refused(SIOX_EUNKNOWN, "metadata server");
  begin();
  put_plain(NULL, 0x80000001, 65536, 1, one);
  expect_refused(SIOX_EUNKNOWN, "archive");
  begin();
  put_plain(NULL, 1, 65536, 0xffff, NULL);
  expect_refused(SIOX_EUNKNOWN, "no target yet");
  begin();
  put_composite(NULL, 0);
  expect_refused(SIOX_EUNKNOWN, "no components");
}

static void lustre_that_is_malformed_is_named_by_its_byte(void **state) {
  (void)state;
  const uint32_t twice[] = {4, 4}, far_off[] = {8};
  begin();
  put(0x0BD70BD0, 4);
  put_zeros(28);
  expect_refused(SIOX_EVERSION, "0bd70bd0 at byte 0");
  begin();
  put_plain(NULL, 2, 65536, 1, one);
  expect_refused(SIOX_EVERSION, "at byte 4");
  begin();
  put_plain(NULL, 1, 0, 1, one);
  expect_refused(SIOX_EPROTO, "byte 24");
  begin();
  put_plain(NULL, 0x201, 65536, 2, twice);
  expect_refused(SIOX_EINVAL, "one disk");
  begin();
  put_plain(NULL, 1, 65536, 1, far_off);
  expect_refused(SIOX_EUNKNOWN, "target 8 is not one of 8 disks");
  begin();
  put_composite((const struct component[]){{1, 0x10, 9, 9, 1, 65536, 1, one}}, 1);
  expect_refused(SIOX_EPROTO, "byte 40");
  begin();
  put_composite((const struct component[]){{1, 0x10, 0, 100, 1, 65536, 1, one},
                                           {2, 0x10, 99, 200, 1, 65536, 1, one}},
                2);
  expect_refused(SIOX_EPROTO, "two parts hold byte 99");
}

static void lustre_cut_anywhere_is_refused(void **state) {
  (void)state;
  for (int kind = 0; kind < 3; kind++) {
    begin();
    if (kind == 2)
      put_composite((const struct component[]){{1, 0x10, 0, 100, 1, 65536, 1, one},
                                               {2, 0x10, 100, 200, 1, 65536, 3, three}},
                    2);
    else
      put_plain(kind ? "pool" : NULL, 1, 65536, 3, three);
    for (size_t whole = used; used-- > 0 && whole;) {
      uint8_t *copy =
          malloc(used + 1); /* exactly as long, so that a checker sees every step beyond */
      struct siox_placement p;
      memcpy(copy, image, used);
      assert_int_equal(siox_placement_lustre(&p, copy, used, &eight, NULL), SIOX_ETRUNCATED);
      free(copy);
    }
  }
}

static void lustre_offset_beyond_the_end_is_refused(void **state) {
  (void)state;
  begin();
  put_composite((const struct component[]){{1, 0x10, 0, 100, 1, 65536, 1, one}}, 1);
  size_t whole = used;
  used = 32 + 24;
  put(UINT32_MAX - 8, 4); /* the component's offset */
  used = whole;
  expect_refused(SIOX_ETRUNCATED, "byte 4294967287");
}

static void number_of_disks_follows_from_the_targets(void **state) {
  (void)state;
  struct siox_placement p;
  begin();
  put_plain(NULL, 1, 65536, 4, mixed);
  assert_int_equal(siox_placement_lustre(&p, image, used, &(struct siox_targets){0}, NULL), 0);
  assert_int_equal(p.part[0].layout.ndisks, 8);
  siox_placement_free(&p);
}

static void targets_are_mapped_to_disks(void **state) {
  (void)state;
  struct siox_placement p;
  struct siox_diag diag;
  const struct siox_target_range range[] = {{5, 5, 1}, {6, 7, 0}};
  const struct siox_targets map = {.ndisks = 2, .range = range, .count = 2};
  const uint32_t two[] = {5, 7};
  begin();
  put_plain(NULL, 1, 65536, 2, two);
  assert_int_equal(siox_placement_lustre(&p, image, used, &map, NULL), 0);
  EXPECT_PARTS(&p, "0--1 1:2:64K"); /* 1, then 0 */
  siox_placement_free(&p);
  begin();
  put_plain(NULL, 1, 65536, 1, one);
  assert_int_equal(siox_placement_lustre(&p, image, used, &map, &diag), SIOX_EUNKNOWN);
  assert_string_equal(diag.text, "target 3 is no disk that the map names");
}

/* PVFS2: a string is its length, its bytes and a NUL, filled up to 8 bytes. */
static void put_dist(const char *name, uint64_t strip) {
  size_t from = used;
  put(strlen(name), 4);
  memcpy(image + used, name, strlen(name) + 1);
  used += strlen(name) + 1;
  while ((used - from) % 8)
    put(0, 1);
  put(strip, 8);
}
static const struct siox_target_range servers[] = {{100, 199, 0}, {200, 299, 1}, {300, 399, 2}};
static const struct siox_targets pvfs = {.ndisks = 3, .range = servers, .count = 3};

static int read_pvfs(const struct siox_targets *targets, struct siox_placement *p,
                     struct siox_diag *diag) {
  uint8_t handles[24] = {0};
  const uint64_t handle[] = {250, 399, 100};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 8; k++)
      handles[8 * i + k] = (uint8_t)(handle[i] >> 8 * k);
  return siox_placement_pvfs2(p, image, used, handles, sizeof handles, targets, diag);
}

static void pvfs2_stripes_over_the_servers_of_its_handles(void **state) {
  (void)state;
  struct siox_placement p;
  begin();
  put_dist("simple_stripe", 65536);
  assert_int_equal(read_pvfs(&pvfs, &p, NULL), 0);
  EXPECT_PARTS(&p, "0--1 1:3:64K");
  siox_placement_free(&p);
}

static void pvfs2_basic_distribution_is_one_server(void **state) {
  (void)state;
  struct siox_placement p;
  begin();
  put_dist("basic_dist", 0);
  assert_int_equal(read_pvfs(&pvfs, &p, NULL), 0);
  assert_int_equal(p.part[0].layout.factor, 1);
  assert_int_equal(p.part[0].layout.nodes[0], 1);
  siox_placement_free(&p);
}

static void pvfs2_that_cannot_be_read_says_why(void **state) {
  (void)state;
  struct siox_placement p;
  struct siox_diag diag;
  begin();
  put_dist("varstrip_dist", 1);
  assert_int_equal(read_pvfs(&pvfs, &p, &diag), SIOX_EVERSION);
  assert_non_null(strstr(diag.text, "varstrip_dist"));
  begin();
  put_dist("simple_stripe", 0);
  assert_int_equal(read_pvfs(&pvfs, &p, &diag), SIOX_EPROTO);
  begin();
  put_dist("simple_stripe", 65536);
  assert_int_equal(read_pvfs(&eight, &p, &diag), SIOX_EUNKNOWN);
  assert_non_null(strstr(diag.text, "map of handles"));
  while (used-- > 0)
    assert_int_equal(read_pvfs(&pvfs, &p, NULL), SIOX_ETRUNCATED);
  assert_int_equal(siox_placement_pvfs2(&p, "\x0a\0\0\0basic_dist", 15, image, 9, &pvfs, &diag),
                   SIOX_EPROTO);
}

static void beegfs_stripes_over_its_targets(void **state) {
  (void)state;
  struct siox_placement p;
  const uint32_t target[] = {101, 201};
  const struct siox_target_range range[] = {{101, 101, 4}, {201, 201, 6}};
  const struct siox_targets map = {.ndisks = 8, .range = range, .count = 2};
  assert_int_equal(siox_placement_beegfs(&p, 1, 524288, target, 2, &map, NULL), 0);
  EXPECT_PARTS(&p, "0--1 4,6:512K");
  siox_placement_free(&p);
  assert_int_equal(siox_placement_beegfs(&p, 4, 524288, target, 2, &map, NULL), SIOX_EVERSION);
  assert_int_equal(siox_placement_beegfs(&p, 1, 0, target, 2, &map, NULL), SIOX_EPROTO);
  assert_int_equal(siox_placement_beegfs(&p, 1, 524288, target, 2, &eight, NULL), SIOX_EUNKNOWN);
}

static void main_part_holds_most_of_the_file(void **state) {
  (void)state;
  struct siox_placement p;
  begin();
  put_composite((const struct component[]){{1, 0x10, 0, 100, 1, 65536, 1, one},
                                           {2, 0x10, 100, UINT64_MAX, 1, 65536, 3, three}},
                2);
  assert_int_equal(siox_placement_lustre(&p, image, used, &eight, NULL), 0);
  assert_ptr_equal(siox_placement_main(&p, 0), &p.part[0]);
  assert_ptr_equal(siox_placement_main(&p, 200), &p.part[0]);
  assert_ptr_equal(siox_placement_main(&p, 201), &p.part[1]);
  siox_placement_free(&p);
  assert_null(siox_placement_main(&p, 201));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lustre_v1_gives_its_targets_in_order),
      cmocka_unit_test(lustre_v3_has_a_pool_before_its_targets),
      cmocka_unit_test(lustre_of_the_other_byte_order),
      cmocka_unit_test(lustre_composite_has_a_part_a_component),
      cmocka_unit_test(lustre_component_on_a_metadata_server_is_left_out),
      cmocka_unit_test(lustre_mirror_that_is_stale_is_left_out),
      cmocka_unit_test(lustre_that_lies_on_no_disk_says_why),
      cmocka_unit_test(lustre_that_is_malformed_is_named_by_its_byte),
      cmocka_unit_test(lustre_cut_anywhere_is_refused),
      cmocka_unit_test(lustre_offset_beyond_the_end_is_refused),
      cmocka_unit_test(number_of_disks_follows_from_the_targets),
      cmocka_unit_test(targets_are_mapped_to_disks),
      cmocka_unit_test(pvfs2_stripes_over_the_servers_of_its_handles),
      cmocka_unit_test(pvfs2_basic_distribution_is_one_server),
      cmocka_unit_test(pvfs2_that_cannot_be_read_says_why),
      cmocka_unit_test(beegfs_stripes_over_its_targets),
      cmocka_unit_test(main_part_holds_most_of_the_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
