/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A cheap look at what the vectoriser will find.
#include "analysis/Vector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include <algorithm>

using namespace llvm;

namespace siox {

static bool mayRegroup(const Value *V) {
  auto *Op = dyn_cast<FPMathOperator>(V);
  return Op && Op->hasAllowReassoc();
}

/// Cycles until the next operation has the result: the least of current cores.
static double latency(const Instruction &I) {
  if (I.getType()->isFPOrFPVectorTy())
    return I.getOpcode() == Instruction::FAdd || I.getOpcode() == Instruction::FSub ? 2 : 3;
  return I.getOpcode() == Instruction::Mul ? 3 : isa<CastInst>(I) ? 0 : 1;
}

/// Cycles from From to To along operands inside the loop; negative: no way, or one that may be
/// regrouped.
static double chain(const Value *To, const PHINode *From, const Loop &L, unsigned Depth) {
  auto *I = dyn_cast<Instruction>(To);
  if (To == From)
    return 0;
  if (!I || !L.contains(I) || isa<PHINode>(I) || Depth > 12 || mayRegroup(I))
    return -1;
  double Longest = -1;
  if (isa<BinaryOperator, CastInst, IntrinsicInst>(I))
    for (const Value *Operand : I->operands())
      Longest = std::max(Longest, chain(Operand, From, L, Depth + 1));
  return Longest < 0 ? -1 : Longest + latency(*I);
}

/// A sum (product, minimum, ...) of which parts can be made apart.
static bool isReduction(const PHINode &P, const Value *Next) {
  if (P.getType()->isFloatingPointTy())
    return mayRegroup(Next);
  auto *Op = dyn_cast<BinaryOperator>(Next);
  return (Op && Op->isCommutative() && (Op->getOperand(0) == &P || Op->getOperand(1) == &P)) ||
         isa<MinMaxIntrinsic>(Next);
}

static bool isIndex(PHINode &P, ScalarEvolution &SE) {
  auto *R = SE.isSCEVable(P.getType()) ? dyn_cast<SCEVAddRecExpr>(SE.getSCEV(&P)) : nullptr;
  return R && R->isAffine();
}

double recurrenceCycles(const Loop &L, ScalarEvolution &SE) {
  const BasicBlock *Latch = L.getLoopLatch();
  double Longest = 0;
  if (!Latch)
    return 0;
  for (PHINode &P : L.getHeader()->phis()) {
    const Value *Next = P.getIncomingValueForBlock(Latch);
    if (!isIndex(P, SE) && !isReduction(P, Next))
      Longest = std::max(Longest, chain(Next, &P, L, 0));
  }
  return Longest;
}

/// Neighbours are neighbours in memory, or all are the same place.
static bool isDense(Value *Pointer, Type *Accessed, const Loop &L, ScalarEvolution &SE,
                    bool Written) {
  const SCEV *S = SE.getSCEV(Pointer);
  if (SE.isLoopInvariant(S, &L))
    return !Written;
  auto *R = dyn_cast<SCEVAddRecExpr>(S);
  auto *Step = R && R->getLoop() == &L && R->isAffine()
                   ? dyn_cast<SCEVConstant>(R->getStepRecurrence(SE))
                   : nullptr;
  if (!Step)
    return false;
  const DataLayout &Layout = L.getHeader()->getDataLayout();
  return Step->getAPInt().abs() == Layout.getTypeStoreSize(Accessed).getFixedValue();
}

unsigned vectorLanes(const Loop &L, ScalarEvolution &SE, unsigned VectorBits) {
  if (!L.isInnermost() || !VectorBits || !L.getLoopLatch() || !L.getExitingBlock() ||
      isa<SCEVCouldNotCompute>(SE.getBackedgeTakenCount(&L)))
    return 1;
  for (PHINode &P : L.getHeader()->phis())
    if (!isIndex(P, SE) && !isReduction(P, P.getIncomingValueForBlock(L.getLoopLatch())))
      return 1;
  unsigned Widest = 0;
  const DataLayout &Layout = L.getHeader()->getDataLayout();
  for (BasicBlock *BB : L.blocks())
    for (Instruction &I : *BB) {
      if (auto *Call = dyn_cast<CallBase>(&I)) {
        auto *Known = dyn_cast<IntrinsicInst>(Call);
        if (!Known || (!isTriviallyVectorizable(Known->getIntrinsicID()) &&
                       !isa<DbgInfoIntrinsic, AssumeInst>(Known) && !I.isLifetimeStartOrEnd()))
          return 1;
        continue;
      }
      Value *Pointer = getLoadStorePointerOperand(&I);
      if (!Pointer) {
        if (I.mayReadOrWriteMemory())
          return 1;
        continue;
      }
      Type *Accessed = getLoadStoreType(&I);
      if (Accessed->isVectorTy() || Accessed->isAggregateType() ||
          !isDense(Pointer, Accessed, L, SE, isa<StoreInst>(I)))
        return 1;
      Widest = std::max(Widest, unsigned(Layout.getTypeSizeInBits(Accessed).getFixedValue()));
    }
  return Widest ? std::max(1U, VectorBits / Widest) : 1;
}

} // namespace siox
