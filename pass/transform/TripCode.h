/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Code that computes a loop's trip count before the loop, for siox_region_enter.
#ifndef SIOX_PASS_TRIPCODE_H
#define SIOX_PASS_TRIPCODE_H

namespace llvm {
class DominatorTree;
class Instruction;
class Loop;
class LoopInfo;
class Value;
} // namespace llvm

namespace siox {

/// An i64 computed before Where (in the loop's preheader), or null when the count cannot be told in
/// advance. Never traps and never yields poison: it is a prediction, and a wrong one harms nobody.
llvm::Value *emitTrip(llvm::Loop &L, llvm::LoopInfo &LI, llvm::DominatorTree &DT,
                      llvm::Instruction &Where);

} // namespace siox
#endif
