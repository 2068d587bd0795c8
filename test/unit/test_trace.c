/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The trace: what is written is read back, what is broken is named, and what it costs. */
#include "store/trace_wire.h"
#include "trace_support.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

enum { NDISKS = 4 };

static struct siox_trace_writer *create_at(const char *path, int64_t start) {
  static struct siox_drive drive;
  drive = test_drive();
  const struct siox_drive *drives[NDISKS] = {&drive, &drive, &drive, &drive};
  const uint32_t level[NDISKS] = {2, 2, 0, 1};
  struct siox_trace_header h = {.clock = 1,
                                .start = start,
                                .wall_start_ns = 1234567890,
                                .ndisks = NDISKS,
                                .drive = drives,
                                .initial_level = level,
                                .policy = "siox",
                                .hold_factor = 10,
                                .program = "mpiexec -n 4 ./mxm"};
  struct siox_trace_writer *w;
  assert_int_equal(siox_trace_create(&w, path, &h, NULL), 0);
  return w;
}
static struct siox_trace_writer *create(void) { return create_at(test_path("a.siox"), 1000); }

static struct siox_trace_reader *open_trace(const char *path) {
  struct siox_trace_reader *r;
  struct siox_diag diag;
  int rc = siox_trace_open(&r, path, &diag);
  if (rc)
    print_error("%s\n", diag.text);
  assert_int_equal(rc, 0);
  return r;
}

static uint64_t file_size(const char *path) {
  struct stat st;
  assert_int_equal(stat(path, &st), 0);
  return (uint64_t)st.st_size;
}

static struct siox_trace_event join_event(uint32_t client, int64_t time) {
  struct siox_trace_event e = {.kind = SIOX_TRACE_JOIN, .client = client};
  e.u.join.time = time;
  return e;
}
static struct siox_trace_event client_event(uint32_t client, uint32_t job, int32_t rank) {
  struct siox_trace_event e = {.kind = SIOX_TRACE_CLIENT};
  e.u.client_def.client = client;
  e.u.client_def.job = job;
  e.u.client_def.rank = rank;
  e.u.client_def.size = 1;
  e.u.client_def.program = "a";
  return e;
}

static void the_checksum_is_crc32c(void **state) {
  (void)state;
  assert_int_equal(siox__crc32c(0, "123456789", 9), 0xe3069283); /* the polynomial's check value */
  uint8_t zeros[32] = {0};
  assert_int_equal(siox__crc32c(0, zeros, 32), 0x8a9136aa); /* RFC 3720 B.4 */
  assert_int_equal(siox__crc32c(siox__crc32c(0, "1234", 4), "56789", 5), 0xe3069283);
}

static void a_header_comes_back(void **state) {
  (void)state;
  assert_int_equal(siox_trace_close(create()), 0);
  struct siox_trace_reader *r = open_trace(test_path("a.siox"));
  const struct siox_trace_header *h = siox_trace_header(r);
  assert_int_equal(h->version, SIOX_TRACE_VERSION);
  assert_int_equal(h->start, 1000);
  assert_int_equal(h->wall_start_ns, 1234567890);
  assert_int_equal(h->ndisks, NDISKS);
  assert_string_equal(h->policy, "siox");
  assert_string_equal(h->program, "mpiexec -n 4 ./mxm");
  assert_true(h->hold_factor == 10);
  assert_int_equal(h->initial_level[2], 0);
  assert_int_equal(h->initial_level[3], 1);
  struct siox_drive d = test_drive();
  assert_string_equal(h->drive[3]->name, "round");
  assert_true(h->drive[0] == h->drive[3]); /* one profile, once in the file */
  assert_int_equal(h->drive[3]->nlevels, 3);
  for (int i = 0; i < 3; i++)
    assert_true(h->drive[3]->level[i].idle_w == d.level[i].idle_w &&
                h->drive[3]->level[i].rate == d.level[i].rate);
  assert_true(h->drive[3]->ramp_ns_per_speed == 1e5 && h->drive[3]->span_w == 8 &&
              h->drive[3]->rule == SIOX_RULE_B);
  struct siox_trace_event e;
  assert_int_equal(siox_trace_read(r, &e, NULL), 0);
  assert_int_equal(siox_trace_read(r, &e, NULL), 0);
  siox_trace_reader_close(r);
}

