/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Offsets that go through the same few values again and again: i % n, i & 3, one of two, a counter
// that starts over.
#ifndef SIOX_PASS_ANALYSIS_PERIODS_H
#define SIOX_PASS_ANALYSIS_PERIODS_H

#include "siox/site.h"
#include "llvm/ADT/DenseMap.h"
#include <cstdint>
#include <optional>

namespace llvm {
class Loop;
class SCEV;
class ScalarEvolution;
} // namespace llvm

namespace siox {

/// Bits of types that programs count in; what is narrower was made so by % or &.
constexpr unsigned CounterBits = 32;

/// The values First + k * Step, 0 <= k < Period, in some order.
struct Periodic {
  const llvm::SCEV *First = nullptr; ///< the least k's value
  const llvm::SCEV *Step = nullptr;
  int64_t Period = SIOX_UNKNOWN;
};

/// An offset that is periodic in a loop and else does not change there.
std::optional<Periodic> periodicIn(const llvm::SCEV *Offset, const llvm::Loop &L,
                                   llvm::ScalarEvolution &SE);

} // namespace siox
#endif
