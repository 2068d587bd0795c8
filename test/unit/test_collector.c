/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From readings to samples, with a provider whose readings the test gives. */
#include "siox/collector.h"
#include "support.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define assert_near(a, b, within) assert_true(fabs((a) - (b)) <= (within))

enum { MOST = 4 };
static const int64_t MS = 1000000;

/* What the next read() returns. */
struct script {
  struct siox_metric metrics[MOST];
  size_t n;
  struct siox_reading readings[MOST];
  int result;
};
static int script_open(const struct siox_provider_env *env, void **state, struct siox_diag *diag) {
  (void)diag;
  *state = (void *)env->root; /* the script itself */
  return 0;
}
static size_t script_metrics(void *state, const struct siox_metric **list) {
  struct script *s = state;
  *list = s->metrics;
  return s->n;
}
static int script_read(void *state, int64_t now_ns, struct siox_reading *readings) {
  struct script *s = state;
  (void)now_ns;
  if (s->result != 0) {
    const int result = s->result;
    s->result = 0;
    return result;
  }
  memcpy(readings, s->readings, s->n * sizeof *readings);
  return 0;
}
static void script_close(void *state) { (void)state; }
static struct siox_provider scripted(const char *name, uint32_t priority) {
  return (struct siox_provider){.abi = SIOX_PROVIDER_ABI,
                                .name = name,
                                .priority = priority,
                                .open = script_open,
                                .metrics = script_metrics,
                                .read = script_read,
                                .close = script_close};
}

static struct siox_metric energy(const char *where, enum siox_domain domain, uint64_t wrap,
                                 double bound) {
  struct siox_metric m = {.kind = SIOX_METRIC_COUNTER,
                          .domain = domain,
                          .scale = 1e-6,
                          .wrap = wrap,
                          .bound = bound,
                          .name = "energy",
                          .unit = "J"};
  snprintf(m.where, sizeof m.where, "%s", where);
  return m;
}

static struct siox_collector *collector_of(const struct siox_provider *p, struct script *s) {
  struct siox_collector *c;
  struct siox_diag diag;
  assert_int_equal(siox_collector_new(&c), 0);
  assert_int_equal(
      siox_collector_add(c, p, &(struct siox_provider_env){.root = (const char *)s}, &diag), 0);
  return c;
}
/* A cycle at a time in ms of a machine that never slept. */
static const struct siox_cycle *cycle(struct siox_collector *c, int64_t ms) {
  assert_int_equal(siox_collector_cycle(c, ms * MS, ms * MS), 0);
  return siox_collector_last(c);
}
static const struct siox_sample *count(struct siox_collector *c, struct script *s, int64_t ms,
                                       uint64_t value) {
  s->readings[0] = (struct siox_reading){.count = value};
  return &cycle(c, ms)->series[0].last;
}

static void a_counters_first_reading_is_a_beginning(void **unused) {
  (void)unused;
  struct siox_provider p = scripted("meter", 1);
  struct script s = {.n = 1, .metrics = {energy("package-0", SIOX_DOMAIN_PACKAGE, 0, 0)}};
  struct siox_collector *c = collector_of(&p, &s);
  assert_int_equal(count(c, &s, 0, 5000000)->state, SIOX_SAMPLE_FIRST);
  const struct siox_sample *second = count(c, &s, 100, 7000000);
  assert_int_equal(second->state, SIOX_SAMPLE_VALID);
  assert_near(second->amount, 2, 1e-12); /* 2,000,000 uJ */
  assert_near(second->value, 20, 1e-12); /* in 0.1 s */
  siox_collector_free(c);
}

static void a_wrap_is_placed_by_the_range(void **unused) {
  (void)unused;
  struct siox_provider p = scripted("meter", 1);
  /* likwid#646: 32 bits of 61 uJ are 262 kJ. */
  struct script s = {
      .n = 1, .metrics = {energy("package-0", SIOX_DOMAIN_PACKAGE, UINT64_C(262143328850) + 1, 0)}};
  struct siox_collector *c = collector_of(&p, &s);
  count(c, &s, 0, UINT64_C(262143328850) - 999999);
  assert_near(count(c, &s, 100, 2000000)->amount, 3,
              1e-9); /* 999,999 to the last count, 1 to 0, 2,000,000 from there */
  assert_near(siox_collector_last(c)->series[0].total, 3, 1e-9);
  siox_collector_free(c);
}