/* A trace's header with what follows its disks, as bytes. */
static int write_header(const struct siox_trace_header *h, const void *more, size_t n) {
  struct siox__out out = {0};
  siox__trace_put_header(&out, h);
  siox__out_bytes(&out, more, n);
  struct siox__in in = {.data = out.data, .length = out.length};
  struct siox__trace_header got;
  int rc = siox__trace_get_header(&in, &got);
  siox__trace_free_header(&got);
  free(out.data);
  return rc;
}

static void limits_in_force_come_back(void **state) {
  (void)state;
  const struct siox_limits limits = {.early = 0.9,
                                     .wear = true,
                                     .start_stop_per_day = 27,
                                     .load_unload_per_day = 329,
                                     .inrush_w = 40.5,
                                     .power_group = 65536,
                                     .array = 3,
                                     .inrush_wait_ns = 10000000000,
                                     .hold_joined_ns = 60000000000,
                                     .user_share = 0.75,
                                     .delay_budget = 0.02,
                                     .measure = true};
  struct siox_trace_header h = {.policy = "siox", .limits = &limits, .waits = SIOX_WAITS_UNTOLD};
  struct siox_trace_writer *w;
  assert_int_equal(siox_trace_create(&w, test_path("a.siox"), &h, NULL), 0);
  assert_int_equal(siox_trace_close(w), 0);
  struct siox_trace_reader *r = open_trace(test_path("a.siox"));
  const struct siox_limits *l = siox_trace_header(r)->limits;
  assert_non_null(l);
  assert_true(l->early == 0.9 && l->wear && l->start_stop_per_day == 27 &&
              l->load_unload_per_day == 329 && l->inrush_w == 40.5 && l->power_group == 65536 &&
              l->array == 3 && l->inrush_wait_ns == 10000000000 && l->user_share == 0.75 &&
              l->delay_budget == 0.02 && l->measure && l->hold_joined_ns == 60000000000);
  assert_int_equal(siox_trace_header(r)->waits, SIOX_WAITS_UNTOLD);
  siox_trace_reader_close(r);
}

static void a_header_without_limits_says_so(void **state) {
  (void)state;
  assert_int_equal(siox_trace_close(create()), 0); /* as all were before there were parts */
  struct siox_trace_reader *r = open_trace(test_path("a.siox"));
  assert_null(siox_trace_header(r)->limits);
  assert_int_equal(siox_trace_header(r)->waits, SIOX_WAITS_UNSAID);
  siox_trace_reader_close(r);
}

/* The limits as they were written before: 1, their length, and them. */
static void limits_from_before_hold_joined_do_not_say_it(void **state) {
  (void)state;
  const struct siox_limits limits = {.inrush_w = 40.5, .hold_joined_ns = 60000000000};
  const struct siox_trace_header h = {.policy = "siox", .limits = &limits},
                                 none = {.policy = "siox"};
  struct siox__out with = {0}, without = {0};
  siox__trace_put_header(&with, &h);
  siox__trace_put_header(&without, &none);
  size_t old = without.length + 2 + with.data[without.length + 1];
  struct siox__in in = {.data = with.data, .length = old};
  struct siox__trace_header got;
  assert_int_equal(siox__trace_get_header(&in, &got), 0);
  assert_non_null(got.head.limits);
  assert_true(got.head.limits->inrush_w == 40.5);
  assert_true(got.head.limits->hold_joined_ns < 0);
  siox__trace_free_header(&got);
  free(with.data);
  free(without.data);
}

