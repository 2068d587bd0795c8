/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Policy siox: jobs that use a disk in step bound each other's uses (struct siox__round). Client i
 * uses the disk i seconds after T of each round and promises 10 s later than that, nine times. With
 * the median its margin is 10 + 10/9 s then, and it may lag 10^(1/9) i s behind (history.c: a
 * hundredth of the cases more), so its word w bounds the next round by w - 10 - 10/9 - 10^(1/9) i.
 * The second latest of the bounds counts. */
#include "bank_support.h"

enum { CLIENTS = 4, ROUNDS = 9 };
static const double GAP = 100, MARGIN = 10 + 10 / 9.0;

struct step {
  struct lab *lab;
  uint32_t client[CLIENTS];
  double at; /* the last round's T */
};

static void use(struct step *s, int i) { lab_read(s->lab, s->at + i, s->client[i], 64 * KB); }

static void promise(struct step *s, int i, double use) {
  lab_hint(s->lab, s->at + 10, s->client[i], "1", 0, 0, use, 0);
}

/* Nine rounds, after the last of which nothing is promised yet. */
static struct step in_step(void) {
  struct step s = {.lab = calloc(1, sizeof *s.lab)};
  make_drive(&s.lab->drive, FOUR_SPEEDS, 4);
  s.lab->limits.early = 0.5;
  lab_start(s.lab, "siox", 1, NULL, 0);
  for (int i = 0; i < CLIENTS; i++)
    s.client[i] = lab_join(s.lab, (char[]){(char)('A' + i), 0});
  for (int r = 0; r < ROUNDS; r++) {
    for (int i = 0; i < CLIENTS; i++)
      promise(&s, i, s.at + GAP + i + 10);
    s.at += GAP;
    for (int i = 0; i < CLIENTS; i++)
      use(&s, i);
  }
  return s;
}

/* When the disk that went down at the gap's beginning is at full speed again, after the next T. */
static double ready(struct step *s) {
  assert_int_equal(lab_speed(s->lab, s->at + 10 + 15, 0), 6000);
  siox_bank_advance(s->lab->bank, ns(s->at + GAP));
  const struct siox_disk_view *v = &siox_bank_view(s->lab->bank)->disk[0];
  assert_int_equal(s->lab->drive.level[v->level].speed, 15000);
  return (double)(v->move_end - ns(s->at + GAP)) * 1e-9;
}

/* What the words are off by in the end. Alone, the third would have the disk ready at -64/9 s. */
static const double OFF[CLIENTS] = {0, 8, -8, -8};

static void the_second_latest_bound_counts_for_all(void **state) {
  (void)state;
  struct step s = in_step();
  for (int i = 0; i < CLIENTS; i++)
    promise(&s, i, s.at + GAP + i + 10 + OFF[i]);
  near(ready(&s), 10 - MARGIN);
  lab_close(s.lab);
}

static void nobody_is_put_off_behind_its_own_word(void **state) {
  (void)state;
  struct step s = in_step();
  for (int i = 0; i < CLIENTS; i++)
    promise(&s, i, s.at + GAP + (i == 3 ? -5 : i + 10 + OFF[i]));
  near(ready(&s), -5);
  lab_close(s.lab);
}

static void a_client_without_a_past_is_not_bound(void **state) {
  (void)state;
  struct step s = in_step();
  uint32_t newcomer = lab_join(s.lab, "E");
  for (int i = 0; i < CLIENTS; i++)
    promise(&s, i, s.at + GAP + i + 10 + OFF[i]);
  lab_hint(s.lab, s.at + 10, newcomer, "1", 0, 0, s.at + GAP - 20, 0);
  assert_true(ready(&s) <= -20);
  lab_close(s.lab);
}

static void bounds_do_not_count_while_somebody_has_not_used_the_disk(void **state) {
  (void)state;
  struct step s = in_step();
  for (int i = 0; i < CLIENTS; i++)
    promise(&s, i, s.at + GAP + i + 10);
  s.at += GAP;
  for (int i = 0; i + 1 < CLIENTS; i++)
    use(&s, i);
  for (int i = 0; i + 1 < CLIENTS; i++)
    promise(&s, i, s.at + GAP + i + 10 + OFF[i]);
  /* the third one's own word */
  lab_hint(s.lab, s.at + 11, s.client[CLIENTS - 1], "1", 0, 0, s.at + GAP + 13, 0);
  near(ready(&s), 2 + 10 + OFF[2] - (10 + 10 / 10.0)); /* ten rounds are its past */
  lab_close(s.lab);
}

static void a_bound_is_gone_with_who_gave_it(void **state) {
  (void)state;
  struct step s = in_step();
  for (int i = 0; i < CLIENTS; i++)
    promise(&s, i, s.at + GAP + i + 10 + OFF[i]);
  assert_int_equal(siox_bank_leave(s.lab->bank, ns(s.at + 11), s.client[1]), 0);
  near(ready(&s), 2 + 10 + OFF[2] - MARGIN);
  lab_close(s.lab);
}

static void a_bound_that_is_taken_back_counts_no_more(void **state) {
  (void)state;
  struct step s = in_step();
  for (int i = 0; i < CLIENTS; i++)
    promise(&s, i, s.at + GAP + i + 10 + OFF[i]);
  promise(&s, 1, s.at + GAP + 1 + 10);
  near(ready(&s), 2 + 10 + OFF[2] - MARGIN);
  lab_close(s.lab);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_second_latest_bound_counts_for_all),
      cmocka_unit_test(nobody_is_put_off_behind_its_own_word),
      cmocka_unit_test(a_client_without_a_past_is_not_bound),
      cmocka_unit_test(bounds_do_not_count_while_somebody_has_not_used_the_disk),
      cmocka_unit_test(a_bound_is_gone_with_who_gave_it),
      cmocka_unit_test(a_bound_that_is_taken_back_counts_no_more),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
