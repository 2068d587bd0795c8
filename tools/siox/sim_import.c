/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* siox sim import: a trace from another recorder's text. Requests of a rank that overlap are of
 * different threads. */
#include "sim_import.h"
#include "cli/slip.h"
#include "common/wire.h"
#include "output.h"
#include "sim.h"
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char usage[] =
    "usage: siox sim import [--format csv|dxt] [-c FILE] [-s KEY=VALUE]... INPUT OUTPUT.siox\n"
    "\n"
    "Makes a trace that siox sim can play from a text of requests:\n"
    "  dxt  what darshan-dxt-parser prints. The POSIX layer is taken, MPI-IO only without one.\n"
    "       It knows of no waiting: processes will not wait for each other.\n"
    "  csv  a line with names of columns, then a request a line:\n"
    "         rank,thread,file,op,offset,bytes,start,end\n"
    "         0,1,/data/a,write,0,1048576,0.5,0.52\n"
    "         0,1,,barrier,1,,1.0,1.5\n"
    "       op is read, write or barrier (of all ranks that have one of this number, the offset);\n"
    "       start and end are seconds from the start; thread may be left out; # begins a comment.\n"
    "\n"
    "  --format F            csv or dxt (default: by INPUT's ending, .csv or else dxt)\n"
    "  -c, --config FILE     disks, drive, layouts, default_layout ... as in siox.yaml\n"
    "  -s, --set KEY=VALUE   one of them; sioxd --help lists them\n"
    "\n"
    "examples:\n"
    "  darshan-dxt-parser job.darshan >job.txt && siox sim import job.txt job.siox\n"
    "  siox sim import -s disks=16 -s default_layout=0:4:1M requests.csv requests.siox\n";

enum { MAX_SET = 64 };

int import_fail(struct siox_diag *diag, const char *path, size_t line, const char *column, int code,
                const char *what, const char *text) {
  snprintf(diag->text, sizeof diag->text, "%.200s:%zu: %.60s%s%s%.60s%s%.120s", path, line,
           column ? column : "", column ? ": " : "", text ? "\"" : "", text ? text : "",
           text ? "\": " : "", what);
  return code;
}

int import_seconds(const char *text, int64_t *ns) {
  char *end;
  double value = strtod(text, &end);
  if (end == text || end[strspn(end, " \t")] || !isfinite(value))
    return SIOX_ESYNTAX;
  if (value < 0 || value > 1e9)
    return SIOX_ERANGE;
  *ns = llround(value * 1e9);
  return 0;
}

int import_integer(const char *text, int64_t low, int64_t high, int64_t *value) {
  char *end;
  errno = 0;
  long long number = strtoll(text, &end, 10);
  if (end == text || *end)
    return SIOX_ESYNTAX;
  if (errno || number < low || number > high)
    return SIOX_ERANGE;
  *value = number;
  return 0;
}

int import_add(struct import_rows *rows, const struct import_row *row) {
  if (rows->count == rows->room) {
    size_t room = rows->room ? 2 * rows->room : 1024;
    struct import_row *more = realloc(rows->row, room * sizeof *more);
    if (!more)
      return SIOX_ENOMEM;
    rows->row = more;
    rows->room = room;
  }
  rows->row[rows->count++] = *row;
  return 0;
}

/* Texts name the same file in a row, so the last one is tried before all. */
int import_file(struct import_rows *rows, const char *name, uint32_t *file) {
  for (uint32_t i = rows->names; i-- > 0;)
    if (!strcmp(rows->name[i], name)) {
      *file = i;
      return 0;
    }
  if (rows->names == rows->name_room) {
    uint32_t room = rows->name_room ? 2 * rows->name_room : 64;
    char **more = realloc(rows->name, room * sizeof *more);
    if (!more)
      return SIOX_ENOMEM;
    rows->name = more;
    rows->name_room = room;
  }
  if (!(rows->name[rows->names] = strdup(name)))
    return SIOX_ENOMEM;
  *file = rows->names++;
  return 0;
}

static void free_rows(struct import_rows *rows) {
  for (uint32_t i = 0; i < rows->names; i++)
    free(rows->name[i]);
  free(rows->name);
  free(rows->row);
  free(rows->program);
}

static int by_rank(const void *a, const void *b) {
  const struct import_row *x = a, *y = b;
  if (x->rank != y->rank)
    return x->rank < y->rank ? -1 : 1;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  return x->end < y->end ? -1 : x->end > y->end;
}

struct writer {
  struct siox_trace_writer *trace;
  const struct import_rows *rows;
  uint32_t nranks;
  int rc;
};

static void put(struct writer *w, const struct siox_trace_event *e) {
  if (w->rc == 0)
    w->rc = siox_trace_write(w->trace, e);
}

