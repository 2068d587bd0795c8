/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Trip counts of loops that are not in SSA form yet (clang's output at any -O is full of allocas
// when the pass runs).
//
//   for.cond:  %1 = load i32, ptr %i            Index: %1, in memory at %i
//              %2 = load i32, ptr %n            Bound: %2
//              %3 = icmp slt i32 %1, %2         Continue: slt
//              br i1 %3, label %body, label %end
//   for.inc:   store (load %i) + 2, ptr %i      Step: 2
//
// The count is a prediction only: where the body changes index or bound behind the pattern's back
// it is wrong, and no result of the program depends on it.
#ifndef SIOX_PASS_TRIP_H
#define SIOX_PASS_TRIP_H

#include "siox/site.h"
#include "llvm/IR/InstrTypes.h"
#include <optional>

namespace llvm {
class DominatorTree;
class Loop;
} // namespace llvm

namespace siox {

struct TripPattern {
  llvm::Value *Index;                ///< operand of the exit compare
  llvm::Value *Bound;                ///< the other one
  llvm::Value *Memory;               ///< where the index lives
  llvm::CmpInst::Predicate Continue; ///< the loop goes on while Index Continue Bound
  int64_t Step;                      ///< not 0; its sign fits the predicate
  llvm::BasicBlock *Test;            ///< block of the exit compare
  bool AtEnd;                        ///< tested after the body, so at least one iteration is made
};

std::optional<TripPattern> matchTrip(const llvm::Loop &L, const llvm::DominatorTree &DT);

/// What may be computed before the loop instead of in it: instructions of Test that only the first
/// iteration's values go into, and that cannot trap where they were not going to be executed
/// anyway.
bool isHoistable(const llvm::Value *V, const TripPattern &P, const llvm::Loop &L,
                 unsigned Depth = 0);

/// Constant trip count from the pattern, or SIOX_UNKNOWN.
int64_t constantTrip(const llvm::Loop &L, const llvm::DominatorTree &DT);

/// Iterations from first index to bound; wraps like the machine, never negative.
int64_t countIterations(llvm::CmpInst::Predicate Continue, int64_t First, int64_t Bound,
                        int64_t Step, bool AtEnd);

} // namespace siox
#endif
