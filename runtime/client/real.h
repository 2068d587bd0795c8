/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* libc's own routines behind ours, found once through dlsym(RTLD_NEXT). */
#ifndef SIOX_CLIENT_REAL_H
#define SIOX_CLIENT_REAL_H
#include <aio.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

struct siox__real {
#define SIOX_IO(role, type, name, parameters) type(*name) parameters;
#include "siox/io.def"
#undef SIOX_IO
};
extern struct siox__real siox__real_table __attribute__((visibility("hidden")));
extern _Atomic int siox__real_found __attribute__((visibility("hidden")));
extern void *siox__real_vfork; /* no I/O: not in the table (vfork.c) */
void siox__real_find(void);

static inline const struct siox__real *siox__real(void) {
  if (__builtin_expect(!atomic_load_explicit(&siox__real_found, memory_order_acquire), 0))
    siox__real_find();
  return &siox__real_table;
}

#endif
