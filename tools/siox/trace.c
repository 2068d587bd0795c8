/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* siox trace cat FILE: a trace as text, CSV or one JSON object a line. */
#include "siox/trace.h"
#include "cli/slip.h"
#include "cli/text.h"
#include "common/tally.h"
#include "siox_tool.h"
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: siox trace cat FILE [--events] [--segments] [--json]\n"
    "       siox trace cat FILE --header\n\n"
    "Prints a trace: --events what programs did (the default), --segments what the disks did;\n"
    "CSV with a header line (both at once do not fit into one), or with --json one object a line.\n"
    "--header: under what it was recorded, as one JSON object.\n"
    "\nexamples:\n"
    "  siox trace cat run.siox --segments >disks.csv\n"
    "  siox trace cat run.siox --json | head -n 20\n\n"
    "Exit status 1: the trace is damaged (what was good before is printed) or cannot be read.\n";

static const char *const kinds[] = {"job",   "client",  "file", "site",    "join",
                                    "leave", "open",    "io",   "hint",    "call",
                                    "sync",  "message", "wait", "segment", "posix"};

static const char segment_head[] =
    "disk,state,start_ns,end_ns,from_speed,to_speed,bytes,job,share\n";
static const char event_head[] =
    "event,client,thread,start_ns,end_ns,file,offset,bytes,site,uid,seq,detail\n";

/* Columns that most events share; what else an event has goes into detail. */
struct row {
  const char *event;
  uint32_t client, thread;
  bool timed, placed, grouped;
  int64_t start, end, offset, bytes;
  uint64_t file, site, uid, seq;
  json_t *detail; /* an object */
};

static json_t *runs_of(const struct siox_trace_event *e) {
  json_t *runs = json_array();
  for (uint32_t i = 0; i < e->u.hint.head.nruns; i++) {
    const struct siox_claim_run *r = &e->u.hint.runs[i];
    json_array_append_new(runs, json_pack("{s:I,s:I,s:i,s:i,s:I,s:I}", "first",
                                          (json_int_t)r->first, "count", (json_int_t)r->count,
                                          "speed", (int)r->speed, "flag", (int)r->flag, "need_by",
                                          (json_int_t)r->need_by, "until", (json_int_t)r->until));
  }
  return runs;
}

static void define(const struct siox_trace_event *e, struct row *r) {
  switch (e->kind) {
  case SIOX_TRACE_JOB:
    r->detail = json_pack("{s:I,s:I,s:s}", "job", (json_int_t)e->u.job.job, "uid",
                          (json_int_t)e->u.job.uid, "key", e->u.job.key);
    break;
  case SIOX_TRACE_CLIENT:
    r->client = e->u.client_def.client;
    r->detail = json_pack("{s:I,s:i,s:i,s:i,s:s}", "job", (json_int_t)e->u.client_def.job, "rank",
                          (int)e->u.client_def.rank, "size", (int)e->u.client_def.size, "pid",
                          (int)e->u.client_def.pid, "program", e->u.client_def.program);
    break;
  case SIOX_TRACE_FILE:
    r->placed = true;
    r->file = e->u.file.file;
    r->detail = json_pack("{s:s,s:s}", "path", e->u.file.path, "layout", e->u.file.layout);
    break;
  default:
    r->site = e->u.site.key;
    r->detail = json_pack("{s:s,s:I,s:I,s:s,s:s}", "source", e->u.site.file, "line",
                          (json_int_t)e->u.site.line, "column", (json_int_t)e->u.site.column,
                          "function", e->u.site.function, "call", e->u.site.call);
  }
}

static void fill_io(const struct siox_trace_event *e, struct row *r) {
  r->placed = r->grouped = true;
  r->start = e->u.io.arrival;
  r->end = e->u.io.completion;
  r->file = e->u.io.file;
  r->offset = e->u.io.offset;
  r->bytes = e->u.io.bytes;
  r->site = e->u.io.site;
  r->uid = e->u.io.coll_uid;
  r->seq = e->u.io.coll_seq;
  r->detail = json_pack("{s:I,s:I,s:I,s:b}", "op", (json_int_t)e->u.io.op, "flags",
                        (json_int_t)e->u.io.flags, "request", (json_int_t)e->u.io.request, "missed",
                        (int)e->u.io.missed);
}

