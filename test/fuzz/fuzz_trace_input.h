/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Traces as inputs: checksums are put right again after most mutations, since nothing behind a
 * wrong one is read; and two seeds. */
#ifndef SIOX_TEST_FUZZ_TRACE_INPUT_H
#define SIOX_TEST_FUZZ_TRACE_INPUT_H
#include "fuzz.h"

/* Two ranks that open a file, hint, read, send, meet in a collective and leave. */
void fuzz_seed_program(const char *name);
/* Events of all kinds with wild fields. */
void fuzz_seed_events(const char *name, uint64_t random);
#endif
