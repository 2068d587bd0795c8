/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// From printed plans to instructions.
#include "transform/Printed.h"
#include "analysis/Externals.h"
#include "analysis/Shape.h"
#include "model/Abi.h"
#include "transform/Mark.h"
#include "transform/Split.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace siox {

void removeMarkers(Function &F, Value *Descriptor) {
  for (User *U : make_early_inc_range(Descriptor->users())) {
    auto *Call = dyn_cast<CallInst>(U);
    const Function *Callee = Call && Call->getFunction() == &F ? directCallee(*Call) : nullptr;
    if (!Callee || !Call->use_empty() ||
        (Callee->getName() != "siox_region_enter" && Callee->getName() != "siox_region_leave"))
      continue;
    Call->eraseFromParent();
  }
}

/// "emit set_speed (T, S_x, 0) after the I/O call"
static void releaseAfter(Module &M, CallBase &Access, Constant *T, int32_t Speed) {
  Instruction *Next = Access.getNextNode();
  if (auto *Invoke = dyn_cast<InvokeInst>(&Access)) {
    BasicBlock *Normal = Invoke->getNormalDest();
    Next = Normal->getSinglePredecessor() ? &*Normal->getFirstInsertionPt() : nullptr;
  }
  if (!Next)
    return;
  IRBuilder<> B(Next);
  B.SetCurrentDebugLocation(Access.getDebugLoc());
  B.CreateCall(abiFunction(M, "siox_set_speed"), {T, B.getInt32(Speed), B.getInt32(0)});
}

void transformAsPrinted(Module &M, ModuleModel &Model, ArrayRef<RegionPlan> Plans) {
  const RegionPlan *Least = nullptr; // S_x of the loop that is slowest
  SmallSet<unsigned, 16> Accesses;
  bool All = false;
  for (Region &R : Model.Regions) {
    const RegionPlan &P = Plans[R.Id];
    if (!R.Enter)
      continue;
    if (!P.isStatic()) {
      R.Enter = nullptr;
      removeMarkers(*R.Function, R.Descriptor);
      continue;
    }
    DominatorTree DT(*R.Function);
    LoopInfo LI(DT);
    prepareSplit(M, *LI.getLoopFor(R.Header), R, P, true);
    if (!Least || P.Speed < Least->Speed)
      Least = &P;
    All |= R.Nests.empty();
    for (unsigned Nest : R.Nests)
      Accesses.insert(Model.Regions[Nest].Near.Next.begin(), Model.Regions[Nest].Near.Next.end());
  }
  if (Least) {
    Constant *T = privateMask(M, Least->Needed);
    for (const Site &S : Model.Sites)
      if (isDataSite(S) && (All || Accesses.contains(S.Id)))
        releaseAfter(M, *S.Call, T, Least->Speed);
  }
  finishRegions(M, Model, std::vector<int32_t>(Plans.size(), -1));
}

} // namespace siox
