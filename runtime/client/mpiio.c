/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Wrappers of the MPI-IO data accesses, made from mpiio.def: one macro for each shape of argument
 * list (explicit offset or not; blocking, nonblocking, begin, end). */
#include "client/mpiquick.h"

static int64_t scale(int64_t count, int64_t unit) {
  int64_t product;
  return __builtin_mul_overflow(count, unit, &product) ? INT64_MAX : product;
}

/* Of no type the call itself returns an error, while Type_size would end the program. */
__attribute__((noinline)) static int64_t bytes_of_type(int64_t count, MPI_Datatype type) {
  MPI_Count size = 0;
  if (type == MPI_DATATYPE_NULL || PMPI_Type_size_x(type, &size) != MPI_SUCCESS)
    return 0;
  return size > 0 && count > 0 ? scale(count, size) : 0;
}

static inline int64_t bytes_of(int64_t count, MPI_Datatype type) {
  if (__builtin_expect(type == MPI_BYTE, 1)) /* what most ask for */
    return count > 0 ? count : 0;
  return bytes_of_type(count, type);
}

/* Bytes of count elements, and the byte offset of an access at `offset` etypes of the view. */
static void place(struct siox__call *c, int64_t offset, bool known, int64_t count,
                  MPI_Datatype type) {
  c->bytes = bytes_of(count, type);
  int64_t bytes;
  if (known && c->file && c->file->contiguous && offset >= 0 &&
      !__builtin_add_overflow(scale(offset, c->file->etype), c->file->displacement, &bytes))
    c->offset = bytes;
  if (known && c->file && c->file->view.type && offset >= 0)
    c->data = scale(offset, c->file->etype);
}

/* Of the individual pointer, where it tells a byte; else -1. */
static int64_t position(const struct siox__mpi_file *f, MPI_File handle) {
  MPI_Offset at = -1;
  return f && f->contiguous && PMPI_File_get_position(handle, &at) == MPI_SUCCESS ? at : -1;
}

#define BUFFER_READ void *
#define BUFFER_WRITE const void *
#define WRITES_READ false
#define WRITES_WRITE true
#define COUNT_SMALL int
#define COUNT_LARGE MPI_Count
#define IS_COLLECTIVE true
#define IS_ALONE false
#define SYNCHRONISES_BLOCKING(group) IS_##group
#define SYNCHRONISES_NONBLOCKING(group) false
#define SYNCHRONISES_BEGIN(group) IS_##group

/* Where an access through the individual pointer will start; one through the shared pointer is not
 * known before it is made. */
#define ASK_INDIVIDUAL(c, handle)                                                                  \
  MPI_Offset offset = -1;                                                                          \
  bool known = c.on && c.file && (c.file->contiguous || c.file->view.type) &&                      \
               PMPI_File_get_position(handle, &offset) == MPI_SUCCESS;
#define ASK_SHARED(c, handle)                                                                      \
  const MPI_Offset offset = -1;                                                                    \
  const bool known = false;                                                                        \
  c.shared = c.on;

static void split_begins(struct siox__call *c) {
  if (!c->file)
    return;
  c->file->split_seq = c->seq;
  c->file->split_offset = c->offset;
  c->file->split_data = c->data;
  c->file->split_writes = c->writes;
  c->file->split_bytes = c->bytes;
}

#define AT_BEGIN(c) split_begins(&c);
#define AT_BLOCKING(c)
#define AT_NONBLOCKING(c)

/* After the call. */
#define DONE_BEGIN(c, result) siox__call_split(&c, result);
#define DONE_BLOCKING(c, result)
#define DONE_NONBLOCKING(c, result) siox__call_later(&c, result, *last);

#define LAST_BLOCKING , MPI_Status *last
#define LAST_NONBLOCKING , MPI_Request *last
#define LAST_BEGIN
#define PASS_BLOCKING , last
#define PASS_NONBLOCKING , last
#define PASS_BEGIN

