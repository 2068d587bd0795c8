/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Routines of Fortran's mpi_f08 without a choice buffer. In MPICH they call PMPI_Xxx, so that
 * nothing of a program that uses mpi_f08 would come by the wrappers in C: neither its start nor its
 * opens. (Those with a buffer, mpif.h and module mpi call MPI_Xxx.) Here each does what MPI 4.0
 * sections 19.1 and 19.3 say it does, and calls MPI_Xxx. Handles are structs of one INTEGER; ierror
 * may be absent: NULL. */
#include "client/f08.h"
#include <stdlib.h>
#include <string.h>

static int truth(MPI_Fint logical) { /* -1 with some compilers */
  return logical & 1;
}

/* A character argument as C wants it, blanks at its end cut off; NULL: no memory. */
static char *text(const char *from, size_t length) {
  while (length > 0 && from[length - 1] == ' ')
    length--;
  char *copy = malloc(length + 1);
  if (copy) {
    memcpy(copy, from, length);
    copy[length] = 0;
  }
  return copy;
}

static MPI_File file(in handle) { return PMPI_File_f2c(*handle); }

/* F08: a routine and what it is in C. */
#define F08(name, parameters, call)                                                                \
  SIOX_EXPORT void mpi_##name##_f08_ parameters SIOX_AS_WRAPPER(mpi_##name##_f08_);                \
  void mpi_##name##_f08_ parameters { siox__f08_end(ierror, call); }

F08(init, (out ierror), MPI_Init(NULL, NULL))
F08(init_thread, (in required, out provided, out ierror),
    MPI_Init_thread(NULL, NULL, *required, provided))
F08(finalize, (out ierror), MPI_Finalize())
F08(barrier, (in comm, out ierror), MPI_Barrier(*comm))
F08(comm_dup, (in comm, out made, out ierror), MPI_Comm_dup(*comm, made))
F08(comm_dup_with_info, (in comm, in info, out made, out ierror),
    MPI_Comm_dup_with_info(*comm, *info, made))
F08(comm_split, (in comm, in colour, in order, out made, out ierror),
    MPI_Comm_split(*comm, *colour, *order, made))
F08(comm_split_type, (in comm, in type, in order, in info, out made, out ierror),
    MPI_Comm_split_type(*comm, *type, *order, *info, made))
F08(comm_create, (in comm, in group, out made, out ierror), MPI_Comm_create(*comm, *group, made))

static int *truths(int n, in logical) {
  int *copy = malloc(sizeof *copy * (size_t)(n > 0 ? n : 1));
  for (int i = 0; copy && i < n; i++)
    copy[i] = truth(logical[i]);
  return copy;
}

static int cart_create(in comm, in n, in dims, in periods, in reorder, out made) {
  int *wraps = truths(*n, periods);
  int result =
      wraps ? MPI_Cart_create(*comm, *n, dims, wraps, truth(*reorder), made) : MPI_ERR_NO_MEM;
  free(wraps);
  return result;
}
F08(cart_create, (in comm, in n, in dims, in periods, in reorder, out made, out ierror),
    cart_create(comm, n, dims, periods, reorder, made))

static int cart_sub(in comm, in keep, out made) {
  int n = 0, result = PMPI_Cartdim_get(*comm, &n);
  if (result != MPI_SUCCESS)
    return result;
  int *kept = truths(n, keep);
  result = kept ? MPI_Cart_sub(*comm, kept, made) : MPI_ERR_NO_MEM;
  free(kept);
  return result;
}
F08(cart_sub, (in comm, in keep, out made, out ierror), cart_sub(comm, keep, made))

static int file_open(in comm, const char *name, in amode, in info, out handle, size_t length) {
  char *path = text(name, length);
  if (!path)
    return MPI_ERR_NO_MEM;
  MPI_File opened = MPI_FILE_NULL;
  int result = MPI_File_open(*comm, path, *amode, *info, &opened);
  free(path);
  *handle = PMPI_File_c2f(opened);
  return result;
}
F08(file_open,
    (in comm, const char *name, in amode, in info, out handle, out ierror, size_t length),
    file_open(comm, name, amode, info, handle, length))