static void parts_of_a_header_that_nobody_knows_are_passed_over(void **state) {
  (void)state;
  const struct siox_trace_header h = {.policy = "siox"};
  assert_int_equal(write_header(&h, (uint8_t[]){99, 3, 1, 2, 3, 2, 1, 1}, 8), 0);
  assert_int_equal(write_header(&h, (uint8_t[]){99, 4, 1, 2, 3}, 5), SIOX_EPROTO); /* cut */
  assert_int_equal(write_header(&h, (uint8_t[]){2, 2, 1, 0}, 4), SIOX_EPROTO);     /* too long */
  assert_int_equal(write_header(&h, (uint8_t[]){2, 1, 2}, 3), SIOX_EPROTO);        /* no flag */
  assert_int_equal(write_header(&h, (uint8_t[]){1, 2, 0, 0}, 4), SIOX_EPROTO);     /* too short */
  assert_int_equal(write_header(&h, (uint8_t[]){99}, 1), SIOX_EPROTO);
  const struct siox_limits share = {.user_share = 1.5}, wait = {.inrush_wait_ns = -1};
  assert_int_equal(
      write_header(&(struct siox_trace_header){.policy = "", .limits = &share}, NULL, 0),
      SIOX_EPROTO);
  assert_int_equal(
      write_header(&(struct siox_trace_header){.policy = "", .limits = &wait}, NULL, 0),
      SIOX_EPROTO);
}

static void drives_with_a_table_come_back(void **state) {
  (void)state;
  struct siox_drive a = test_drive(), b = test_drive();
  b.ramp = false;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      b.table[i][k] = (struct siox_transition){i == k ? -1 : 100 * i + k, 0.1 * i + k};
  const struct siox_drive *drives[] = {&a, &b, &a};
  const uint32_t level[] = {2, 1, 2};
  struct siox_trace_header h = {.start = 0, .ndisks = 3, .drive = drives, .initial_level = level};
  struct siox_trace_writer *w;
  assert_int_equal(siox_trace_create(&w, test_path("a.siox"), &h, NULL), 0);
  assert_int_equal(siox_trace_close(w), 0);
  struct siox_trace_reader *r = open_trace(test_path("a.siox"));
  const struct siox_drive *d = siox_trace_header(r)->drive[1];
  assert_true(siox_trace_header(r)->drive[2]->ramp);
  assert_false(d->ramp);
  assert_int_equal(d->table[1][1].ns, -1);
  assert_int_equal(d->table[2][1].ns, 201);
  assert_true(d->table[2][1].joules == 0.1 * 2 + 1);
  siox_trace_reader_close(r);
}

/* Events of all kinds and wild values; per stream and for definitions the order is the order of
 * writing. */
/* Times that are added up must not pass the end of 63 bits. */
static void a_drive_that_takes_ages_is_refused(void **state) {
  (void)state;
  struct siox_drive d = test_drive();
  d.ramp_ns_per_speed = 1e15 / 15000 + 1;
  const struct siox_drive *drive = &d;
  const uint32_t level = 2;
  struct siox_trace_header h = {.ndisks = 1, .drive = &drive, .initial_level = &level};
  struct siox_trace_writer *w;
  struct siox_trace_reader *r;
  struct siox_diag diag;
  assert_int_equal(siox_trace_create(&w, test_path("a.siox"), &h, NULL), 0);
  assert_int_equal(siox_trace_close(w), 0);
  assert_int_equal(siox_trace_open(&r, test_path("a.siox"), &diag), SIOX_EPROTO);
  assert_non_null(strstr(diag.text, "10^15 ns"));
}

static void every_kind_comes_back_in_its_streams_order(void **state) {
  (void)state;
  enum { N = 20000, STREAMS = 1 + 3 * 2 + NDISKS };
  static char *want[STREAMS][N];
  static uint32_t wrote[STREAMS], got[STREAMS];
  struct siox_trace_writer *w = create();
  uint64_t seed = 7;
  char text[2048];
  for (int i = 0; i < N; i++) {
    struct siox_trace_event e;
    test_random_event(&seed, NDISKS, &e);
    assert_int_equal(siox_trace_write(w, &e), 0);
    uint32_t s = e.kind <= SIOX_TRACE_SITE      ? 0
                 : e.kind == SIOX_TRACE_SEGMENT ? 7 + e.u.segment.disk
                                                : 1 + e.client * 2 + e.thread;
    want[s][wrote[s]++] = strdup(test_describe(&e, text, sizeof text));
  }
  assert_int_equal(siox_trace_close(w), 0);
  struct siox_trace_reader *r = open_trace(test_path("a.siox"));
  struct siox_trace_event e;
  struct siox_diag diag = {""};
  int rc;
  while ((rc = siox_trace_read(r, &e, &diag)) > 0) {
    uint32_t s = e.kind <= SIOX_TRACE_SITE      ? 0
                 : e.kind == SIOX_TRACE_SEGMENT ? 7 + e.u.segment.disk
                                                : 1 + e.client * 2 + e.thread;
    assert_true(got[s] < wrote[s]);
    assert_string_equal(test_describe(&e, text, sizeof text), want[s][got[s]++]);
  }
  assert_string_equal(diag.text, "");
  assert_int_equal(rc, 0);
  for (int s = 0; s < STREAMS; s++) {
    assert_int_equal(got[s], wrote[s]);
    for (uint32_t i = 0; i < wrote[s]; i++)
      free(want[s][i]);
  }
  siox_trace_reader_close(r);
}