static void a_time_in_which_it_may_wrap_twice_is_lost(void **unused) {
  (void)unused;
  struct siox_provider p = scripted("meter", 1);
  struct script s = {.n = 1,
                     .metrics = {energy("package-0", SIOX_DOMAIN_PACKAGE, 1000000000,
                                        500)}}; /* 1000 J at most 500 W: 2 s */
  struct siox_collector *c = collector_of(&p, &s);
  count(c, &s, 0, 900000000);
  assert_int_equal(count(c, &s, 1900, 100000000)->state, SIOX_SAMPLE_VALID);
  const struct siox_sample *lost = count(c, &s, 4000, 200000000);
  assert_int_equal(lost->state, SIOX_SAMPLE_LOST);
  assert_int_equal(lost->error, SIOX_ERANGE);
  assert_near(siox_collector_last(c)->series[0].total, 200, 1e-9);
  assert_int_equal(siox_collector_last(c)->series[0].lost, 1);
  assert_near(count(c, &s, 4100, 210000000)->amount, 10, 1e-9); /* and goes on from there */
  siox_collector_free(c);
}

static void a_smaller_count_without_a_readable_range_is_lost_and_never_negative(void **unused) {
  (void)unused;
  struct siox_provider p = scripted("meter", 1);
  struct script s = {.n = 1,
                     .metrics = {energy("package-0", SIOX_DOMAIN_PACKAGE, SIOX_WRAP_UNKNOWN, 0)}};
  struct siox_collector *c = collector_of(&p, &s);
  count(c, &s, 0, 5000000);
  const struct siox_sample *lost = count(c, &s, 100, 1000000);
  assert_int_equal(lost->state, SIOX_SAMPLE_LOST);
  assert_int_equal(lost->error, SIOX_EUNKNOWN);
  assert_true(lost->amount == 0 && lost->value == 0);
  assert_near(count(c, &s, 200, 1500000)->amount, 0.5, 1e-12);
  siox_collector_free(c);
}

static void more_than_is_physically_possible_is_lost(void **unused) {
  (void)unused;
  struct siox_provider p = scripted("meter", 1);
  struct script s = {.n = 1, .metrics = {energy("package-0", SIOX_DOMAIN_PACKAGE, 0, 400)}};
  struct siox_collector *c = collector_of(&p, &s);
  count(c, &s, 0, 0);
  assert_int_equal(count(c, &s, 100, 41000000)->state, SIOX_SAMPLE_LOST); /* 41 J in 0.1 s: 410 W */
  assert_int_equal(count(c, &s, 200, 80000000)->state, SIOX_SAMPLE_VALID); /* 390 W */
  siox_collector_free(c);
}

static void what_came_while_the_machine_slept_is_marked_and_not_billed(void **unused) {
  (void)unused;
  struct siox_provider p = scripted("meter", 1);
  struct script s = {.n = 1, .metrics = {energy("package-0", SIOX_DOMAIN_PACKAGE, 0, 0)}};
  struct siox_collector *c = collector_of(&p, &s);
  count(c, &s, 0, 0);
  count(c, &s, 100, 1000000);
  s.readings[0].count = 9000000;
  assert_int_equal(siox_collector_cycle(c, 200 * MS, 3600 * 1000 * MS),
                   0); /* an hour of BOOTTIME */
  const struct siox_cycle *slept = siox_collector_last(c);
  assert_true(slept->suspended);
  assert_int_equal(slept->series[0].last.state, SIOX_SAMPLE_SUSPENDED);
  assert_near(slept->series[0].total, 1, 1e-12);
  s.readings[0].count = 9500000;
  assert_int_equal(siox_collector_cycle(c, 300 * MS, (3600 * 1000 + 100) * MS), 0);
  assert_near(slept->series[0].last.amount, 0.5, 1e-12);
  siox_collector_free(c);
}

