/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Hoisting without regard to traps: inner loops first, so that what leaves them can leave outer
// ones too; in each loop in the order of execution, so that what an instruction needs goes first.
#include "analysis/Hoist.h"
#include "model/MpiIo.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/LoopIterator.h"
#include "llvm/Analysis/MemorySSA.h"
#include "llvm/Analysis/MemorySSAUpdater.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace siox {

/// Two addresses in one variable, or behind one pointer.
static bool inOneObject(const Value *A, const Value *B) {
  A = getUnderlyingObject(A);
  B = getUnderlyingObject(B);
  const auto *First = dyn_cast<LoadInst>(A), *Second = dyn_cast<LoadInst>(B);
  return A == B || (First && Second &&
                    First->getPointerOperand()->stripPointerCasts() ==
                        Second->getPointerOperand()->stripPointerCasts());
}

/// A call of MPI that is given other variables than the one read: a prediction may assume that it
/// leaves that one alone, even where pointers could lead there.
static bool sparesIt(const MemoryDef &Writer, const Value *Address) {
  const auto *Call = dyn_cast_or_null<CallBase>(Writer.getMemoryInst());
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee && isMpiName(Callee->getName()) && none_of(Call->args(), [&](const Use &Argument) {
           return Argument->getType()->isPointerTy() && inOneObject(Argument, Address);
         });
}

bool keepsValue(LoadInst &Load, const Loop &L, MemorySSA &States) {
  MemorySSAWalker &Walker = *States.getSkipSelfWalker();
  Value *Address = Load.getPointerOperand();
  MemoryLocation Place = L.isLoopInvariant(Address) ? MemoryLocation::get(&Load)
                                                    : MemoryLocation::getBeforeOrAfter(Address);
  SmallVector<MemoryAccess *, 8> Work{Walker.getClobberingMemoryAccess(&Load)};
  SmallPtrSet<MemoryAccess *, 8> Seen;
  while (!Work.empty()) {
    MemoryAccess *Writer = Work.pop_back_val();
    if (States.isLiveOnEntryDef(Writer) || !L.contains(Writer->getBlock()) ||
        !Seen.insert(Writer).second)
      continue;
    if (auto *Phi = dyn_cast<MemoryPhi>(Writer)) {
      for (Use &Incoming : Phi->incoming_values())
        Work.push_back(Walker.getClobberingMemoryAccess(cast<MemoryAccess>(Incoming), Place));
    } else if (auto *Def = cast<MemoryDef>(Writer); sparesIt(*Def, Address)) {
      Work.push_back(Walker.getClobberingMemoryAccess(Def->getDefiningAccess(), Place));
    } else {
      return false;
    }
  }
  return true;
}

bool onlyComputes(const Instruction &I) {
  return isa<BinaryOperator, CastInst, GetElementPtrInst, CmpInst, SelectInst, FreezeInst>(I);
}

static bool canMove(Instruction &I, const Loop &L, MemorySSA &States) {
  if (!L.hasLoopInvariantOperands(&I))
    return false;
  if (auto *Load = dyn_cast<LoadInst>(&I))
    return Load->isSimple() && keepsValue(*Load, L, States);
  return onlyComputes(I);
}

PreservedAnalyses HoistPass::run(Function &F, FunctionAnalysisManager &FAM) {
  LoopInfo &Loops = FAM.getResult<LoopAnalysis>(F);
  MemorySSA &States = FAM.getResult<MemorySSAAnalysis>(F).getMSSA();
  MemorySSAUpdater Updater(&States);
  bool Changed = false;
  SmallVector<Loop *, 4> Nest = Loops.getLoopsInPreorder();
  for (Loop *L : reverse(Nest)) {
    BasicBlock *Before = L->getLoopPreheader();
    if (!Before)
      continue;
    LoopBlocksRPO Blocks(L);
    Blocks.perform(&Loops);
    for (BasicBlock *Block : Blocks)
      for (Instruction &I : make_early_inc_range(*Block)) {
        if (!canMove(I, *L, States))
          continue;
        // What held where it stood need not hold before. What it may alias it may wherever its
        // value is used, and this code is never run.
        I.dropUnknownNonDebugMetadata({LLVMContext::MD_tbaa});
        I.moveBefore(Before->getTerminator());
        if (MemoryUseOrDef *Access = States.getMemoryAccess(&I))
          Updater.moveToPlace(Access, Before, MemorySSA::BeforeTerminator);
        Changed = true;
      }
  }
  if (!Changed)
    return PreservedAnalyses::all();
  PreservedAnalyses Kept;
  Kept.preserveSet<CFGAnalyses>();
  return Kept;
}

} // namespace siox
