/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Open MPI files, by handle: their views, and what an MPI_Info asks of a new file's layout and of
 * how it is accessed. */
#include "client/mpi.h"
#include "client/viewtype.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 256

static struct siox__mpi_file *table[ROWS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
_Atomic uint32_t siox__mpi_file_generation;
_Thread_local struct siox__mpi_file_last siox__mpi_file_last
    __attribute__((tls_model("initial-exec")));

static struct siox__mpi_file **row_of(MPI_File handle) {
  return &table[((uintptr_t)handle >> 4 ^ (uintptr_t)handle >> 12) % ROWS];
}

struct siox__mpi_file *siox__mpi_file_find(MPI_File handle) {
  const uint32_t now = atomic_load_explicit(&siox__mpi_file_generation, memory_order_acquire);
  pthread_mutex_lock(&lock);
  struct siox__mpi_file *f = *row_of(handle);
  while (f && f->handle != handle)
    f = f->next;
  pthread_mutex_unlock(&lock);
  siox__mpi_file_last.generation = f ? now : now - 1; /* it may be made known any time */
  siox__mpi_file_last.handle = handle;
  siox__mpi_file_last.file = f;
  return f;
}

struct siox__mpi_file *siox__mpi_file_add(MPI_File handle, struct siox__file *file) {
  struct siox__mpi_file *f = calloc(1, sizeof *f);
  if (!f) {
    siox__file_release(file);
    return NULL;
  }
  f->handle = handle;
  f->file = file;
  f->etype = 1;
  f->contiguous = true;
  if (file && file->layout[0])
    f->has_layout = siox_layout_parse(&f->layout, siox__client.welcome.ndisks, file->layout) == 0;
  pthread_mutex_lock(&lock);
  struct siox__mpi_file **row = row_of(handle);
  f->next = *row;
  *row = f;
  pthread_mutex_unlock(&lock);
  return f;
}

struct siox__mpi_file *siox__mpi_file_remove(MPI_File handle) {
  pthread_mutex_lock(&lock);
  struct siox__mpi_file **at = row_of(handle), *f;
  while ((f = *at) && f->handle != handle)
    at = &f->next;
  if (f)
    *at = f->next;
  pthread_mutex_unlock(&lock);
  atomic_fetch_add(&siox__mpi_file_generation, 1);
  return f;
}

void siox__mpi_file_free(struct siox__mpi_file *f) {
  if (!f)
    return;
  siox__file_release(f->file);
  siox__filetype_drop(f->view.type);
  if (f->has_layout)
    siox_layout_free(&f->layout);
  free(f);
}

void siox__mpi_opened_beside(void *handle, const struct siox__file *file) {
  const struct siox__mpi_file *f = siox__mpi_file((MPI_File)(uintptr_t)handle);
  if (f && f->file && f->file != file)
    siox__predict_beside(handle, file->layout);
}

const struct siox_layout *siox__file_of_handle(const void *handle) {
  struct siox__mpi_file *f = siox__mpi_file((MPI_File)(uintptr_t)handle);
  return f && f->has_layout ? &f->layout : NULL;
}

static bool get(MPI_Info info, const char *name, char *value, int size) {
  int there = 0;
  return PMPI_Info_get(info, name, size - 1, value, &there) == MPI_SUCCESS && there && *value;
}

static bool number(const char *text, uint64_t *out) {
  char *end;
  errno = 0;
  unsigned long long value = strtoull(text, &end, 10);
  *out = value;
  return !errno && !*end && text[0] >= '0' && text[0] <= '9';
}

static enum siox__gathers gathers(MPI_Info info, const char *key) {
  char value[64];
  if (!get(info, key, value, sizeof value))
    return SIOX__OUT_OF_ORDER;
  return !strcmp(value, "disable")  ? SIOX__NEVER_GATHERED
         : !strcmp(value, "enable") ? SIOX__ALWAYS_GATHERED
                                    : SIOX__OUT_OF_ORDER;
}

/* ROMIO's keys; what does not say is taken to do it where it helps, with ROMIO's buffers. */
void siox__mpi_file_hints(struct siox__mpi_file *f) {
  static const struct {
    const char *gathers, *sieves, *buffer;
    int64_t usual; /* bytes */
  } key[2] = {{"romio_cb_read", "romio_ds_read", "ind_rd_buffer_size", 4194304},
              {"romio_cb_write", "romio_ds_write", "ind_wr_buffer_size", 524288}};
  MPI_Info info = MPI_INFO_NULL;
  char value[64];
  uint64_t bytes;
  if (!f->has_layout || PMPI_File_get_info(f->handle, &info) != MPI_SUCCESS)
    return;
  for (int i = 0; i < 2; i++) {
    f->gathers[i] = gathers(info, key[i].gathers);
    bool asked = get(info, key[i].buffer, value, sizeof value) && number(value, &bytes);
    f->sieve[i] = asked && bytes && bytes < INT64_MAX ? (int64_t)bytes : key[i].usual;
    if (get(info, key[i].sieves, value, sizeof value) && !strcmp(value, "disable"))
      f->sieve[i] = 0;
  }
  PMPI_Info_free(&info);
}

/* MPI-IO has its own opinion of some types: ROMIO (MPICH 4.0.2) loses parts of types of subarrays
 * and of resized types. What it says of a few places tells. */
static bool agrees(const struct siox__mpi_file *f, const struct siox__view *view) {
  int64_t n = siox__filetype_facts(view->type)->size / f->etype;
  const int64_t looks[] = {0, 1, n / 3, n / 2, n - n / 3, n - 1, n, n + 1, 2 * n - 1};
  for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
    MPI_Offset at = -1;
    int64_t low, high;
    if (looks[i] < 0 || siox__view_span(view, looks[i] * f->etype, 1, &low, &high) < 0 ||
        PMPI_File_get_byte_offset(f->handle, looks[i], &at) != MPI_SUCCESS || at < low ||
        at >= high)
      return false;
  }
  return true;
}

