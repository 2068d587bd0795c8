/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* siox timeline TRACE [--svg FILE] [--width N]: what speed each disk had when, from a trace, drawn
 * in the terminal or as an SVG file. */
#include "timeline.h"
#include "cli/slip.h"
#include "common/conf/text.h"
#include "output.h"
#include "siox_tool.h"
#include <getopt.h>
#include <siox/trace.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

double siox__timeline_speed(const struct timeline_disk *disk, int64_t from, int64_t to) {
  size_t low = 0, high = disk->npieces;
  double area = 0, covered = 0;
  while (low < high) { /* first piece that ends after `from` */
    size_t middle = low + (high - low) / 2;
    if (disk->piece[middle].end <= from)
      low = middle + 1;
    else
      high = middle;
  }
  for (; low < disk->npieces && disk->piece[low].start < to; low++) {
    const struct timeline_piece *p = &disk->piece[low];
    double length = (double)(p->end - p->start);
    double a = p->start > from ? (double)p->start : (double)from,
           b = p->end < to ? (double)p->end : (double)to;
    double at_a = p->from + (p->to - p->from) * (a - (double)p->start) / length;
    double at_b = p->from + (p->to - p->from) * (b - (double)p->start) / length;
    area += (at_a + at_b) / 2 * (b - a);
    covered += b - a;
  }
  return covered > 0 ? area / covered : -1;
}

bool siox__timeline_busy(const struct timeline_disk *disk, int64_t from, int64_t to) {
  size_t low = 0, high = disk->nrequests;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (disk->request[middle].end <= from)
      low = middle + 1;
    else
      high = middle;
  }
  return low < disk->nrequests && disk->request[low].start < to;
}

int64_t siox__timeline_tick(int64_t duration, int most) {
  int64_t tick = 1000; /* a microsecond */
  for (int step = 0; duration / tick > most && tick < INT64_MAX / 10; step++)
    tick = step % 3 == 1 ? tick / 2 * 5 : tick * 2; /* 1 2 5 10 */
  return tick;
}

void siox__timeline_seconds(int64_t ns, int64_t tick, char *text, size_t size) {
  int decimals = 0;
  for (int64_t unit = 1000000000; unit > tick && decimals < 6; unit /= 10)
    decimals++;
  snprintf(text, size, "%.*f", decimals, (double)ns / 1e9);
}

static int grow(void **array, size_t count, size_t *max, size_t size) {
  void *more;
  if (count < *max)
    return 0;
  *max = *max ? 2 * *max : 64;
  more = realloc(*array, *max * size);
  if (!more)
    return SIOX_ENOMEM;
  *array = more;
  return 0;
}

int siox__timeline_add(struct timeline *t, const struct siox_segment *s) {
  struct timeline_disk *disk;
  struct timeline_piece *last;
  if (s->disk >= t->ndisks)
    return SIOX_EPROTO;
  disk = &t->disk[s->disk];
  disk->joules += s->joules;
  if (s->end <= s->start)
    return 0;
  if (s->end > t->end)
    t->end = s->end;
  if (s->state == SIOX_ACTIVE) {
    if (grow((void **)&disk->request, disk->nrequests, &disk->max_requests, sizeof *disk->request))
      return SIOX_ENOMEM;
    disk->request[disk->nrequests++] = (struct timeline_request){s->start, s->end};
  }
  last = disk->npieces ? &disk->piece[disk->npieces - 1] : NULL;
  if (last && s->start < last->end)
    return 0; /* another job's share of a piece that is there already */
  if (last && s->start == last->end && last->from == last->to && s->from_speed == last->to &&
      s->to_speed == last->to) {
    last->end = s->end;
    return 0;
  }
  if (grow((void **)&disk->piece, disk->npieces, &disk->max_pieces, sizeof *disk->piece))
    return SIOX_ENOMEM;
  disk->piece[disk->npieces++] =
      (struct timeline_piece){s->start, s->end, s->from_speed, s->to_speed};
  return 0;
}

int siox__timeline_begin(struct timeline *t, uint32_t ndisks, const struct siox_drive *const *drive,
                         int64_t start, const char *program) {
  *t = (struct timeline){.start = start, .end = start, .ndisks = ndisks};
  snprintf(t->program, sizeof t->program, "%s", program ? program : "");
  for (uint32_t d = 0; d < ndisks; d++) {
    double full = drive[d]->level[drive[d]->nlevels - 1].speed;
    t->full_speed = full > t->full_speed ? full : t->full_speed;
  }
  if (ndisks)
    t->drive = *drive[0];
  t->disk = calloc(ndisks ? ndisks : 1, sizeof *t->disk);
  return t->disk ? 0 : SIOX_ENOMEM;
}

