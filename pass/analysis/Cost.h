/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A first guess of Tb, "the shortest possible execution latency through the loop body" (paper
// section IV): instructions that every iteration executes, over the issue width of a nominal core.
// The run time measures and corrects it; a profile or tb-ns=N wins over it.
#ifndef SIOX_PASS_COST_H
#define SIOX_PASS_COST_H

#include "model/Model.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/PassManager.h"

namespace siox {

/// The nominal core, in this place only.
constexpr double NominalGHz = 3.0;
constexpr double NominalWidth = 4.0; ///< instructions issued a cycle

/// Costs of one module; analyses come from its manager.
class CostModel {
public:
  explicit CostModel(llvm::FunctionAnalysisManager &FAM) : FAM(FAM) {}
  /// Least ns of one iteration of a loop: inner loops with their constant trips (else 1), callees.
  double iteration(llvm::Loop &L);
  /// Least ns of one call of a function.
  double function(llvm::Function &F);

private:
  double block(llvm::BasicBlock &BB);
  double loop(llvm::Loop &L);

  llvm::FunctionAnalysisManager &FAM;
  llvm::DenseMap<llvm::Function *, double> Functions; ///< done, or 0 while in work (recursion)
};

/// Sets BodyNs of every marked loop that is found in M, which is the real module or its optimised
/// clone: the loop after each siox_region_enter of a descriptor with the region's name. Several
/// copies: the least. Regions that have a BodyNs keep it.
void estimateBodies(llvm::Module &M, ModuleModel &Model, llvm::FunctionAnalysisManager &FAM);

} // namespace siox
#endif
