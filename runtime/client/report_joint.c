/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The joint report's text, from what each rank sent. Pure. */
#include "client/report.h"
#include "common/hash.h"
#include <string.h>
#include <sys/utsname.h>

enum { KINDS_SHOWN = 8, MISSING_SHOWN = 12 };

static uint64_t hash_of(const struct siox__share *s) {
  return siox__fnv1a(&s->rank, sizeof *s - offsetof(struct siox__share, rank));
}

void siox__share_make(struct siox__share *s, const struct siox__figures *f, int32_t rank,
                      bool first_local) {
  struct utsname node;
  memset(s, 0, sizeof *s);
  s->magic = SIOX__SHARE_MAGIC;
  s->version = SIOX__SHARE_VERSION;
  s->rows = SIOX_TALLY_ROWS;
  s->rank = rank;
  s->pid = f->pid;
  s->first_local = first_local;
  if (uname(&node) == 0)
    strncpy(s->host, node.nodename, sizeof s->host - 1);
  s->cpu_ns = f->cpu_ns;
  s->runtime_ns = f->runtime_ns;
  s->partial = f->partial;
  s->network_bytes = f->has_network ? f->network_bytes : 0;
  s->flags = f->unasked ? 0 : f->said.flags;
  s->disk_joules = f->said.disk_joules;
  s->processor_joules = f->said.processor_joules;
  for (uint32_t i = 0; i < f->nrows; i++) {
    const struct siox__report_row *r = &f->row[i];
    const int l = r->row < SIOX_NCALLS ? SIOX_LAYER_MPIIO : SIOX_LAYER_POSIX;
    s->layer[l].calls += r->calls;
    s->layer[l].bytes += r->bytes;
    s->layer[l].errors += r->errors;
    s->layer[l].total_ns += r->total_ns;
    if (r->longest_ns > s->layer[l].longest_ns)
      s->layer[l].longest_ns = r->longest_ns;
    if (i < SIOX__SHARE_ROWS)
      s->row[s->nrows++] = *r;
  }
  s->check = hash_of(s);
}

/* Memory that a message may be arriving in. */
bool siox__share_valid(const struct siox__share *s, int32_t rank) {
  return s->magic == SIOX__SHARE_MAGIC && s->version == SIOX__SHARE_VERSION &&
         s->rows == SIOX_TALLY_ROWS && s->rank == rank && s->nrows <= SIOX__SHARE_ROWS &&
         s->check == hash_of(s);
}

static const struct siox__share *share_of(const void *shares, int32_t rank) {
  return (const struct siox__share *)((const char *)shares + (size_t)rank * SIOX__SHARE_BYTES);
}

/* Least, average and greatest over ranks, and which rank the greatest is of. */
struct range {
  int64_t least, most;
  double sum;
  int32_t rank, n;
};
static void take(struct range *r, int64_t value, int32_t rank) {
  r->least = r->n == 0 || value < r->least ? value : r->least;
  if (r->n == 0 || value > r->most) {
    r->most = value;
    r->rank = rank;
  }
  r->sum += (double)value;
  r->n++;
}
static int64_t average(const struct range *r) {
  return r->n > 0 ? (int64_t)(r->sum / r->n + 0.5) : 0;
}
/* Of counts, with a decimal where there is one: of 0 and 1 it is neither. */
static void put_average(struct siox__text *t, const struct range *r) {
  const uint64_t tenths = r->n > 0 && r->sum > 0 ? (uint64_t)(r->sum / r->n * 10 + 0.5) : 0;
  const bool whole = tenths % 10 == 0;
  siox__put_number(t, tenths / 10, whole ? 16 : 14);
  if (whole)
    return;
  siox__put(t, ".");
  siox__put_number(t, tenths % 10, 0);
}

enum figure {
  CPU,
  RUNTIME,
  MPIIO,
  POSIX,
  LONGEST,
  BYTES,
  CALLS,
  ERRORS,
  NFIGURES,
};
static const struct {
  const char *name;
  bool seconds;
} figure[NFIGURES] = {
    [CPU] = {"CONSUMED_CPU_SECONDS", true},
    [RUNTIME] = {"OBSERVED_RUNTIME, seconds", true},
    [MPIIO] = {"time in MPI-IO, seconds", true},
    [POSIX] = {"time in POSIX I/O, seconds", true},
    [LONGEST] = {"longest call, seconds", true},
    [BYTES] = {"ACCESSED_IO_BYTES", false},
    [CALLS] = {"calls", false},
    [ERRORS] = {"calls that failed", false},
};

