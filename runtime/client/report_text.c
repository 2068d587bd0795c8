/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A process's report as text, after Listing 1 of Monitoring Energy Consumption With SIOX. printf
 * may allocate, and needs more stack for a floating number than a signal handler may have: numbers
 * are written here by hand. */
#include "client/report.h"
#include <string.h>

enum { KINDS_SHOWN = 10, NAME_WIDTH = 30 };

void siox__put(struct siox__text *t, const char *text) {
  while (*text && t->at < t->end)
    *t->at++ = *text++;
}

void siox__put_left(struct siox__text *t, const char *text, int width) {
  const size_t length = strlen(text);
  siox__put(t, text);
  for (size_t i = length; i < (size_t)width; i++)
    siox__put(t, " ");
}

static void put_right(struct siox__text *t, const char *text, size_t length, int width) {
  for (size_t i = length; i < (size_t)width; i++)
    siox__put(t, " ");
  siox__put(t, text);
}

/* Digits before `end`, which is left alone; where they begin. */
static char *digits(char *end, uint64_t number) {
  do
    *--end = (char)('0' + number % 10);
  while (number /= 10);
  return end;
}

void siox__put_number(struct siox__text *t, uint64_t number, int width) {
  char text[24] = "", *end = text + sizeof text - 1, *at = digits(end, number);
  put_right(t, at, (size_t)(end - at), width);
}

void siox__put_micros(struct siox__text *t, int64_t micros, int width) {
  char text[32] = "", *end = text + sizeof text - 1, *at = end;
  uint64_t rest = micros < 0 ? 0 - (uint64_t)micros : (uint64_t)micros;
  for (int i = 0; i < 6; i++, rest /= 10)
    *--at = (char)('0' + rest % 10);
  *--at = '.';
  at = digits(at, rest);
  if (micros < 0)
    *--at = '-';
  put_right(t, at, (size_t)(end - at), width);
}

void siox__put_name(struct siox__text *t, const char *name, size_t most) {
  for (; *name && most > 0 && t->at < t->end; name++, most--)
    *t->at++ = (unsigned char)*name < ' ' || *name == 127 ? '?' : *name;
}

/* Micros of what a daemon says, which may be anything. */
static int64_t micros(double x) {
  return x > -9e12 && x < 9e12 ? (int64_t)(x * 1e6 + (x < 0 ? -0.5 : 0.5)) : 0;
}

void siox__put_joules(struct siox__text *t, const char *unasked, uint32_t flags, double disks,
                      double processors, const char *source, const char *of) {
  siox__put(t, "  CONSUMED_ENERGY_JOULE = ");
  if (unasked || !(flags & (SIOX_TOTALS_DISKS | SIOX_TOTALS_PROCESSORS))) {
    siox__put(t, "not known (");
    siox__put(t, unasked ? unasked : "sioxd has no meter");
    siox__put(t, ")\n");
    return;
  }
  const bool has_disks = flags & SIOX_TOTALS_DISKS, has_processors = flags & SIOX_TOTALS_PROCESSORS;
  siox__put_micros(t, micros((has_disks ? disks : 0) + (has_processors ? processors : 0)), 0);
  siox__put(t, " (");
  siox__put(t, of);
  if (has_disks) {
    siox__put(t, "; disks ");
    siox__put_micros(t, micros(disks), 0);
    siox__put(t, " estimated");
  }
  if (has_processors) {
    siox__put(t, "; processors ");
    siox__put_micros(t, micros(processors), 0);
    siox__put(t, flags & SIOX_TOTALS_ESTIMATED ? " estimated" : " by ");
    if (!(flags & SIOX_TOTALS_ESTIMATED))
      siox__put_name(t, source, 32);
  } else {
    siox__put(t, "; processors not metered");
  }
  siox__put(t, ")\n");
}

void siox__put_findings(struct siox__text *t, const char *unasked,
                        const struct siox_msg_totals *said) {
  siox__put(t, "  anomalies: ");
  if (unasked || !(said->flags & SIOX_TOTALS_MONITORED)) {
    siox__put(t, "nobody looked (");
    siox__put(t, unasked ? unasked : "sioxd measures nothing");
    siox__put(t, ")\n");
    return;
  }
  siox__put_number(t, said->findings, 0);
  siox__put(t, " seen by sioxd\n");
  for (uint32_t i = 0; i < said->notes && i < SIOX_TOTALS_NOTES; i++) {
    siox__put(t, "    ");
    siox__put_name(t, said->note[i], sizeof said->note[i] - 1);
    siox__put(t, "\n");
  }
}

