/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* No input crashes the trace reader: files with changed, cut, inserted and swapped bytes, half of
 * them with their checksums put right again so that what lies behind the checksum is reached. Meant
 * to be run under the sanitizers too. */
#include "trace_support.h"
#include <fcntl.h>
#include <sys/mman.h>

enum { NDISKS = 3, MUTANTS = 24000, LARGEST = 1 << 16 };

static size_t original(uint8_t *data, uint64_t *seed) {
  struct siox_drive ramp = test_drive(), table = test_drive();
  table.ramp = false;
  const struct siox_drive *drives[NDISKS] = {&ramp, &table, &ramp};
  const uint32_t level[NDISKS] = {2, 1, 0};
  const struct siox_limits limits = {.early = 0.9, .wear = true, .inrush_w = 20, .array = 2};
  struct siox_trace_header h = {.clock = 1,
                                .start = 5,
                                .ndisks = NDISKS,
                                .drive = drives,
                                .initial_level = level,
                                .policy = "rt",
                                .program = "p",
                                .limits = &limits,
                                .waits = SIOX_WAITS_TOLD};
  struct siox_trace_writer *w;
  assert_int_equal(siox_trace_create(&w, test_path("a.siox"), &h, NULL), 0);
  for (int i = 0; i < 150; i++) {
    struct siox_trace_event e;
    test_random_event(seed, NDISKS, &e);
    assert_int_equal(siox_trace_write(w, &e), 0);
    if (i % 50 == 0)
      assert_int_equal(siox_trace_flush(w), 0);
  }
  assert_int_equal(siox_trace_close(w), 0);
  int fd = open(test_path("a.siox"), O_RDONLY);
  ssize_t n = read(fd, data, LARGEST / 2);
  close(fd);
  assert_true(n > 1000 && n < LARGEST / 2);
  return (size_t)n;
}

static size_t mutate(uint8_t *data, size_t n, uint64_t *seed) {
  uint64_t changes = 1 + test_below(seed, 4);
  for (uint64_t i = 0; i < changes && n > 0; i++) {
    size_t at = test_below(seed, n), count = 1 + test_below(seed, 16);
    count = count < n - at ? count : n - at;
    switch (test_below(seed, 7)) {
    case 0: /* a bit */
      data[at] ^= (uint8_t)(1 << test_below(seed, 8));
      break;
    case 1: /* an edge value */
      data[at] = (uint8_t[]){0, 1, 0x7f, 0x80, 0xff}[test_below(seed, 5)];
      break;
    case 2: /* noise */
      for (size_t k = 0; k < count; k++)
        data[at + k] = (uint8_t)test_random(seed);
      break;
    case 3: /* cut off */
      n = at;
      break;
    case 4: /* taken out */
      memmove(data + at, data + at + count, n - at - count);
      n -= count;
      break;
    case 5: /* put in */
      if (n + count < LARGEST) {
        memmove(data + at + count, data + at, n - at);
        n += count;
      }
      break;
    default: /* copied from elsewhere */
      memmove(data + at, data + test_below(seed, n - count + 1), count);
    }
  }
  return n;
}

static void mutated_files_do_not_crash_the_reader(void **state) {
  (void)state;
  static uint8_t source[LARGEST], data[LARGEST];
  uint64_t seed = 20240611, codes[32] = {0}, events = 0;
  size_t length = original(source, &seed);
  char path[64];
  int memory = memfd_create("mutant", MFD_CLOEXEC); /* not a file on disk: there are many */
  snprintf(path, sizeof path, "/proc/self/fd/%d", memory);
  for (int i = 0; i < MUTANTS; i++) {
    if (i % 500 == 0)
      length = original(source, &seed);
    memcpy(data, source, length);
    size_t n = mutate(data, length, &seed);
    if (i % 2)
      test_mend_checksums(data, n);
    assert_int_equal(ftruncate(memory, 0), 0);
    assert_int_equal(pwrite(memory, data, n, 0), n);
    struct siox_trace_reader *r;
    struct siox_diag diag = {""};
    int rc = siox_trace_open(&r, path, &diag);
    if (rc == 0) {
      struct siox_trace_event e;
      char text[4096];
      while ((rc = siox_trace_read(r, &e, &diag)) > 0) {
        events++;
        if (e.kind != SIOX_TRACE_HINT || e.u.hint.head.nruns < 16)
          test_describe(&e, text, sizeof text); /* touches every field and text */
      }
      int again = siox_trace_read(r, &e, &diag);
      assert_int_equal(again, rc); /* the end and an error stay */
      siox_trace_reader_close(r);
    }
    assert_true(rc == 0 || rc == SIOX_EPROTO || rc == SIOX_ECHECKSUM || rc == SIOX_ETRUNCATED ||
                rc == SIOX_EVERSION);
    assert_true(rc == 0 || strstr(diag.text, ": byte "));
    codes[-rc]++;
  }
  close(memory);
  print_message("%d mutants: %" PRIu64 " read to the end, %" PRIu64 " malformed, %" PRIu64
                " checksums, %" PRIu64 " cut; %" PRIu64 " events\n",
                MUTANTS, codes[0], codes[-SIOX_EPROTO], codes[-SIOX_ECHECKSUM],
                codes[-SIOX_ETRUNCATED], events);
  assert_true(codes[-SIOX_EPROTO] > MUTANTS / 10 &&
              codes[-SIOX_ECHECKSUM] > MUTANTS / 10); /* both halves were reached */
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(mutated_files_do_not_crash_the_reader)};
  return cmocka_run_group_tests(tests, test_make_directory, test_remove_directory);
}