static int64_t value_of(const struct siox__share *s, enum figure f) {
  const int64_t m = s->layer[SIOX_LAYER_MPIIO].longest_ns,
                p = s->layer[SIOX_LAYER_POSIX].longest_ns;
  switch (f) {
  case CPU:
    return s->cpu_ns / 1000;
  case RUNTIME:
    return s->runtime_ns / 1000;
  case MPIIO:
    return s->layer[SIOX_LAYER_MPIIO].total_ns / 1000;
  case POSIX:
    return s->layer[SIOX_LAYER_POSIX].total_ns / 1000;
  case LONGEST:
    return (m > p ? m : p) / 1000;
  case BYTES:
    return (int64_t)s->layer[SIOX_LAYER_POSIX].bytes;
  case CALLS:
    return (int64_t)(s->layer[SIOX_LAYER_MPIIO].calls + s->layer[SIOX_LAYER_POSIX].calls);
  default:
    return (int64_t)(s->layer[SIOX_LAYER_MPIIO].errors + s->layer[SIOX_LAYER_POSIX].errors);
  }
}

static void put_value(struct siox__text *t, int64_t value, bool seconds) {
  if (seconds)
    siox__put_micros(t, value, 16);
  else
    siox__put_number(t, value < 0 ? 0 : (uint64_t)value, 16);
}

static void put_range(struct siox__text *t, const struct range *r, bool seconds) {
  put_value(t, r->least, seconds);
  if (seconds)
    siox__put_micros(t, average(r), 16);
  else
    put_average(t, r);
  put_value(t, r->most, seconds);
  siox__put(t, "  rank ");
  siox__put_number(t, (uint64_t)r->rank, 0);
  siox__put(t, "\n");
}

static void put_missing(struct siox__text *t, const void *shares, int32_t n, int32_t there) {
  int32_t shown = 0;
  if (there == n)
    return;
  siox__put(t, "  no word from rank");
  for (int32_t r = 0; r < n && shown < MISSING_SHOWN; r++) {
    const struct siox__share *s = share_of(shares, r);
    if (siox__share_valid(s, r))
      continue;
    siox__put(t, shown++ ? ", " : " ");
    siox__put_number(t, (uint64_t)r, 0);
    if (s->magic == SIOX__SHARE_MAGIC &&
        (s->version != SIOX__SHARE_VERSION || s->rows != SIOX_TALLY_ROWS))
      siox__put(t, " (another libsiox)");
  }
  if (n - there > shown) {
    siox__put(t, " and ");
    siox__put_number(t, (uint64_t)(n - there - shown), 0);
    siox__put(t, " more");
  }
  siox__put(t, ": without libsiox or SIOX_REPORT=mpi, ended before MPI_Finalize, or later than a "
               "second\n");
}

/* The kinds of call that took most time, over all ranks. */
static void put_kinds(struct siox__text *t, const void *shares, int32_t n) {
  static struct kind {
    struct range range;
    uint64_t calls, bytes;
  } kind[SIOX_TALLY_ROWS];
  memset(kind, 0, sizeof kind);
  for (int32_t r = 0; r < n; r++) {
    const struct siox__share *s = share_of(shares, r);
    for (uint32_t i = 0; siox__share_valid(s, r) && i < s->nrows; i++) {
      if (s->row[i].row >= SIOX_TALLY_ROWS)
        continue;
      struct kind *k = &kind[s->row[i].row];
      take(&k->range, s->row[i].total_ns / 1000, r);
      k->calls += s->row[i].calls;
      k->bytes += s->row[i].bytes;
    }
  }
  for (int shown = 0; shown < KINDS_SHOWN; shown++) {
    unsigned most = SIOX_TALLY_ROWS;
    for (unsigned r = 0; r < SIOX_TALLY_ROWS; r++)
      if (kind[r].range.n > 0 &&
          (most == SIOX_TALLY_ROWS || kind[r].range.sum > kind[most].range.sum))
        most = r;
    if (most == SIOX_TALLY_ROWS)
      return;
    if (shown == 0)
      siox__put(t, "  calls of all ranks           number         bytes    least, seconds"
                   "         average        greatest  of\n");
    siox__put(t, "  ");
    siox__put_left(t, siox__row_layer(most), 6);
    siox__put_left(t, siox__row_name(most), 20);
    siox__put_number(t, kind[most].calls, 9);
    siox__put_number(t, kind[most].bytes, 14);
    siox__put(t, "  ");
    put_range(t, &kind[most].range, true);
    kind[most].range.n = 0;
  }
}

