/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Events as few bytes: each field is predicted from earlier events of the same block and only what
 * differs is written. One table (trace_fields.def) and one way through it serve both directions, so
 * that writer and reader cannot disagree. Predictions are kept per context: events of one kind with
 * the same selecting fields (a call site, a file, a peer) share one, so a loop with several calls
 * in it predicts each from its own last turn. All arithmetic is modulo 2^64. */
#include "store/trace_wire.h"
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum type { I64, U64, U32, I32, U16, BOOL, F64, STATE };
enum prediction { GAP, DUR, FROM_START, FROM_END, SAME, STRIDE, SELECT, DICT, SELECT_DICT, JOULES };
struct field {
  uint16_t kind, offset;
  uint8_t type, how;
};

static const struct field fields[] = {
#define SIOX_TRACE_FIELD(kind, member, type, how)                                                  \
  {SIOX_TRACE_##kind, offsetof(struct siox_trace_event, u.member), type, how},
#include "store/trace_fields.def"
#undef SIOX_TRACE_FIELD
};
enum { NFIELDS = sizeof fields / sizeof fields[0] };

/* Rows of a kind are neighbours. */
static uint32_t rows(enum siox_trace_kind kind, const struct field **first) {
  uint32_t i = 0, n = 0;
  while (i < NFIELDS && fields[i].kind != kind)
    i++;
  *first = &fields[i];
  while (i + n < NFIELDS && fields[i + n].kind == kind)
    n++;
  return n;
}

static uint64_t load(const struct siox_trace_event *e, const struct field *f) {
  const char *p = (const char *)e + f->offset;
  uint64_t wide;
  uint32_t word;
  int32_t sign;
  uint16_t half;
  switch ((enum type)f->type) {
  case I64:
  case U64:
  case F64:
    memcpy(&wide, p, sizeof wide);
    return wide;
  case U32:
  case STATE:
    memcpy(&word, p, sizeof word);
    return word;
  case I32:
    memcpy(&sign, p, sizeof sign);
    return (uint64_t)(int64_t)sign;
  case U16:
    memcpy(&half, p, sizeof half);
    return half;
  case BOOL:
    return *(const bool *)p;
  }
  return 0;
}

static bool store(struct siox_trace_event *e, const struct field *f, uint64_t value) {
  char *p = (char *)e + f->offset;
  uint32_t word = (uint32_t)value;
  int32_t sign = (int32_t)(int64_t)value;
  uint16_t half = (uint16_t)value;
  switch ((enum type)f->type) {
  case I64:
  case U64:
  case F64:
    memcpy(p, &value, sizeof value);
    return true;
  case U32:
    memcpy(p, &word, sizeof word);
    return value == word;
  case STATE:
    word = word < SIOX_NSTATES ? word : 0;
    memcpy(p, &word, sizeof word);
    return value == word;
  case I32:
    memcpy(p, &sign, sizeof sign);
    return value == (uint64_t)(int64_t)sign;
  case U16:
    memcpy(p, &half, sizeof half);
    return value == half;
  case BOOL:
    *(bool *)p = value & 1;
    return value < 2;
  }
  return false;
}

static bool selects(const struct field *f) { return f->how == SELECT || f->how == SELECT_DICT; }
static bool worded(const struct field *f) { return f->how == DICT || f->how == SELECT_DICT; }

void siox__trace_begin(struct siox__trace_codec *c, uint64_t time, const struct siox_drive *drive) {
  memset(c, 0, sizeof *c);
  c->start = c->end = time;
  c->drive = drive;
}

/* The context of a kind and its selecting values; a new one starts as a copy of the kind's last. */
static struct siox__trace_context *context(struct siox__trace_codec *c, enum siox_trace_kind kind,
                                           const uint64_t *select, uint32_t n) {
  uint64_t key = 1 + (uint64_t)kind;
  for (uint32_t i = 0; i < n; i++) {
    key = (key ^ select[i]) * UINT64_C(0x9e3779b97f4a7c15);
    key ^= key >> 29;
  }
  key |= 1; /* never 0 */
  for (uint32_t i = 0; i < c->contexts; i++)
    if (c->context[i].key == key) {
      c->latest[kind] = (uint8_t)(i + 1);
      return &c->context[i];
    }
  uint32_t slot = c->next_context;
  c->next_context = (uint8_t)((slot + 1) % SIOX__TRACE_CONTEXTS);
  if (c->contexts < SIOX__TRACE_CONTEXTS)
    c->contexts++;
  struct siox__trace_context *x = &c->context[slot],
                             *old = c->latest[kind] ? &c->context[c->latest[kind] - 1] : NULL;
  if (!old)
    memset(x, 0, sizeof *x);
  else if (old != x)
    *x = *old;
  x->key = key;
  x->seen = 0;
  memcpy(x->next, select, n * sizeof *select);
  c->latest[kind] = (uint8_t)(slot + 1);
  return x;
}

/* What the event's other fields are predicted from. */
struct frame {
  const struct siox__trace_context *x;
  uint64_t start; /* of this event, once known */
};

static uint64_t predict_joules(const struct siox__trace_codec *c, const struct siox_trace_event *e,
                               uint64_t last) {
  const struct siox_segment *s = &e->u.segment;
  if (!c->drive || (s->state != SIOX_IDLE && s->state != SIOX_ACTIVE))
    return last;
  double watts = 0, seconds = (double)(int64_t)((uint64_t)s->end - (uint64_t)s->start) * 1e-9;
  for (uint32_t i = 0; i < c->drive->nlevels; i++)
    if (c->drive->level[i].speed == s->from_speed)
      watts = s->state == SIOX_IDLE ? c->drive->level[i].idle_w : c->drive->level[i].active_w;
  double joules = watts * seconds;
  joules *= s->share;
  uint64_t bits;
  memcpy(&bits, &joules, sizeof bits);
  return bits;
}

static uint64_t predict(const struct siox__trace_codec *c, const struct frame *f,
                        const struct field *row, uint32_t i, const struct siox_trace_event *e) {
  uint64_t last = f->x->last[i], change = f->x->change[i];
  switch ((enum prediction)row->how) {
  case GAP:
  case FROM_END:
    return c->end + change;
  case FROM_START:
    return c->start + change;
  case DUR:
    return f->start + change;
  case STRIDE:
    return last + change;
  case JOULES:
    return predict_joules(c, e, last);
  default:
    return last;
  }
}

/* Durations: one that comes twice is expected again, others near their running mean (change holds
 * what is expected). */
static void learn_duration(struct siox__trace_context *x, uint32_t i, uint64_t value) {
  if (x->seen == 0 || value == x->last[i])
    x->change[i] = value;
  else
    x->change[i] += (uint64_t)((int64_t)(value - x->change[i]) >> (x->seen == 1 ? 1 : 2));
  x->last[i] = value;
}

/* Remembers a field's value for the next prediction. */
static void learn(const struct siox__trace_codec *c, struct siox__trace_context *x, struct frame *f,
                  const struct field *row, uint32_t i, uint64_t value) {
  switch ((enum prediction)row->how) {
  case GAP:
    learn_duration(x, i, value - c->end);
    f->start = value;
    break;
  case FROM_START:
    learn_duration(x, i, value - c->start);
    f->start = value;
    break;
  case FROM_END:
    learn_duration(x, i, value - c->end);
    break;
  case DUR:
    learn_duration(x, i, value - f->start);
    break;
  case STRIDE:
    x->change[i] = value - x->last[i];
    x->last[i] = value;
    break;
  default:
    x->last[i] = value;
  }
}

/* The stream's clock after an event: its start, and its end where it has one (a hint's second time
 * is none). */
static void tick(struct siox__trace_codec *c, const struct siox_trace_event *e) {
  c->start = c->end = (uint64_t)siox__trace_time(e);
  switch (e->kind) {
  case SIOX_TRACE_IO:
    c->end = (uint64_t)e->u.io.completion;
    break;
  case SIOX_TRACE_CALL:
    c->end = (uint64_t)e->u.call.end;
    break;
  case SIOX_TRACE_SYNC:
    c->end = (uint64_t)e->u.sync.leave;
    break;
  case SIOX_TRACE_MESSAGE:
    c->end = (uint64_t)e->u.message.end;
    break;
  case SIOX_TRACE_WAIT:
    c->end = (uint64_t)e->u.wait.end;
    break;
  case SIOX_TRACE_SEGMENT:
    c->end = (uint64_t)e->u.segment.end;
    break;
  case SIOX_TRACE_POSIX:
    c->end = (uint64_t)e->u.posix.end;
    break;
  default:
    break;
  }
}

static void put_word(struct siox__trace_codec *c, struct siox__out *out, uint64_t value) {
  for (uint32_t i = 0; i < c->words; i++)
    if (c->dict[i] == value) {
      siox__out_varint(out, i + 1);
      return;
    }
  siox__out_varint(out, 0);
  siox__out_fixed64(out, value);
  c->dict[c->next_word] = value;
  c->next_word = (uint8_t)((c->next_word + 1) % SIOX__TRACE_DICT);
  if (c->words < SIOX__TRACE_DICT)
    c->words++;
}

static uint64_t get_word(struct siox__trace_codec *c, struct siox__in *in) {
  uint64_t i = siox__in_varint(in);
  if (i > c->words) {
    siox__in_fail(in, "a dictionary entry is not there");
    return 0;
  }
  if (i)
    return c->dict[i - 1];
  uint64_t value = siox__in_fixed64(in);
  c->dict[c->next_word] = value;
  c->next_word = (uint8_t)((c->next_word + 1) % SIOX__TRACE_DICT);
  if (c->words < SIOX__TRACE_DICT)
    c->words++;
  return value;
}

/* A time of a claim: 0 and SIOX_NEVER have meanings of their own, others lie near the hint. */
static void put_claim_time(struct siox__out *out, int64_t time, int64_t now) {
  if (time == 0 || time == SIOX_NEVER) {
    siox__out_varint(out, time != 0);
    return;
  }
  siox__out_varint(out, 2);
  siox__out_varint(out, siox__zigzag((uint64_t)time - (uint64_t)now));
}
static int64_t get_claim_time(struct siox__in *in, int64_t now) {
  switch (siox__in_number(in, 2, "a claim's time is of no known kind")) {
  case 0:
    return 0;
  case 1:
    return SIOX_NEVER;
  }
  return (int64_t)(siox__unzigzag(siox__in_varint(in)) + (uint64_t)now);
}

static void put_runs(struct siox__out *out, const struct siox_trace_event *e) {
  for (uint32_t i = 0; i < e->u.hint.head.nruns; i++) {
    const struct siox_claim_run *r = &e->u.hint.runs[i];
    siox__out_varint(out, r->first);
    siox__out_varint(out, r->count);
    siox__out_varint(out, siox__zigzag((uint64_t)r->speed));
    siox__out_varint(out, siox__zigzag((uint64_t)r->flag));
    put_claim_time(out, r->need_by, e->u.hint.time);
    put_claim_time(out, r->until, e->u.hint.time);
  }
}

static int32_t get_int(struct siox__in *in) {
  int64_t v = (int64_t)siox__unzigzag(siox__in_varint(in));
  if (v < INT32_MIN || v > INT32_MAX)
    siox__in_fail(in, "a number is wider than 32 bits");
  return (int32_t)v;
}

static void get_runs(struct siox__in *in, struct siox_trace_event *e,
                     struct siox__trace_runs *runs) {
  uint32_t n = e->u.hint.head.nruns;
  if (n > SIOX__TRACE_RUNS_MAX ||
      n > (in->length - in->at) / 6) { /* a run takes six bytes or more */
    siox__in_fail(in, "a hint has more runs than its block holds");
    return;
  }
  if (n > runs->room) {
    struct siox_claim_run *grown = realloc(runs->item, n * sizeof *grown);
    if (!grown) {
      in->failed = SIOX_ENOMEM;
      in->why = "out of memory";
      return;
    }
    runs->item = grown;
    runs->room = n;
  }
  for (uint32_t i = 0; i < n; i++) {
    struct siox_claim_run *r = &runs->item[i];
    r->first = siox__in_number(in, UINT32_MAX, "a number is wider than 32 bits");
    r->count = siox__in_number(in, UINT32_MAX, "a number is wider than 32 bits");
    r->speed = get_int(in);
    r->flag = get_int(in);
    r->need_by = get_claim_time(in, e->u.hint.time);
    r->until = get_claim_time(in, e->u.hint.time);
  }
  e->u.hint.runs = runs->item;
}

void siox__trace_encode(struct siox__trace_codec *c, struct siox__out *out,
                        const struct siox_trace_event *e) {
  const struct field *row;
  uint32_t n = rows(e->kind, &row), mask = 0, nselect = 0;
  uint64_t value[SIOX__TRACE_FIELDS_MAX], differs[SIOX__TRACE_FIELDS_MAX] = {0},
                                          select[SIOX__TRACE_SELECT_MAX];
  struct siox__trace_context *before =
      c->latest[e->kind] ? &c->context[c->latest[e->kind] - 1] : NULL;
  for (uint32_t i = 0; i < n; i++) {
    value[i] = load(e, &row[i]);
    if (selects(&row[i])) {
      differs[i] = value[i] - (before ? before->next[nselect] : 0);
      select[nselect++] = value[i];
    }
  }
  if (before)
    memcpy(before->next, select, nselect * sizeof *select);
  struct siox__trace_context *x = context(c, e->kind, select, nselect);
  struct frame f = {x, 0};
  for (uint32_t i = 0; i < n; i++) {
    if (!selects(&row[i])) {
      differs[i] = value[i] - predict(c, &f, &row[i], i, e);
      learn(c, x, &f, &row[i], i, value[i]);
    }
    mask |= (uint32_t)(differs[i] != 0) << i;
  }
  uint32_t more = mask >> 3 != 0;
  uint8_t tag = (uint8_t)(e->kind | (mask & 7) << 4 | more << 7);
  siox__out_bytes(out, &tag, 1);
  if (more)
    siox__out_varint(out, mask >> 3);
  for (int selecting = 1; selecting >= 0; selecting--) /* the reader needs these first */
    for (uint32_t i = 0; i < n; i++)
      if (mask >> i & 1 && selects(&row[i]) == selecting) {
        if (worded(&row[i]))
          put_word(c, out, value[i]);
        else
          siox__out_varint(out, siox__zigzag(differs[i]));
      }
  if (e->kind == SIOX_TRACE_HINT)
    put_runs(out, e);
  x->seen += x->seen < 2;
  tick(c, e);
}

static uint64_t get_value(struct siox__trace_codec *c, struct siox__in *in, const struct field *row,
                          bool differs, uint64_t predicted) {
  if (!differs)
    return predicted;
  if (worded(row))
    return get_word(c, in);
  return predicted + siox__unzigzag(siox__in_varint(in));
}

void siox__trace_decode(struct siox__trace_codec *c, struct siox__in *in,
                        struct siox_trace_event *e, struct siox__trace_runs *runs) {
  uint8_t tag = in->data[in->at++];
  const struct field *row;
  uint64_t select[SIOX__TRACE_SELECT_MAX];
  e->kind = (enum siox_trace_kind)(tag & 15);
  memset(&e->u, 0, sizeof e->u);
  uint32_t n = rows(e->kind, &row), mask = tag >> 4 & 7, nselect = 0;
  if (!n || (e->kind == SIOX_TRACE_SEGMENT) != (c->drive != NULL)) {
    siox__in_fail(in, "an event's kind is not known in this block");
    return;
  }
  if (tag >> 7)
    mask |= siox__in_number(in, UINT32_MAX >> 3, "an event's field mask is too wide") << 3;
  if (mask >> n) {
    siox__in_fail(in, "an event has more fields than its kind");
    return;
  }
  struct siox__trace_context *before =
      c->latest[e->kind] ? &c->context[c->latest[e->kind] - 1] : NULL;
  for (uint32_t i = 0; i < n; i++)
    if (selects(&row[i])) {
      select[nselect] =
          get_value(c, in, &row[i], mask >> i & 1, before ? before->next[nselect] : 0);
      if (!store(e, &row[i], select[nselect++]))
        siox__in_fail(in, "a number does not fit its field");
    }
  if (in->failed)
    return;
  if (before)
    memcpy(before->next, select, nselect * sizeof *select);
  struct siox__trace_context *x = context(c, e->kind, select, nselect);
  struct frame f = {x, 0};
  for (uint32_t i = 0; i < n && !in->failed; i++)
    if (!selects(&row[i])) {
      uint64_t value = get_value(c, in, &row[i], mask >> i & 1, predict(c, &f, &row[i], i, e));
      learn(c, x, &f, &row[i], i, value);
      if (!store(e, &row[i], value))
        siox__in_fail(in, "a number does not fit its field");
    }
  x->seen += x->seen < 2;
  if (!in->failed && e->kind == SIOX_TRACE_HINT)
    get_runs(in, e, runs);
  if (!in->failed)
    tick(c, e);
}

int64_t siox__trace_time(const struct siox_trace_event *e) {
  switch (e->kind) {
  case SIOX_TRACE_JOIN:
    return e->u.join.time;
  case SIOX_TRACE_LEAVE:
    return e->u.leave.time;
  case SIOX_TRACE_OPEN:
    return e->u.open.time;
  case SIOX_TRACE_IO:
    return e->u.io.arrival;
  case SIOX_TRACE_HINT:
    return e->u.hint.time;
  case SIOX_TRACE_CALL:
    return e->u.call.start;
  case SIOX_TRACE_SYNC:
    return e->u.sync.enter;
  case SIOX_TRACE_MESSAGE:
    return e->u.message.start;
  case SIOX_TRACE_WAIT:
    return e->u.wait.start;
  case SIOX_TRACE_SEGMENT:
    return e->u.segment.start;
  case SIOX_TRACE_POSIX:
    return e->u.posix.start;
  default:
    return 0;
  }
}

static const char *wrong_segment(const struct siox_segment *s, uint32_t ndisks) {
  if (s->disk >= ndisks)
    return "a segment's disk is not there";
  if (s->state >= SIOX_NSTATES)
    return "a segment's state is not known";
  if (s->end < s->start)
    return "a segment ends before it starts";
  if (!isfinite(s->from_speed) || !isfinite(s->to_speed) || !isfinite(s->share) ||
      !isfinite(s->joules))
    return "a segment's number is not finite";
  return NULL;
}

/* Times (but the client's own stamp in a hint) stay within a quarter of the range, so that their
 * differences and sums cannot overflow in any user. */
static bool time_fits(int64_t time) { return time >= 0 && time <= INT64_MAX / 4; }

static bool times_fit(const struct siox_trace_event *e) {
  const struct field *row;
  uint32_t n = rows(e->kind, &row);
  for (uint32_t i = 0; i < n; i++) {
    bool time = row[i].how == GAP || row[i].how == DUR || row[i].how == FROM_START ||
                row[i].how == FROM_END;
    if (time && !(e->kind == SIOX_TRACE_HINT && row[i].how == DUR) &&
        !time_fits((int64_t)load(e, &row[i])))
      return false;
  }
  return true;
}

const char *siox__trace_wrong(const struct siox_trace_event *e, uint32_t ndisks) {
  if (!times_fit(e))
    return "a time is out of range";
  switch (e->kind) {
  case SIOX_TRACE_IO:
    if (e->u.io.completion < e->u.io.arrival)
      return "a request is complete before it arrives";
    return e->u.io.offset < 0 || e->u.io.bytes < 0 ? "a request's offset or length is negative"
                                                   : NULL;
  case SIOX_TRACE_HINT:
    if (e->u.hint.head.nruns > SIOX__TRACE_RUNS_MAX)
      return "a hint has too many runs";
    return e->u.hint.head.nruns && !e->u.hint.runs ? "a hint has no runs" : NULL;
  case SIOX_TRACE_CALL:
    return e->u.call.end < e->u.call.start ? "a call ends before it starts" : NULL;
  case SIOX_TRACE_SYNC:
    return e->u.sync.leave < e->u.sync.enter ? "a collective is left before it is entered" : NULL;
  case SIOX_TRACE_MESSAGE:
    return e->u.message.end < e->u.message.start ? "a message ends before it starts" : NULL;
  case SIOX_TRACE_WAIT:
    return e->u.wait.end < e->u.wait.start ? "a wait ends before it starts" : NULL;
  case SIOX_TRACE_SEGMENT:
    return wrong_segment(&e->u.segment, ndisks);
  case SIOX_TRACE_POSIX:
    return e->u.posix.end < e->u.posix.start ? "a call ends before it starts" : NULL;
  default:
    return NULL;
  }
}
