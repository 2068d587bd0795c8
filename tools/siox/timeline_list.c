/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The timeline as text for other programs: what the disks did and what was asked of them, a line
 * each, in the trace's order. Times are ns since the trace began. */
#include "timeline.h"
#include <inttypes.h>
#include <siox/trace.h>

static void list(const struct siox_trace_event *event, int64_t start, FILE *out) {
  static const char *const state[SIOX_NSTATES] = {"idle", "active", "up", "down"};
  const struct siox_segment *s = &event->u.segment;
  if (event->kind == SIOX_TRACE_SEGMENT && (unsigned)s->state < SIOX_NSTATES)
    fprintf(out, "segment,%" PRIu32 ",%s,%" PRId64 ",%" PRId64 ",%.17g,%.17g,%" PRIu64 ",%.17g\n",
            s->disk, state[s->state], s->start - start, s->end - start, s->from_speed, s->to_speed,
            s->bytes, s->joules);
  if (event->kind == SIOX_TRACE_IO)
    fprintf(out,
            "request,%" PRIu32 ",%" PRId64 ",%" PRId64 ",%" PRIu64 ",%" PRId64 ",%" PRId64 ",%d\n",
            event->client, event->u.io.arrival - start, event->u.io.completion - start,
            event->u.io.file, event->u.io.offset, event->u.io.bytes, event->u.io.missed);
  if (event->kind == SIOX_TRACE_CLIENT)
    fprintf(out, "client,%" PRIu32 ",%" PRId32 ",%s\n", event->u.client_def.client,
            event->u.client_def.rank, event->u.client_def.program);
}

int siox__timeline_list(const char *path, FILE *out, struct siox_diag *diag) {
  struct siox_trace_reader *reader;
  struct siox_trace_event event;
  int code = siox_trace_open(&reader, path, diag);
  if (code)
    return code;
  fputs("# segment,disk,state,start,end,from_speed,to_speed,bytes,joules\n"
        "# request,client,arrival,completion,file,offset,bytes,missed\n# "
        "client,client,rank,program\n",
        out);
  while ((code = siox_trace_read(reader, &event, diag)) > 0)
    list(&event, siox_trace_header(reader)->start, out);
  siox_trace_reader_close(reader);
  if (code == SIOX_ETRUNCATED)
    code = 0;
  return code || !ferror(out) ? code : SIOX_EIO;
}
