/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reading one client's ring: claims to the bank, everything to the trace. */
#include "common/clock.h"
#include "daemon/daemon.h"
#include "siox/knowledge.h"
#include "store/trace_wire.h"
#include <stdlib.h>
#include <string.h>

static uint64_t disks_named(const struct siox_claim_header *head,
                            const struct siox_claim_run *runs) {
  uint64_t disks = 0;
  for (uint32_t i = 0; i < head->nruns; i++)
    disks += runs[i].count < SIOX_MAX_DISKS ? runs[i].count : SIOX_MAX_DISKS;
  return disks;
}

int siox__claim(struct siox__session *s, uint32_t thread, const struct siox_claim_header *head,
                const struct siox_claim_run *runs, const char **why) {
  struct siox__daemon *d = s->d;
  int64_t now = siox__daemon_stamp(d, head->time);
  siox__work(s, siox__work_of(d, disks_named(head, runs)));
  int r = siox_bank_claim(d->bank, now, s->client, head, runs);
  if (r == SIOX_ENOMEM) { /* the claim is lost, not the client: its disks go to full speed when
                             touched */
    siox__log(&d->log, SIOX__LOG_ERROR, "a claim of pid %d was lost: %s", (int)s->pid,
              siox_strerror(r));
    return 0;
  }
  if (r < 0) {
    *why = "claim: runs";
    return r;
  }
  d->dirty = true;
  if (head->seq > s->last_seq)
    s->last_seq = head->seq;
  struct siox_trace_event event = {.kind = SIOX_TRACE_HINT, .client = s->serial, .thread = thread};
  event.u.hint.time = now;
  event.u.hint.head = *head;
  event.u.hint.runs = runs;
  siox__record_event(d, &event);
  return 0;
}

static void record_site(struct siox__session *s, const struct siox__record *record) {
  const struct siox_rec_site *site = record->u.site.head;
  size_t file = site->file_length, function = site->function_length, call = site->call_length;
  char *text = calloc(1, file + function + call + 3);
  if (!text)
    return;
  memcpy(text, record->u.site.file, file);
  memcpy(text + file + 1, record->u.site.function, function);
  memcpy(text + file + function + 2, record->u.site.call, call);
  struct siox_trace_event event = {.kind = SIOX_TRACE_SITE, .client = s->serial};
  event.u.site.key = site->key;
  event.u.site.file = text;
  event.u.site.function = text + file + 1;
  event.u.site.call = text + file + function + 2;
  event.u.site.line = site->line;
  event.u.site.column = site->column;
  siox__record_event(s->d, &event);
  free(text);
}

/* What an open had for hints, for the knowledge base: those that it knows. */
static void record_opened(struct siox__session *s, const struct siox__record *record) {
  struct siox__daemon *d = s->d;
  const struct siox_rec_opened *o = record->u.opened.head;
  char given[SIOX_HINTS_MOST + 1], hints[SIOX_HINTS_MOST];
  struct siox_settings settings;
  memcpy(given, record->u.opened.hints, o->length);
  given[o->length] = 0;
  d->count.advised += (o->flags & SIOX_OPENED_ADVISED) != 0;
  d->count.applied += (o->flags & SIOX_OPENED_APPLIED) != 0;
  if (!d->config->database || siox_settings_parse(&settings, given) < 0)
    return;
  const struct siox__file *file = siox__files_get(d, o->file);
  (void)siox_settings_format(&settings, hints, sizeof hints);
  siox__store_put(d->store,
                  &(struct siox__store_row){.kind = SIOX__ROW_OPENED,
                                            .number = {s->serial, record->head.time,
                                                       (int64_t)o->file, o->ranks, o->amode},
                                            .text = {file ? file->path : NULL, hints}});
}

static void seen_in(struct siox__session *s, uint64_t uid) {
  if (uid != s->last_uid)
    s->d->count.forgotten_members += siox__members_add(s->d->members, s->last_uid = uid, s->client);
}

static void sync_event(struct siox_trace_event *event, const struct siox_rec_sync *sync) {
  event->kind = SIOX_TRACE_SYNC;
  event->u.sync.enter = sync->enter;
  event->u.sync.leave = sync->leave;
  event->u.sync.uid = sync->uid;
  event->u.sync.seq = sync->seq;
  event->u.sync.kind = sync->kind;
  event->u.sync.size = sync->size;
  event->u.sync.root = sync->root;
  event->u.sync.self = sync->self;
}