static void fill_call(const struct siox_trace_event *e, struct row *r) {
  r->placed = r->grouped = true;
  r->start = e->u.call.start;
  r->end = e->u.call.end;
  r->file = e->u.call.file;
  r->offset = e->u.call.offset;
  r->bytes = e->u.call.bytes;
  r->site = e->u.call.site;
  r->uid = e->u.call.coll_uid;
  r->seq = e->u.call.coll_seq;
  r->detail =
      json_pack("{s:I,s:i}", "call", (json_int_t)e->u.call.call, "result", (int)e->u.call.result);
}

static void fill(const struct siox_trace_event *e, struct row *r) {
  *r = (struct row){.event = kinds[e->kind],
                    .client = e->client,
                    .thread = e->thread,
                    .timed = e->kind > SIOX_TRACE_SITE};
  switch (e->kind) {
  case SIOX_TRACE_JOIN:
  case SIOX_TRACE_LEAVE:
    r->start = r->end = e->u.join.time;
    break;
  case SIOX_TRACE_OPEN:
    r->placed = true;
    r->start = r->end = e->u.open.time;
    r->file = e->u.open.file;
    break;
  case SIOX_TRACE_IO:
    fill_io(e, r);
    break;
  case SIOX_TRACE_HINT:
    r->start = r->end = e->u.hint.time;
    r->site = e->u.hint.head.site;
    r->detail = json_pack("{s:I,s:I,s:o}", "seq", (json_int_t)e->u.hint.head.seq, "flags",
                          (json_int_t)e->u.hint.head.flags, "runs", runs_of(e));
    break;
  case SIOX_TRACE_CALL:
    fill_call(e, r);
    break;
  case SIOX_TRACE_SYNC:
    r->grouped = true;
    r->start = e->u.sync.enter;
    r->end = e->u.sync.leave;
    r->uid = e->u.sync.uid;
    r->seq = e->u.sync.seq;
    r->detail = json_pack("{s:I,s:I,s:i,s:i}", "kind", (json_int_t)e->u.sync.kind, "size",
                          (json_int_t)e->u.sync.size, "root", (int)e->u.sync.root, "self",
                          (int)e->u.sync.self);
    break;
  case SIOX_TRACE_MESSAGE:
    r->grouped = true;
    r->start = e->u.message.start;
    r->end = e->u.message.end;
    r->uid = e->u.message.uid;
    r->detail = json_pack("{s:i,s:i,s:i,s:b}", "peer", (int)e->u.message.peer, "self",
                          (int)e->u.message.self, "tag", (int)e->u.message.tag, "receive",
                          (int)e->u.message.receive);
    break;
  case SIOX_TRACE_POSIX:
    r->placed = r->grouped = true;
    r->start = e->u.posix.start;
    r->end = e->u.posix.end;
    r->file = e->u.posix.file;
    r->offset = e->u.posix.offset;
    r->bytes = e->u.posix.bytes;
    r->site = e->u.posix.site;
    r->uid = e->u.posix.coll_uid;
    r->seq = e->u.posix.coll_seq;
    r->detail = json_pack("{s:s,s:i}", "call",
                          siox__row_name(siox__tally_row(SIOX_LAYER_POSIX, e->u.posix.call)),
                          "result", (int)e->u.posix.result);
    break;
  case SIOX_TRACE_WAIT:
    r->start = e->u.wait.start;
    r->end = e->u.wait.end;
    r->detail = json_pack("{s:I}", "request", (json_int_t)e->u.wait.request);
    break;
  default:
    define(e, r);
  }
}

