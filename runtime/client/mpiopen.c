/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Wrappers of the MPI-IO calls that move no data: open, close, views, pointers, sizes. */
#include "client/advice.h"
#include "client/mpiio.h"

/* The open's id is taken from its communicator before it starts, so a rank whose open fails counts
 * on like the others. Layout wishes travel to the open(2) below through the thread. */
SIOX_EXPORT int MPI_File_open(MPI_Comm comm, const char *filename, int amode, MPI_Info info,
                              MPI_File *handle) {
  struct siox__call c;
  struct siox__advice advice;
  char layout[1024];
  uint64_t file_uid = 0;
  siox__advise(&advice, comm, amode, info);
  if (!siox__call_start(&c, SIOX_CALL_MPI_File_open) || !c.told) {
    if (c.on)
      siox__call_before(&c);
    const int r =
        siox__call_end(&c, PMPI_File_open(comm, filename, amode, advice.info, handle), true);
    siox__advice_done(&advice);
    return r;
  }
  int saved = errno;
  struct siox__comm *group = siox__comm(comm);
  if (group && !group->inter) {
    siox__call_collective(&c, group->uid, atomic_fetch_add(&group->seq, 1) + 1, group->size,
                          group->self);
    file_uid = siox__mix(siox__mix(c.uid, c.seq), UINT64_C(0x66696c65)); /* apart from a dup's */
  }
  siox__mpi_layout_hint(advice.info, layout, sizeof layout);
  siox__call_before(&c);
  siox__self.layout = *layout ? layout : NULL;
  siox__self.opened = NULL;
  errno = saved;
  int result = PMPI_File_open(comm, filename, amode, advice.info, handle);
  saved = errno;
  siox__self.layout = NULL;
  struct siox__file *opened = siox__self.opened;
  siox__self.opened = NULL;
  if (result == MPI_SUCCESS) {
    if (opened)
      siox__file_hold(opened);
    struct siox__mpi_file *f = siox__mpi_file_add(*handle, opened);
    if (f) {
      f->uid = file_uid;
      f->size = c.size;
      f->self = c.self;
      siox__mpi_file_hints(f);
    }
    c.file = f;
    c.handle = *handle;
    siox__predict_opened((struct siox_site *)(uintptr_t)c.site, *handle,
                         f && f->has_layout ? &f->layout : NULL);
    siox__advice_opened(&advice, &c, amode);
  }
  siox__advice_done(&advice);
  errno = saved;
  return siox__call_end(&c, result, true);
}

SIOX_EXPORT int MPI_File_close(MPI_File *handle) {
  struct siox__call c;
  if (!siox__call_on_file(&c, SIOX_CALL_MPI_File_close, *handle, true)) {
    siox__mpi_file_free(siox__mpi_file_remove(*handle));
    return PMPI_File_close(handle);
  }
  siox__call_before(&c);
  if (c.file && c.file->file)
    c.file->file->later_site = c.file->file->later_uid = c.file->file->later_seq = 0;
  if (c.told)
    siox__predict_closed(*handle);
  siox__mpi_file_remove(*handle); /* before the handle's address can be given out again */
  int result = siox__call_end(&c, PMPI_File_close(handle), true);
  siox__mpi_file_free(c.file);
  return result;
}

SIOX_EXPORT int MPI_File_delete(const char *filename, MPI_Info info) {
  struct siox__call c;
  if (siox__call_start(&c, SIOX_CALL_MPI_File_delete))
    siox__call_before(&c);
  return siox__call_end(&c, PMPI_File_delete(filename, info), false);
}

SIOX_EXPORT int MPI_File_set_view(MPI_File handle, MPI_Offset displacement, MPI_Datatype etype,
                                  MPI_Datatype filetype, const char *datarep, MPI_Info info) {
  struct siox__call c;
  if (!siox__call_on_file(&c, SIOX_CALL_MPI_File_set_view, handle, true)) {
    return PMPI_File_set_view(handle, displacement, etype, filetype, datarep, info);
  }
  c.offset = displacement >= 0 ? displacement : -1;
  siox__call_before(&c);
  int result = PMPI_File_set_view(handle, displacement, etype, filetype, datarep, info);
  if (result == MPI_SUCCESS && c.file)
    siox__mpi_file_view(c.file, displacement, etype, filetype, datarep);
  if (result == MPI_SUCCESS && c.file && info != MPI_INFO_NULL)
    siox__mpi_file_hints(c.file);
  return siox__call_end(&c, result, true);
}