static int take(struct siox__session *s, const struct siox__record *record, const char **why) {
  struct siox__daemon *d = s->d;
  struct siox_trace_event event = {.client = s->serial, .thread = record->head.thread};
  switch (record->head.type) {
  case SIOX_REC_CLAIM:
    return siox__claim(s, record->head.thread, record->u.claim.head, record->u.claim.runs, why);
  case SIOX_REC_SITE:
    record_site(s, record);
    return 0;
  case SIOX_REC_CALL: {
    const struct siox_rec_call *call = &record->u.call;
    seen_in(s, call->coll_uid);
    event.kind = SIOX_TRACE_CALL;
    event.u.call.start = call->start;
    event.u.call.end = call->end;
    event.u.call.site = call->site;
    event.u.call.offset = call->offset;
    event.u.call.bytes = call->bytes;
    event.u.call.coll_uid = call->coll_uid;
    event.u.call.coll_seq = call->coll_seq;
    event.u.call.file = call->file;
    event.u.call.call = call->call;
    event.u.call.result = call->result;
    if (!call->size)
      break;
    if ((*why = siox__trace_wrong(&event, 0)))
      return SIOX_EPROTO;
    siox__record_event(d, &event);
    siox__work(s, 1);
    const struct siox_rec_sync sync = {.enter = call->start,
                                       .leave = call->end,
                                       .uid = call->coll_uid,
                                       .seq = call->coll_seq,
                                       .kind = SIOX_SYNC_ALL,
                                       .size = call->size,
                                       .root = -1,
                                       .self = call->self};
    sync_event(&event, &sync);
    break;
  }
  case SIOX_REC_SYNC:
    seen_in(s, record->u.sync->uid);
    sync_event(&event, record->u.sync);
    break;
  case SIOX_REC_MESSAGE: {
    const struct siox_rec_message *message = record->u.message;
    event.kind = SIOX_TRACE_MESSAGE;
    event.u.message.start = message->start;
    event.u.message.end = message->end;
    event.u.message.uid = message->uid;
    event.u.message.peer = message->peer;
    event.u.message.self = message->self;
    event.u.message.tag = message->tag;
    event.u.message.receive = message->receive;
    break;
  }
  case SIOX_REC_WAIT: {
    const struct siox_rec_wait *wait = record->u.wait;
    event.kind = SIOX_TRACE_WAIT;
    event.u.wait.start = wait->start;
    event.u.wait.end = wait->end;
    event.u.wait.request = wait->request;
    break;
  }
  case SIOX_REC_POSIX: {
    const struct siox_rec_posix *posix = record->u.posix;
    event.kind = SIOX_TRACE_POSIX;
    event.u.posix.start = posix->start;
    event.u.posix.end = record->head.time;
    event.u.posix.site = posix->site;
    event.u.posix.offset = posix->offset;
    event.u.posix.bytes = posix->bytes;
    event.u.posix.coll_uid = posix->coll_uid;
    event.u.posix.coll_seq = posix->coll_seq;
    event.u.posix.file = posix->file;
    event.u.posix.call = posix->call;
    event.u.posix.result = posix->result;
    break;
  }
  case SIOX_REC_OPENED:
    record_opened(s, record);
    return 0;
  case SIOX_REC_ENTER:
    seen_in(s, record->u.enter->uid);
    return siox__gather(s, &record->head, record->u.enter, why);
  default: { /* SIOX_REC_MISSING; siox__record_check lets no other through */
    uint32_t what = record->u.missing->what;
    uint32_t known = sizeof d->count.missing / sizeof *d->count.missing;
    d->count.missing[what < known ? what : 0] += record->u.missing->count;
    return 0;
  }
  }
  /* The trace would refuse it, and be told not to be whole for everybody. */
  if ((*why = siox__trace_wrong(&event, 0)))
    return SIOX_EPROTO;
  siox__record_event(d, &event);
  return 0;
}

/* Before it says that all is read, the daemon lies down and looks again: a client that publishes
 * meanwhile sees `asleep` and writes the eventfd, one that published before is seen here (wire.h).
 */
static bool lie_down(struct siox_ring *ring) {
  atomic_store(&ring->asleep, 1);
  atomic_thread_fence(memory_order_seq_cst);
  return atomic_load(&ring->head) == atomic_load(&ring->tail);
}

int siox__drain(struct siox__session *s, const char **why) {
  static _Alignas(16) unsigned char buffer[SIOX__RING_BYTES];
  struct siox__daemon *d = s->d;
  siox__daemon_catch_up(d);
  /* What comes while it reads waits for the next turn, also when there is time in this one: a
   * client that writes as fast as the daemon reads would never let go of it. */
  uint64_t end = atomic_load(&s->ring->head);
  while (siox__work_left(s)) {
    if (atomic_load_explicit(&s->ring->tail, memory_order_relaxed) >= end)
      return lie_down(s->ring) ? 0 : 2;
    int got = siox__ring_get(s->ring, SIOX__RING_BYTES, buffer, sizeof buffer);
    struct siox__record record;
    *why = "its ring is corrupt";
    if (got <= 0)
      return got < 0 ? got : 2;
    d->count.records++;
    siox__work(s, 1 + (uint64_t)got / 256);
    int r = siox__record_check(buffer, (size_t)got, &record, why);
    if (r == 0 && !d->finished)
      r = take(s, &record, why);
    if (r < 0)
      return r;
  }
  return 1;
}