static void a_clock_that_does_not_advance_is_refused(void **unused) {
  (void)unused;
  struct siox_provider p = scripted("meter", 1);
  struct script s = {.n = 1, .metrics = {energy("package-0", SIOX_DOMAIN_PACKAGE, 0, 0)}};
  struct siox_collector *c = collector_of(&p, &s);
  count(c, &s, 100, 0);
  assert_int_equal(siox_collector_cycle(c, 100 * MS, 100 * MS), SIOX_EINVAL);
  assert_int_equal(siox_collector_cycle(c, 99 * MS, 100 * MS), SIOX_EINVAL);
  assert_int_equal(siox_collector_last(c)->number, 1);
  siox_collector_free(c);
}

static void an_unreadable_meter_is_lost_and_the_time_until_it_comes_back_is_not(void **unused) {
  (void)unused;
  struct siox_provider p = scripted("meter", 1);
  struct script s = {.n = 1, .metrics = {energy("package-0", SIOX_DOMAIN_PACKAGE, 0, 0)}};
  struct siox_collector *c = collector_of(&p, &s);
  count(c, &s, 0, 0);
  s.result = SIOX_EPERM;
  assert_int_equal(count(c, &s, 100, 0)->error, SIOX_EPERM);
  const struct siox_sample *back = count(c, &s, 200, 3000000);
  assert_near(back->amount, 3, 1e-12);
  assert_near(back->value, 15, 1e-12); /* over both intervals */
  siox_collector_free(c);
}

static void watts_of_a_domain_become_joules(void **unused) {
  (void)unused;
  struct siox_provider p = scripted("ipmi", 1);
  struct script s = {
      .n = 1,
      .metrics = {
          {.kind = SIOX_METRIC_GAUGE, .domain = SIOX_DOMAIN_NODE, .name = "power", .unit = "W"}}};
  struct siox_collector *c = collector_of(&p, &s);
  s.readings[0].value = 250;
  cycle(c, 0);
  const struct siox_cycle *second = cycle(c, 2000);
  bool estimated;
  assert_near(siox_cycle_joules(second, &estimated), 500, 1e-9);
  assert_false(estimated);
  siox_collector_free(c);
}

static void each_joule_of_a_node_counts_once(void **unused) {
  (void)unused;
  struct siox_provider p = scripted("powercap", 7);
  struct script s = {.n = 4,
                     .metrics = {energy("psys", SIOX_DOMAIN_PSYS, 0, 0),
                                 energy("package-0", SIOX_DOMAIN_PACKAGE, 0, 0),
                                 energy("package-0/core", SIOX_DOMAIN_CORES, 0, 0),
                                 energy("package-0/dram", SIOX_DOMAIN_DRAM, 0, 0)}};
  struct siox_collector *c = collector_of(&p, &s);
  cycle(c, 0);
  const uint64_t joules[MOST] = {100, 60, 40, 10};
  for (size_t i = 0; i < MOST; i++)
    s.readings[i].count = joules[i] * 1000000;
  assert_near(siox_cycle_joules(cycle(c, 1000), NULL), 100,
              1e-9); /* psys holds all of the others */
  s.n = 0;           /* no psys, the same places otherwise */
  s.result = 1;
  memmove(s.metrics, s.metrics + 1, 3 * sizeof s.metrics[0]);
  s.n = 3;
  for (size_t i = 0; i < 3; i++)
    s.readings[i].count = joules[i + 1] * 2000000;
  assert_near(siox_cycle_joules(cycle(c, 2000), NULL), 70,
              1e-9); /* package and memory, not the cores in it */
  siox_collector_free(c);
}

static void a_model_of_the_node_does_not_hide_the_meters_of_its_parts(void **unused) {
  (void)unused;
  struct siox_provider meter = scripted("powercap", 7), model = scripted("model", 1);
  struct script parts = {.n = 1, .metrics = {energy("package-0", SIOX_DOMAIN_PACKAGE, 0, 0)}};
  struct script node = {.n = 1, .metrics = {energy("", SIOX_DOMAIN_NODE, 0, 0)}};
  node.metrics[0].flags = SIOX_METRIC_ESTIMATED;
  struct siox_collector *c = collector_of(&model, &node);
  struct siox_diag diag;
  bool estimated;
  assert_int_equal(siox_collector_add(
                       c, &meter, &(struct siox_provider_env){.root = (const char *)&parts}, &diag),
                   0);
  cycle(c, 0);
  parts.readings[0].count = 60000000;
  node.readings[0].count = 90000000;
  assert_near(siox_cycle_joules(cycle(c, 1000), &estimated), 60, 1e-9);
  assert_false(estimated);
  for (int i = 2; i < 13; i++) { /* without the meter there is the model */
    parts.result = SIOX_EIO;
    node.readings[0].count += 90000000;
    cycle(c, 1000 * i);
  }
  assert_near(siox_cycle_joules(siox_collector_last(c), &estimated), 90, 1e-9);
  assert_true(estimated);
  siox_collector_free(c);
}