static int file_close(out handle) {
  MPI_File opened = file(handle);
  int result = MPI_File_close(&opened);
  *handle = PMPI_File_c2f(opened);
  return result;
}
F08(file_close, (out handle, out ierror), file_close(handle))

static int file_delete(const char *name, in info, size_t length) {
  char *path = text(name, length);
  int result = path ? MPI_File_delete(path, *info) : MPI_ERR_NO_MEM;
  free(path);
  return result;
}
F08(file_delete, (const char *name, in info, out ierror, size_t length),
    file_delete(name, info, length))

static int set_view(in handle, const MPI_Offset *displacement, in etype, in filetype,
                    const char *datarep, in info, size_t length) {
  char *representation = text(datarep, length);
  int result = representation ? MPI_File_set_view(file(handle), *displacement, *etype, *filetype,
                                                  representation, *info)
                              : MPI_ERR_NO_MEM;
  free(representation);
  return result;
}
F08(file_set_view,
    (in handle, const MPI_Offset *displacement, in etype, in filetype, const char *datarep, in info,
     out ierror, size_t length),
    set_view(handle, displacement, etype, filetype, datarep, info, length))

static int get_view(in handle, MPI_Offset *displacement, out etype, out filetype, char *datarep,
                    size_t length) {
  char representation[MPI_MAX_DATAREP_STRING + 1] = "";
  int result = MPI_File_get_view(file(handle), displacement, etype, filetype, representation);
  size_t used = strlen(representation);
  memset(datarep, ' ', length);
  memcpy(datarep, representation, used < length ? used : length);
  return result;
}
F08(file_get_view,
    (in handle, MPI_Offset *displacement, out etype, out filetype, char *datarep, out ierror,
     size_t length),
    get_view(handle, displacement, etype, filetype, datarep, length))

F08(file_set_size, (in handle, const MPI_Offset *size, out ierror),
    MPI_File_set_size(file(handle), *size))
F08(file_preallocate, (in handle, const MPI_Offset *size, out ierror),
    MPI_File_preallocate(file(handle), *size))
F08(file_sync, (in handle, out ierror), MPI_File_sync(file(handle)))
F08(file_seek, (in handle, const MPI_Offset *offset, in whence, out ierror),
    MPI_File_seek(file(handle), *offset, *whence))
F08(file_seek_shared, (in handle, const MPI_Offset *offset, in whence, out ierror),
    MPI_File_seek_shared(file(handle), *offset, *whence))
F08(file_set_info, (in handle, in info, out ierror), MPI_File_set_info(file(handle), *info))
F08(file_set_atomicity, (in handle, in flag, out ierror),
    MPI_File_set_atomicity(file(handle), truth(*flag)))
F08(file_get_size, (in handle, MPI_Offset *size, out ierror), MPI_File_get_size(file(handle), size))
F08(file_get_group, (in handle, out group, out ierror), MPI_File_get_group(file(handle), group))
F08(file_get_amode, (in handle, out amode, out ierror), MPI_File_get_amode(file(handle), amode))
F08(file_get_info, (in handle, out info, out ierror), MPI_File_get_info(file(handle), info))
F08(file_get_position, (in handle, MPI_Offset *offset, out ierror),
    MPI_File_get_position(file(handle), offset))
F08(file_get_position_shared, (in handle, MPI_Offset *offset, out ierror),
    MPI_File_get_position_shared(file(handle), offset))
F08(file_get_byte_offset, (in handle, const MPI_Offset *offset, MPI_Offset *bytes, out ierror),
    MPI_File_get_byte_offset(file(handle), *offset, bytes))
F08(file_get_type_extent, (in handle, in type, MPI_Aint *extent, out ierror),
    MPI_File_get_type_extent(file(handle), *type, extent))
F08(file_get_atomicity, (in handle, out flag, out ierror),
    MPI_File_get_atomicity(file(handle), flag))
