/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Numbers and roles of the MPI-IO calls of mpiio.def. Needs no MPI header. */
#ifndef SIOX_MPIIO_H
#define SIOX_MPIIO_H
#ifdef __cplusplus
extern "C" {
#endif

enum siox_call { /* SIOX_CALL_MPI_File_open, ... */
#define SIOX_MPIIO(name, class, pointer, span, group, width, file, offset, buffer, count, datatype)                    \
  SIOX_CALL_##name,
#include "siox/mpiio.def"
#undef SIOX_MPIIO
  SIOX_NCALLS
};

enum siox_call_class {
  SIOX_CLASS_OPEN,
  SIOX_CLASS_CLOSE,
  SIOX_CLASS_READ,
  SIOX_CLASS_WRITE,
  SIOX_CLASS_SEEK,
  SIOX_CLASS_VIEW,
  SIOX_CLASS_SYNC,
  SIOX_CLASS_SIZE,
  SIOX_CLASS_DELETE,
  SIOX_CLASS_OTHER,
  SIOX_CLASS_APART,
};
enum siox_call_pointer { SIOX_POINTER_NONE, SIOX_POINTER_EXPLICIT, SIOX_POINTER_INDIVIDUAL, SIOX_POINTER_SHARED };
enum siox_call_span { SIOX_SPAN_BLOCKING, SIOX_SPAN_NONBLOCKING, SIOX_SPAN_BEGIN, SIOX_SPAN_END };
enum siox_call_group { SIOX_GROUP_ALONE, SIOX_GROUP_COLLECTIVE };
enum siox_call_width { SIOX_WIDTH_SMALL, SIOX_WIDTH_LARGE };

#ifdef __cplusplus
}
#endif
#endif
