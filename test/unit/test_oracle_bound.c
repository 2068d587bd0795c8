/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The optimum with a price on delay: against the enumeration of all levels and delays of small
 * instances, against random commands given to the disk model, and its ends: no delay at all, and as
 * much as one likes. */
#include "disk/model.h"
#include "oracle_support.h"

enum { FEW = 3, PRICES = 4 };

/* All that can be chosen for one service after a service at a level: the level, how late the disk
 * is there, and the least joules for that. Choices later and dearer than another are left out. */
struct choice {
  int level;
  double late_s, joules;
};
struct choices {
  struct choice item[LEVELS * (LATE + 1)];
  int count;
};
struct enumeration {
  const struct instance *in;
  struct choices choice[FEW][LEVELS];
  double end[LEVELS];
  double price, least;      /* of joules and price and credit */
  double allowed_s, joules; /* least with so much delay at most */
};

static void prepare(struct enumeration *e) {
  const struct siox_drive *d = &e->in->drive;
  struct brute b;
  for (int l = 0; l < LEVELS; l++) {
    for (int i = 0; i < e->in->n; i++) {
      struct choices *c = &e->choice[i][l];
      int gap = e->in->gap[i];
      c->count = 0;
      brute_gap(d, l, (int)e->in->end_level, gap + LATE, &b);
      for (int m = 0; m < LEVELS; m++) {
        double least = INFINITY;
        for (int late = 0; late <= LATE && d->level[m].serves; late++)
          if (b.at[m][gap + late] < least) {
            least = b.at[m][gap + late];
            c->item[c->count++] = (struct choice){m, late * TICK_S, least};
          }
      }
    }
    brute_gap(d, l, (int)e->in->end_level, e->in->gap[e->in->n], &b);
    e->end[l] = b.end[e->in->gap[e->in->n]];
  }
}

static void enumerate(struct enumeration *e, int i, int level, double cost, double joules,
                      double delay_s) {
  const struct siox_drive *d = &e->in->drive;
  if (i == e->in->n) {
    e->least = lesser(e->least, cost + e->end[level]);
    if (delay_s <= e->allowed_s)
      e->joules = lesser(e->joules, joules + e->end[level]);
    return;
  }
  const struct choices *c = &e->choice[i][level];
  for (int k = 0; k < c->count; k++) {
    int m = c->item[k].level;
    double s = (double)siox_drive_service_ns(d, (uint32_t)m, e->in->bytes[i], false) * 1e-9;
    double late = c->item[k].late_s + s - (double)full_ns(e->in, i) * 1e-9;
    double more = c->item[k].joules + d->level[m].active_w * s;
    enumerate(e, i + 1, m, cost + more + (e->price * e->in->weight[i] - d->level[m].idle_w) * late,
              joules + more, delay_s + e->in->weight[i] * late);
  }
}

/* Least cost at a price, and least joules with an allowed delay. */
static void try_all(struct enumeration *e, double price, double allowed_s) {
  e->price = price;
  e->allowed_s = allowed_s;
  e->least = e->joules = INFINITY;
  enumerate(e, 0, (int)e->in->initial, 0, 0, 0);
}

static void few_prices(const struct instance *in, double *price, uint64_t *random) {
  double least = 0;
  for (int l = 0; l < LEVELS; l++)
    least = fmax(least, in->drive.level[l].idle_w);
  for (int k = 0; k < PRICES; k++) /* weights are 0.3 or more */
    price[k] = least / 0.3 * pow(10, k + between(random, 0.001, 1)) * (k ? 0.3 : 1);
}