static void a_definition_comes_before_the_events_after_it(void **state) {
  (void)state;
  struct siox_trace_writer *w = create();
  struct siox_trace_event first = client_event(3, 0, 0), second = client_event(3, 1, 5),
                          a = join_event(3, 2000), b = join_event(3, 9000);
  siox_trace_write(w, &first);
  siox_trace_write(w, &a);
  siox_trace_write(w, &second); /* the number is used again */
  siox_trace_write(w, &b);
  assert_int_equal(siox_trace_close(w), 0);
  struct siox_trace_reader *r = open_trace(test_path("a.siox"));
  struct siox_trace_event e;
  assert_int_equal(siox_trace_read(r, &e, NULL), 1);
  assert_int_equal(e.u.client_def.job, 0);
  assert_int_equal(siox_trace_read(r, &e, NULL), 1);
  assert_int_equal(e.u.join.time, 2000);
  assert_int_equal(siox_trace_read(r, &e, NULL), 1);
  assert_int_equal(e.u.client_def.rank, 5);
  assert_int_equal(siox_trace_read(r, &e, NULL), 1);
  assert_int_equal(e.u.join.time, 9000);
  siox_trace_reader_close(r);
}

static void flushed_events_are_readable_while_the_writer_lives(void **state) {
  (void)state;
  struct siox_trace_writer *w = create();
  struct siox_trace_event e = join_event(0, 5000);
  siox_trace_write(w, &e);
  assert_int_equal(siox_trace_flush(w), 0);
  struct siox_trace_reader *r = open_trace(test_path("a.siox"));
  assert_int_equal(siox_trace_read(r, &e, NULL), 1);
  assert_int_equal(e.u.join.time, 5000);
  assert_int_equal(siox_trace_read(r, &e, NULL), SIOX_ETRUNCATED);
  siox_trace_reader_close(r);
  siox_trace_close(w);
}

/* A file whose content fits in memory, for cutting and breaking. */
static size_t small_trace(uint8_t **data) {
  struct siox_trace_writer *w = create();
  for (uint32_t c = 0; c < 3; c++) {
    struct siox_trace_event def = client_event(c, 0, (int32_t)c), e = join_event(c, 2000 + c);
    siox_trace_write(w, &def);
    siox_trace_write(w, &e);
    siox_trace_flush(w);
  }
  siox_trace_close(w);
  size_t n = file_size(test_path("a.siox"));
  *data = malloc(n);
  int fd = open(test_path("a.siox"), O_RDONLY);
  assert_int_equal(read(fd, *data, n), n);
  close(fd);
  return n;
}
static void write_file(const char *path, const void *data, size_t n) {
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  assert_int_equal(write(fd, data, n), n);
  close(fd);
}

static void a_file_cut_anywhere_is_readable_to_its_last_whole_block(void **state) {
  (void)state;
  uint8_t *data;
  size_t n = small_trace(&data);
  int last = 0;
  for (size_t cut = 0; cut < n; cut++) {
    write_file(test_path("b.siox"), data, cut);
    struct siox_trace_reader *r;
    struct siox_diag diag;
    struct siox_trace_event e;
    int events = 0, rc = siox_trace_open(&r, test_path("b.siox"), &diag);
    if (rc == 0) {
      while ((rc = siox_trace_read(r, &e, &diag)) > 0)
        events++;
      siox_trace_reader_close(r);
    }
    assert_int_equal(rc, SIOX_ETRUNCATED);
    char offset[64];
    snprintf(offset, sizeof offset, ": byte %zu: ", cut);
    assert_non_null(strstr(diag.text, offset));
    assert_true(events >= last);
    last = events;
  }
  assert_int_equal(last, 6); /* all but the end block */
  free(data);
}