/* May it go by the short way (mpiquick.h)? */
#define QUICK_BLOCKING true
#define QUICK_NONBLOCKING false
#define QUICK_BEGIN false
#define QUICK_INDIVIDUAL true
#define QUICK_SHARED false
#define QUICK(name, may, class, group, handle, at, arguments)                                      \
  struct siox_tally *tally = may ? siox__tally_made() : NULL;                                      \
  const struct siox__quick_kind kind = {SIOX_CALL_##name, IS_##group, WRITES_##class};             \
  struct siox__quick quick;                                                                        \
  struct siox__mpi_file *f;                                                                        \
  if (tally && siox__quick_begin(&quick, kind, handle, &f)) {                                      \
    if (quick.told) {                                                                              \
      if (!IS_##group && !f)                                                                       \
        f = siox__mpi_file(handle);                                                                \
      siox__quick_place(&quick, kind, f, at);                                                      \
    }                                                                                              \
    if (IS_##group && f)                                                                           \
      siox__quick_names(&quick, f);                                                                \
    siox__quick_runs(&quick, tally, kind, bytes_of(count, type));                                  \
    return siox__quick_end(&quick, kind, P##name arguments);                                       \
  }

#define ACCESS_AT(name, class, span, group, width)                                                 \
  SIOX_EXPORT int name(MPI_File handle, MPI_Offset offset, BUFFER_##class buffer,                  \
                       COUNT_##width count, MPI_Datatype type LAST_##span) {                       \
    QUICK(name, QUICK_##span, class, group, handle, offset,                                        \
          (handle, offset, buffer, count, type PASS_##span))                                       \
    struct siox__call c;                                                                           \
    if (!siox__call_on_file(&c, SIOX_CALL_##name, handle, IS_##group))                             \
      return P##name(handle, offset, buffer, count, type PASS_##span);                             \
    place(&c, offset, true, count, type);                                                          \
    c.gathers = IS_##group;                                                                        \
    c.writes = WRITES_##class;                                                                     \
    AT_##span(c) siox__call_before(&c);                                                            \
    int result = P##name(handle, offset, buffer, count, type PASS_##span);                         \
    DONE_##span(c, result) return siox__call_end(&c, result, SYNCHRONISES_##span(group));          \
  }

#define ACCESS(name, class, pointer, span, group, width)                                           \
  SIOX_EXPORT int name(MPI_File handle, BUFFER_##class buffer, COUNT_##width count,                \
                       MPI_Datatype type LAST_##span) {                                            \
    QUICK(name, (QUICK_##span && QUICK_##pointer), class, group, handle, position(f, handle),      \
          (handle, buffer, count, type PASS_##span))                                               \
    struct siox__call c;                                                                           \
    if (!siox__call_on_file(&c, SIOX_CALL_##name, handle, IS_##group))                             \
      return P##name(handle, buffer, count, type PASS_##span);                                     \
    ASK_##pointer(c, handle) place(&c, offset, known, count, type);                                \
    c.gathers = IS_##group;                                                                        \
    c.writes = WRITES_##class;                                                                     \
    AT_##span(c) siox__call_before(&c);                                                            \
    int result = P##name(handle, buffer, count, type PASS_##span);                                 \
    DONE_##span(c, result) return siox__call_end(&c, result, SYNCHRONISES_##span(group));          \
  }

/* The end of a split collective belongs to the collective of its beginning. */
static bool split_end(struct siox__call *c, enum siox_call call, MPI_File handle) {
  if (!siox__call_on_file(c, call, handle, false))
    return false;
  c->collective = true;
  if (c->file) {
    c->uid = c->file->uid;
    c->seq = c->file->split_seq;
    c->offset = c->file->split_offset;
    c->data = c->file->split_data;
    c->writes = c->file->split_writes;
    c->bytes = c->file->split_bytes;
  }
  siox__call_before(c);
  return true;
}

#define ACCESS_END(name, class)                                                                    \
  SIOX_EXPORT int name(MPI_File handle, BUFFER_##class buffer, MPI_Status *status) {               \
    struct siox__call c;                                                                           \
    split_end(&c, SIOX_CALL_##name, handle);                                                       \
    int result = P##name(handle, buffer, status);                                                  \
    siox__call_split_ended(handle);                                                                \
    return siox__call_end(&c, result, false);                                                      \
  }

#define SHAPE_EXPLICIT_BLOCKING(name, class, pointer, group, width)                                \
  ACCESS_AT(name, class, BLOCKING, group, width)
#define SHAPE_EXPLICIT_NONBLOCKING(name, class, pointer, group, width)                             \
  ACCESS_AT(name, class, NONBLOCKING, group, width)
#define SHAPE_EXPLICIT_BEGIN(name, class, pointer, group, width)                                   \
  ACCESS_AT(name, class, BEGIN, group, width)
#define SHAPE_EXPLICIT_END(name, class, pointer, group, width) ACCESS_END(name, class)
#define SHAPE_INDIVIDUAL_BLOCKING(name, class, pointer, group, width)                              \
  ACCESS(name, class, pointer, BLOCKING, group, width)
#define SHAPE_INDIVIDUAL_NONBLOCKING(name, class, pointer, group, width)                           \
  ACCESS(name, class, pointer, NONBLOCKING, group, width)
#define SHAPE_INDIVIDUAL_BEGIN(name, class, pointer, group, width)                                 \
  ACCESS(name, class, pointer, BEGIN, group, width)
#define SHAPE_INDIVIDUAL_END(name, class, pointer, group, width) ACCESS_END(name, class)
#define SHAPE_SHARED_BLOCKING SHAPE_INDIVIDUAL_BLOCKING
#define SHAPE_SHARED_NONBLOCKING SHAPE_INDIVIDUAL_NONBLOCKING
#define SHAPE_SHARED_BEGIN SHAPE_INDIVIDUAL_BEGIN
#define SHAPE_SHARED_END SHAPE_INDIVIDUAL_END

#define CLASS_READ(name, class, pointer, span, group, width)                                       \
  SHAPE_##pointer##_##span(name, class, pointer, group, width)
#define CLASS_WRITE CLASS_READ
#define CLASS_OPEN(...)
#define CLASS_CLOSE(...)
#define CLASS_SEEK(...)
#define CLASS_VIEW(...)
#define CLASS_SYNC(...)
#define CLASS_SIZE(...)
#define CLASS_DELETE(...)
#define CLASS_OTHER(...)
#define CLASS_APART(...)
#define SIOX_MPIIO(name, class, pointer, span, group, width, ...)                                  \
  CLASS_##class(name, class, pointer, span, group, width)
#include "siox/mpiio.def"
#undef SIOX_MPIIO
