/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The names of the wrappers: what is exported as MPI_Xxx is a stub (foreign.c) where there is one
 * for the processor, and the wrapper has another name. */
#ifndef SIOX_CLIENT_FOREIGN_H
#define SIOX_CLIENT_FOREIGN_H

/* libsiox.so alone is built with SIOX_WITH_STUBS: tests use parts of it under the names of MPI. */
#if defined SIOX_WITH_STUBS && defined __x86_64__ && defined __LP64__
#define SIOX_STUBS 1
#define SIOX_AS_WRAPPER(name) __asm__("siox__wrap_" #name)
#else
#define SIOX_AS_WRAPPER(name)
#endif

#endif