/* PLAIN: nothing to learn from it but that it happened; `at` is its byte offset or -1. */
#define PLAIN(name, collective, at, parameters, arguments)                                         \
  SHARING(name, false, collective, at, parameters, arguments)
#define SHARING(name, pointer, collective, at, parameters, arguments)                              \
  SIOX_EXPORT int name parameters {                                                                \
    struct siox__call c;                                                                           \
    if (siox__call_on_file(&c, SIOX_CALL_##name, handle, collective)) {                            \
      c.offset = at;                                                                               \
      c.shared = pointer;                                                                          \
      siox__call_before(&c);                                                                       \
    }                                                                                              \
    return siox__call_end(&c, P##name arguments, collective);                                      \
  }

static int64_t sought(const struct siox__call *c, MPI_Offset offset, int whence) {
  int64_t bytes;
  if (whence != MPI_SEEK_SET || offset < 0 || !c->file || !c->file->contiguous ||
      __builtin_mul_overflow(offset, c->file->etype, &bytes) ||
      __builtin_add_overflow(bytes, c->file->displacement, &bytes))
    return -1;
  return bytes;
}

PLAIN(MPI_File_seek, false, sought(&c, offset, whence),
      (MPI_File handle, MPI_Offset offset, int whence), (handle, offset, whence))
SHARING(MPI_File_seek_shared, true, true, sought(&c, offset, whence),
        (MPI_File handle, MPI_Offset offset, int whence), (handle, offset, whence))
PLAIN(MPI_File_sync, true, -1, (MPI_File handle), (handle))
PLAIN(MPI_File_set_size, true, size, (MPI_File handle, MPI_Offset size), (handle, size))

/* Reads what is there and writes it again, up to size: an access to all of it. */
SIOX_EXPORT int MPI_File_preallocate(MPI_File handle, MPI_Offset size) {
  struct siox__call c;
  if (siox__call_on_file(&c, SIOX_CALL_MPI_File_preallocate, handle, true)) {
    c.offset = 0;
    c.bytes = size > 0 ? size : 0;
    siox__call_before(&c);
  }
  return siox__call_end(&c, PMPI_File_preallocate(handle, size), true);
}

PLAIN(MPI_File_set_atomicity, true, -1, (MPI_File handle, int flag), (handle, flag))
PLAIN(MPI_File_get_size, false, -1, (MPI_File handle, MPI_Offset *size), (handle, size))
PLAIN(MPI_File_get_group, false, -1, (MPI_File handle, MPI_Group *group), (handle, group))
PLAIN(MPI_File_get_amode, false, -1, (MPI_File handle, int *amode), (handle, amode))
PLAIN(MPI_File_get_info, false, -1, (MPI_File handle, MPI_Info *info), (handle, info))
PLAIN(MPI_File_get_view, false, -1,
      (MPI_File handle, MPI_Offset *displacement, MPI_Datatype *etype, MPI_Datatype *filetype,
       char *datarep),
      (handle, displacement, etype, filetype, datarep))
PLAIN(MPI_File_get_position, false, -1, (MPI_File handle, MPI_Offset *offset), (handle, offset))
SHARING(MPI_File_get_position_shared, true, false, -1, (MPI_File handle, MPI_Offset *offset),
        (handle, offset))
PLAIN(MPI_File_get_byte_offset, false, -1, (MPI_File handle, MPI_Offset offset, MPI_Offset *bytes),
      (handle, offset, bytes))
PLAIN(MPI_File_get_type_extent, false, -1, (MPI_File handle, MPI_Datatype type, MPI_Aint *extent),
      (handle, type, extent))
PLAIN(MPI_File_get_type_extent_c, false, -1,
      (MPI_File handle, MPI_Datatype type, MPI_Count *extent), (handle, type, extent))
PLAIN(MPI_File_get_atomicity, false, -1, (MPI_File handle, int *flag), (handle, flag))

SIOX_EXPORT int MPI_File_set_info(MPI_File handle, MPI_Info info) {
  struct siox__call c;
  if (siox__call_on_file(&c, SIOX_CALL_MPI_File_set_info, handle, true))
    siox__call_before(&c);
  int result = PMPI_File_set_info(handle, info);
  if (c.on && result == MPI_SUCCESS && c.file)
    siox__mpi_file_hints(c.file);
  return siox__call_end(&c, result, true);
}
