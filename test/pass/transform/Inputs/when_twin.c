/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Stand-ins for libsiox and MPI that see in which iterations of a loop accesses come, and whether
 * what was told of the loop allows them there: in this iteration, and not before the gaps that
 * stand ahead of them. Standard error gets one line a contradiction, and at the end: accesses, of
 * them under a condition; contradictions; conditions told, and iterations that they excluded; gaps
 * ahead. */
#include "client/when_iterations.h"
#include <mpi.h>
#include <stdio.h>

enum { MOST = 16, PASSED = 64 };
static struct loop {
  const struct siox_region *region;
  const struct siox_steps_when *when[MOST];
  int64_t first[MOST], modulus[MOST], iteration;
  const struct siox_region *passed[PASSED]; /* in this iteration */
  int conditions, running, npassed;
} loop;
static const struct siox_site *site;
static long accesses, bound, wrong, told, excluded, ahead;
int at_loop;

void begin(void) { loop.running = loop.conditions = 0; }
int opaque(int value) { return value; }
void opaque_bytes(const void *bytes) { (void)bytes; }
void touch(void *bytes) {
  static int calls;
  if (++calls % 3 == 0)
    *(unsigned char *)bytes = *(unsigned char *)bytes % 7 + 1;
}
void skip(void *index) { touch(index); }
int over(void) {
  fprintf(stderr, "accesses %ld bound %ld wrong %ld told %ld excluded %ld ahead %ld\n", accesses,
          bound, wrong, told, excluded, ahead);
  return 0;
}

static int stands_for(const struct siox_steps_when *when) {
  for (uint32_t i = 0; i < when->nsites; i++)
    if (when->sites[i] == site)
      return 1;
  return 0;
}

void siox_at(const struct siox_site *s) { site = s; }
void siox_region_files(struct siox_file_uses *uses, const void *a, const void *b, const void *c,
                       const void *d) {
  (void)uses, (void)a, (void)b, (void)c, (void)d;
}
void siox_steps_when(struct siox_steps_when *when, int64_t first, int64_t modulus) {
  int i = loop.conditions++;
  told++;
  loop.when[i] = when;
  loop.first[i] = first;
  loop.modulus[i] = modulus;
}
int64_t siox_region_enter(struct siox_region *region, int64_t trip) {
  (void)trip;
  if (region->kind != SIOX_REGION_STEPS) {
    if (loop.npassed < PASSED)
      loop.passed[loop.npassed++] = region;
    return INT64_MAX;
  }
  loop.region = region;
  loop.iteration = 0;
  loop.npassed = 0;
  loop.running = 1;
  return 1;
}
int64_t siox_region_tick(struct siox_region *region, int64_t iteration) {
  if (region != loop.region)
    return INT64_MAX;
  for (int i = 0; i < loop.conditions; i++)
    excluded += !siox__when_fulfilled(loop.when[i], loop.first[i], loop.modulus[i], loop.iteration);
  loop.iteration = iteration;
  loop.npassed = 0;
  return iteration + 1;
}
void siox_region_leave(struct siox_region *region) {
  if (region == loop.region)
    loop.running = 0;
}
int64_t siox_split_lead(struct siox_region *region, int64_t trip, int64_t iteration_ns) {
  (void)region, (void)trip, (void)iteration_ns;
  return 0;
}
void siox_region_hint(struct siox_region *region, int32_t F, int64_t left) {
  (void)region, (void)F, (void)left;
}

/* One that stands ahead of what the condition leads to has not been entered in this iteration. */
static int is_missing(const struct siox_steps_when *when) {
  uint32_t found = 0;
  for (uint32_t i = 0; i < when->nahead; i++)
    for (int k = 0; k < loop.npassed; k++)
      if (loop.passed[k] == when->ahead[i]) {
        found++;
        break;
      }
  return found < when->nahead;
}

int MPI_File_write_at(MPI_File f, MPI_Offset offset, const void *buffer, int count,
                      MPI_Datatype type, MPI_Status *status) {
  (void)f, (void)offset, (void)buffer, (void)count, (void)type, (void)status;
  accesses++;
  int some = 0, only = loop.running && loop.conditions && loop.when[0]->only;
  for (int i = 0; loop.running && i < loop.conditions; i++) {
    int fulfilled =
        siox__when_fulfilled(loop.when[i], loop.first[i], loop.modulus[i], loop.iteration);
    some |= fulfilled;
    if (!stands_for(loop.when[i]))
      continue;
    bound++;
    ahead += loop.when[i]->nahead;
    if (loop.npassed < PASSED && is_missing(loop.when[i])) {
      wrong++;
      fprintf(stderr, "loop %d line %u: access in iteration %ld before what stands ahead\n",
              at_loop, site->line, (long)loop.iteration);
    }
    if (!fulfilled) {
      wrong++;
      fprintf(stderr, "loop %d line %u: access in iteration %ld, first %ld modulus %ld\n", at_loop,
              site->line, (long)loop.iteration, (long)loop.first[i], (long)loop.modulus[i]);
    }
  }
  if (only && !some) {
    wrong++;
    fprintf(stderr, "loop %d line %u: access in iteration %ld that fulfils none\n", at_loop,
            site->line, (long)loop.iteration);
  }
  return MPI_SUCCESS;
}
