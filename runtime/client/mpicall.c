/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The common part of every MPI-IO wrapper: the one recorder of a call. While the PMPI call runs,
 * the thread's I/O below it (siox__charge) carries its site and collective id. The site is the one
 * that the compiler announced, else that of the library's call which the MPI-IO call is made in. */
#include "client/held.h"
#include "client/mpiquick.h"
#include "client/predict.h"

bool siox__call_start(struct siox__call *c, enum siox_call call) {
  const struct siox_site *site = siox__self.site ? siox__self.site : siox__self.within;
  siox__self.site = NULL;
  struct siox_tally *tally = siox__tally();
  const bool told = siox__welcomed();
  if ((!told && !tally) || siox__self.depth)
    return c->on = false;
  *c = (struct siox__call){
      .on = true, .told = told, .call = call, .site = site, .offset = -1, .data = -1};
  c->span.tally = tally;
  c->start = siox__now_ns();
  return true;
}

void siox__call_collective(struct siox__call *c, uint64_t uid, uint64_t seq, int size, int self) {
  c->collective = true;
  c->uid = uid;
  c->seq = seq;
  c->size = size;
  c->self = self;
}

bool siox__call_on_file(struct siox__call *c, enum siox_call call, MPI_File handle,
                        bool collective) {
  if (!siox__call_start(c, call))
    return false;
  c->handle = handle;
  c->file = siox__mpi_file(handle);
  c->collective = collective;
  if (c->file && collective && c->file->uid)
    siox__call_collective(c, c->file->uid, atomic_fetch_add(&c->file->seq, 1) + 1, c->file->size,
                          c->file->self);
  return true;
}

/* What a call reaches for: bytes of the file from `offset` on, all of them or what the view leaves.
 * Ranks that do I/O for others read and write over the holes. */
static struct siox__reach reach_of(const struct siox__call *c) {
  struct siox__reach reach = {.offset = c->offset, .bytes = c->bytes};
  const struct siox__mpi_file *f = c->file;
  int64_t low, high;
  if (!f || c->data < 0 || c->bytes <= 0 || !f->view.type ||
      siox__view_span(&f->view, c->data, c->bytes, &low, &high) < 0 || low < 0)
    return reach;
  enum siox__gathers when = f->gathers[c->writes];
  bool others = c->collective && when != SIOX__NEVER_GATHERED &&
                !(when == SIOX__OUT_OF_ORDER && f->size == 1);
  reach = (struct siox__reach){.offset = low, .bytes = high - low};
  if (!others) {
    reach.view = &f->view;
    reach.from = c->data;
    reach.data = c->bytes;
    reach.sieve = f->sieve[c->writes];
  }
  return reach;
}

/* Tells the daemon what this rank wants of a collective, where others may do its I/O. A piece with
 * holes that are not known is not told: all disks of the file are claimed for it. */
static void tell_entry(const struct siox__call *c, const struct siox__reach *reach) {
  const struct siox__mpi_file *f = c->file;
  enum siox__gathers when = f ? f->gathers[c->writes] : SIOX__NEVER_GATHERED;
  if (when == SIOX__NEVER_GATHERED || !c->uid || c->size < 2 || !f->file || !f->file->id ||
      (reach->bytes && reach->offset < 0))
    return;
  struct siox_rec_enter enter = {.uid = c->uid,
                                 .seq = c->seq,
                                 .file = f->file->id,
                                 .offset = reach->offset,
                                 .bytes = reach->bytes,
                                 .size = (uint32_t)c->size,
                                 .self = (uint32_t)c->self,
                                 .flags = when == SIOX__ALWAYS_GATHERED ? SIOX_ENTER_ALWAYS : 0};
  siox__self.depth = 1;
  siox__record(SIOX_REC_ENTER, &enter, sizeof enter, NULL, 0);
  siox__self.depth = 0;
}

static void count_begins(struct siox__call *c) {
  struct siox__span *s = &c->span;
  s->thread = siox__counted_thread(s->tally);
  s->row = siox__tally_row(SIOX_LAYER_MPIIO, c->call);
  s->running = siox__tally_runs(s->tally, s->thread, s->row, (uint64_t)c->bytes, c->start);
}

static void count_ends(struct siox__call *c, bool failed, int64_t end) {
  struct siox__span *s = &c->span;
  if (s->running)
    atomic_store_explicit(&s->running->start, 0, memory_order_release);
  siox__tally_add(s->tally, s->thread, s->row, failed ? 0 : (uint64_t)c->bytes, end - c->start,
                  failed);
}

uint64_t siox__quick_site(const struct siox_site *site) {
  const int saved = errno;
  siox__self.site = NULL;
  siox__self.depth = 1;
  const uint64_t key = siox__record_site(site);
  siox__self.depth = 0;
  siox__self.io_site = key;
  errno = saved;
  return key;
}