static void a_flipped_bit_is_found_and_its_block_named(void **state) {
  (void)state;
  uint8_t *data;
  size_t n = small_trace(&data);
  char path[64];
  int memory = memfd_create("b.siox", MFD_CLOEXEC);
  snprintf(path, sizeof path, "/proc/self/fd/%d", memory);
  for (size_t i = 0; i < n * 8; i++) {
    data[i / 8] ^= (uint8_t)(1 << i % 8);
    assert_int_equal(pwrite(memory, data, n, 0), n);
    data[i / 8] ^= (uint8_t)(1 << i % 8);
    struct siox_trace_reader *r;
    struct siox_diag diag = {""};
    struct siox_trace_event e;
    int rc = siox_trace_open(&r, path, &diag);
    if (rc == 0) {
      while ((rc = siox_trace_read(r, &e, &diag)) > 0)
        ;
      siox_trace_reader_close(r);
    }
    assert_true(rc == SIOX_ECHECKSUM || rc == SIOX_EPROTO || rc == SIOX_ETRUNCATED);
    assert_non_null(strstr(diag.text, ": byte "));
  }
  close(memory);
  free(data);
}

static void another_file_is_refused(void **state) {
  (void)state;
  struct siox_trace_reader *r;
  struct siox_diag diag;
  write_file(test_path("b.siox"), "{\"not\": \"a trace\"}\n", 19);
  assert_int_equal(siox_trace_open(&r, test_path("b.siox"), &diag), SIOX_EPROTO);
  assert_non_null(strstr(diag.text, "not a Siox trace"));
  assert_int_equal(siox_trace_open(&r, test_path("none.siox"), &diag), SIOX_ENOENT);
  assert_non_null(strstr(diag.text, "none.siox"));
}

static void events_that_no_reader_would_take_are_not_written(void **state) {
  (void)state;
  struct siox_trace_writer *w = create();
  struct siox_trace_event e = {.kind = SIOX_TRACE_IO};
  e.u.io.arrival = 10;
  e.u.io.completion = 9;
  assert_int_equal(siox_trace_write(w, &e), SIOX_EINVAL);
  e = (struct siox_trace_event){.kind = SIOX_TRACE_SEGMENT};
  e.u.segment.disk = NDISKS;
  assert_int_equal(siox_trace_write(w, &e), SIOX_EINVAL);
  e = join_event(0, -1);
  assert_int_equal(siox_trace_write(w, &e), SIOX_EINVAL);
  assert_int_equal(siox_trace_close(w), 0); /* a refused event is not a failed file */
}

static void a_full_disk_leaves_a_readable_file(void **state) {
  (void)state;
  struct rlimit old, small = {40000, 0};
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
  getrlimit(RLIMIT_FSIZE, &old);
  small.rlim_max = old.rlim_max;
  struct siox_trace_writer *w = create();
  setrlimit(RLIMIT_FSIZE, &small);
  int rc = 0;
  uint64_t seed = 3;
  for (int i = 0; i < 100000 && rc == 0; i++) {
    struct siox_trace_event e = join_event(0, test_time(&seed));
    rc = siox_trace_write(w, &e);
  }
  assert_int_equal(rc, SIOX_EIO);
  assert_int_equal(siox_trace_close(w), SIOX_EIO);
  setrlimit(RLIMIT_FSIZE, &old);
  signal(SIGXFSZ, handler);
  struct siox_trace_reader *r = open_trace(test_path("a.siox"));
  struct siox_trace_event e;
  int events = 0;
  while ((rc = siox_trace_read(r, &e, NULL)) > 0)
    events++;
  assert_int_equal(rc, SIOX_ETRUNCATED);
  assert_true(events > 1000);
  siox_trace_reader_close(r);
}

/* A rank that reads a slab of A and of B, computes, and now and then writes C: each call recorded
 * twice, as the MPI call and as the request below it. Think times vary by +-5 %, overheads by
 * microseconds; latencies are those of a disk that is found busy every third time, or (noisy)
 * spread evenly over 2 ms. */
