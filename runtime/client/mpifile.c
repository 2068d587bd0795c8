/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Open MPI files, by handle; and what an MPI_Info asks of a new file's layout. */
#include "client/mpi.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 256

static struct siox__mpi_file *table[ROWS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic uint32_t generation;

static _Thread_local struct {
  uint32_t generation;
  struct siox__mpi_file *file;
} last __attribute__((tls_model("initial-exec")));

static struct siox__mpi_file **row_of(MPI_File handle) {
  return &table[((uintptr_t)handle >> 4 ^ (uintptr_t)handle >> 12) % ROWS];
}

struct siox__mpi_file *siox__mpi_file(MPI_File handle) {
  uint32_t now = atomic_load_explicit(&generation, memory_order_acquire);
  if (last.file && last.generation == now && last.file->handle == handle)
    return last.file;
  pthread_mutex_lock(&lock);
  struct siox__mpi_file *f = *row_of(handle);
  while (f && f->handle != handle)
    f = f->next;
  pthread_mutex_unlock(&lock);
  last.generation = now;
  last.file = f;
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
  atomic_fetch_add(&generation, 1);
  return f;
}

void siox__mpi_file_free(struct siox__mpi_file *f) {
  if (!f)
    return;
  siox__file_release(f->file);
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

/* ROMIO's collective buffering; what does not say is taken to do it where it helps. */
void siox__mpi_file_gathers(struct siox__mpi_file *f) {
  static const char *const key[2] = {"romio_cb_read", "romio_cb_write"};
  MPI_Info info = MPI_INFO_NULL;
  char value[64];
  if (f->size < 2 || !f->has_layout || PMPI_File_get_info(f->handle, &info) != MPI_SUCCESS)
    return;
  for (int i = 0; i < 2; i++) {
    f->gathers[i] = SIOX__OUT_OF_ORDER;
    if (get(info, key[i], value, sizeof value))
      f->gathers[i] = !strcmp(value, "disable")  ? SIOX__NEVER_GATHERED
                      : !strcmp(value, "enable") ? SIOX__ALWAYS_GATHERED
                                                 : SIOX__OUT_OF_ORDER;
  }
  PMPI_Info_free(&info);
}

static bool number(const char *text, uint64_t *out) {
  char *end;
  errno = 0;
  unsigned long long value = strtoull(text, &end, 10);
  *out = value;
  return !errno && !*end && text[0] >= '0' && text[0] <= '9';
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
