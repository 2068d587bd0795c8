/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* index % n == rest for each iteration, in the widths and with the signs of the program's own code:
 * an unsigned index wraps, and the remainder of a negative number is negative or another one. */
#include "client/when_iterations.h"

/* The last bits of a value, extended with their sign where bits < 0. */
static int64_t cut(uint64_t value, int32_t bits) {
  uint32_t drop = 64 - (uint32_t)(bits < 0 ? -bits : bits);
  if (drop >= 64)
    return (int64_t)value;
  value <<= drop;
  return bits < 0 ? (int64_t)value >> drop : (int64_t)(value >> drop);
}

bool siox__when_fulfilled(const struct siox_steps_when *when, int64_t first, int64_t modulus,
                          int64_t iteration) {
  uint64_t index = (uint64_t)first + (uint64_t)when->step * (uint64_t)iteration;
  uint64_t sum = (uint64_t)cut(index, when->index_bits) + (uint64_t)when->offset;
  int32_t bits = when->division_bits;
  int64_t value = cut((uint64_t)cut(sum, when->sum_bits), bits), by = cut((uint64_t)modulus, bits);
  int64_t rest = cut((uint64_t)when->rest, bits);
  if (by == 0)
    return true;
  if (bits > 0)
    return (uint64_t)value % (uint64_t)by == (uint64_t)rest;
  return (by == -1 ? 0 : value % by) == rest;
}