static double bytes_an_event(bool calls, bool random, bool noisy) {
  struct siox_trace_writer *w = create();
  uint64_t seed = 11, written = 0, before;
  int64_t now = 1000000, offset[3] = {0, 0, 0};
  const uint64_t site[3] = {UINT64_C(0x8f3a9d1c22e0b417), UINT64_C(0x1d2c3b4a59687786),
                            UINT64_C(0xfeedface12345678)};
  siox_trace_flush(w);
  before = file_size(test_path("a.siox"));
  for (int phase = 0; phase < 20000; phase++) {
    for (int k = 0; k < (phase % 10 == 9 ? 3 : 2); k++) {
      int64_t start = now + 400 + (int64_t)test_below(&seed, 4000), latency = 6591564;
      if (noisy || test_below(&seed, 3) == 0)
        latency += (int64_t)test_below(&seed, 2000000);
      struct siox_trace_event e = {.kind = SIOX_TRACE_IO};
      e.u.io.arrival = start + 900 + (int64_t)test_below(&seed, 800);
      e.u.io.completion = e.u.io.arrival + latency;
      e.u.io.file = (uint64_t)k + 1;
      e.u.io.offset = random ? (int64_t)test_below(&seed, 1 << 12) * 65536 : offset[k];
      e.u.io.bytes = 65536;
      e.u.io.op = k == 2;
      e.u.io.site = site[k];
      assert_int_equal(siox_trace_write(w, &e), 0);
      written++;
      now = e.u.io.completion + 1500 + (int64_t)test_below(&seed, 1000);
      if (calls) {
        struct siox_trace_event c = {.kind = SIOX_TRACE_CALL};
        c.u.call.start = start;
        c.u.call.end = now;
        c.u.call.site = site[k];
        c.u.call.file = (uint64_t)k + 1;
        c.u.call.offset = e.u.io.offset;
        c.u.call.bytes = 65536;
        c.u.call.call = 7 + (uint32_t)k;
        assert_int_equal(siox_trace_write(w, &c), 0);
        written++;
      }
      offset[k] += 65536 * 4;
    }
    now += 9500000 + (int64_t)test_below(&seed, 1000000);
  }
  assert_int_equal(siox_trace_close(w), 0);
  return (double)(file_size(test_path("a.siox")) - before) / (double)written;
}

static void regular_io_takes_at_most_six_bytes_an_event(void **state) {
  (void)state;
  double both = bytes_an_event(true, false, false), alone = bytes_an_event(false, false, false);
  print_message("bytes an event: calls and requests %.2f (noisy latencies %.2f, random offsets "
                "%.2f), requests alone %.2f\n",
                both, bytes_an_event(true, false, true), bytes_an_event(true, true, false), alone);
  assert_true(both <= 6);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_checksum_is_crc32c),
      cmocka_unit_test(a_header_comes_back),
      cmocka_unit_test(limits_in_force_come_back),
      cmocka_unit_test(limits_from_before_hold_joined_do_not_say_it),
      cmocka_unit_test(a_header_without_limits_says_so),
      cmocka_unit_test(parts_of_a_header_that_nobody_knows_are_passed_over),
      cmocka_unit_test(drives_with_a_table_come_back),
      cmocka_unit_test(a_drive_that_takes_ages_is_refused),
      cmocka_unit_test(every_kind_comes_back_in_its_streams_order),
      cmocka_unit_test(a_definition_comes_before_the_events_after_it),
      cmocka_unit_test(flushed_events_are_readable_while_the_writer_lives),
      cmocka_unit_test(a_file_cut_anywhere_is_readable_to_its_last_whole_block),
      cmocka_unit_test(a_flipped_bit_is_found_and_its_block_named),
      cmocka_unit_test(another_file_is_refused),
      cmocka_unit_test(events_that_no_reader_would_take_are_not_written),
      cmocka_unit_test(a_full_disk_leaves_a_readable_file),
      cmocka_unit_test(regular_io_takes_at_most_six_bytes_an_event),
  };
  return cmocka_run_group_tests(tests, test_make_directory, test_remove_directory);
}
