/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Copying a loop behind itself.
#include "transform/LoopCopy.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

namespace siox {

/// A token cannot go through a phi, which its uses behind two loops would need.
static bool tokenLeaves(const Instruction &I, const Loop &L) {
  return I.getType()->isTokenTy() &&
         any_of(I.users(), [&](const User *U) { return !L.contains(cast<Instruction>(U)); });
}

bool canStandTwice(const Loop &L) {
  if (!L.isLoopSimplifyForm() || !L.isSafeToClone() || L.hasNoExitBlocks() ||
      !isa<BranchInst>(L.getLoopLatch()->getTerminator()))
    return false;
  return none_of(L.blocks(), [&](const BasicBlock *BB) {
    return any_of(*BB, [&](const Instruction &I) { return tokenLeaves(I, L); });
  });
}

namespace {

class Copier {
public:
  Copier(Loop &L, DominatorTree &DT, LoopInfo &LI, ScalarEvolution &SE, AssumptionCache &AC)
      : L(L), DT(DT), LI(LI), SE(SE), AC(AC), LoopId(L.getLoopID()) {}

  Instruction *run(Value *First, bool Sure) {
    Before = L.getLoopPreheader();
    SE.forgetAllLoops();
    Start = SplitBlock(Before, Before->getTerminator(), &DT, &LI);
    L.getLoopLatch()->getTerminator()->setMetadata(LLVMContext::MD_loop, nullptr);
    if (!Sure) // the way back gets a block of its own, behind the loop's own test
      SplitEdge(L.getLoopLatch(), L.getHeader(), &DT, &LI);
    Latch = L.getLoopLatch();
    copy();
    continueExits();
    continueHeader();
    leaveAfter(First);
    skipFirst(First);
    L.setLoopID(LoopId);
    if (LoopId)
      Rest->setLoopID(makePostTransformationMetadata(LoopId->getContext(), LoopId, {}, {}));
    DT.recalculate(*Before->getParent());
    return Between->getTerminator();
  }

private:
  void copy() {
    SmallVector<MDNode *, 4> Scopes;
    identifyNoAliasScopesToClone(L.getBlocks(), Scopes);
    SmallVector<BasicBlock *, 8> Blocks;
    L.getUniqueExitBlocks(Exits);
    Rest = cloneLoopWithPreheader(Exits.front(), Before, &L, Map, ".rest", &LI, &DT, Blocks);
    remapInstructionsInBlocks(Blocks, Map);
    if (!Scopes.empty())
      cloneAndAdaptNoAliasScopes(Scopes, Blocks, Before->getContext(), "rest");
    for (BasicBlock *BB : Blocks)
      for (Instruction &I : *BB)
        if (auto *Assume = dyn_cast<AssumeInst>(&I))
          AC.registerAssumption(Assume);
    Between = cast<BasicBlock>(Map[Start]);
  }

  Value *copyOf(Value *V) const {
    Value *Copy = Map.lookup(V);
    return Copy ? Copy : V;
  }

  /// What leaves the second loop arrives where it did from the first.
  void continueExits() {
    for (BasicBlock *Exit : Exits)
      for (PHINode &P : Exit->phis()) {
        SE.forgetValue(&P);
        for (unsigned I = 0, N = P.getNumIncomingValues(); I != N; I++)
          if (L.contains(P.getIncomingBlock(I)))
            P.addIncoming(copyOf(P.getIncomingValue(I)),
                          cast<BasicBlock>(Map[P.getIncomingBlock(I)]));
      }
  }

  /// The second loop begins with what the first one would have gone on with.
  void continueHeader() {
    IRBuilder<> B(Between, Between->begin());
    for (PHINode &P : L.getHeader()->phis()) {
      PHINode *Handed = B.CreatePHI(P.getType(), 2, P.getName() + ".siox");
      Handed->setDebugLoc(P.getDebugLoc());
      Handed->addIncoming(P.getIncomingValueForBlock(Start), Before);
      Handed->addIncoming(P.getIncomingValueForBlock(Latch), Latch);
      cast<PHINode>(Map[&P])->setIncomingValueForBlock(Between, Handed);
    }
  }

  void leaveAfter(Value *First) {
    BasicBlock *Header = L.getHeader();
    IRBuilder<> B(Header, Header->begin());
    PHINode *Done = B.CreatePHI(B.getInt64Ty(), 2, "siox.done");
    auto *Old = cast<BranchInst>(Latch->getTerminator());
    B.SetInsertPoint(Old); // with its debug location
    Value *Next = B.CreateNUWAdd(Done, B.getInt64(1));
    Done->addIncoming(B.getInt64(0), Start);
    Done->addIncoming(Next, Latch);
    B.CreateCondBr(B.CreateICmpEQ(Next, First), Between, Header);
    Value *Test = Old->isConditional() ? Old->getCondition() : nullptr;
    for (unsigned I = 0; I != Old->getNumSuccessors(); I++)
      if (Old->getSuccessor(I) != Header)
        Old->getSuccessor(I)->removePredecessor(Latch, true);
    Old->eraseFromParent();
    if (Test)
      RecursivelyDeleteTriviallyDeadInstructions(Test);
  }

  void skipFirst(Value *First) {
    Instruction *Old = Before->getTerminator();
    IRBuilder<> B(Old);
    B.CreateCondBr(B.CreateICmpEQ(First, B.getInt64(0)), Between, Start);
    Old->eraseFromParent();
  }

  Loop &L;
  DominatorTree &DT;
  LoopInfo &LI;
  ScalarEvolution &SE;
  AssumptionCache &AC;
  MDNode *LoopId;
  BasicBlock *Before = nullptr, *Start = nullptr, *Latch = nullptr, *Between = nullptr;
  SmallVector<BasicBlock *, 8> Exits;
  Loop *Rest = nullptr;
  ValueToValueMapTy Map;
};

} // namespace

Instruction *splitLoop(Loop &L, Value *First, bool Sure, DominatorTree &DT, LoopInfo &LI,
                       ScalarEvolution &SE, AssumptionCache &AC) {
  return Copier(L, DT, LI, SE, AC).run(First, Sure);
}

} // namespace siox
