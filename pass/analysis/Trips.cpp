/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Trip counts from the exits that can be counted.
#include "analysis/Trips.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include <map>

using namespace llvm;

namespace siox {

int64_t tripCount(const Loop &L, const BasicBlock &Block, ScalarEvolution &SE,
                  const DominatorTree &Tree) {
  SmallVector<BasicBlock *, 4> Exiting;
  L.getExitingBlocks(Exiting);
  int64_t Least = SIOX_UNKNOWN;
  for (BasicBlock *Exit : Exiting) {
    const auto *Count = dyn_cast<SCEVConstant>(SE.getExitCount(&L, Exit));
    if (!Count || Count->getAPInt().getActiveBits() > 62)
      continue;
    // Taken in round n: the blocks before that exit have run n + 1 times, those after it n times.
    bool After = Tree.properlyDominates(Exit, &Block);
    int64_t Runs = int64_t(Count->getAPInt().getZExtValue()) + (After ? 0 : 1);
    if (Least == SIOX_UNKNOWN || Runs < Least)
      Least = Runs;
  }
  return Least;
}

/// The loop that begins after a marker: the first one inside the marker's own loop that control can
/// reach.
static Loop *loopAfter(Instruction &Marker, LoopInfo &Loops) {
  Loop *Outer = Loops.getLoopFor(Marker.getParent());
  SmallVector<BasicBlock *, 4> Work{Marker.getParent()};
  SmallPtrSet<BasicBlock *, 8> Seen;
  for (size_t I = 0; I < Work.size(); ++I)
    for (BasicBlock *Next : successors(Work[I])) {
      Loop *L = Loops.getLoopFor(Next);
      if (L && L != Outer && L->getParentLoop() == Outer && L->getHeader() == Next)
        return L;
      if (L == Outer && Seen.insert(Next).second)
        Work.push_back(Next);
    }
  return nullptr;
}

void findRegionTrips(OptimisticClone &Clone, ModuleModel &Model) {
  std::map<unsigned, SmallVector<int64_t, 2>> Trips;
  for (Function &F : Clone.module())
    for (Instruction &I : instructions(F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (!Call || !Call->getCalledFunction() ||
          Call->getCalledFunction()->getName() != "siox_region_enter" || Clone.isInlined(F))
        continue;
      auto &FAM = Clone.analyses();
      LoopInfo &Loops = FAM.getResult<LoopAnalysis>(F);
      int64_t Trip = SIOX_UNKNOWN;
      if (Loop *L = loopAfter(*Call, Loops))
        Trip = tripCount(*L, *L->getLoopLatch(), FAM.getResult<ScalarEvolutionAnalysis>(F),
                         FAM.getResult<DominatorTreeAnalysis>(F));
      for (unsigned Id : Clone.regionsNamed(Call->getArgOperand(0)))
        Trips[Id].push_back(Trip);
    }
  for (auto &[Id, List] : Trips)
    if (all_equal(List) && Model.Regions[Id].Kind != SIOX_REGION_CALL)
      Model.Regions[Id].Trip = List.front();
}

} // namespace siox
