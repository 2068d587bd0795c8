/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* See activities.h. */
#include "activities.h"
#include "common/wire.h"
#include "siox/trace.h"
#include <stdlib.h>
#include <string.h>

enum kind { CALL, REQUEST, SYNC, MESSAGE, WAIT, POSIX, KINDS };
static const char *const name[KINDS] = {"calls", "requests", "syncs", "messages", "waits", "posix"};

struct counts {
  json_int_t of[KINDS], rank_0, processes, ranks, read, written;
  bool *first; /* by client: is it rank 0? */
  uint32_t nfirst;
};

/* Clients are numbered from 0; a file that says otherwise shall not cost memory. */
enum { MOST_CLIENTS = 1 << 24 };

/* Which clients there are is said before what they did. */
static int define(struct counts *c, uint32_t client, int32_t rank, int32_t size) {
  if (client >= MOST_CLIENTS)
    return SIOX_EPROTO;
  if (client >= c->nfirst) {
    uint32_t room = 2 * client + 64;
    bool *more = realloc(c->first, room * sizeof *more);
    if (!more)
      return SIOX_ENOMEM;
    memset(more + c->nfirst, 0, (room - c->nfirst) * sizeof *more);
    c->first = more;
    c->nfirst = room;
  }
  c->first[client] = rank == 0;
  c->processes++;
  c->ranks = size > c->ranks ? size : c->ranks;
  return 0;
}

static int count(struct counts *c, const struct siox_trace_event *e) {
  enum kind kind;
  switch (e->kind) {
  case SIOX_TRACE_CLIENT:
    return define(c, e->u.client_def.client, e->u.client_def.rank, e->u.client_def.size);
  case SIOX_TRACE_CALL:
    kind = CALL;
    break;
  case SIOX_TRACE_IO:
    kind = REQUEST;
    c->read += e->u.io.op == SIOX_IO_READ ? e->u.io.bytes : 0;
    c->written += e->u.io.op == SIOX_IO_WRITE ? e->u.io.bytes : 0;
    break;
  case SIOX_TRACE_SYNC:
    kind = SYNC;
    break;
  case SIOX_TRACE_MESSAGE:
    kind = MESSAGE;
    break;
  case SIOX_TRACE_WAIT:
    kind = WAIT;
    break;
  case SIOX_TRACE_POSIX:
    kind = POSIX;
    break;
  default:
    return 0;
  }
  c->of[kind]++;
  c->rank_0 += e->client < c->nfirst && c->first[e->client];
  return 0;
}

json_t *siox__activities(const char *trace, struct siox_diag *diag) {
  struct siox_trace_reader *reader;
  struct siox_trace_event event;
  struct counts c = {0};
  int r = siox_trace_open(&reader, trace, diag);
  if (r < 0)
    return NULL;
  while ((r = siox_trace_read(reader, &event, diag)) == 1)
    if ((r = count(&c, &event)) < 0)
      break;
  siox_trace_reader_close(reader);
  free(c.first);
  if (r < 0 && r != SIOX_ETRUNCATED) {
    if (!*diag->text)
      snprintf(diag->text, sizeof diag->text, "%.300s: %s", trace, siox_strerror(r));
    return NULL;
  }
  json_int_t all = 0;
  json_t *o = json_pack("{s:I, s:I}", "processes", c.processes, "ranks", c.ranks);
  for (int i = 0; i < KINDS; i++) {
    json_object_set_new(o, name[i], json_integer(c.of[i]));
    all += c.of[i];
  }
  json_object_set_new(o, "all", json_integer(all));
  json_object_set_new(o, "rank_0", json_integer(c.rank_0));
  json_object_set_new(o, "bytes_read", json_integer(c.read));
  json_object_set_new(o, "bytes_written", json_integer(c.written));
  return o;
}

json_t *siox__words(char *const *word) {
  size_t length = 1;
  for (char *const *w = word; *w; w++)
    length += strlen(*w) + 1;
  char *text = calloc(length, 1), *end = text;
  if (!text)
    return NULL;
  for (; *word; word++)
    end = stpcpy(stpcpy(end, *word), word[1] ? " " : "");
  json_t *o = json_string(text);
  for (char *c = text; !o && *c; c++)
    *c = (unsigned char)*c < 128 ? *c : '?';
  o = o ? o : json_string(text);
  free(text);
  return o;
}
