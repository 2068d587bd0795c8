/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Insertion of iteration counters.
#include "transform/Guard.h"
#include "model/Abi.h"
#include "llvm/Analysis/DomTreeUpdater.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace siox {

/// The one block that goes back to the header, and the place in it that every iteration passes.
static Instruction *endOfIteration(Loop &L, DominatorTree &DT, LoopInfo &LI) {
  BasicBlock *Latch = L.getLoopLatch();
  if (!Latch || !isa<BranchInst>(Latch->getTerminator())) {
    SmallVector<BasicBlock *, 4> Latches;
    L.getLoopLatches(Latches);
    Latch = SplitBlockPredecessors(L.getHeader(), Latches, ".siox", &DT, &LI);
  }
  return Latch->getTerminator();
}

bool bearsTicks(const Loop &L) {
  if (!L.isInnermost() || L.getHeader()->getParent()->hasOptNone())
    return true;
  return any_of(L.blocks(), [](const BasicBlock *BB) {
    return any_of(*BB,
                  [](const Instruction &I) { return isa<CallBase>(I) && !isa<IntrinsicInst>(I); });
  });
}

SmallVector<AllocaInst *, 2> insertTicks(Loop &L, CallBase &Enter, DominatorTree &DT,
                                         LoopInfo &LI) {
  Function &F = *Enter.getFunction();
  Module &M = *F.getParent();
  BasicBlock &Entry = F.getEntryBlock();
  IRBuilder<> B(&Entry, Entry.getFirstInsertionPt());
  Type *I64 = B.getInt64Ty();
  AllocaInst *Count = B.CreateAlloca(I64, nullptr, "siox.count");
  AllocaInst *Next = B.CreateAlloca(I64, nullptr, "siox.next");

  B.SetInsertPoint(Enter.getNextNode());
  B.SetCurrentDebugLocation(Enter.getDebugLoc());
  B.CreateStore(B.getInt64(0), Count);
  B.CreateStore(&Enter, Next);

  Instruction *End = endOfIteration(L, DT, LI);
  B.SetInsertPoint(End);
  if (!End->getDebugLoc())
    B.SetCurrentDebugLocation(Enter.getDebugLoc());
  Value *Reached = B.CreateAdd(B.CreateLoad(I64, Count), B.getInt64(1));
  B.CreateStore(Reached, Count);
  Value *Due = B.CreateICmpEQ(Reached, B.CreateLoad(I64, Next));
  DomTreeUpdater DTU(DT, DomTreeUpdater::UpdateStrategy::Eager);
  MDNode *Rarely = MDBuilder(M.getContext()).createUnlikelyBranchWeights();
  Instruction *Then = SplitBlockAndInsertIfThen(Due, End, false, Rarely, &DTU, &LI);
  B.SetInsertPoint(Then);
  B.SetCurrentDebugLocation(Enter.getDebugLoc());
  Value *Tick = B.CreateCall(abiFunction(M, "siox_region_tick"), {Enter.getArgOperand(0), Reached});
  B.CreateStore(Tick, Next);
  return {Count, Next};
}

} // namespace siox
