/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* trace_ids FILE RANKS: checks what a recorded MPI program's trace says of who waited for whom.
 *  - each collective id (uid, seq) has one record of every member, with one size;
 *  - each receive has its send;
 * Prints how many of each there are. */
#include "siox/trace.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct item {
  uint64_t uid, seq;
  int64_t size, self;
};
struct list {
  struct item *item;
  size_t n, room;
};
static void add(struct list *l, uint64_t uid, uint64_t seq, int64_t size, int64_t self) {
  if (l->n == l->room) {
    l->room = l->room ? 2 * l->room : 1024;
    l->item = realloc(l->item, l->room * sizeof *l->item);
    if (!l->item)
      abort();
  }
  l->item[l->n++] = (struct item){uid, seq, size, self};
}
static int order(const void *a, const void *b) {
  const struct item *x = a, *y = b;
  if (x->uid != y->uid)
    return x->uid < y->uid ? -1 : 1;
  if (x->seq != y->seq)
    return x->seq < y->seq ? -1 : 1;
  if (x->size != y->size)
    return x->size < y->size ? -1 : 1;
  return (x->self > y->self) - (x->self < y->self);
}
static void sort(struct list *l) {
  if (l->n)
    qsort(l->item, l->n, sizeof *l->item, order);
}

static int wrong;
static void complain(const char *what, const struct item *i) {
  fprintf(stderr, "trace_ids: %s: uid %016llx seq %llu size %lld self %lld\n", what,
          (unsigned long long)i->uid, (unsigned long long)i->seq, (long long)i->size,
          (long long)i->self);
  wrong = 1;
}

static void check_syncs(struct list *syncs) {
  sort(syncs);
  for (size_t i = 0; i < syncs->n;) {
    const struct item *first = &syncs->item[i];
    size_t n = 0;
    while (i + n < syncs->n && syncs->item[i + n].uid == first->uid &&
           syncs->item[i + n].seq == first->seq) {
      if (syncs->item[i + n].self != (int64_t)n || syncs->item[i + n].size != first->size)
        complain("member missing or twice", &syncs->item[i + n]);
      n++;
    }
    if ((int64_t)n != first->size)
      complain("not one record a member", first);
    i += n;
  }
}

int main(int argc, char **argv) {
  struct siox_diag diag;
  struct siox_trace_reader *reader;
  struct siox_trace_event e;
  /* messages: uid; seq = tag; size = sender; self = receiver */
  static struct list syncs, sends, receives, inside;
  int r, calls = 0, accesses = 0, ranks[1024] = {0}, nranks = 0;
  if (argc != 3) {
    fputs("usage: trace_ids FILE RANKS\n", stderr);
    return 2;
  }
  if (siox_trace_open(&reader, argv[1], &diag) < 0) {
    fprintf(stderr, "trace_ids: %s\n", diag.text);
    return 1;
  }
  while ((r = siox_trace_read(reader, &e, &diag)) > 0) {
    if (e.kind == SIOX_TRACE_SYNC)
      add(&syncs, e.u.sync.uid, e.u.sync.seq, e.u.sync.size, e.u.sync.self);
    else if (e.kind == SIOX_TRACE_MESSAGE && e.u.message.receive)
      add(&receives, e.u.message.uid, (uint64_t)e.u.message.tag, e.u.message.peer,
          e.u.message.self);
    else if (e.kind == SIOX_TRACE_MESSAGE)
      add(&sends, e.u.message.uid, (uint64_t)e.u.message.tag, e.u.message.self, e.u.message.peer);
    else if (e.kind == SIOX_TRACE_CLIENT && e.u.client_def.rank >= 0 && e.u.client_def.rank < 1024)
      nranks += !ranks[e.u.client_def.rank]++;
    else if (e.kind == SIOX_TRACE_CALL)
      calls++;
    else if (e.kind == SIOX_TRACE_IO) {
      accesses++;
      if (e.u.io.coll_uid && !(e.u.io.flags & 1))
        add(&inside, e.u.io.coll_uid, e.u.io.coll_seq, 0, 0);
    }
  }
  siox_trace_reader_close(reader);
  if (r < 0) {
    fprintf(stderr, "trace_ids: %s\n", diag.text);
    return 1;
  }
  check_syncs(&syncs);
  sort(&sends);
  sort(&receives);
  if (sends.n != receives.n ||
      (sends.n && memcmp(sends.item, receives.item, sends.n * sizeof *sends.item))) {
    fputs("trace_ids: receives do not match sends\n", stderr);
    wrong = 1;
  }
  if (nranks != atoi(argv[2])) {
    fprintf(stderr, "trace_ids: %d ranks\n", nranks);
    wrong = 1;
  }
  printf("%zu sync records, %zu messages, %d calls, %d accesses (%zu in collectives)\n", syncs.n,
         sends.n, calls, accesses, inside.n);
  return wrong;
}
