/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the files of climate share; climate.c says what the program does. Functions end the program
 * with a message where something fails. */
#ifndef SIOX_TEST_APPS_CLIMATE_H
#define SIOX_TEST_APPS_CLIMATE_H
#include "info_option.h"
#include "options.h"
#include <mpi.h>

enum { EVENTS = 256, NAME = 4096 };

struct anomaly {
  int64_t rank, step;
  double seconds;
  bool spin;
};
struct options {
  const char *prefix, *restart, *json_file;
  struct info_option hints;
  int64_t n, layers, v2, v3, steps, work, output_every, rollover, restart_every, seed,
      nevents;
  double pause;
  struct anomaly signalled; /* seconds 0: none */
  struct anomaly event[EVENTS];
};
struct header { /* of a restart file */
  char magic[8];
  int64_t n, layers, v2, v3, step, seed;
  uint64_t checksum;
};

struct state {
  const struct options *o;
  int64_t slices, first, rows;   /* this rank's rows begin there */
  size_t pitch;                  /* doubles a slice, with a row of each neighbour */
  double *now, *next;            /* [slice][rows + 2][n] */
  int *order;                    /* own cells along the curve */
  double *line;                  /* what is written at once: a variable's slices */
  MPI_Datatype curve, halo, own; /* own: all slices' rows without those of the neighbours */
  MPI_File file;
  bool open;
  double compute, exchange, output, saving; /* seconds */
  int64_t outputs, restarts;
};

extern int climate_rank, climate_ranks;

/* code: of MPI, for its own words; MPI_SUCCESS: none. */
_Noreturn void climate_fail(const char *what, const char *name, int code);
void *climate_allocate(size_t count, size_t size); /* zeroed */

/* climate_grid.c: the state and its time steps */
void climate_create(struct state *s, const struct options *o);
void climate_destroy(struct state *s);
void climate_step(struct state *s);
/* Of the whole state, whoever has which part. */
uint64_t climate_checksum(struct state *s);
/* Of a slice's row; rows count from -1 to the number of own rows. */
static inline double *climate_row(const struct state *s, double *at, int64_t slice, int64_t y) {
  return at + (size_t)slice * s->pitch + (size_t)((y + 1) * s->o->n);
}

/* climate_files.c */
/* Output number i, from 0; a file has `rollover` of them. */
void climate_output(struct state *s, int64_t i);
void climate_save(struct state *s, int64_t at);
/* Returns the step that the restart file was written after. */
int64_t climate_load(struct state *s);
void climate_must(int code, const char *what, const char *name);

#endif