void siox__joint_text(struct siox__text *t, const char *program, const struct siox__figures *f,
                      const void *shares, int32_t n) {
  struct range range[NFIGURES] = {{0}}, io = {0};
  int32_t there = 0, nodes = 0;
  uint64_t network = 0, partial = 0, calls = 0;
  double disks = 0, processors = 0;
  uint32_t flags = 0;
  for (int32_t r = 0; r < n; r++) {
    const struct siox__share *s = share_of(shares, r);
    if (!siox__share_valid(s, r))
      continue;
    there++;
    for (int i = 0; i < NFIGURES; i++)
      take(&range[i], value_of(s, (enum figure)i), r);
    const int64_t m = s->layer[SIOX_LAYER_MPIIO].total_ns, p = s->layer[SIOX_LAYER_POSIX].total_ns;
    take(&io, (m > p ? m : p) / 1000, r);
    calls += (uint64_t)value_of(s, CALLS);
    partial += s->partial;
    if (!s->first_local)
      continue;
    nodes++;
    network += s->network_bytes;
    flags |= s->flags;
    disks += s->flags & SIOX_TOTALS_DISKS ? s->disk_joules : 0;
    processors += s->flags & SIOX_TOTALS_PROCESSORS ? s->processor_joules : 0;
  }
  siox__put(t, "siox: joint report of ");
  siox__put_name(t, program, 80);
  siox__put(t, ", ");
  siox__put_number(t, (uint64_t)there, 0);
  siox__put(t, " of ");
  siox__put_number(t, (uint64_t)n, 0);
  siox__put(t, " ranks on ");
  siox__put_number(t, (uint64_t)nodes, 0);
  siox__put(t, nodes == 1 ? " node\n" : " nodes\n");
  put_missing(t, shares, n, there);
  siox__put(t, "                                         minimum         average         maximum  "
               "of\n");
  for (int i = 0; i < NFIGURES; i++) {
    siox__put(t, "  ");
    siox__put_left(t, figure[i].name, 30);
    put_range(t, &range[i], figure[i].seconds);
  }
  siox__put(t, "  slowest in I/O: rank ");
  siox__put_number(t, (uint64_t)io.rank, 0);
  siox__put(t, " on ");
  siox__put_name(t, there > 0 ? share_of(shares, io.rank)->host : "?", 64);
  siox__put(t, ", ");
  siox__put_micros(t, io.most, 0);
  siox__put(t, " s, on average ");
  siox__put_micros(t, average(&io), 0);
  siox__put(t, " s\n");
  siox__put_joules(t, f->unasked, flags, disks, processors, f->said.source, "the whole job");
  siox__put(t, "  TRANSFERRED_NETWORK_BYTES = ");
  siox__put_number(t, network, 0);
  siox__put(t, " (whole nodes meanwhile)\n");
  put_kinds(t, shares, n);
  if (partial > 0) {
    siox__put(t, "  partial: ");
    siox__put_number(t, partial, 0);
    siox__put(t, " more calls were not counted: there was no room for their kinds\n");
  }
  siox__put_findings(t, f->unasked, &f->said);
  siox__put(t, "  siox itself: ");
  siox__put_number(t, calls, 0);
  siox__put(t, " calls counted at ");
  siox__put_number(t, (uint64_t)f->cost_ns, 0);
  siox__put(t, " ns on rank 0, start ");
  siox__put_micros(t, f->start_ns / 1000, 0);
  siox__put(t, " s, memory ");
  siox__put_number(t, f->memory_bytes / 1024, 0);
  siox__put(t, " KiB a rank\n");
}