static void print_event(const struct siox_trace_event *e, bool json) {
  struct row r;
  fill(e, &r);
  json_t *detail = r.detail ? r.detail : json_object(); /* NULL too for a text that is not UTF-8 */
  if (json) {
    json_t *o = json_pack("{s:s,s:I,s:I}", "event", r.event, "client", (json_int_t)r.client,
                          "thread", (json_int_t)r.thread);
    if (r.timed)
      json_object_update_new(
          o, json_pack("{s:I,s:I}", "start_ns", (json_int_t)r.start, "end_ns", (json_int_t)r.end));
    if (r.placed)
      json_object_update_new(o, json_pack("{s:I,s:I,s:I}", "file", (json_int_t)r.file, "offset",
                                          (json_int_t)r.offset, "bytes", (json_int_t)r.bytes));
    char key[3][24]; /* 64-bit keys as text: readers of JSON may have no such numbers */
    snprintf(key[0], sizeof key[0], "%016" PRIx64, r.site);
    snprintf(key[1], sizeof key[1], "%016" PRIx64, r.uid);
    if (r.site)
      json_object_set_new(o, "site", json_string(key[0]));
    if (r.grouped)
      json_object_update_new(o, json_pack("{s:s,s:I}", "uid", key[1], "seq", (json_int_t)r.seq));
    json_object_update(o, detail);
    json_dumpf(o, stdout, JSON_COMPACT);
    putchar('\n');
    json_decref(o);
  } else {
    char *text = json_dumps(detail, JSON_COMPACT);
    printf("%s,%" PRIu32 ",%" PRIu32 ",", r.event, r.client, r.thread);
    if (r.timed)
      printf("%" PRId64 ",%" PRId64 ",", r.start, r.end);
    else
      printf(",,");
    if (r.placed)
      printf("%" PRIu64 ",%" PRId64 ",%" PRId64 ",", r.file, r.offset, r.bytes);
    else
      printf(",,,");
    printf("%016" PRIx64 ",%016" PRIx64 ",%" PRIu64 ",", r.site, r.uid, r.seq);
    siox__csv_quote(stdout, text); /* JSON in CSV's quotes */
    putchar('\n');
    free(text);
  }
  json_decref(detail);
}

static void print_segment(const struct siox_segment *s, bool json) {
  int64_t job = s->job == SIOX_NOBODY ? -1 : (int64_t)s->job;
  if (json) {
    json_t *o = json_pack("{s:I,s:s,s:I,s:I,s:f,s:f,s:I,s:I,s:f,s:f}", "disk", (json_int_t)s->disk,
                          "state", siox_state_name(s->state), "start_ns", (json_int_t)s->start,
                          "end_ns", (json_int_t)s->end, "from_speed", s->from_speed, "to_speed",
                          s->to_speed, "bytes", (json_int_t)s->bytes, "job", (json_int_t)job,
                          "share", s->share, "joules", s->joules);
    json_dumpf(o, stdout, JSON_COMPACT);
    putchar('\n');
    json_decref(o);
    return;
  }
  printf("%" PRIu32 ",%s,%" PRId64 ",%" PRId64 ",%.17g,%.17g,%" PRIu64 ",%" PRId64 ",%.17g\n",
         s->disk, siox_state_name(s->state), s->start, s->end, s->from_speed, s->to_speed, s->bytes,
         job, s->share);
}

