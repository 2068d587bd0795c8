/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A library with likwid's functions and habits, for a machine of two sockets that the test plays.
 */
#ifndef SIOX_TEST_LIKWID_DOUBLE_H
#define SIOX_TEST_LIKWID_DOUBLE_H
#include <stdbool.h>
#include <stdint.h>

struct likwid_double {
  uint32_t counters[4][5]; /* of each processor and domain */
  bool known;              /* is the processor */
  bool rapl, readable, intel;
  uint32_t dies; /* all in all: of two sockets */
  double unit;
  int loads; /* of power_init */
  /* The group MEM_DP: megaflops and megabytes a second of each processor since the last reading,
   * which was so long ago. */
  double megaflops[4], megabytes[4], seconds;
  bool counting; /* counters run */
};
/* Exported by the library: struct likwid_double likwid_double. */

#endif