/* A view whose file type has no holes maps offsets to bytes in one step. */
void siox__mpi_file_view(struct siox__mpi_file *f, MPI_Offset displacement, MPI_Datatype etype,
                         MPI_Datatype filetype, const char *datarep) {
  MPI_Count etype_size = 0, size = 0, lower = 0, extent = 0;
  PMPI_Type_size_x(etype, &etype_size);
  PMPI_Type_size_x(filetype, &size);
  PMPI_Type_get_extent_x(filetype, &lower, &extent);
  bool plain = displacement >= 0 && etype_size > 0 && !strcmp(datarep, "native");
  siox__filetype_drop(f->view.type);
  f->view = (struct siox__view){.displacement = displacement};
  f->displacement = displacement;
  f->etype = etype_size;
  f->contiguous = plain && size == extent && lower == 0;
  if (!plain || f->contiguous || !f->has_layout || size <= 0)
    return;
  f->view.type = siox__viewtype(filetype);
  if (f->view.type && !agrees(f, &f->view)) {
    siox__filetype_drop(f->view.type);
    f->view.type = NULL;
  }
}

/* Reserved hints of MPI 4.0 section 14.2.8 (striping_factor, striping_unit), ROMIO's
 * start_iodevice, and PVFS's CREATE_SET_DATAFILE_NODES of the paper (a comma list). What is missing
 * or not a number is left to the daemon's default; a hint never fails an open. */
void siox__mpi_layout_hint(MPI_Info info, char *text, size_t size) {
  char factor_text[MPI_MAX_INFO_VAL + 1], unit_text[MPI_MAX_INFO_VAL + 1],
      base_text[MPI_MAX_INFO_VAL + 1], nodes[MPI_MAX_INFO_VAL + 1];
  uint64_t factor = siox__client.welcome.ndisks, unit = 65536, base = 0;
  *text = 0;
  if (info == MPI_INFO_NULL)
    return;
  bool has_factor = get(info, "striping_factor", factor_text, sizeof factor_text) &&
                    number(factor_text, &factor) && factor;
  bool has_unit =
      get(info, "striping_unit", unit_text, sizeof unit_text) && number(unit_text, &unit) && unit;
  bool has_base =
      get(info, "start_iodevice", base_text, sizeof base_text) && number(base_text, &base);
  bool has_nodes = get(info, "CREATE_SET_DATAFILE_NODES", nodes, sizeof nodes);
  if (!has_factor && !has_unit && !has_base && !has_nodes)
    return;
  if (!has_factor || factor > siox__client.welcome.ndisks)
    factor = siox__client.welcome.ndisks;
  if (!has_unit)
    unit = 65536; /* MPI-IO file systems' usual default */
  if (has_nodes) {
    size_t used = 0;
    for (const char *c = nodes; *c && used + 1 < sizeof nodes; c++)
      if (*c != ' ')
        nodes[used++] = *c == ':' ? ',' : *c; /* PVFS separates by colons, the paper by commas */
    nodes[used] = 0;
    snprintf(text, size, "%s:%llu", nodes, (unsigned long long)unit);
  } else {
    snprintf(text, size, "%llu:%llu:%llu", (unsigned long long)base, (unsigned long long)factor,
             (unsigned long long)unit);
  }
  struct siox_layout valid;
  if (siox_layout_parse(&valid, siox__client.welcome.ndisks, text) < 0)
    *text = 0;
  else
    siox_layout_free(&valid);
}
