/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// LLVM's rotation of single loops, without a dominator tree.
#include "analysis/Rotate.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/Transforms/Utils/LoopRotationUtils.h"

using namespace llvm;

namespace siox {

/// Instructions of a header that are copied to before its loop: loop-rotate's own limit.
static constexpr unsigned LongestHeader = 16;

PreservedAnalyses RotatePass::run(Function &F, FunctionAnalysisManager &FAM) {
  LoopInfo &Loops = FAM.getResult<LoopAnalysis>(F);
  if (Loops.empty())
    return PreservedAnalyses::all();
  auto &Target = FAM.getResult<TargetIRAnalysis>(F);
  auto &Assumptions = FAM.getResult<AssumptionAnalysis>(F);
  auto &Library = FAM.getResult<TargetLibraryAnalysis>(F);
  SimplifyQuery Query(F.getDataLayout(), &Library, /*DT=*/nullptr, &Assumptions);
  bool Changed = false;
  SmallVector<Loop *, 4> Nest = Loops.getLoopsInPreorder();
  for (Loop *L : reverse(Nest)) // inner loops first
    Changed |= LoopRotation(L, &Loops, &Target, &Assumptions, /*DT=*/nullptr, /*SE=*/nullptr,
                            /*MSSAU=*/nullptr, Query, /*RotationOnly=*/false,
                            F.hasMinSize() ? 0 : LongestHeader, /*IsUtilMode=*/false);
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace siox
