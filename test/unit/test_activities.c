/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The daemon's side of tallies: cycles, totals, and writers that mean no good. */
#include "common/tally.h"
#include "daemon/activities.h"
#include "siox/error.h"
#include "support.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct siox__activities *a;
static struct siox_tally *t; /* the process's own mapping */
static struct siox__tallied *p;
static const int SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
enum { JOB = 3, ROW = 10, LATER = 1 << 30 };

static struct siox_tally *made(int seals, size_t bytes, int *fd) {
  *fd = memfd_create("tally", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  assert_int_equal(ftruncate(*fd, (off_t)bytes), 0);
  void *at = mmap(NULL, sizeof(struct siox_tally), PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
  assert_true(at != MAP_FAILED && fcntl(*fd, F_ADD_SEALS, seals) == 0);
  if (bytes >= sizeof(struct siox_tally))
    siox__tally_init(at, getpid());
  return at;
}

static int begin(void **unused) {
  (void)unused;
  const char *why;
  int fd;
  assert_int_equal(siox__activities_new(&a, true), 0);
  t = made(SEALS, sizeof *t, &fd);
  assert_int_equal(siox__activities_enter(a, fd, getpid(), -1, JOB, &p, &why), 0);
  close(fd);
  return 0;
}
static int end(void **unused) {
  (void)unused;
  siox__activities_free(a);
  munmap(t, sizeof *t);
  return 0;
}

static const struct siox_activity_summary *cycle(void) { return siox__activities_cycle(a, LATER); }
/* The class that calls of ROW and so many bytes are in; NULL: nothing is known of them. */
static const struct siox_activity_class *class_of(const struct siox_activity_summary *s,
                                                  uint64_t bytes) {
  for (size_t k = 0; k < s->nkinds; k++)
    if (strcmp(s->kinds[k].call, siox__row_name(ROW)) == 0)
      return &s->kinds[k].classes[siox_size_class(bytes)];
  return NULL;
}
static void count(int n, uint64_t bytes, int64_t ns) {
  for (int i = 0; i < n; i++)
    siox__tally_count(t, 1, ROW, bytes, ns, false);
}

static void a_cycle_tells_what_came_since_the_last(void **unused) {
  (void)unused;
  count(5, 100, 1000);
  const struct siox_activity_class *c = class_of(cycle(), 100);
  assert_true(c->calls == 5 && c->bytes == 500 && c->times[9] == 5 && c->longest_ns == 1000);
  assert_int_equal(class_of(cycle(), 100)->calls, 0);
  count(2, 100, 300);
  c = class_of(cycle(), 100);
  assert_true(c->calls == 2 && c->bytes == 200 && c->times[8] == 2);
  assert_int_equal(c->longest_ns, 511); /* not the longest of all: as its bucket says */
}

static void an_index_stays_what_it_is(void **unused) {
  (void)unused;
  count(1, 0, 1);
  const char *first = cycle()->kinds[0].call;
  siox__tally_count(t, 1, 0, 0, 1, false);
  const struct siox_activity_summary *s = cycle();
  assert_int_equal(s->nkinds, 2);
  assert_string_equal(s->kinds[0].call, first);
  assert_string_equal(s->kinds[1].call, siox__row_name(0));
  assert_int_equal(s->kinds[1].category, SIOX_CATEGORY_DISK);
}

static void what_runs_is_told_with_its_beginning(void **unused) {
  (void)unused;
  siox__tally_run(t, 1, ROW, 100, 5000);
  siox__tally_run(t, 4, ROW, 100, 4000);
  const struct siox_activity_class *c = class_of(cycle(), 100);
  assert_true(c->running == 2 && c->oldest_ns == 4000);
  siox__tally_thread_ends(t, 1);
  siox__tally_thread_ends(t, 4);
  assert_int_equal(class_of(cycle(), 100)->running, 0);
}

static void a_process_that_left_is_told_once_more(void **unused) {
  (void)unused;
  count(1, 100, 1000);
  cycle();
  count(3, 100, 1000);
  siox__activities_leave(a, p);
  assert_int_equal(class_of(cycle(), 100)->calls, 3);
  assert_int_equal(class_of(cycle(), 100)->calls, 0);
}

/* Some of them share a chain (pids 1024 apart), and every third one leaves. */
static void who_leaves_between_others_takes_nothing_of_theirs_along(void **unused) {
  (void)unused;
  enum { N = 60, PID = 5000 };
  struct siox_tally *tally[N];
  struct siox__tallied *process[N];
  const char *why;
  int fd;
  for (int i = 0; i < N; i++) {
    tally[i] = made(SEALS, sizeof *t, &fd);
    assert_int_equal(
        siox__activities_enter(a, fd, PID + i % 4 * 1024 + i, i, JOB, &process[i], &why), 0);
    close(fd);
  }
  for (int round = 0; round < 3; round++) {
    uint64_t calls = 0;
    for (int i = 0; i < N; i++)
      if (round == 0 || i % 3 != 0) {
        siox__tally_count(tally[i], 1, ROW, 100, 1000, false);
        calls++;
      }
    for (int i = 0; round == 0 && i < N; i += 3)
      siox__activities_leave(a, process[i]);
    const struct siox_activity_class *c = class_of(cycle(), 100);
    assert_int_equal(c->calls, calls);
    assert_int_equal(c->callers, calls);
    for (int i = 0; i < N; i++) {
      const struct siox_activity_summary *own = siox__activities_of(a, PID + i % 4 * 1024 + i);
      if (round == 0 || i % 3 != 0)
        assert_int_equal(class_of(own, 100)->calls, 1);
      else
        assert_null(own);
    }
    assert_int_equal(class_of(cycle(), 100)->calls, 0);
    for (int i = 0; i < N; i++)
      assert_null(siox__activities_of(a, PID + i % 4 * 1024 + i));
  }
  for (int i = 0; i < N; i++)
    munmap(tally[i], sizeof *t);
}

static uint64_t total_of(uint64_t *partial) {
  struct siox__activity_total *list;
  size_t n;
  uint64_t calls = 0;
  struct siox__left_out left_out;
  assert_int_equal(siox__activities_totals(a, JOB, &list, &n, &left_out), 0);
  for (size_t i = 0; i < n; i++)
    calls += list[i].calls;
  if (partial)
    *partial = left_out.partial;
  free(list);
  return calls;
}

static void calls_that_were_not_shown_are_told_of_the_job(void **unused) {
  (void)unused;
  struct siox__activity_total *list;
  struct siox__left_out left_out;
  size_t n;
  atomic_store(&t->unshown, 3);
  for (int i = 0; i < 2; i++) { /* of a process that is there, and of one that left */
    assert_int_equal(siox__activities_totals(a, JOB, &list, &n, &left_out), 0);
    assert_int_equal(left_out.unshown, 3);
    assert_int_equal(left_out.partial, 0);
    free(list);
    if (i == 0)
      siox__activities_leave(a, p);
  }
}

static void totals_of_a_job_outlive_its_processes(void **unused) {
  (void)unused;
  count(7, 100, 1000);
  atomic_store(&t->partial, 2);
  assert_int_equal(total_of(NULL), 7); /* nobody made a cycle */
  siox__activities_leave(a, p);
  uint64_t partial;
  assert_int_equal(total_of(&partial), 7);
  assert_int_equal(partial, 2);
  const char *why;
  int fd;
  struct siox_tally *second = made(SEALS, sizeof *t, &fd);
  assert_int_equal(siox__activities_enter(a, fd, getpid(), -1, JOB, &p, &why), 0);
  siox__tally_count(second, 1, ROW + 1, 5, 5, true);
  assert_int_equal(total_of(NULL), 8);
  siox__activities_leave(a, p);
  assert_int_equal(total_of(NULL), 8);
  siox__activities_forget(a, JOB);
  assert_int_equal(total_of(NULL), 0);
  munmap(second, sizeof *second);
  close(fd);
}

static void each_process_is_told_apart(void **unused) {
  (void)unused;
  const char *why;
  int fd;
  struct siox_tally *second = made(SEALS, sizeof *t, &fd);
  struct siox__tallied *other;
  assert_int_equal(siox__activities_enter(a, fd, 99, -1, JOB, &other, &why), 0);
  count(3, 100, 10);
  siox__tally_count(second, 1, ROW, 100, 10, false);
  assert_int_equal(class_of(cycle(), 100)->calls, 4);
  assert_int_equal(class_of(siox__activities_of(a, getpid()), 100)->calls, 3);
  assert_int_equal(class_of(siox__activities_of(a, 99), 100)->calls, 1);
  siox__tally_run(second, 1, ROW, 100, 4000);
  cycle();
  assert_null(siox__activities_of(a, getpid())); /* did nothing */
  assert_int_equal(class_of(siox__activities_of(a, 99), 100)->running, 1);
  assert_null(siox__activities_of(a, 100)); /* nobody */
  munmap(second, sizeof *second);
  close(fd);
}

static void two_connections_of_a_process_are_one(void **unused) {
  (void)unused;
  const char *why;
  int fd;
  struct siox_tally *second = made(SEALS, sizeof *t, &fd);
  struct siox__tallied *other;
  assert_int_equal(siox__activities_enter(a, fd, getpid(), -1, JOB, &other, &why), 0);
  count(3, 100, 10);
  siox__tally_count(second, 1, ROW, 100, 10, false);
  cycle();
  assert_int_equal(class_of(siox__activities_of(a, getpid()), 100)->calls, 4);
  munmap(second, sizeof *second);
  close(fd);
}

/* What a client may write: each value by itself; the counts of the next cycle are right again. */
static void counters_that_go_back_are_ignored(void **unused) {
  (void)unused;
  struct siox_tally_slot *s = &t->slot[0][0];
  _Atomic uint64_t *const counters[] = {&s->calls, &s->bytes, &s->total_ns, &s->errors};
  for (size_t i = 0; i < sizeof counters / sizeof *counters; i++) {
    count(5, 100, 1000);
    siox__tally_count(t, 1, ROW, 100, 1000, true);
    cycle();
    const uint64_t refused = siox__activities_refused(a), was = atomic_load(counters[i]);
    count(1, 100, 1000);
    atomic_store(counters[i], was - 1);
    assert_int_equal(class_of(cycle(), 100)->calls, 0);
    assert_int_equal(siox__activities_refused(a), refused + 1);
    count(4, 100, 1000);
    assert_int_equal(class_of(cycle(), 100)->calls, 4);
  }
}

static void counts_that_nobody_reaches_are_ignored(void **unused) {
  (void)unused;
  count(1, 100, 1000);
  cycle();
  atomic_store(&t->slot[0][0].calls, UINT64_MAX);
  assert_int_equal(class_of(cycle(), 100)->calls, 0);
  atomic_store(&t->slot[1][0].calls, UINT64_MAX); /* the sum over shards stays where it is */
  atomic_store(&t->shards, UINT32_MAX);
  assert_int_equal(class_of(cycle(), 100)->calls, 0);
  atomic_store(&t->slot[0][0].longest_ns, INT64_MAX);
  atomic_store(&t->slot[0][0].calls, 5);
  assert_int_equal(class_of(cycle(), 100)->calls, 0);
  assert_int_equal(total_of(NULL), UINT64_MAX);
  json_t *said = siox__activities_json(a, JOB);
  assert_int_equal(json_integer_value(
                       json_object_get(json_array_get(json_object_get(said, "kinds"), 0), "calls")),
                   INT64_MAX);
  json_decref(said);
}

static void any_bytes_in_a_tally_hurt_nobody(void **unused) {
  (void)unused;
  uint64_t state = 1;
  for (int round = 0; round < 200; round++) {
    uint64_t *word = (uint64_t *)t;
    for (size_t i = 0; i < sizeof *t / sizeof *word; i += 1 + test_below(&state, 64))
      word[i] = test_below(&state, 3) ? test_random(&state) : 0;
    if (round % 2)
      atomic_store(&t->slots, (uint32_t)test_below(&state, 2 * SIOX_TALLY_SLOTS));
    siox__activities_cycle(a, LATER);
    siox__activities_of(a, getpid());
    total_of(NULL);
  }
}

static void only_sealed_memory_of_the_right_size_is_taken(void **unused) {
  (void)unused;
  const struct {
    int seals;
    size_t bytes;
    const char *why;
  } cases[] = {{0, sizeof *t, "its tally is not sealed memory"},
               {F_SEAL_SHRINK | F_SEAL_GROW, sizeof *t, "its tally is not sealed memory"},
               {F_SEAL_GROW | F_SEAL_SEAL, sizeof *t, "its tally is not sealed memory"},
               {SEALS, sizeof *t - 4096, "its tally is of another size"},
               {SEALS, sizeof *t + 4096, "its tally is of another size"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int fd;
    const char *why = "";
    struct siox__tallied *none = p;
    struct siox_tally *at = made(cases[i].seals, cases[i].bytes, &fd);
    assert_int_equal(siox__activities_enter(a, fd, 1, -1, JOB, &none, &why), SIOX_EPROTO);
    assert_string_equal(why, cases[i].why);
    assert_null(none);
    munmap(at, sizeof *at);
    close(fd);
  }
  int file[2];
  const char *why;
  struct siox__tallied *none;
  assert_int_equal(pipe(file), 0);
  assert_int_equal(siox__activities_enter(a, file[0], 1, -1, JOB, &none, &why), SIOX_EPROTO);
  close(file[0]);
  close(file[1]);
}

static void a_tally_of_another_version_is_left_alone(void **unused) {
  (void)unused;
  int fd;
  const char *why;
  struct siox__tallied *none;
  struct siox_tally *at = made(SEALS, sizeof *at, &fd);
  at->version++;
  assert_int_equal(siox__activities_enter(a, fd, 1, -1, JOB, &none, &why), SIOX_EPROTO);
  munmap(at, sizeof *at);
  close(fd);
}

int main(void) {
#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)
  const struct CMUnitTest tests[] = {
      CASE(a_cycle_tells_what_came_since_the_last),
      CASE(an_index_stays_what_it_is),
      CASE(what_runs_is_told_with_its_beginning),
      CASE(a_process_that_left_is_told_once_more),
      CASE(who_leaves_between_others_takes_nothing_of_theirs_along),
      CASE(calls_that_were_not_shown_are_told_of_the_job),
      CASE(totals_of_a_job_outlive_its_processes),
      CASE(each_process_is_told_apart),
      CASE(two_connections_of_a_process_are_one),
      CASE(counters_that_go_back_are_ignored),
      CASE(counts_that_nobody_reaches_are_ignored),
      CASE(any_bytes_in_a_tally_hurt_nobody),
      CASE(only_sealed_memory_of_the_right_size_is_taken),
      CASE(a_tally_of_another_version_is_left_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