static void of_two_sources_of_a_domain_the_better_counts_until_it_falls_silent(void **unused) {
  (void)unused;
  struct siox_provider better = scripted("powercap", 7), worse = scripted("model", 1);
  struct script meter = {.n = 1, .metrics = {energy("package-0", SIOX_DOMAIN_PACKAGE, 0, 0)}};
  struct script model = {.n = 1, .metrics = {energy("package-0", SIOX_DOMAIN_PACKAGE, 0, 0)}};
  model.metrics[0].flags = SIOX_METRIC_ESTIMATED;
  struct siox_collector *c = collector_of(&worse, &model);
  struct siox_diag diag;
  assert_int_equal(siox_collector_add(c, &better,
                                      &(struct siox_provider_env){.root = (const char *)&meter},
                                      &diag),
                   0);
  bool estimated;
  for (int64_t i = 0; i < 3; i++) {
    model.readings[0].count += 9000000;
    meter.readings[0].count += 1000000;
    cycle(c, 100 * i);
  }
  assert_near(siox_cycle_joules(siox_collector_last(c), &estimated), 1, 1e-9);
  assert_false(estimated);
  for (int64_t i = 3; i < 13; i++) {
    meter.result = SIOX_EIO;
    model.readings[0].count += 9000000;
    cycle(c, 100 * i);
  }
  assert_near(siox_cycle_joules(siox_collector_last(c), &estimated), 9, 1e-9);
  assert_true(estimated);
  siox_collector_free(c);
}

static void places_that_come_and_go_keep_their_index(void **unused) {
  (void)unused;
  struct siox_provider p = scripted("net", 0);
  struct siox_metric eth = {.kind = SIOX_METRIC_COUNTER,
                            .scale = 1,
                            .name = "bytes",
                            .unit = "B",
                            .where = "eth0"},
                     ib = eth;
  snprintf(ib.where, sizeof ib.where, "ib0");
  struct script s = {.n = 1, .metrics = {eth}};
  struct siox_collector *c = collector_of(&p, &s);
  count(c, &s, 0, 100);
  s = (struct script){
      .n = 2, .metrics = {ib, eth}, .readings = {{.count = 7}, {.count = 150}}, .result = 1};
  const struct siox_cycle *both = cycle(c, 1000);
  assert_int_equal(both->nseries, 2);
  assert_near(both->series[0].last.amount, 50, 0);
  assert_int_equal(both->series[1].last.state, SIOX_SAMPLE_FIRST);
  s = (struct script){.n = 1, .metrics = {ib}, .readings = {{.count = 17}}, .result = 1};
  assert_true(cycle(c, 2000)->series[0].gone);
  s = (struct script){
      .n = 2, .metrics = {ib, eth}, .readings = {{.count = 17}, {.count = 3}}, .result = 1};
  assert_int_equal(cycle(c, 3000)->series[0].last.state,
                   SIOX_SAMPLE_FIRST); /* another interface, perhaps */
  siox_collector_free(c);
}