static void put_files(struct writer *w, const struct siox_config *config,
                      const struct siox_layouts *layouts) {
  char *text = malloc(1 << 20);
  if (!text)
    w->rc = SIOX_ENOMEM;
  for (uint32_t i = 0; i < w->rows->names && w->rc == 0; i++) {
    const struct siox_layout *l = siox_layouts_find(layouts, w->rows->name[i]);
    siox_layout_format(l ? l : &config->default_layout, text, 1 << 20);
    struct siox_trace_event e = {.kind = SIOX_TRACE_FILE};
    e.u.file.file = i + 1;
    e.u.file.path = w->rows->name[i];
    e.u.file.layout = text;
    put(w, &e);
  }
  free(text);
}

/* A thread that is free at the row's start: its own, or the first of those that we tell apart. */
static uint32_t thread_of(const struct import_row *row, int64_t *busy, uint32_t lanes) {
  if (row->thread)
    return row->thread;
  uint32_t k = 0;
  while (k + 1 < lanes && busy[k] > row->start)
    k++;
  busy[k] = row->end > busy[k] ? row->end : busy[k];
  return k + 1;
}

static void put_row(struct writer *w, const struct import_row *row, uint32_t client,
                    uint32_t thread) {
  struct siox_trace_event e = {.client = client, .thread = thread};
  if (row->file == SIOX_IMPORT_BARRIER) {
    e.kind = SIOX_TRACE_SYNC;
    e.u.sync = (__typeof__(e.u.sync)){row->start,    row->end,  1,  (uint64_t)row->offset,
                                      SIOX_SYNC_ALL, w->nranks, -1, row->rank};
  } else {
    e.kind = SIOX_TRACE_IO;
    e.u.io.arrival = row->start;
    e.u.io.completion = row->end;
    e.u.io.file = row->file + 1;
    e.u.io.offset = row->offset;
    e.u.io.bytes = row->bytes;
    e.u.io.op = row->write ? SIOX_IO_WRITE : SIOX_IO_READ;
  }
  put(w, &e);
}

/* Rows of one rank, in order of start. */
static void put_rank(struct writer *w, size_t from, size_t to, uint32_t client) {
  enum { LANES = 256 };
  const struct import_row *row = w->rows->row;
  int64_t busy[LANES] = {0}, end = w->rows->end;
  struct siox_trace_event e = {.kind = SIOX_TRACE_CLIENT};
  e.u.client_def = (__typeof__(e.u.client_def)){
      client, 0, row[from].rank, (int32_t)w->nranks, 0, w->rows->program ? w->rows->program : ""};
  put(w, &e);
  e = (struct siox_trace_event){.kind = SIOX_TRACE_JOIN, .client = client};
  put(w, &e);
  for (size_t i = from; i < to; i++) {
    put_row(w, &row[i], client, thread_of(&row[i], busy, LANES));
    end = row[i].end > end ? row[i].end : end;
  }
  e = (struct siox_trace_event){.kind = SIOX_TRACE_LEAVE, .client = client};
  e.u.leave.time = end;
  put(w, &e);
}

static int write_trace(struct import_rows *rows, const struct siox_config *config,
                       const struct siox_layouts *layouts, const char *path,
                       struct siox_diag *diag) {
  struct siox_config_drives drives;
  struct siox__output out;
  struct writer w = {.rows = rows};
  int rc = siox_config_drives(&drives, config, diag);
  if (rc)
    return rc;
  if (siox__output_open(&out, path) < 0) {
    snprintf(diag->text, sizeof diag->text, "%.400s: cannot be written: %s", path, strerror(errno));
    siox_config_drives_free(&drives);
    return SIOX_EIO;
  }
  struct siox_trace_header head = {.version = SIOX_TRACE_VERSION,
                                   .clock = CLOCK_MONOTONIC,
                                   .ndisks = drives.ndisks,
                                   .drive = drives.disk,
                                   .initial_level = drives.initial_level,
                                   .policy = "base",
                                   .hold_factor = config->hold_factor,
                                   .program = rows->program ? rows->program : "imported"};
  head.waits = SIOX_WAITS_UNTOLD;
  for (size_t i = 0; i < rows->count; i++)
    if (rows->row[i].file == SIOX_IMPORT_BARRIER)
      head.waits = SIOX_WAITS_TOLD;
  errno = 0;
  rc = siox_trace_create(&w.trace, siox__output_place(&out), &head, diag);
  if (rc) /* what it says names the file that is put there in the end */
    snprintf(diag->text, sizeof diag->text, "%.400s: cannot be written: %s", path,
             errno ? strerror(errno) : siox_strerror(rc));
  if (rc == 0) {
    qsort(rows->row, rows->count, sizeof *rows->row, by_rank);
    for (size_t i = 0; i < rows->count; i++)
      w.nranks += i == 0 || rows->row[i].rank != rows->row[i - 1].rank;
    struct siox_trace_event e = {.kind = SIOX_TRACE_JOB, .u.job.uid = SIOX_NOBODY};
    e.u.job.key = "imported";
    put(&w, &e);
    put_files(&w, config, layouts);
    uint32_t client = 0;
    for (size_t from = 0, to; from < rows->count; from = to) {
      for (to = from; to < rows->count && rows->row[to].rank == rows->row[from].rank;)
        to++;
      put_rank(&w, from, to, client++);
    }
    rc = siox_trace_close(w.trace);
    rc = w.rc ? w.rc : rc;
    if (rc)
      snprintf(diag->text, sizeof diag->text, "%.400s: %s", path, siox_strerror(rc));
  }
  if (siox__output_close(&out, rc == 0) < 0 && rc == 0) {
    snprintf(diag->text, sizeof diag->text, "%.400s: cannot be written: %s", path, strerror(errno));
    rc = SIOX_EIO;
  }
  siox_config_drives_free(&drives);
  return rc;
}

