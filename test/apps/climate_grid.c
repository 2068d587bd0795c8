/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The grid and what is computed on it. */
#include "climate.h"

static int64_t first_row(const struct options *o, int r) { return o->n * r / climate_ranks; }

/* Where Hilbert's curve comes to (x, y), on a square of n. */
static int64_t along(int64_t n, int64_t x, int64_t y) {
  int64_t d = 0;
  for (int64_t s = n / 2; s > 0; s /= 2) {
    int64_t rx = (x & s) > 0, ry = (y & s) > 0;
    d += s * s * ((3 * rx) ^ ry);
    if (ry)
      continue;
    int64_t other = rx ? s - 1 - (y & (s - 1)) : y & (s - 1);
    y = rx ? s - 1 - (x & (s - 1)) : x & (s - 1);
    x = other;
  }
  return d;
}

struct cell {
  int64_t at;
  int own;
};
static int by_place(const void *a, const void *b) {
  const struct cell *x = a, *y = b;
  return x->at < y->at ? -1 : x->at > y->at;
}

/* Where the own cells of a slice lie in a file, as a datatype that goes on with the next slice. */
static void follow_curve(struct state *s) {
  int64_t n = s->o->n, count = s->rows * n;
  struct cell *cell = climate_allocate((size_t)count, sizeof *cell);
  int *length = climate_allocate((size_t)count, sizeof *length),
      *at = climate_allocate((size_t)count, sizeof *at);
  int runs = 0;
  for (int64_t i = 0; i < count; i++)
    cell[i] = (struct cell){along(n, i % n, s->first + i / n), (int)i};
  qsort(cell, (size_t)count, sizeof *cell, by_place);
  s->order = climate_allocate((size_t)count, sizeof *s->order);
  for (int64_t i = 0; i < count; i++) {
    s->order[i] = cell[i].own;
    if (i == 0 || cell[i].at != cell[i - 1].at + 1)
      at[runs++] = (int)cell[i].at;
    length[runs - 1]++;
  }
  MPI_Datatype once;
  MPI_Type_indexed(runs, length, at, MPI_DOUBLE, &once);
  MPI_Type_create_resized(once, 0, (MPI_Aint)(n * n * (int64_t)sizeof(double)), &s->curve);
  MPI_Type_commit(&s->curve);
  MPI_Type_free(&once);
  free(cell);
  free(length);
  free(at);
}

void climate_create(struct state *s, const struct options *o) {
  *s = (struct state){
      .o = o, .slices = o->v2 + o->v3 * o->layers, .first = first_row(o, climate_rank)};
  s->rows = first_row(o, climate_rank + 1) - s->first;
  s->pitch = (size_t)((s->rows + 2) * o->n);
  s->now = climate_allocate((size_t)s->slices * s->pitch, sizeof *s->now);
  s->next = climate_allocate((size_t)s->slices * s->pitch, sizeof *s->next);
  s->line = climate_allocate((size_t)(o->layers * s->rows * o->n), sizeof *s->line);
  follow_curve(s);
  MPI_Type_vector((int)s->slices, (int)o->n, (int)s->pitch, MPI_DOUBLE, &s->halo);
  MPI_Type_commit(&s->halo);
  MPI_Type_vector((int)s->slices, (int)(s->rows * o->n), (int)s->pitch, MPI_DOUBLE, &s->own);
  MPI_Type_commit(&s->own);
  for (int64_t f = 0; f < s->slices; f++)
    for (int64_t y = 0; y < s->rows; y++)
      for (int64_t x = 0; x < o->n; x++) {
        uint64_t place = (uint64_t)((f * o->n + s->first + y) * o->n + x);
        climate_row(s, s->now, f, y)[x] =
            (double)(option_mix((uint64_t)o->seed, place) >> 11) * 0x1p-53;
      }
}

