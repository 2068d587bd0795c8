/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// How far a loop's iterations can overlap, seen before the vectoriser runs.
#ifndef SIOX_PASS_VECTOR_H
#define SIOX_PASS_VECTOR_H

namespace llvm {
class Loop;
class ScalarEvolution;
} // namespace llvm

namespace siox {

/// Iterations that one vector instruction can do at the most; 1 where something in the loop speaks
/// against vectorising. Dependences through memory are not looked at.
unsigned vectorLanes(const llvm::Loop &L, llvm::ScalarEvolution &SE, unsigned VectorBits);

/// Cycles that each iteration waits at least for the one before: the longest chain of operations
/// round the loop that may not be regrouped.
double recurrenceCycles(const llvm::Loop &L, llvm::ScalarEvolution &SE);

} // namespace siox
#endif
