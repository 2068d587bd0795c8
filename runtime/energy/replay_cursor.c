/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Events of one thread as points in the order of time. Calls stand in the trace where they end, so
 * what they enclose is read before their beginning is known: as many points are held back as the
 * index found to be needed. */
#include "common/wire.h"
#include "energy/replay_foresee.h"
#include "siox/mpiio.h"
#include <stdlib.h>
#include <string.h>

static const uint8_t call_class[] = {
#define SIOX_MPIIO(name, class, pointer, span, group, width, file, offset, buffer, count,          \
                   datatype)                                                                       \
  SIOX_CLASS_##class,
#include "siox/mpiio.def"
#undef SIOX_MPIIO
};

void siox__cursor_open(struct siox__cursor *c, const struct siox__index *index, uint32_t flow,
                       enum siox__hints hints) {
  memset(c, 0, sizeof *c);
  c->index = index;
  c->hints = hints;
  if (flow == SIOX__NONE)
    c->over = true;
  else
    c->flow = &index->flow[flow];
}

static bool later(const struct siox__op *a, const struct siox__op *b) {
  return a->at != b->at ? a->at > b->at : a->order > b->order;
}

static int add(struct siox__cursor *c, const struct siox__op *op) {
  if (c->count == c->room && c->head >= c->room / 2 && c->head) { /* move up before it grows */
    memmove(c->op, c->op + c->head, (c->count - c->head) * sizeof *c->op);
    c->count -= c->head;
    c->head = 0;
  }
  if (siox__room(&c->op, c->count, &c->room, sizeof *c->op) < 0)
    return SIOX_ENOMEM;
  uint32_t i = c->count++;
  for (; i > c->head && later(&c->op[i - 1], op); i--)
    c->op[i] = c->op[i - 1];
  c->op[i] = *op;
  return 0;
}

static struct siox__op point(const struct siox__cursor *c, enum siox__op_kind kind, int64_t at,
                             unsigned which) {
  return (struct siox__op){.at = at,
                           .end = at,
                           .order = 4 * (c->event + 1) + 2 * which,
                           .kind = (uint8_t)kind,
                           .file = SIOX__NONE,
                           .group = SIOX__NONE,
                           .dep = SIOX__NONE};
}

/* Both ends of a collective. Its beginning comes before what happened inside, which was told
 * before. */
static int add_pair(struct siox__cursor *c, struct siox__op *ends) {
  uint32_t i = c->count;
  while (i > c->head && c->op[i - 1].at >= ends[0].at)
    i--;
  while (i < c->count && c->op[i].at == ends[0].at && c->op[i].kind == SIOX__OP_EXIT)
    i++;
  if (i < c->count && c->op[i].at == ends[0].at)
    ends[0].order = c->op[i].order - 1;
  int rc = add(c, &ends[0]);
  return rc ? rc : add(c, &ends[1]);
}

static void make_pair(const struct siox__cursor *c, struct siox__op *ends, int64_t enter,
                      int64_t leave, uint64_t uid, uint64_t seq) {
  ends[0] = point(c, SIOX__OP_ENTER, enter, 0);
  ends[1] = point(c, SIOX__OP_EXIT, leave, 1);
  ends[1].inner = true;
  for (int k = 0; k < 2; k++) {
    ends[k].uid = uid;
    ends[k].seq = seq;
  }
}

static int flush_call(struct siox__cursor *c) {
  if (!c->has_call)
    return 0;
  c->has_call = false;
  return add_pair(c, c->call);
}

static int take_call(struct siox__cursor *c, const struct siox_trace_event *e) {
  if (!e->u.call.coll_uid)
    return 0; /* the requests below it say it all */
  make_pair(c, c->call, e->u.call.start, e->u.call.end, e->u.call.coll_uid, e->u.call.coll_seq);
  uint8_t class =
      e->u.call.call < sizeof call_class ? call_class[e->u.call.call] : SIOX_CLASS_OTHER;
  c->call[0].access = c->call[1].access = class == SIOX_CLASS_READ || class == SIOX_CLASS_WRITE;
  c->has_call = true;
  return 0;
}