static void places_that_went_away_long_ago_make_room_for_others(void **unused) {
  (void)unused;
  struct siox_provider p = scripted("processes", 0);
  struct siox_metric one = {
      .kind = SIOX_METRIC_COUNTER, .scale = 1, .name = "process_cpu", .unit = "s"};
  struct script s = {.n = 1, .metrics = {one}};
  struct siox_collector *c = collector_of(&p, &s);
  for (int i = 0; i < 100000; i++) { /* a process ends and another begins, every second for a day */
    snprintf(s.metrics[0].where, sizeof s.metrics[0].where, "%d@1", i);
    s.result = 1;
    cycle(c, 1000 * i);
  }
  assert_true(siox_collector_last(c)->nseries <= 602); /* ten minutes of them */
  const struct siox_series *last = NULL;
  for (size_t i = 0; i < siox_collector_last(c)->nseries; i++)
    if (!siox_collector_last(c)->series[i].gone)
      last = &siox_collector_last(c)->series[i];
  assert_non_null(last);
  assert_string_equal(last->metric.where, "99999@1");
  assert_true(last->generation > 0);
  siox_collector_free(c);
}

static void a_place_that_a_list_names_twice_is_read_once(void **unused) {
  (void)unused;
  struct siox_provider p = scripted("meter", 1);
  struct script s = {.n = 2,
                     .metrics = {energy("package-0", SIOX_DOMAIN_PACKAGE, 0, 0),
                                 energy("package-0", SIOX_DOMAIN_PACKAGE, 0, 0)}};
  struct siox_collector *c = collector_of(&p, &s);
  s.readings[1].count = 7000000;
  count(c, &s, 0, 5000000);
  const struct siox_sample *second = count(c, &s, 100, 7000000);
  assert_int_equal(second->state, SIOX_SAMPLE_VALID);
  assert_near(second->amount, 2, 1e-12);
  assert_near(second->value, 20, 1e-12);
  siox_collector_free(c);
}

static void a_provider_is_not_read_twice(void **unused) {
  (void)unused;
  struct siox_provider p = scripted("meter", 1);
  struct script s = {.n = 1, .metrics = {energy("package-0", SIOX_DOMAIN_PACKAGE, 0, 0)}};
  struct siox_collector *c = collector_of(&p, &s);
  struct siox_diag diag;
  assert_int_equal(
      siox_collector_add(c, &p, &(struct siox_provider_env){.root = (const char *)&s}, &diag),
      SIOX_EEXIST);
  assert_non_null(strstr(diag.text, "meter"));
  siox_collector_free(c);
}

static void what_is_no_finite_number_is_lost(void **unused) {
  (void)unused;
  struct siox_provider p = scripted("meter", 1);
  struct script s = {.n = 1, .metrics = {energy("package-0", SIOX_DOMAIN_PACKAGE, 0, 0)}};
  s.metrics[0].scale = 1e300;
  struct siox_collector *c = collector_of(&p, &s);
  count(c, &s, 0, 0);
  const struct siox_sample *sample = count(c, &s, 100, UINT64_C(1) << 60);
  assert_int_equal(sample->state, SIOX_SAMPLE_LOST);
  assert_int_equal(sample->error, SIOX_ERANGE);
  siox_collector_free(c);
}

static void what_is_held_is_no_sample_and_comes_with_the_next_reading(void **unused) {
  (void)unused;
  struct siox_provider p = scripted("processes", 0);
  struct siox_metric gauge = {.kind = SIOX_METRIC_GAUGE, .name = "process_resident", .unit = "B"};
  struct script s = {.n = 2, .metrics = {energy("7@1", SIOX_DOMAIN_NONE, 0, 0), gauge}};
  struct siox_collector *c = collector_of(&p, &s);
  const struct siox_series *series = cycle(c, 0)->series;
  s.readings[0] = (struct siox_reading){.count = 1000000};
  s.readings[1] = (struct siox_reading){.value = 5};
  cycle(c, 100);
  s.readings[0].error = s.readings[1].error = SIOX_READING_HELD;
  cycle(c, 200);
  cycle(c, 300);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(series[i].last.state, SIOX_SAMPLE_HELD);
    assert_int_equal(series[i].last.error, 0);
    assert_near(series[i].last.value, i ? 5 : 10, 1e-12);
    assert_near(series[i].last.amount, 0, 0);
    assert_int_equal(series[i].lost, 0);
  }
  s.readings[0] = (struct siox_reading){.count = 4000000};
  s.readings[1] = (struct siox_reading){.value = 6};
  cycle(c, 400);
  assert_near(series[0].last.amount, 3, 1e-12);
  assert_near(series[0].last.value, 10, 1e-12); /* in 300 ms */
  assert_int_equal(series[0].last.span_ns, 300 * MS);
  assert_int_equal(series[1].last.span_ns, 300 * MS);
  assert_near(series[0].total, 4, 1e-12);
  cycle(c, 500);
  assert_int_equal(series[1].last.span_ns, 100 * MS);
  siox_collector_free(c);
}