static int convert(const char *input, const char *output, bool csv,
                   const struct siox_config *config, const struct siox_layouts *layouts) {
  struct import_rows rows = {0};
  struct siox_diag diag = {""};
  FILE *in = fopen(input, "re");
  if (!in) {
    fprintf(stderr, "siox sim import: %s: %s\n", input, strerror(errno));
    return 1;
  }
  int rc = (csv ? import_csv : import_dxt)(&rows, in, input, &diag);
  fclose(in);
  if (rc == 0 && !rows.count) {
    snprintf(diag.text, sizeof diag.text, "%.400s: there is no request in it", input);
    rc = SIOX_ENOENT;
  }
  if (rc == 0)
    rc = write_trace(&rows, config, layouts, output, &diag);
  if (rc)
    fprintf(stderr, "siox sim import: %s\n", *diag.text ? diag.text : siox_strerror(rc));
  else if (rows.left_out || rows.reversed)
    fprintf(stderr,
            "siox sim import: %zu requests; %llu of another layer left out, %llu that ended before "
            "they began taken as no time\n",
            rows.count, (unsigned long long)rows.left_out, (unsigned long long)rows.reversed);
  free_rows(&rows);
  return rc ? 1 : 0;
}

int sim_import(int argc, char **argv) {
  static const struct option known[] = {{"format", required_argument, NULL, 'f'},
                                        {"config", required_argument, NULL, 'c'},
                                        {"set", required_argument, NULL, 's'},
                                        {"help", no_argument, NULL, 'h'},
                                        {0}};
  struct siox_config_override set[MAX_SET];
  size_t nset = 0;
  const char *format = NULL, *file = NULL;
  opterr = 0; /* siox__slip_option says it */
  for (int c; (c = getopt_long(argc, argv, ":hc:s:", known, NULL)) != -1;)
    if (c == 'f')
      format = optarg;
    else if (c == 'c')
      file = optarg;
    else if (c == 's' && nset < MAX_SET)
      set[nset++] = (struct siox_config_override){optarg, "--set"};
    else if (c == 's')
      return siox__slip(argv[0], "--set: more than %d", MAX_SET);
    else if (c == 'h')
      return fputs(usage, stdout) < 0;
    else
      return siox__slip_option(argv, known);
  if (optind + 2 != argc)
    return siox__slip(argv[0], "INPUT and OUTPUT.siox are wanted");
  if (format && strcmp(format, "csv") != 0 && strcmp(format, "dxt") != 0)
    return siox__slip(argv[0], "--format %s: csv or dxt is wanted", format);
  const char *input = argv[optind], *dot = strrchr(input, '.');
  bool csv = format ? !strcmp(format, "csv") : dot && !strcmp(dot, ".csv");
  struct siox_config config;
  struct siox_layouts layouts = {0};
  struct siox_diag diag = {""};
  int rc = siox_config_load(&config, file, set, nset, &diag);
  if (rc == 0 && config.layouts)
    rc = siox_layouts_load(&layouts, config.layouts, config.disks, &diag);
  if (rc) {
    fprintf(stderr, "siox sim import: %s\n", *diag.text ? diag.text : siox_strerror(rc));
    siox_config_free(&config);
    return SIOX__USAGE;
  }
  const char *const read[] = {input, config.file, config.layouts};
  for (size_t i = 0; i < sizeof read / sizeof *read; i++)
    if (read[i] && siox__same_file(read[i], argv[optind + 1])) {
      fprintf(stderr, "siox sim import: %s is read by this command\n", argv[optind + 1]);
      siox_layouts_free(&layouts);
      siox_config_free(&config);
      return SIOX__USAGE;
    }
  int status = convert(input, argv[optind + 1], csv, &config, &layouts);
  siox_layouts_free(&layouts);
  siox_config_free(&config);
  return status;
}
