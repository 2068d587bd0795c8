/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// One module through model, analysis, transform and report.
#include "frontend/Pipeline.h"
#include "analysis/Access.h"
#include "analysis/Cost.h"
#include "analysis/FilePointer.h"
#include "analysis/Layout.h"
#include "analysis/Plan.h"
#include "analysis/Regions.h"
#include "model/Sites.h"
#include "report/PrintAccess.h"
#include "report/Remarks.h"
#include "report/Summary.h"
#include "transform/Mark.h"
#include "transform/Promote.h"
#include "transform/Transform.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace siox {

/// The drive for estimates: the one asked for, else the default one where it is installed. False
/// after an error.
static bool loadDrive(Module &M, const Options &O, siox_drive &Drive, PlanOptions &Plan) {
  siox_diag Diag = {};
  std::string Name = StringRef(O.Drive.empty() ? "36Z15" : O.Drive).split(',').first.str();
  if (siox_drive_load(&Drive, Name.c_str(), 1.0, &Diag) >= 0) {
    Plan.Drive = &Drive;
  } else if (!O.Drive.empty()) {
    M.getContext().emitError(Twine("siox: ") + Diag.text);
    return false;
  }
  return true;
}

bool runPipeline(Module &M, const Options &O) {
  if (isInstrumented(M) || !promoteCalls(M))
    return false;
  ModuleModel Model;
  findSites(M, Model);
  if (Model.Sites.empty())
    return false;
  siox_drive Drive;
  PlanOptions Plan;
  if (!loadDrive(M, O, Drive, Plan))
    return false;
  Plan.TbNs = O.TbNs;
  Plan.Lead = O.Lead;
  findRegions(M, Model);
  markSites(M, Model);
  unsigned Disks = O.Disks;
  markRegions(M, Model);
  {
    OptimisticClone Clone(M, Model);
    std::vector<FileType> Views = trackFilePointers(Clone);
    analyzeAccess(Clone, Model, Views);
    if (Error E = findLayouts(Clone, Model, O.Layouts, Disks))
      M.getContext().emitError("siox: " + toString(std::move(E)));
    estimateBodies(Clone.module(), Model, Clone.analyses());
  }
  Plan.Disks = Disks;
  std::vector<std::string> Warnings;
  std::vector<RegionPlan> Plans = planRegions(Model, Plan, Warnings);
  bool Split = O.Form == Form::Split;
  transformRegions(M, Model, Plans, Split);
  finishSites(M, Model);
  if (O.PrintAccess)
    printAccess(Model, outs());
  if (O.PrintPlan)
    printPlan(Model, Plans, outs());
  if (O.Summary)
    printSummary(Model, Plans, outs());
  warn(M, Warnings);
  reportRegions(Model, Plans, Split);
  setInstrumented(M);
  return true;
}

} // namespace siox