/* A synchronising MPI-IO call is told twice, as CALL and as SYNC: one pair is kept. */
static int take_sync(struct siox__cursor *c, const struct siox_trace_event *e) {
  bool root = e->u.sync.root == e->u.sync.self;
  enum siox__wait wait = SIOX__WAIT_ALL;
  if (e->u.sync.kind == SIOX_SYNC_FROM_ROOT)
    wait = root ? SIOX__WAIT_NONE : SIOX__WAIT_ROOT;
  else if (e->u.sync.kind == SIOX_SYNC_TO_ROOT)
    wait = root ? SIOX__WAIT_ALL : SIOX__WAIT_NONE;
  struct siox__op ends[2], *pair = ends;
  if (c->has_call && c->call[0].uid == e->u.sync.uid && c->call[0].seq == e->u.sync.seq &&
      c->call[0].at == e->u.sync.enter && c->call[1].at == e->u.sync.leave) {
    pair = c->call;
  } else {
    int rc = flush_call(c);
    if (rc)
      return rc;
    make_pair(c, ends, e->u.sync.enter, e->u.sync.leave, e->u.sync.uid, e->u.sync.seq);
  }
  c->has_call = false;
  pair[0].wait = SIOX__WAIT_ALL;
  pair[0].root = root;
  pair[1].wait = (uint8_t)wait;
  return add_pair(c, pair);
}

static int take_io(struct siox__cursor *c, const struct siox_trace_event *e) {
  struct siox__op op = point(c, SIOX__OP_IO, e->u.io.arrival, 0);
  op.end = e->u.io.completion;
  op.file = siox__index_file(c->index, e->u.io.file, c->event);
  op.uid = e->u.io.coll_uid;
  op.seq = e->u.io.coll_seq;
  op.write = e->u.io.op == SIOX_IO_WRITE;
  op.missed = e->u.io.missed;
  op.async = e->u.io.flags & SIOX_IO_ASYNC;
  op.request = e->u.io.request;
  op.offset = e->u.io.offset;
  op.bytes = e->u.io.bytes;
  return op.file == SIOX__NONE ? SIOX_EPROTO : add(c, &op);
}

/* Each disk has become so many. What cannot be is left for the bank to refuse. */
static void widen(struct siox__hint *h, uint32_t members) {
  for (uint32_t i = 0; i < h->head.nruns; i++)
    if (__builtin_mul_overflow(h->run[i].first, members, &h->run[i].first) ||
        __builtin_mul_overflow(h->run[i].count, members, &h->run[i].count))
      h->run[i].count = UINT32_MAX;
}

static int take_hint(struct siox__cursor *c, const struct siox_trace_event *e) {
  struct siox__op op = point(c, SIOX__OP_HINT, e->u.hint.time, 0);
  size_t runs = e->u.hint.head.nruns * sizeof *op.hint->run;
  if (c->hints == SIOX__HINTS_NONE || c->hints == SIOX__HINTS_PLACED)
    return 0;
  if (c->hints == SIOX__HINTS_FORESEEN) {
    int rc = siox__foresight_hint(c->index->foresight, c->flow->client, c->event, e, &op.hint);
    rc = rc == 0 && op.hint ? add(c, &op) : rc;
    if (rc)
      free(op.hint);
    return rc;
  }
  if (!(op.hint = malloc(sizeof *op.hint + runs)))
    return SIOX_ENOMEM;
  op.hint->head = e->u.hint.head;
  if (runs)
    memcpy(op.hint->run, e->u.hint.runs, runs);
  if (c->index->widen)
    widen(op.hint, c->index->widen);
  int rc = add(c, &op);
  if (rc)
    free(op.hint);
  return rc;
}

