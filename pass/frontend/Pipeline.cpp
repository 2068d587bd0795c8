/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// One module through model, analysis, transform and report.
#include "frontend/Pipeline.h"
#include "analysis/Access.h"
#include "analysis/FilePointer.h"
#include "analysis/Layout.h"
#include "model/Sites.h"
#include "report/PrintAccess.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace siox {

bool runPipeline(Module &M, const Options &O) {
  if (isInstrumented(M))
    return false;
  ModuleModel Model;
  findSites(M, Model);
  if (Model.Sites.empty())
    return false;
  markSites(M, Model);
  unsigned Disks = O.Disks;
  {
    OptimisticClone Clone(M, Model);
    trackFilePointers(Clone);
    analyzeAccess(Clone, Model);
    if (Error E = findLayouts(Clone, Model, O.Layouts, Disks))
      M.getContext().emitError("siox: " + toString(std::move(E)));
  }
  finishSites(M, Model);
  if (O.PrintAccess)
    printAccess(Model, outs());
  setInstrumented(M);
  return true;
}

} // namespace siox