static void what_is_held_before_its_first_reading_has_no_value(void **unused) {
  (void)unused;
  struct siox_provider p = scripted("processes", 0);
  struct script s = {.n = 1, .metrics = {energy("7@1", SIOX_DOMAIN_NONE, 0, 0)}};
  s.readings[0].error = SIOX_READING_HELD;
  struct siox_collector *c = collector_of(&p, &s);
  for (int i = 0; i < 2; i++) {
    const struct siox_sample *last = &cycle(c, 100 * i)->series[0].last;
    assert_int_equal(last->state, SIOX_SAMPLE_HELD);
    assert_int_equal(last->error, SIOX_EUNKNOWN);
  }
  s.readings[0] = (struct siox_reading){.count = 17};
  assert_int_equal(cycle(c, 200)->series[0].last.state, SIOX_SAMPLE_FIRST);
  siox_collector_free(c);
}

static void a_machine_that_slept_while_a_place_was_held_makes_its_next_sample_none(void **unused) {
  (void)unused;
  struct siox_provider p = scripted("processes", 0);
  struct script s = {.n = 1, .metrics = {energy("7@1", SIOX_DOMAIN_NONE, 0, 0)}};
  struct siox_collector *c = collector_of(&p, &s);
  cycle(c, 0);
  s.readings[0].error = SIOX_READING_HELD;
  assert_int_equal(siox_collector_cycle(c, 100 * MS, 5100 * MS), 0);
  s.readings[0] = (struct siox_reading){.count = 1000000};
  assert_int_equal(siox_collector_cycle(c, 200 * MS, 5200 * MS), 0);
  assert_int_equal(siox_collector_last(c)->series[0].last.state, SIOX_SAMPLE_SUSPENDED);
  siox_collector_free(c);
}

static void whoever_looks_for_what_is_the_nodes_goes_around_processes(void **unused) {
  (void)unused;
  struct siox_provider before = scripted("first", 0), crowd = scripted("processes", 0),
                       after = scripted("last", 0);
  crowd.flags = SIOX_PROVIDER_OF_PROCESSES;
  struct siox_metric m[MOST];
  for (int i = 0; i < MOST; i++) {
    m[i] = (struct siox_metric){.kind = SIOX_METRIC_GAUGE, .name = "x"};
    snprintf(m[i].where, sizeof m[i].where, "%d@1", i);
  }
  struct script few = {.n = 2, .metrics = {m[0], m[1]}}, same = few,
                many = {.n = 3, .metrics = {m[0], m[1], m[2]}};
  struct siox_collector *c = collector_of(&before, &few);
  struct siox_diag diag;
  const struct siox_provider *more[] = {&crowd, &after};
  struct script *scripts[] = {&many, &same};
  for (int i = 0; i < 2; i++)
    assert_int_equal(siox_collector_add(c, more[i],
                                        &(struct siox_provider_env){.root = (char *)scripts[i]},
                                        &diag),
                     0);
  const struct siox_cycle *cycle_now = cycle(c, 0);
  char seen[16] = "";
  for (size_t i = siox_cycle_next(cycle_now, 0); i < cycle_now->nseries;
       i = siox_cycle_next(cycle_now, i + 1))
    snprintf(seen + strlen(seen), sizeof seen - strlen(seen), "%zu", i);
  assert_int_equal(cycle_now->nseries, 7);
  assert_string_equal(seen, "0156");
  const uint64_t lists = cycle_now->lists;
  assert_int_equal(cycle(c, 100)->lists, lists);
  many.result = 1;
  assert_true(cycle(c, 200)->lists > lists);
  siox_collector_free(c);
}

