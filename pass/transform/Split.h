/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Split form (paper Fig. 2(c)): the last d iterations become a loop of their own, and the hint
// stands between.
//
//   for (i = 0; i < n; i++) body;     becomes     siox_set_speed(T, S, 0);
//                                                 for (i = 0; i < n - d; i++) body;
//                                                 siox_set_speed(T, full, 1);
//                                                 for (; i < n; i++) body;
//
// Where masks are not compile-time constants siox_region_hint(&region, 1, d) stands there instead,
// and where the lead is not given d is siox_split_lead(&region, n, Tb). Needs SSA form, so it runs
// at the start of the vectoriser's part of the pipeline. Iterations are counted (LoopCopy.h), so
// any step, direction, width and wrapping will do, and a loop in which others are nested; where the
// count is only predicted the first loop keeps all of its tests. A loop whose count nobody can
// predict, or that may not be copied, gets the guard form.
#ifndef SIOX_PASS_SPLIT_H
#define SIOX_PASS_SPLIT_H

#include "analysis/Plan.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class Loop;
} // namespace llvm

namespace siox {

/// At PipelineStart: the release before the loop, and on the marker what SplitPass has to know.
/// Printed (Printed.h): no release, and the markers go when the loop is split.
void prepareSplit(llvm::Module &M, llvm::Loop &L, Region &R, const RegionPlan &P,
                  bool Printed = false);

/// Loops of the function are yet to be split.
bool awaitsSplit(const llvm::Function &F);

class SplitPass : public llvm::PassInfoMixin<SplitPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
  static bool isRequired() { return true; }
};

} // namespace siox
#endif
