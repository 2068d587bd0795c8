/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// What does not change in a loop goes before it, in the clone.
#ifndef SIOX_PASS_ANALYSIS_HOIST_H
#define SIOX_PASS_ANALYSIS_HOIST_H

#include "llvm/IR/PassManager.h"

namespace llvm {
class Instruction;
class LoadInst;
class Loop;
class MemorySSA;
} // namespace llvm

namespace siox {

/// Nothing in the loop writes what a load reads.
bool keepsValue(llvm::LoadInst &Load, const llvm::Loop &L, llvm::MemorySSA &States);

/// What comes of its operands alone, without memory and without effect: arithmetic and addresses.
bool onlyComputes(const llvm::Instruction &I);

/// Moves loads, divisions and the like out of loops in which nothing writes there, whether or not
/// they stand under a condition: code that is never run cannot trap. An optimiser must not do so,
/// and leaves if (flag[i]) read(.. grid->base + i ..) with a load in every iteration.
class HoistPass : public llvm::PassInfoMixin<HoistPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};

} // namespace siox
#endif