json_t *siox__limits_json(const struct siox_limits *l) {
  if (!l)
    return json_null();
  json_t *o = json_pack("{s:b}", "wear", l->wear);
#define IN_percent(v) json_real((v) * 100)
#define IN_plain(v) json_real(v)
#define IN_number(v) json_integer(v)
#define IN_seconds(v) ((v) < 0 ? json_null() : json_real((double)(v) / 1e9))
#define SIOX_LIMIT(type, key, unit, member, initial, environment, help)                            \
  json_object_set_new(o, #key, IN_##unit(l->member));
#include "siox/limits.def"
  return o;
}

static int print_header(const char *path) {
  struct siox_trace_reader *r;
  struct siox_diag diag;
  int rc = siox_trace_open(&r, path, &diag);
  if (rc < 0) {
    fprintf(stderr, "siox: %s\n", *diag.text ? diag.text : siox_strerror(rc));
    return 1;
  }
  const struct siox_trace_header *h = siox_trace_header(r);
  json_t *disks = json_array(), *waits = h->waits == SIOX_WAITS_UNSAID
                                             ? json_null()
                                             : json_boolean(h->waits == SIOX_WAITS_TOLD);
  for (uint32_t d = 0; d < h->ndisks; d++)
    json_array_append_new(disks,
                          json_pack("{s:s, s:i}", "drive", h->drive[d]->name, "initial_speed",
                                    (int)h->drive[d]->level[h->initial_level[d]].speed));
  json_t *all = json_pack("{s:I, s:I, s:I, s:I, s:s, s:f, s:s, s:f, s:o, s:o, s:o}", "version",
                          (json_int_t)h->version, "clock", (json_int_t)h->clock, "start_ns",
                          (json_int_t)h->start, "wall_start_ns", (json_int_t)h->wall_start_ns,
                          "policy", h->policy, "hold_factor", h->hold_factor, "program", h->program,
                          "time_scale", h->ndisks ? h->drive[0]->time_scale : 1.0, "limits",
                          siox__limits_json(h->limits), "waits_told", waits, "disks", disks);
  rc = !all || json_dumpf(all, stdout, JSON_INDENT(1)) || putchar('\n') == EOF;
  json_decref(all);
  siox_trace_reader_close(r);
  if (rc || fflush(stdout) != 0 || ferror(stdout)) {
    fputs("siox: standard output cannot be written\n", stderr);
    return 1;
  }
  return 0;
}

static int cat(const char *path, bool events, bool segments, bool json) {
  struct siox_trace_reader *r;
  struct siox_diag diag;
  struct siox_trace_event e;
  int rc = siox_trace_open(&r, path, &diag);
  if (rc < 0) {
    fprintf(stderr, "siox: %s\n", *diag.text ? diag.text : siox_strerror(rc));
    return 1;
  }
  if (!json && events)
    fputs(event_head, stdout);
  if (!json && segments && !events)
    fputs(segment_head, stdout);
  while ((rc = siox_trace_read(r, &e, &diag)) > 0) {
    if (e.kind == SIOX_TRACE_SEGMENT && segments && (json || !events))
      print_segment(&e.u.segment, json);
    if (e.kind != SIOX_TRACE_SEGMENT && events)
      print_event(&e, json);
  }
  siox_trace_reader_close(r);
  if (rc < 0)
    fprintf(stderr, "siox: %s\n", diag.text);
  if (fflush(stdout) != 0 || ferror(stdout)) {
    fputs("siox: standard output cannot be written\n", stderr);
    return 1;
  }
  return rc < 0;
}

int siox__cmd_trace(int argc, char **argv) {
  static const struct option known[] = {
      {"events", no_argument, NULL, 'e'}, {"segments", no_argument, NULL, 's'},
      {"json", no_argument, NULL, 'j'},   {"header", no_argument, NULL, 'H'},
      {"help", no_argument, NULL, 'h'},   {0}};
  bool events = false, segments = false, json = false, header = false;
  opterr = 0; /* siox__slip_option says it */
  optind = 0; /* from the beginning, also when it is called again */
  for (int c; (c = getopt_long(argc, argv, ":h", known, NULL)) != -1;)
    if (c == 'e')
      events = true;
    else if (c == 's')
      segments = true;
    else if (c == 'j')
      json = true;
    else if (c == 'H')
      header = true;
    else if (c == 'h')
      return fputs(usage, stdout) < 0;
    else
      return siox__slip_option(argv, known);
  if (optind == argc || strcmp(argv[optind], "cat") != 0)
    return siox__slip(argv[0], "an action is wanted: cat");
  if (optind + 2 != argc)
    return siox__slip(argv[0], "cat: one trace is wanted");
  if (header && (events || segments || json))
    return siox__slip(argv[0], "--header goes with no other option");
  if (events && segments && !json)
    return siox__slip(argv[0], "--events and --segments are two tables: one, or --json");
  const char *path = argv[optind + 1];
  if (header)
    return print_header(path);
  return cat(path, events || !segments, segments, json);
}
