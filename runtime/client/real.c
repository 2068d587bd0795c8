/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds libc's routines. An allocator that reads a file while dlsym allocates would come back here
 * before its routine is known; pointers not found yet answer ENOSYS, as do names a libc lacks. */
#include "client/real.h"
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>

struct siox__real siox__real_table;
_Atomic int siox__real_found;
void *siox__real_vfork;

static intptr_t absent(void) {
  errno = ENOSYS;
  return -1;
}

void siox__real_find(void) {
  int saved = errno;
  /* Several threads may do this at once: each stores the same values. */
#define SIOX_IO(role, type, name, parameters)                                                      \
  if (!siox__real_table.name)                                                                      \
    *(void **)&siox__real_table.name = (void *)absent;
#include "siox/io.def"
#undef SIOX_IO
#define SIOX_IO(role, type, name, parameters)                                                      \
  do {                                                                                             \
    void *found = dlsym(RTLD_NEXT, #name);                                                         \
    if (found)                                                                                     \
      *(void **)&siox__real_table.name = found;                                                    \
  } while (0);
#include "siox/io.def"
#undef SIOX_IO
  siox__real_vfork = dlsym(RTLD_NEXT, "vfork");
  atomic_store_explicit(&siox__real_found, 1, memory_order_release);
  errno = saved;
}

__attribute__((constructor(101))) static void find_early(void) { siox__real_find(); }
