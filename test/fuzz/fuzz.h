/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What every fuzz target shares. A target is one file with LLVMFuzzerTestOneInput and fuzz_seeds;
 * run with --seeds=DIR it writes its seeds there and ends. docs/fuzzing.md says how to run them. */
#ifndef SIOX_TEST_FUZZ_H
#define SIOX_TEST_FUZZ_H
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* Calls fuzz_seed or fuzz_seed_path for each seed. */
void fuzz_seeds(void);

void fuzz_seed(const char *name, const void *data, size_t size);
const char *fuzz_seed_path(const char *name); /* a file to write; valid until the next call */

/* The input as a file in memory, the same path every time. */
const char *fuzz_file(const uint8_t *data, size_t size);
/* Ends the run as a crash when something that must hold does not. */
#define FUZZ_CHECK(condition)                                                                      \
  do {                                                                                             \
    if (!(condition))                                                                              \
      __builtin_trap();                                                                            \
  } while (0)
/* Reads every byte, so that the sanitizers see what is not there. */
void fuzz_touch(const void *data, size_t size);
void fuzz_touch_text(const char *text);
#endif