void siox__timeline_done(struct timeline *t, const char *policy, bool cut) {
  snprintf(t->policy, sizeof t->policy, "%s", policy ? policy : "");
  t->cut = cut;
}

static int load(struct timeline *t, const char *path, struct siox_diag *diag) {
  struct siox_trace_reader *reader;
  struct siox_trace_event event;
  const struct siox_trace_header *head;
  int code = siox_trace_open(&reader, path, diag), more;
  if (code)
    return code;
  head = siox_trace_header(reader);
  code = siox__timeline_begin(t, head->ndisks, head->drive, head->start, head->program);
  siox__timeline_done(t, head->policy, false);
  while (!code && (more = siox_trace_read(reader, &event, diag)) != 0) {
    if (more == SIOX_ETRUNCATED) { /* the recorder was killed: what is there is good */
      t->cut = true;
      break;
    }
    if (more < 0)
      code = more;
    else if (event.kind == SIOX_TRACE_SEGMENT)
      code = siox__timeline_add(t, &event.u.segment);
  }
  siox_trace_reader_close(reader);
  if (!code && t->end <= t->start) {
    snprintf(diag->text, sizeof diag->text,
             "%s: no disk did anything in this trace; of one that was imported draw a play: siox "
             "sim %s --timeline FILE.svg",
             path, path);
    code = SIOX_ENOENT;
  }
  return code;
}

void siox__timeline_free(struct timeline *t) {
  for (uint32_t d = 0; t->disk && d < t->ndisks; d++) {
    free(t->disk[d].piece);
    free(t->disk[d].request);
  }
  free(t->disk);
}

static int terminal_width(void) {
  struct winsize size;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40)
    return size.ws_col;
  return 100;
}

struct drawing {
  const struct timeline *timeline;
  int width;
};
static int draw(void *context, FILE *out) {
  const struct drawing *d = context;
  return siox__timeline_svg(d->timeline, out, d->width);
}

int siox__cmd_timeline(int argc, char **argv) {
  static const struct option table[] = {
      {"svg", 1, NULL, 's'}, {"width", 1, NULL, 'w'}, {"help", 0, NULL, 'h'}, {NULL, 0, NULL, 0}};
  static const char usage[] =
      "usage: siox timeline TRACE [--svg FILE] [--width N]\n\n"
      "Draws what speed each disk had when, and its requests, from a trace that siox run --record\n"
      "or sioxd (setting record) wrote.\n\n"
      "  --svg FILE   draw to an SVG file instead of the terminal\n"
      "  --width N    columns (40 to 1000), with --svg pixels (300 to 10000)\n\n"
      "examples:\n"
      "  siox run --record run.siox -- mpiexec -n 2 ./program && siox timeline run.siox\n"
      "  siox timeline run.siox --svg run.svg\n";
  struct siox_diag diag = {{0}};
  struct timeline t = {0};
  const char *svg = NULL, *asked = NULL; /* --width */
  char what[160];
  long width = 0;
  int code;
  opterr = 0; /* siox__slip_option says it */
  for (int c; (c = getopt_long(argc, argv, ":h", table, NULL)) != -1;) {
    if (c == 's')
      svg = optarg;
    else if (c == 'h')
      return fputs(usage, stdout) < 0;
    else if (c == 'w')
      asked = optarg;
    else
      return siox__slip_option(argv, table);
  }
  if (optind + 1 != argc)
    return siox__slip(argv[0], optind == argc ? "a trace is wanted" : "one trace at a time");
  if (!asked)
    width = svg ? 960 : terminal_width();
  else if (siox__text_integer(asked, svg ? 300 : 40, svg ? 10000 : 1000, &width, what,
                              sizeof what) < 0) {
    fprintf(stderr, "siox timeline: --width: %s\n", what);
    return SIOX__USAGE;
  }
  if (svg && siox__same_file(svg, argv[optind])) {
    fprintf(stderr, "siox timeline: --svg: %s is the trace\n", svg);
    return SIOX__USAGE;
  }
  code = load(&t, argv[optind], &diag);
  if (!code && t.cut)
    fprintf(stderr, "siox timeline: %s; drawn as far as it goes\n", diag.text);
  if (code) {
    fprintf(stderr, "siox timeline: %s\n", diag.text[0] ? diag.text : siox_strerror(code));
  } else if (svg) {
    code = siox__output_write("siox timeline", svg, draw, &(struct drawing){&t, (int)width});
  } else {
    code =
        siox__timeline_text(&t, stdout, (int)width, isatty(STDOUT_FILENO) && !getenv("NO_COLOR"));
    if (code)
      fprintf(stderr, "siox timeline: the terminal: %s\n", siox_strerror(code));
  }
  siox__timeline_free(&t);
  return code ? 1 : 0;
}
