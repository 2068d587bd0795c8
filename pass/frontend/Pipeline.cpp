/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// One module through model, analysis, transform and report.
#include "frontend/Pipeline.h"
#include "model/Sites.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace siox {

bool runPipeline(Module &M, const Options &O) {
  (void)O;
  if (isInstrumented(M))
    return false;
  ModuleModel Model;
  findSites(M, Model);
  if (Model.Sites.empty())
    return false;
  markSites(M, Model);
  finishSites(M, Model);
  setInstrumented(M);
  return true;
}

} // namespace siox
