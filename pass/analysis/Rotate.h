/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Loop rotation in time that does not grow with the function for each loop.
#ifndef SIOX_PASS_ANALYSIS_ROTATE_H
#define SIOX_PASS_ANALYSIS_ROTATE_H

#include "llvm/IR/PassManager.h"

namespace siox {

/// Does what LLVM's loop-rotate does, after loop-simplify and lcssa, but lets the dominator tree go
/// instead of mending it after every loop: each mend renumbers all that follows, and in a long main
/// of many loops that was two fifths of the pass's time.
class RotatePass : public llvm::PassInfoMixin<RotatePass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};

} // namespace siox
#endif
