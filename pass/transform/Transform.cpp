/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// From plans to instructions.
#include "transform/Transform.h"
#include "model/Abi.h"
#include "transform/Files.h"
#include "transform/Guard.h"
#include "transform/Mark.h"
#include "transform/Split.h"
#include "transform/TripCode.h"
#include "transform/When.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace siox {

namespace {

class Transformer {
public:
  Transformer(Module &M, const ModuleModel &Model, ArrayRef<RegionPlan> Plans, bool Split)
      : M(M), Model(Model), Plans(Plans), Split(Split) {}

  void function(ArrayRef<Region *> Here) {
    Function &F = *Here.front()->Function;
    DominatorTree DT(F);
    LoopInfo LI(DT);
    for (Region *R : Here) {
      setTrip(*R, DT, LI);
      tellWhen(M, Model, *R);
    }
    for (Region *R : Here) {
      if (R->Kind == SIOX_REGION_NEST)
        enterNest(*R);
      else if (R->Kind == SIOX_REGION_LOOP && Split && !F.hasOptNone())
        prepareSplit(M, *LI.getLoopFor(R->Header), *R, Plans[R->Id]);
      else if (R->Header && bearsTicks(*LI.getLoopFor(R->Header)))
        insertTicks(*LI.getLoopFor(R->Header), *R->Enter, DT, LI);
    }
    tellFiles(M, Model, Here, DT);
  }

private:
  /// What the clone proved wins; otherwise the real loop computes it.
  static void setTrip(Region &R, DominatorTree &DT, LoopInfo &LI) {
    Value *Trip = nullptr;
    if (R.Trip != SIOX_UNKNOWN)
      Trip = ConstantInt::get(Type::getInt64Ty(R.Function->getContext()), R.Trip);
    else if (R.Kind == SIOX_REGION_LOOP || R.Kind == SIOX_REGION_STEPS)
      Trip = emitTrip(*LI.getLoopFor(R.Header), LI, DT, *R.Enter);
    else if (R.Sleeps)
      Trip = IRBuilder<>(R.Enter).CreateZExtOrTrunc(
          R.Call->getArgOperand(0), Type::getInt64Ty(R.Function->getContext()), "siox.sleeps");
    if (Trip)
      R.Enter->setArgOperand(1, Trip);
  }

  /// Disks that the whole phase does not use go down for as long as it lasts.
  void enterNest(const Region &R) {
    const RegionPlan &P = Plans[R.Id];
    if (P.Unused.empty())
      return;
    IRBuilder<> B(R.Enter->getNextNode());
    B.SetCurrentDebugLocation(R.Enter->getDebugLoc());
    Value *None = ConstantPointerNull::get(PointerType::getUnqual(M.getContext()));
    B.CreateCall(abiFunction(M, "siox_set_speed_at"),
                 {privateMask(M, P.Unused), B.getInt32(SIOX_SPEED_LOWEST), B.getInt32(0),
                  B.getInt64(0), B.getInt64(SIOX_NEVER), None});
  }

  Module &M;
  const ModuleModel &Model;
  ArrayRef<RegionPlan> Plans;
  bool Split;
};

} // namespace

void transformRegions(Module &M, ModuleModel &Model, ArrayRef<RegionPlan> Plans, bool Split) {
  Transformer T(M, Model, Plans, Split);
  std::vector<Region *> Here;
  for (unsigned I = 0; I != Model.Regions.size();) {
    Function *F = Model.Regions[I].Function;
    Here.clear();
    for (; I != Model.Regions.size() && Model.Regions[I].Function == F; I++)
      if (Model.Regions[I].Enter)
        Here.push_back(&Model.Regions[I]);
    if (!Here.empty())
      T.function(Here);
  }
  std::vector<int32_t> Speeds;
  for (const RegionPlan &P : Plans)
    Speeds.push_back(P.Speed);
  finishRegions(M, Model, Speeds);
}

} // namespace siox