static int take_message(struct siox__cursor *c, const struct siox_trace_event *e) {
  bool receive = e->u.message.receive;
  int32_t from = receive ? e->u.message.peer : e->u.message.self;
  int32_t to = receive ? e->u.message.self : e->u.message.peer;
  struct siox__op ends[2] = {
      point(c, receive ? SIOX__OP_POINT : SIOX__OP_SEND, e->u.message.start, 0),
      point(c, receive ? SIOX__OP_AFTER : SIOX__OP_POINT, e->u.message.end, 1)};
  struct siox__op *told = &ends[receive];
  told->message = true;
  told->uid = e->u.message.uid;
  told->seq = (uint64_t)(uint32_t)from << 32 | (uint32_t)to;
  told->request = (uint32_t)e->u.message.tag;
  ends[1].inner = true;
  int rc = add(c, &ends[0]);
  return rc ? rc : add(c, &ends[1]);
}

static int take_wait(struct siox__cursor *c, const struct siox_trace_event *e) {
  struct siox__op ends[2] = {point(c, SIOX__OP_POINT, e->u.wait.start, 0),
                             point(c, SIOX__OP_AFTER, e->u.wait.end, 1)};
  ends[1].request = e->u.wait.request;
  ends[1].inner = true;
  int rc = add(c, &ends[0]);
  return rc ? rc : add(c, &ends[1]);
}

static int take(struct siox__cursor *c, const struct siox_trace_event *e) {
  int rc = e->kind == SIOX_TRACE_SYNC ? 0 : flush_call(c);
  struct siox__op op;
  if (rc)
    return rc;
  switch (e->kind) {
  case SIOX_TRACE_JOIN: /* the stream makes its own */
    return 0;
  case SIOX_TRACE_LEAVE:
    c->left = true;
    c->left_at = e->u.leave.time;
    return 0;
  case SIOX_TRACE_OPEN:
    op = point(c, SIOX__OP_OPEN, e->u.open.time, 0);
    op.file = siox__index_file(c->index, e->u.open.file, c->event);
    return op.file == SIOX__NONE ? SIOX_EPROTO : add(c, &op);
  case SIOX_TRACE_IO:
    return take_io(c, e);
  case SIOX_TRACE_HINT:
    return take_hint(c, e);
  case SIOX_TRACE_CALL:
    return take_call(c, e);
  case SIOX_TRACE_SYNC:
    return take_sync(c, e);
  case SIOX_TRACE_MESSAGE:
    return take_message(c, e);
  case SIOX_TRACE_WAIT:
    return take_wait(c, e);
  case SIOX_TRACE_POSIX: /* on other disks than these: part of what the rank does in between */
    return 0;
  default:
    return SIOX_EPROTO;
  }
}

static int read_more(struct siox__cursor *c) {
  struct siox_trace_event e;
  int rc = siox__trace_part_read(c->index->reader, &c->part, &e);
  if (rc > 0) {
    rc = take(c, &e);
    c->event++;
    return rc;
  }
  if (rc < 0)
    return rc;
  if (c->block < c->flow->nblocks) {
    const struct siox__place *p = &c->flow->block[c->block++];
    c->event = p->first;
    return siox__trace_part_open(c->index->reader, &c->part, p->at);
  }
  c->over = true;
  siox__trace_part_close(&c->part);
  return flush_call(c);
}

int siox__cursor_peek(struct siox__cursor *c, struct siox__op **op) {
  while (!c->over && c->count - c->head <= c->flow->window) {
    int rc = read_more(c);
    if (rc < 0)
      return rc;
  }
  if (c->head == c->count)
    return 0;
  *op = &c->op[c->head];
  return 1;
}

void siox__cursor_take(struct siox__cursor *c) {
  if (++c->head == c->count)
    c->head = c->count = 0;
}

void siox__cursor_close(struct siox__cursor *c) {
  for (; c->head < c->count; c->head++)
    free(c->op[c->head].hint);
  siox__trace_part_close(&c->part);
  free(c->op);
  memset(c, 0, sizeof *c);
}
