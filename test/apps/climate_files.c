/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Outputs along the curve, and restart files. */
#include "climate.h"
#include <inttypes.h>

static MPI_File open_file(const struct options *o, const char *name, int mode) {
  MPI_Info info = info_option_make(&o->hints);
  MPI_File file;
  int code = MPI_File_open(MPI_COMM_WORLD, name, mode, info, &file);
  if (code != MPI_SUCCESS)
    climate_fail("cannot be opened", name, code);
  if (info != MPI_INFO_NULL)
    MPI_Info_free(&info);
  return file;
}

void climate_must(int code, const char *what, const char *name) {
  if (code != MPI_SUCCESS)
    climate_fail(what, name, code);
}

void climate_output(struct state *s, int64_t i) {
  const struct options *o = s->o;
  char name[NAME];
  int64_t number = i / o->rollover, own = s->rows * o->n, at = i % o->rollover * s->slices;
  double start = MPI_Wtime();
  snprintf(name, sizeof name, "%s.out.%04" PRId64, o->prefix, number);
  if (!s->open) {
    s->file = open_file(o, name, MPI_MODE_CREATE | MPI_MODE_WRONLY);
    if (i % o->rollover == 0)
      climate_must(MPI_File_set_size(s->file, 0), "cannot be cut", name);
    climate_must(MPI_File_set_view(s->file, 0, MPI_DOUBLE, s->curve, "native", MPI_INFO_NULL),
                 "view", name);
    s->open = true;
  }
  for (int64_t f = 0; f < s->slices;) {
    int64_t many = f < o->v2 ? 1 : o->layers;
    double *to = s->line;
    for (int64_t l = f; l < f + many; l++) {
      const double *from = climate_row(s, s->now, l, 0);
      for (int64_t c = 0; c < own; c++)
        *to++ = from[s->order[c]];
    }
    climate_must(MPI_File_write_at_all(s->file, (at + f) * own, s->line, (int)(many * own),
                                       MPI_DOUBLE, MPI_STATUS_IGNORE),
                 "cannot be written", name);
    f += many;
  }
  if ((i + 1) % o->rollover == 0) {
    climate_must(MPI_File_close(&s->file), "cannot be closed", name);
    s->open = false;
  }
  s->output += MPI_Wtime() - start;
  s->outputs++;
}

/* Own rows of every slice of a restart file. */
static void view_rows(const struct state *s, MPI_File file, const char *name) {
  MPI_Datatype rows, spread;
  const int64_t n = s->o->n, bytes = (int64_t)sizeof(double);
  MPI_Type_contiguous((int)(s->rows * n), MPI_DOUBLE, &rows);
  MPI_Type_create_resized(rows, 0, (MPI_Aint)(n * n * bytes), &spread);
  MPI_Type_commit(&spread);
  climate_must(MPI_File_set_view(file, (MPI_Offset)sizeof(struct header) + s->first * n * bytes,
                                 MPI_DOUBLE, spread, "native", MPI_INFO_NULL),
               "view", name);
  MPI_Type_free(&spread);
  MPI_Type_free(&rows);
}

/* Under another name until it is whole: a run that is killed leaves the restart file before. */
void climate_save(struct state *s, int64_t at) {
  const struct options *o = s->o;
  struct header h = {"CLIMATE", o->n, o->layers, o->v2, o->v3, at, o->seed, climate_checksum(s)};
  char name[NAME], part[NAME + 8];
  double start = MPI_Wtime();
  snprintf(name, sizeof name, "%s.restart.%06" PRId64, o->prefix, at);
  snprintf(part, sizeof part, "%s.part", name);
  MPI_File file = open_file(o, part, MPI_MODE_CREATE | MPI_MODE_WRONLY);
  if (climate_rank == 0)
    climate_must(MPI_File_write_at(file, 0, &h, sizeof h, MPI_BYTE, MPI_STATUS_IGNORE),
                 "cannot be written", part);
  view_rows(s, file, part);
  climate_must(
      MPI_File_write_at_all(file, 0, climate_row(s, s->now, 0, 0), 1, s->own, MPI_STATUS_IGNORE),
      "cannot be written", part);
  climate_must(MPI_File_close(&file), "cannot be closed", part);
  if (climate_rank == 0 && rename(part, name) < 0)
    climate_fail(strerror(errno), name, MPI_SUCCESS);
  s->saving += MPI_Wtime() - start;
  s->restarts++;
}

int64_t climate_load(struct state *s) {
  const struct options *o = s->o;
  struct header h = {.magic = ""};
  MPI_Offset size;
  MPI_File file = open_file(o, o->restart, MPI_MODE_RDONLY);
  climate_must(MPI_File_read_at_all(file, 0, &h, sizeof h, MPI_BYTE, MPI_STATUS_IGNORE),
               "cannot be read", o->restart);
  if (memcmp(h.magic, "CLIMATE", sizeof h.magic) != 0)
    climate_fail("is no restart file", o->restart, MPI_SUCCESS);
  if (h.n != o->n || h.layers != o->layers || h.v2 != o->v2 || h.v3 != o->v3 || h.seed != o->seed)
    climate_fail("is of another grid, other variables or another seed", o->restart, MPI_SUCCESS);
  if (h.step < 0 || h.step > o->steps)
    climate_fail("is of a later step than the last one (--steps)", o->restart, MPI_SUCCESS);
  climate_must(MPI_File_get_size(file, &size), "has no size", o->restart);
  if (size < (MPI_Offset)(sizeof h + (size_t)(s->slices * o->n * o->n) * sizeof(double)))
    climate_fail("ends too early", o->restart, MPI_SUCCESS);
  view_rows(s, file, o->restart);
  climate_must(
      MPI_File_read_at_all(file, 0, climate_row(s, s->now, 0, 0), 1, s->own, MPI_STATUS_IGNORE),
      "cannot be read", o->restart);
  climate_must(MPI_File_close(&file), "cannot be closed", o->restart);
  if (climate_checksum(s) != h.checksum)
    climate_fail("is damaged", o->restart, MPI_SUCCESS);
  return h.step;
}