static void whoever_looks_for_new_samples_goes_around_what_is_held(void **unused) {
  (void)unused;
  struct siox_provider crowd = scripted("processes", 0), after = scripted("last", 0);
  crowd.flags = SIOX_PROVIDER_OF_PROCESSES;
  struct siox_metric m[MOST];
  for (int i = 0; i < MOST; i++) {
    m[i] = (struct siox_metric){.kind = SIOX_METRIC_GAUGE, .name = "x"};
    snprintf(m[i].where, sizeof m[i].where, "%d@1", i);
  }
  struct script many = {.n = 3, .metrics = {m[0], m[1], m[2]}}, one = {.n = 1, .metrics = {m[3]}};
  struct siox_collector *c = collector_of(&crowd, &many);
  struct siox_diag diag;
  assert_int_equal(
      siox_collector_add(c, &after, &(struct siox_provider_env){.root = (char *)&one}, &diag), 0);
  const struct {
    int held[3], result;
    const char *seen;
  } cycles[] = {
      {{0, 0, 0}, 0, "3012"}, /* the node's first */
      {{1, 0, 1}, 0, "3012"}, /* they are held from now on */
      {{1, 1, 0}, 0, "312"},  /* 0 is as it was */
      {{1, 1, 1}, 0, "32"},   {{1, 1, 1}, 0, "3"}, {{1, 1, 1}, 1, "3012"}, /* a list was made */
      {{0, 1, 1}, 0, "30"},
  };
  for (size_t k = 0; k < sizeof cycles / sizeof cycles[0]; k++) {
    for (int i = 0; i < 3; i++)
      many.readings[i].error = cycles[k].held[i] ? SIOX_READING_HELD : 0;
    many.result = cycles[k].result;
    const struct siox_cycle *now = cycle(c, 100 * (int64_t)k);
    char seen[16] = "";
    for (size_t i, at = 0; (i = siox_cycle_moved(now, &at)) < now->nseries;)
      snprintf(seen + strlen(seen), sizeof seen - strlen(seen), "%zu", i);
    assert_string_equal(seen, cycles[k].seen);
  }
  siox_collector_free(c);
}

/* A provider of processes whose reading is what the test's dice say; the twin without `written` has
 * the same dice. */
