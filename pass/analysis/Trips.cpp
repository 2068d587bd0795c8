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
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include <map>

using namespace llvm;

namespace siox {

/// Rounds after which a condition ends the loop, one for each part of an || (or, negated, of an &&)
/// that can be counted: simplification folds an error check and the loop's own test into one
/// branch.
static void exitCounts(const Loop &L, Value *Condition, bool ExitIfTrue, ScalarEvolution &SE,
                       SmallVectorImpl<const SCEV *> &Counts) {
  using namespace PatternMatch;
  Value *A, *B;
  if (ExitIfTrue ? match(Condition, m_LogicalOr(m_Value(A), m_Value(B)))
                 : match(Condition, m_LogicalAnd(m_Value(A), m_Value(B)))) {
    exitCounts(L, A, ExitIfTrue, SE, Counts);
    exitCounts(L, B, ExitIfTrue, SE, Counts);
  } else {
    Counts.push_back(SE.computeExitLimitFromCond(&L, Condition, ExitIfTrue, false).ExactNotTaken);
  }
}

int64_t tripCount(const Loop &L, const BasicBlock &Block, ScalarEvolution &SE,
                  const DominatorTree &Tree) {
  SmallVector<BasicBlock *, 4> Exiting;
  L.getExitingBlocks(Exiting);
  int64_t Least = SIOX_UNKNOWN;
  for (BasicBlock *Exit : Exiting) {
    SmallVector<const SCEV *, 2> Counts{SE.getExitCount(&L, Exit)};
    if (auto *Branch = dyn_cast<BranchInst>(Exit->getTerminator());
        Branch && Branch->isConditional() && isa<SCEVCouldNotCompute>(Counts.front()))
      exitCounts(L, Branch->getCondition(), !L.contains(Branch->getSuccessor(0)), SE, Counts);
    for (const SCEV *S : Counts) {
      const auto *Count = dyn_cast<SCEVConstant>(S);
      if (!Count || Count->getAPInt().getActiveBits() > 62)
        continue;
      // Taken in round n: the blocks before that exit have run n + 1 times, those after it n times.
      bool After = Tree.properlyDominates(Exit, &Block);
      int64_t Runs = int64_t(Count->getAPInt().getZExtValue()) + (After ? 0 : 1);
      if (Least == SIOX_UNKNOWN || Runs < Least)
        Least = Runs;
    }
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
    // What the real loop says by itself stays.
    // A loop without effects loses its iterations in the clone, so a count below 2 tells nothing.
    if (all_equal(List) && Model.Regions[Id].Header && Model.Regions[Id].Trip == SIOX_UNKNOWN &&
        List.front() > 1)
      Model.Regions[Id].Trip = List.front();
}

} // namespace siox