static void compare(bool table, enum siox_transition_rule rule) {
  uint64_t random = 91 + (uint64_t)rule;
  int late = 0;
  for (int i = 0; i < 1000; i++) {
    struct instance in;
    struct siox_oracle_result r;
    struct siox_oracle_point point[PRICES];
    double price[PRICES];
    random_instance(&in, &random, table, rule, 1 + (int)test_below(&random, FEW));
    few_prices(&in, price, &random);
    solve(&in, SIOX_ORACLE_ANY, price, PRICES, NULL, NULL, &r, point);
    struct enumeration e = {.in = &in};
    prepare(&e);
    for (int k = 0; k < PRICES; k++) {
      double allowed = between(&random, 0, 1) < 0.5 ? point[k].delay_s : between(&random, 0, 2);
      try_all(&e, price[k], allowed + 1e-9);
      double error = 1e-9 * r.joules + price[k] * 4e-9; /* services are of whole ns */
      if (!(point[k].cost <= e.least + error) ||
          (rule != SIOX_RULE_A && !(point[k].cost >= e.least - error)))
        fail_msg("instance %d, %g W: %.12g J, enumerated %.12g J", i, price[k], point[k].cost,
                 e.least);
      double bound = siox_oracle_bound(point, price, PRICES, allowed);
      if (!(bound <= e.joules + error))
        fail_msg("instance %d, %g s: bound %.12g J, possible %.12g J", i, allowed, bound, e.joules);
      if (allowed == point[k].delay_s)
        assert_true(e.joules <= point[k].joules + error || rule == SIOX_RULE_A);
      late += point[k].delay_s > 0;
    }
  }
  assert_true(late > 500);
}

static void enumeration_agrees_under_rule_a(void **state) {
  (void)state;
  compare(false, SIOX_RULE_A);
}
static void enumeration_agrees_under_rule_b(void **state) {
  (void)state;
  compare(false, SIOX_RULE_B);
}
static void enumeration_agrees_under_rule_c(void **state) {
  (void)state;
  compare(false, SIOX_RULE_C);
}
static void enumeration_agrees_with_a_table_of_changes(void **state) {
  (void)state;
  compare(true, SIOX_RULE_B);
}

static void sum(void *context, uint32_t disk, const struct siox__piece *piece) {
  (void)disk;
  *(double *)context += piece->joules;
}

/* Random commands at random times, requests at the times of the base run whatever was delayed. */
static double blunder(const struct instance *in, uint64_t *random, double *delay_s) {
  struct siox__disk disk;
  double joules = 0;
  int64_t arrival[SERVICES], done[SERVICES], at = 0, now = 0;
  for (int i = 0; i < in->n; i++) {
    arrival[i] = at += in->gap[i] * TICK;
    done[i] = at += full_ns(in, i);
  }
  at += in->gap[in->n] * TICK;
  *delay_s = 0;
  siox__disk_init(&disk, 0, &in->drive, in->initial, 0, sum, &joules);
  for (int i = 0; i <= in->n; i++) {
    int64_t until = i < in->n ? arrival[i] : at;
    while ((now += 1 + (int64_t)test_below(random, 8 * TICK)) < until) {
      uint32_t level = (uint32_t)test_below(random, LEVELS);
      if (in->drive.rule == SIOX_RULE_A && disk.open && disk.move_end > now)
        continue; /* where the parts of a ramp may end: docs/oracle.md */
      siox__disk_command(&disk, now, level, 0);
    }
    now = until;
    if (i == in->n)
      break;
    for (uint32_t level = LEVELS; level-- > 0 && !in->drive.level[disk.level].serves;)
      siox__disk_command(&disk, now, level, 0);
    struct siox__charge c = siox__disk_serve(&disk, now, 0, (uint64_t)i + 1, 0, in->bytes[i]);
    *delay_s += in->weight[i] * (double)(c.end - done[i]) * 1e-9;
  }
  siox__disk_finish(&disk, at, in->end_level);
  return joules;
}

static void random_commands_never_get_below_the_bound(void **state) {
  (void)state;
  uint64_t random = 5;
  for (int i = 0; i < 20000; i++) {
    struct instance in;
    struct siox_oracle_result r;
    struct siox_oracle_point point[16];
    double price[16], delay_s;
    bool table = i % 4 == 3;
    random_instance(&in, &random, table, (enum siox_transition_rule)(i % 4 % 3),
                    1 + (int)test_below(&random, SERVICES));
    const struct siox_drive *drive = &in.drive;
    assert_int_equal(siox_oracle_prices(&drive, 1, 0.3, price, 16), 0);
    solve(&in, SIOX_ORACLE_ANY, price, 16, NULL, NULL, &r, point);
    double joules = blunder(&in, &random, &delay_s);
    double bound = siox_oracle_bound(point, price, 16, delay_s);
    if (!(joules >= bound - 1e-6 * bound))
      fail_msg("instance %d: %.9g J with %g s of delay, bound %.9g J", i, joules, delay_s, bound);
    if (delay_s == 0 && !(joules >= r.joules * (1 - 1e-9)))
      fail_msg("instance %d: %.9g J without delay, optimum %.9g J", i, joules, r.joules);
  }
}

