/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// One module through model, analysis, transform and report.
#include "frontend/Pipeline.h"
#include "analysis/Access.h"
#include "analysis/Cost.h"
#include "analysis/FilePointer.h"
#include "analysis/Layout.h"
#include "analysis/PaperPlan.h"
#include "analysis/Plan.h"
#include "analysis/Profile.h"
#include "analysis/Regions.h"
#include "model/Context.h"
#include "model/MpiIo.h"
#include "model/Sites.h"
#include "report/Places.h"
#include "report/PrintAccess.h"
#include "report/Remarks.h"
#include "report/Summary.h"
#include "transform/Mark.h"
#include "transform/Printed.h"
#include "transform/Promote.h"
#include "transform/Transform.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace siox {

/// The drive for estimates: the one asked for, else that of the profile's run, else the default one
/// where it is installed; as fast as the profile's run had it. False after an error.
static bool loadDrive(Module &M, const Options &O, const Profile &Measured, siox_drive &Drive,
                      PlanOptions &Plan) {
  siox_diag Diag = {};
  StringRef Wanted = !O.Drive.empty() ? O.Drive : Measured.Drive;
  std::string Name = Wanted.empty() ? "36Z15" : Wanted.split(',').first.str();
  if (siox_drive_load(&Drive, Name.c_str(), Measured.TimeScale, &Diag) >= 0) {
    Plan.Drive = &Drive;
  } else if (!O.Drive.empty()) {
    M.getContext().emitError(Twine("siox: ") + Diag.text);
    return false;
  }
  return true;
}

/// Some file of a program was left to the linker and another was not.
static bool isMixed(Module &M, bool Left) {
  if (Left && isInstrumented(M))
    M.getContext().emitError("siox: some files were compiled with --siox-at-link and others "
                             "without: all or none of those that have MPI-IO");
  return Left && isInstrumented(M);
}

bool runPipeline(Module &M, const Options &O) {
  const bool Left = takeFromCompiler(M);
  if (isMixed(M, Left) || isInstrumented(M))
    return Left;
  if (O.AtLink) {
    bool Calls =
        any_of(M, [](const Function &F) { return lookupCall(F.getName()) || lookupLibrary(F); });
    if (Calls)
      leaveToLinker(M);
    return Calls || Left;
  }
  if (!promoteCalls(M))
    return Left;
  ModuleModel Model;
  findSites(M, Model);
  if (Model.Sites.empty())
    return dropPlaces(M) || Left;
  siox_drive Drive;
  PlanOptions Plan;
  Profile Measured;
  if (!O.Profile.empty()) {
    Expected<Profile> Read = readProfile(O.Profile);
    if (!Read) {
      M.getContext().emitError("siox: SIOX_PROFILE: " + toString(Read.takeError()));
      return false;
    }
    Measured = std::move(*Read);
  }
  if (!loadDrive(M, O, Measured, Drive, Plan))
    return false;
  Plan.TbNs = O.TbNs;
  Plan.Lead = O.Lead;
  findRegions(M, Model);
  markSites(M, Model);
  unsigned Disks = O.Disks;
  markRegions(M, Model);
  dropPlacesOfInstructions(M); // what the clone need not copy
  {
    OptimisticClone Clone(M, Model);
    std::vector<FileType> Views = trackFilePointers(Clone);
    analyzeAccess(Clone, Model, Views);
    if (Error E = findLayouts(Clone, Model, O.Layouts, Disks))
      M.getContext().emitError("siox: " + toString(std::move(E)));
    estimateBodies(Clone, M, Model, Plan.Drive, Disks);
  }
  Plan.Disks = Disks;
  std::vector<std::string> Warnings;
  applyProfile(Measured, O.Profile, Model, Warnings);
  std::vector<RegionPlan> Plans =
      O.PaperLiteral ? planAsPrinted(Model, Plan) : planRegions(Model, Plan, Warnings);
  bool Split = O.Form == Form::Split || O.PaperLiteral;
  if (O.PaperLiteral)
    transformAsPrinted(M, Model, Plans);
  else
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
  dropPlaces(M);
  return true;
}

} // namespace siox
