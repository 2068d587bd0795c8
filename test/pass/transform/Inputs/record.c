/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Stand-ins for libsiox and MPI that write every call to standard error as "NAME LINE ...", where LINE is the
 * region's. A region asks for a tick at every iteration, or, with TICK=n, at iteration n only; LEAD is what
 * siox_split_lead answers. At the end: how many regions are open. */
#include "siox/site.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int open_regions;

static void report(void) { fprintf(stderr, "open %d\n", open_regions); }

static int64_t setting(const char *name, int64_t otherwise) {
  const char *text = getenv(name);
  return text ? atoll(text) : otherwise;
}

static void number(const char *name, int64_t value) {
  if (value == SIOX_UNKNOWN)
    fprintf(stderr, " %s=?", name);
  else
    fprintf(stderr, " %s=%lld", name, (long long)value);
}

void siox_at(const struct siox_site *site) { fprintf(stderr, "at %u\n", site->line); }

void siox_region_files(struct siox_file_uses *uses, const void *a, const void *b, const void *c, const void *d) {
  (void)uses, (void)a, (void)b, (void)c, (void)d;
}
void siox_steps_when(struct siox_steps_when *when, int64_t first, int64_t modulus) { (void)when, (void)first, (void)modulus; }

int64_t siox_region_enter(struct siox_region *region, int64_t trip) {
  static int first = 1;
  if (first)
    atexit(report);
  first = 0;
  open_regions++;
  fprintf(stderr, "enter %u", region->line);
  number("trip", trip);
  fprintf(stderr, "\n");
  return setting("TICK", 1);
}

int64_t siox_region_tick(struct siox_region *region, int64_t iteration) {
  fprintf(stderr, "tick %u %lld\n", region->line, (long long)iteration);
  return getenv("TICK") ? SIOX_UNKNOWN : iteration + 1;
}

void siox_region_leave(struct siox_region *region) {
  open_regions--;
  fprintf(stderr, "leave %u\n", region->line);
}

static void mask(const struct siox_mask *m) {
  fputc(' ', stderr);
  for (uint32_t disk = 0; disk < m->ndisks; disk++)
    fputc(siox_mask_test(m, disk) ? '1' : '0', stderr);
}

int siox_set_speed(const struct siox_mask *T, int32_t S, int32_t F) {
  fprintf(stderr, "set_speed");
  mask(T);
  fprintf(stderr, " %d %d\n", S, F);
  return 0;
}

int siox_set_speed_at(const struct siox_mask *T, int32_t S, int32_t F, int64_t need_by, int64_t until,
                      const struct siox_site *site) {
  (void)need_by;
  (void)site;
  fprintf(stderr, "set_speed_at");
  mask(T);
  fprintf(stderr, " %d %d%s\n", S, F, until == INT64_MAX ? " never" : "");
  return 0;
}

int64_t siox_split_lead(struct siox_region *region, int64_t trip, int64_t iteration_ns) {
  (void)iteration_ns;
  fprintf(stderr, "split_lead %u", region->line);
  number("trip", trip);
  fprintf(stderr, "\n");
  return setting("LEAD", 0);
}

void siox_region_hint(struct siox_region *region, int32_t F, int64_t iterations_left) {
  fprintf(stderr, "hint %u %d", region->line, F);
  number("left", iterations_left);
  fprintf(stderr, "\n");
}

int MPI_File_read_at(MPI_File f, MPI_Offset offset, void *buffer, int count, MPI_Datatype type, MPI_Status *status) {
  (void)f, (void)offset, (void)buffer, (void)count, (void)type, (void)status;
  return MPI_SUCCESS;
}
int MPI_File_write_at(MPI_File f, MPI_Offset offset, const void *buffer, int count, MPI_Datatype type,
                      MPI_Status *status) {
  (void)f, (void)offset, (void)buffer, (void)count, (void)type, (void)status;
  return MPI_SUCCESS;
}
int MPI_File_open(MPI_Comm comm, const char *name, int mode, MPI_Info info, MPI_File *f) {
  (void)comm, (void)name, (void)mode, (void)info;
  *f = MPI_FILE_NULL;
  return MPI_SUCCESS;
}
int MPI_File_close(MPI_File *f) {
  (void)f;
  return MPI_SUCCESS;
}
int MPI_Info_create(MPI_Info *info) {
  *info = MPI_INFO_NULL;
  return MPI_SUCCESS;
}
int MPI_Info_set(MPI_Info info, const char *key, const char *value) {
  (void)info, (void)key, (void)value;
  return MPI_SUCCESS;
}
int MPI_Info_free(MPI_Info *info) {
  (void)info;
  return MPI_SUCCESS;
}