void climate_destroy(struct state *s) {
  free(s->now);
  free(s->next);
  free(s->line);
  free(s->order);
  MPI_Type_free(&s->curve);
  MPI_Type_free(&s->halo);
  MPI_Type_free(&s->own);
}

static void exchange(struct state *s) {
  int up = (climate_rank + climate_ranks - 1) % climate_ranks,
      down = (climate_rank + 1) % climate_ranks;
  double start = MPI_Wtime();
  MPI_Sendrecv(climate_row(s, s->now, 0, 0), 1, s->halo, up, 0, climate_row(s, s->now, 0, s->rows),
               1, s->halo, down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(climate_row(s, s->now, 0, s->rows - 1), 1, s->halo, down, 1,
               climate_row(s, s->now, 0, -1), 1, s->halo, up, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  s->exchange += MPI_Wtime() - start;
}

/* One slice: spread, carried eastwards by its wind, mixed with the layers or the air above. */
static void advance(struct state *s, int64_t slice, int64_t above, int64_t below, double wind) {
  const int64_t n = s->o->n;
  for (int64_t y = 0; y < s->rows; y++) {
    const double *north = climate_row(s, s->now, slice, y - 1),
                 *here = climate_row(s, s->now, slice, y),
                 *south = climate_row(s, s->now, slice, y + 1),
                 *a = climate_row(s, s->now, above, y), *b = climate_row(s, s->now, below, y);
    double *to = climate_row(s, s->next, slice, y);
    for (int64_t x = 0; x < n; x++) {
      double west = here[x ? x - 1 : n - 1], east = here[x < n - 1 ? x + 1 : 0];
      double spread = north[x] + south[x] + west + east - 4 * here[x];
      double mixed = a[x] + b[x] - 2 * here[x];
      to[x] = here[x] + 0.125 * spread + wind * (west - here[x]) + 0.0625 * mixed;
    }
  }
}

/* What happens within a column, and so needs no other rank: layers draw near to each other. */
static void columns(struct state *s) {
  const int64_t n = s->o->n, layers = s->o->layers;
  for (int64_t v = 0; v < s->o->v3; v++)
    for (int64_t l = 1; l < layers; l++)
      for (int64_t y = 0; y < s->rows; y++) {
        const double *below = climate_row(s, s->now, s->o->v2 + v * layers + l - 1, y);
        double *here = climate_row(s, s->now, s->o->v2 + v * layers + l, y);
        for (int64_t x = 0; x < n; x++)
          here[x] += 0.0078125 * (below[x] - here[x]) * (1 - 0.25 * here[x]);
      }
}

void climate_step(struct state *s) {
  const struct options *o = s->o;
  exchange(s);
  double start = MPI_Wtime();
  for (int64_t v = 0; v < o->v2; v++) {
    int64_t air = o->v3 ? o->v2 + v % o->v3 * o->layers : v;
    advance(s, v, air, air, 0.03125);
  }
  for (int64_t v = 0; v < o->v3; v++)
    for (int64_t l = 0; l < o->layers; l++) {
      int64_t slice = o->v2 + v * o->layers + l;
      advance(s, slice, l ? slice - 1 : slice, l < o->layers - 1 ? slice + 1 : slice,
              0.0625 * (double)(l + 1) / (double)o->layers);
    }
  double *swap = s->now;
  s->now = s->next;
  s->next = swap;
  for (int64_t again = 0; again < o->work; again++)
    columns(s);
  s->compute += MPI_Wtime() - start;
}

uint64_t climate_checksum(struct state *s) {
  const int64_t n = s->o->n;
  uint64_t mine = 0, all;
  for (int64_t f = 0; f < s->slices; f++)
    for (int64_t y = 0; y < s->rows; y++)
      for (int64_t x = 0; x < n; x++) {
        uint64_t bits;
        memcpy(&bits, climate_row(s, s->now, f, y) + x, sizeof bits);
        mine += option_mix(bits, (uint64_t)((f * n + s->first + y) * n + x));
      }
  MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return all;
}
