/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* File data that moves without a read or write call: it is let through, not charged, and said in
 * the report. */
#include "client/files.h"
#include "client/real.h"
#include <sys/sendfile.h>

static void unseen(int fd) {
  if (siox__managed(fd) && siox__enter()) {
    int saved = errno;
    siox__record_missing(SIOX_MISSING_MMAP);
    siox__exit();
    errno = saved;
  }
}

#define MMAP(name, offset_type)                                                                    \
  SIOX_EXPORT void *name(void *at, size_t size, int protection, int flags, int fd,                 \
                         offset_type offset) {                                                     \
    if (!(flags & MAP_ANONYMOUS))                                                                  \
      unseen(fd);                                                                                  \
    return siox__real()->name(at, size, protection, flags, fd, offset);                            \
  }
MMAP(mmap, off_t)
MMAP(mmap64, off64_t)

#define SENDFILE(name, offset_type)                                                                \
  SIOX_EXPORT ssize_t name(int to, int from, offset_type *offset, size_t size) {                   \
    unseen(from);                                                                                  \
    unseen(to);                                                                                    \
    return siox__real()->name(to, from, offset, size);                                             \
  }
SENDFILE(sendfile, off_t)
SENDFILE(sendfile64, off64_t)

SIOX_EXPORT ssize_t copy_file_range(int from, off64_t *from_offset, int to, off64_t *to_offset,
                                    size_t size, unsigned flags) {
  unseen(from);
  unseen(to);
  return siox__real()->copy_file_range(from, from_offset, to, to_offset, size, flags);
}