int siox__quick_failed(struct siox__quick *q, int64_t end, int result) {
  const int saved = errno;
  int class = 0;
  siox__tally_add(q->tally, q->thread, q->what / SIOX_SIZE_CLASSES, 0, end - q->record.start, true);
  if (q->told && siox__wanted(SIOX_WANT_MPI) && siox__enter()) {
    PMPI_Error_class(result, &class);
    q->record.end = end;
    q->record.result = class;
    siox__record_activity(SIOX_REC_CALL, 0, end, &q->record, sizeof q->record);
    siox__exit();
  }
  errno = saved;
  return result;
}

void siox__call_before(struct siox__call *c) {
  if (c->span.tally)
    count_begins(c);
  if (!c->told)
    return;
  int saved = errno;
  if (c->site) {
    siox__self.depth = 1;
    c->site_key = siox__record_site(c->site);
    siox__self.depth = 0;
  }
  siox__held_look(c->start);
  siox__self.site = c->site; /* hints that follow from it name it */
  const bool predicts = siox__predicts();
  if (predicts || (c->gathers && c->uid)) {
    const struct siox__reach reach = reach_of(c);
    if (predicts)
      siox__predict_before((struct siox_site *)(uintptr_t)c->site, c->handle, &reach);
    if (predicts && c->shared)
      siox__predict_pointer(c->handle);
    if (c->gathers)
      tell_entry(c, &reach);
  }
  siox__self.site = NULL;
  siox__self.io_site = c->site_key;
  siox__self.io_uid = c->uid;
  siox__self.io_seq = c->seq;
  siox__self.io_handle = c->file ? c->handle : NULL;
  siox__self.io_running = true;
  errno = saved;
}

static void departs(struct siox__call *c, uint64_t key) {
  if (!c->told || !siox__predicts())
    return;
  int saved = errno;
  const struct siox__reach reach = reach_of(c);
  siox__predict_departs(key, c->handle, &reach);
  errno = saved;
}

void siox__call_split(struct siox__call *c, int result) {
  if (c->on && result == MPI_SUCCESS)
    departs(c, siox__split_key(c->handle));
}

void siox__call_split_ended(MPI_File handle) {
  if (!atomic_load_explicit(&siox__predict_flights, memory_order_relaxed))
    return;
  int saved = errno;
  siox__predict_lands(siox__split_key(handle), true);
  errno = saved;
}

void siox__call_later(struct siox__call *c, int result, MPI_Request request) {
  if (c->on && result == MPI_SUCCESS && request != MPI_REQUEST_NULL)
    departs(c, siox__request_key(request));
  struct siox__file *file = c->on && c->file ? c->file->file : NULL;
  if (!file || result != MPI_SUCCESS)
    return;
  file->later_site = c->site_key;
  file->later_uid = c->uid;
  file->later_seq = c->seq;
}

/* The daemon knows that this rank takes part in collectives on the file. */
static void mark_told(const struct siox__call *c, uint32_t telling) {
  if (c->file && c->uid && c->uid == c->file->uid)
    atomic_store_explicit(&c->file->told, telling, memory_order_relaxed);
}

int siox__call_end(struct siox__call *c, int result, bool synchronises) {
  if (!c->on)
    return result;
  int saved = errno, class = 0;
  int64_t end = siox__now_ns();
  if (c->span.tally)
    count_ends(c, result != MPI_SUCCESS, end);
  if (!c->told)
    return result;
  siox__self.io_site = siox__self.io_uid = siox__self.io_seq = 0;
  siox__self.io_handle = NULL;
  siox__self.io_running = false;
  const uint32_t telling = atomic_load_explicit(&siox__client.telling, memory_order_relaxed);
  const bool wanted = siox__record_wants(c->uid);
  bool said = !wanted;
  if (wanted && siox__enter()) {
    if (result != MPI_SUCCESS)
      PMPI_Error_class(result, &class);
    struct siox_rec_call record = {.start = c->start,
                                   .end = end,
                                   .site = c->site_key,
                                   .offset = c->offset,
                                   .bytes = c->bytes,
                                   .coll_uid = c->uid,
                                   .coll_seq = c->seq,
                                   .file = c->file && c->file->file ? c->file->file->id : 0,
                                   .call = c->call,
                                   .result = class,
                                   .size = synchronises && c->uid ? (uint32_t)c->size : 0,
                                   .self = c->self};
    siox__record_activity(SIOX_REC_CALL, c->uid, end, &record, sizeof record);
    siox__exit();
    said = true;
  }
  if (said)
    mark_told(c, telling);
  errno = saved;
  return result;
}