static void a_great_price_leaves_the_optimum_without_delay(void **state) {
  (void)state;
  uint64_t random = 3;
  for (int i = 0; i < 1000; i++) {
    struct instance in;
    struct siox_oracle_result r;
    struct siox_oracle_point point;
    double price = 1e12;
    random_instance(&in, &random, false, (enum siox_transition_rule)(i % 3), SERVICES);
    solve(&in, SIOX_ORACLE_ANY, &price, 1, NULL, NULL, &r, &point);
    assert_true(fabs(point.joules - r.joules) <= 1e-9 * r.joules);
    assert_true(fabs(siox_oracle_bound(&point, &price, 1, 0) - r.joules) <= 1e-9 * r.joules);
  }
}

/* One request after another, without gaps: no change pays but the level for all of them. n
 * services of s seconds at full speed, s' at the lower one, and the way there and back. */
static void a_lower_level_for_a_row_of_services_is_its_closed_form(void **state) {
  (void)state;
  enum { N = 100 };
  struct siox_drive d = {.nlevels = 2,
                         .level = {{3000, true, 2, 4, 20e6, 10e6}, {6000, true, 6, 20, 40e6, 5e6}},
                         .table = {{{0, 0}, {1000000000, 10}}, {{1000000000, 7}, {0, 0}}}};
  struct siox_oracle_result r;
  double price = 6;
  struct siox_oracle_options o = {
      .drive = &d, .initial_level = 1, .end_level = 1, .price = &price, .nprices = 1};
  struct siox_oracle_point p;
  struct siox_oracle *oracle;
  assert_int_equal(siox_oracle_create(&oracle, &o), 0);
  for (int i = 0; i < N; i++) {
    struct siox_oracle_service s = {0, 0, 4000000, 0}; /* 105 and 210 ms */
    assert_int_equal(siox_oracle_serve(oracle, &s), 0);
  }
  assert_int_equal(siox_oracle_finish(oracle, 0, &r, &p), 0);
  siox_oracle_destroy(oracle);
  assert_true(fabs(r.joules - N * 0.105 * 20) < 1e-9);
  /* 7 J and 1 s of waiting, N services of 210 ms, 10 J after the end */
  double joules = 17 + N * 0.21 * 4, delay = 1 + N * 0.105;
  assert_true(fabs(p.joules - joules) < 1e-9);
  assert_true(fabs(p.delay_s - delay) < 1e-9);
  assert_true(fabs(p.cost - (joules + (6 - 2) * delay)) < 1e-9);
}

static void prices_grow_from_the_least_allowed(void **state) {
  (void)state;
  struct siox_drive a = {.nlevels = 1, .level = {{1, true, 5, 9, 1e6, 0}}}, b = a;
  b.level[0].idle_w = 8;
  const struct siox_drive *drive[] = {&a, &b};
  double price[9];
  assert_int_equal(siox_oracle_prices(drive, 2, 0.25, price, 9), 0);
  assert_true(fabs(price[0] - 32) < 1e-9);
  for (int k = 1; k < 9; k++)
    assert_true(fabs(price[k] / price[k - 1] - price[1] / price[0]) < 1e-9);
  assert_int_equal(siox_oracle_prices(drive, 0, 1, price, 9), SIOX_EINVAL);
  assert_int_equal(siox_oracle_prices(drive, 2, 0, price, 9), SIOX_EINVAL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(enumeration_agrees_under_rule_a),
      cmocka_unit_test(enumeration_agrees_under_rule_b),
      cmocka_unit_test(enumeration_agrees_under_rule_c),
      cmocka_unit_test(enumeration_agrees_with_a_table_of_changes),
      cmocka_unit_test(random_commands_never_get_below_the_bound),
      cmocka_unit_test(a_great_price_leaves_the_optimum_without_delay),
      cmocka_unit_test(a_lower_level_for_a_row_of_services_is_its_closed_form),
      cmocka_unit_test(prices_grow_from_the_least_allowed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
