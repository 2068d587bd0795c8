/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Cycles: kept or not, in the store, told to the loop. */
#include "daemon/cycles.h"

/* Rows of issues: a thousand at once, a hundred a second. */
static const double MOST_ROWS = 1000, ROWS_A_SECOND = 100;

void siox__cycles_start(struct siox__cycles *c, enum siox_record mode, struct siox__store *store) {
  *c = (struct siox__cycles){.store = store, .rows = MOST_ROWS};
  siox_keep_start(&c->keep, mode);
}

/* A loop that does not come for hundreds of cycles finds the last ones: what ended is told with a
 * later cycle, and a decision holds for all before it. */
static void note(struct siox__cycles *c, struct siox__cycle_note n) {
  if (c->next - c->first == SIOX__NOTES)
    c->first++;
  c->note[c->next++ % SIOX__NOTES] = n;
}

static void put_cycle(struct siox__cycles *c, uint64_t number, bool kept) {
  const struct siox__cycle_about *a = &c->about[number % SIOX__ABOUT];
  if (a->number != number || number <= c->put)
    return;
  c->put = number;
  siox__store_put(c->store, &(struct siox__store_row){.kind = SIOX__ROW_CYCLE,
                                                      .number = {(int64_t)number, a->time_ns, kept},
                                                      .text = {siox_condition_name(a->state),
                                                               siox_verdict_name(a->verdict)}});
}

/* A cycle is a row where there is something to say: it is not as usual, or kept though others are
 * not. So is the one before, whose end is the beginning. */
static void decided(struct siox__cycles *c, const struct siox_decision *d) {
  const struct siox__cycle_about *a = &c->about[d->cycle % SIOX__ABOUT];
  c->kept += d->store;
  note(c, (struct siox__cycle_note){.decided = true, .store = d->store, .number = d->cycle});
  if (!c->store || ((a->number != d->cycle || a->state == SIOX_GOOD) &&
                    !(d->store && c->keep.mode != SIOX_RECORD_ALL)))
    return;
  put_cycle(c, d->cycle - 1, c->keep.mode == SIOX_RECORD_ALL);
  put_cycle(c, d->cycle, d->store);
}

static void put_issue(struct siox__cycles *c, const struct siox__reasoners_input *in,
                      const struct siox__levels *levels, const struct siox_issue *issue) {
  const struct siox_series *s =
      issue->series < in->cycle->nseries ? &in->cycle->series[issue->series] : NULL;
  const struct siox__process *p =
      s ? siox__process_of_place(s->metric.where, in->processes, in->nprocesses) : NULL;
  if (c->rows < 1) {
    c->untold++;
    return;
  }
  c->rows--;
  siox__store_put(c->store, &(struct siox__store_row){
                                .kind = SIOX__ROW_ANOMALY,
                                .number = {in->cycle->now_ns, p ? p->job : SIOX__ROW_NONE,
                                           p ? p->client : SIOX__ROW_NONE},
                                .real = {issue->value, issue->low, issue->high},
                                .text = {p ? "process" : "node", s ? s->metric.where : "",
                                         issue->detector, siox_condition_name(issue->severity),
                                         siox_category_name(issue->category),
                                         siox_verdict_name(levels->node.verdict),
                                         levels->node.subject, issue->evidence}});
}

void siox__cycles_take(struct siox__cycles *c, const struct siox__reasoners_input *in,
                       const struct siox__levels *levels) {
  const struct siox_report *node = &levels->node;
  struct siox_decision decision;
  c->number = in->cycle->number;
  c->cycles++;
  c->abnormal += node->fresh != SIOX_GOOD;
  c->rows += ROWS_A_SECOND * 1e-9 * (double)in->cycle->dt_ns;
  c->rows = c->rows < MOST_ROWS ? c->rows : MOST_ROWS;
  note(c, (struct siox__cycle_note){.number = in->cycle->number, .end_ns = in->cycle->now_ns});
  /* What is kept for one more cycle (`state`, and `down`, which is of the cycle before) is kept by
   * the rule of siox/keep.h already. */
  if (siox_keep_cycle(&c->keep, in->cycle->number, node->fresh != SIOX_GOOD,
                      levels->above != SIOX_GOOD, &decision) > 0)
    decided(c, &decision);
  c->about[in->cycle->number % SIOX__ABOUT] =
      (struct siox__cycle_about){in->cycle->number, in->cycle->now_ns, node->fresh, node->verdict};
  for (size_t i = 0; c->store && i < in->nissues; i++)
    if (!in->issues[i].held)
      put_issue(c, in, levels, &in->issues[i]);
  for (uint32_t i = 0; c->store && i < node->noverloaded; i++)
    put_issue(c, in, levels, &node->overloaded[i]);
}

size_t siox__cycles_notes(struct siox__cycles *c, struct siox__cycle_note *notes, size_t max) {
  size_t n = 0;
  while (n < max && c->first < c->next)
    notes[n++] = c->note[c->first++ % SIOX__NOTES];
  return n;
}

void siox__cycles_end(struct siox__cycles *c) {
  struct siox_decision rest[SIOX_KEEP_PENDING];
  c->number++;
  note(c, (struct siox__cycle_note){.number = c->number, .end_ns = INT64_MAX});
  if (siox_keep_cycle(&c->keep, c->number, false, false, rest) > 0)
    decided(c, rest);
  const int n = siox_keep_end(&c->keep, rest);
  for (int i = 0; i < n; i++)
    decided(c, &rest[i]);
  c->kept -= n > 0 && rest[n - 1].store; /* it is none of those that are counted */
  c->store = NULL;
}

void siox__cycles_json(const struct siox__cycles *c, json_t *o) {
  json_object_set_new(o, "cycles", json_integer((json_int_t)c->cycles));
  json_object_set_new(o, "abnormal_cycles", json_integer((json_int_t)c->abnormal));
  json_object_set_new(o, "kept_cycles", json_integer((json_int_t)c->kept));
}