struct turns {
  struct siox_metric metrics[8];
  size_t n;
  uint32_t seed, written[8];
  size_t nwritten;
  int round;
  uint64_t count;
};
static uint32_t dice(struct turns *t) { return (t->seed = t->seed * 1664525 + 1013904223) >> 24; }
static int turns_open(const struct siox_provider_env *env, void **state, struct siox_diag *diag) {
  return script_open(env, state, diag);
}
static size_t turns_metrics(void *state, const struct siox_metric **list) {
  struct turns *t = state;
  *list = t->metrics;
  return t->n;
}
static int turns_read(void *state, int64_t now_ns, struct siox_reading *readings) {
  struct turns *t = state;
  (void)now_ns;
  t->round++;
  t->nwritten = 0;
  if (t->round % 17 == 0) {
    t->n = t->n == 8 ? 6 : t->n + 1;
    return 1;
  }
  const bool fails = t->round % 23 == 0;
  for (size_t i = 0; i < t->n; i++) {
    const uint32_t d = dice(t);
    if (d >= 80)
      continue; /* it is not its turn */
    t->count += d;
    readings[i] =
        (struct siox_reading){.error = d < 8 ? SIOX_EIO : 0, .count = t->count, .value = (double)d};
    t->written[t->nwritten++] = (uint32_t)i;
  }
  return fails ? SIOX_EIO : 0;
}
static size_t turns_written(void *state, const uint32_t **list) {
  struct turns *t = state;
  *list = t->written;
  return t->nwritten;
}
static struct turns turns_new(void) {
  struct turns t = {.n = 6, .seed = 7};
  for (int i = 0; i < 8; i++) {
    t.metrics[i] =
        (struct siox_metric){.kind = i % 2 ? SIOX_METRIC_GAUGE : SIOX_METRIC_COUNTER, .scale = 1};
    snprintf(t.metrics[i].name, sizeof t.metrics[i].name, "m%d", i % 2);
    snprintf(t.metrics[i].where, sizeof t.metrics[i].where, "%d@1", i / 2);
  }
  return t;
}
static int by_size(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

static void who_says_what_was_written_gives_the_same_samples(void **unused) {
  (void)unused;
  struct turns t[2] = {turns_new(), turns_new()};
  struct siox_provider p[2];
  struct siox_collector *c[2];
  for (int k = 0; k < 2; k++) {
    p[k] = scripted("processes", 0);
    p[k].flags = SIOX_PROVIDER_OF_PROCESSES;
    p[k].open = turns_open;
    p[k].metrics = turns_metrics;
    p[k].read = turns_read;
    p[k].written = k ? turns_written : NULL;
    struct siox_diag diag;
    assert_int_equal(siox_collector_new(&c[k]), 0);
    assert_int_equal(siox_collector_add(c[k], &p[k],
                                        &(struct siox_provider_env){.root = (const char *)&t[k]},
                                        &diag),
                     0);
  }
  for (int64_t ms = 100; ms < 200000; ms += 100) {
    const int64_t slept = ms / 3100 * 1000; /* for a second, now and then */
    uint32_t moved[2][8];
    for (int k = 0; k < 2; k++) {
      assert_int_equal(siox_collector_cycle(c[k], ms * MS, (ms + slept) * MS), 0);
      const struct siox_cycle *cycle = siox_collector_last(c[k]);
      memcpy(moved[k], cycle->moved, cycle->nmoved * sizeof **moved);
      qsort(moved[k], cycle->nmoved, sizeof **moved, by_size);
    }
    const struct siox_cycle *a = siox_collector_last(c[0]), *b = siox_collector_last(c[1]);
    assert_int_equal(a->nseries, b->nseries);
    assert_int_equal(a->nmoved, b->nmoved);
    assert_memory_equal(moved[0], moved[1], a->nmoved * sizeof **moved);
    for (size_t i = 0; i < a->nseries; i++) {
      const struct siox_series *x = &a->series[i], *y = &b->series[i];
      assert_int_equal(x->last.state, y->last.state);
      assert_int_equal(x->last.error, y->last.error);
      assert_int_equal(x->last.span_ns, y->last.span_ns);
      assert_true(x->last.value == y->last.value && x->last.amount == y->last.amount);
      assert_true(x->total == y->total && x->gone == y->gone);
      assert_int_equal(x->lost, y->lost);
      assert_int_equal(x->silent, y->silent);
    }
  }
  assert_true(t[1].count > 0);
  siox_collector_free(c[0]);
  siox_collector_free(c[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_counters_first_reading_is_a_beginning),
      cmocka_unit_test(a_wrap_is_placed_by_the_range),
      cmocka_unit_test(a_time_in_which_it_may_wrap_twice_is_lost),
      cmocka_unit_test(a_smaller_count_without_a_readable_range_is_lost_and_never_negative),
      cmocka_unit_test(more_than_is_physically_possible_is_lost),
      cmocka_unit_test(what_came_while_the_machine_slept_is_marked_and_not_billed),
      cmocka_unit_test(a_clock_that_does_not_advance_is_refused),
      cmocka_unit_test(an_unreadable_meter_is_lost_and_the_time_until_it_comes_back_is_not),
      cmocka_unit_test(watts_of_a_domain_become_joules),
      cmocka_unit_test(each_joule_of_a_node_counts_once),
      cmocka_unit_test(a_model_of_the_node_does_not_hide_the_meters_of_its_parts),
      cmocka_unit_test(of_two_sources_of_a_domain_the_better_counts_until_it_falls_silent),
      cmocka_unit_test(places_that_come_and_go_keep_their_index),
      cmocka_unit_test(places_that_went_away_long_ago_make_room_for_others),
      cmocka_unit_test(a_place_that_a_list_names_twice_is_read_once),
      cmocka_unit_test(a_provider_is_not_read_twice),
      cmocka_unit_test(what_is_no_finite_number_is_lost),
      cmocka_unit_test(what_is_held_is_no_sample_and_comes_with_the_next_reading),
      cmocka_unit_test(what_is_held_before_its_first_reading_has_no_value),
      cmocka_unit_test(a_machine_that_slept_while_a_place_was_held_makes_its_next_sample_none),
      cmocka_unit_test(whoever_looks_for_what_is_the_nodes_goes_around_processes),
      cmocka_unit_test(whoever_looks_for_new_samples_goes_around_what_is_held),
      cmocka_unit_test(who_says_what_was_written_gives_the_same_samples),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