static void put_row(struct siox__text *t, const char *layer, const char *name,
                    const struct siox__report_row *r) {
  siox__put(t, "  ");
  siox__put_left(t, layer, 6);
  siox__put_left(t, name, NAME_WIDTH - 6);
  siox__put_number(t, r->calls, 11);
  siox__put_number(t, r->bytes, 16);
  siox__put_micros(t, r->total_ns / 1000, 14);
  siox__put_micros(t, r->longest_ns / 1000, 12);
  siox__put_number(t, r->errors, 8);
  siox__put(t, "\n");
}

static void put_calls(struct siox__text *t, const struct siox__figures *f) {
  struct siox__report_row rest = {0};
  if (f->nrows > 0)
    siox__put(t, "  calls                               number           bytes       seconds     "
                 "longest  errors\n");
  for (uint32_t i = 0; i < f->nrows; i++) {
    const struct siox__report_row *r = &f->row[i];
    if (i < KINDS_SHOWN) {
      put_row(t, siox__row_layer(r->row), siox__row_name(r->row), r);
      continue;
    }
    rest.calls += r->calls;
    rest.bytes += r->bytes;
    rest.errors += r->errors;
    rest.total_ns += r->total_ns;
    rest.longest_ns = r->longest_ns > rest.longest_ns ? r->longest_ns : rest.longest_ns;
  }
  if (rest.calls > 0)
    put_row(t, "", "other kinds", &rest);
  if (!f->counted)
    siox__put(t, "  calls were not counted: there was no memory to count in\n");
  if (f->partial > 0) {
    siox__put(t, "  partial: ");
    siox__put_number(t, f->partial, 0);
    siox__put(t, " more calls were not counted: there was no room for their kinds\n");
  }
}

void siox__report_text(struct siox__text *t, const char *program, const struct siox__figures *f) {
  uint64_t calls = 0, bytes = 0;
  int64_t ns[SIOX_NLAYERS] = {0};
  for (uint32_t i = 0; i < f->nrows; i++) {
    const bool posix = f->row[i].row >= SIOX_NCALLS;
    calls += f->row[i].calls;
    bytes += posix ? f->row[i].bytes : 0;
    ns[posix ? SIOX_LAYER_POSIX : SIOX_LAYER_MPIIO] += f->row[i].total_ns;
  }
  siox__put(t, "siox: report of ");
  siox__put_name(t, program, 80);
  if (f->rank >= 0) {
    siox__put(t, ", rank ");
    siox__put_number(t, (uint64_t)f->rank, 0);
  }
  siox__put(t, ", pid ");
  siox__put_number(t, (uint64_t)f->pid, 0);
  siox__put(t, ", ended by ");
  siox__put(t, f->how);
  siox__put(t, "\n  CONSUMED_CPU_SECONDS = ");
  siox__put_micros(t, f->cpu_ns / 1000, 0);
  siox__put(t, "\n");
  siox__put_joules(t, f->unasked, f->said.flags, f->said.disk_joules, f->said.processor_joules,
                   f->said.source, "the whole job on this node");
  siox__put(t, "  ACCESSED_IO_BYTES = ");
  siox__put_number(t, bytes, 0);
  siox__put(t, " (calls on regular files");
  if (f->has_storage) {
    siox__put(t, "; from storage ");
    siox__put_number(t, f->storage_read, 0);
    siox__put(t, ", to storage ");
    siox__put_number(t, f->storage_written, 0);
  }
  siox__put(t, ")\n  TRANSFERRED_NETWORK_BYTES = ");
  if (f->has_network) {
    siox__put_number(t, f->network_bytes, 0);
    siox__put(t, " (the whole node meanwhile)\n");
  } else {
    siox__put(t, "not known (no /proc/net/dev)\n");
  }
  siox__put(t, "  OBSERVED_RUNTIME_MS = ");
  siox__put_number(t, (uint64_t)(f->runtime_ns / 1000000), 0);
  siox__put(t, "\n");
  put_calls(t, f);
  siox__put(t, "  time in I/O, all threads: MPI-IO ");
  siox__put_micros(t, ns[SIOX_LAYER_MPIIO] / 1000, 0);
  siox__put(t, " s, POSIX ");
  siox__put_micros(t, ns[SIOX_LAYER_POSIX] / 1000, 0);
  siox__put(t, " s (below MPI-IO or not)\n");
  siox__put_findings(t, f->unasked, &f->said);
  siox__put(t, "  siox itself: ");
  siox__put_number(t, calls, 0);
  siox__put(t, " calls counted at ");
  siox__put_number(t, (uint64_t)f->cost_ns, 0);
  siox__put(t, " ns = ");
  siox__put_micros(
      t,
      (int64_t)(calls / 1000 * (uint64_t)f->cost_ns + calls % 1000 * (uint64_t)f->cost_ns / 1000),
      0);
  siox__put(t, " s, start ");
  siox__put_micros(t, f->start_ns / 1000, 0);
  siox__put(t, " s, memory ");
  siox__put_number(t, f->memory_bytes / 1024, 0);
  siox__put(t, " KiB\n");
}
