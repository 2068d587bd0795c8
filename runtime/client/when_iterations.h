/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which iterations of a counted loop fulfil a condition that the program told. */
#ifndef SIOX_CLIENT_WHEN_ITERATIONS_H
#define SIOX_CLIENT_WHEN_ITERATIONS_H
#include "siox/site.h"
#include <stdbool.h>

/* Iteration (from 0) may fulfil the condition; true where that cannot be told. */
bool siox__when_fulfilled(const struct siox_steps_when *when, int64_t first, int64_t modulus,
                          int64_t iteration);
#endif
