/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Matching of loop bounds in memory form.
#include "analysis/Trip.h"
#include "analysis/Variables.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include <algorithm>

using namespace llvm;

namespace siox {

static bool fits(CmpInst::Predicate Continue, int64_t Step) {
  switch (Continue) {
  case CmpInst::ICMP_SLT:
  case CmpInst::ICMP_SLE:
  case CmpInst::ICMP_ULT:
  case CmpInst::ICMP_ULE:
    return Step > 0;
  case CmpInst::ICMP_SGT:
  case CmpInst::ICMP_SGE:
  case CmpInst::ICMP_UGT:
  case CmpInst::ICMP_UGE:
    return Step < 0;
  default:
    return Continue == CmpInst::ICMP_NE;
  }
}

std::optional<TripPattern> matchTrip(const Loop &L, const DominatorTree &DT) {
  BasicBlock *Header = L.getHeader(), *Latch = L.getLoopLatch();
  BasicBlock *Test = L.isLoopExiting(Header) ? Header : Latch;
  if (!Test || !L.isLoopExiting(Test))
    return std::nullopt;
  auto *Branch = dyn_cast<BranchInst>(Test->getTerminator());
  auto *Compare =
      Branch && Branch->isConditional() ? dyn_cast<ICmpInst>(Branch->getCondition()) : nullptr;
  if (!Compare || Compare->getParent() != Test ||
      !Compare->getOperand(0)->getType()->isIntegerTy() ||
      Compare->getOperand(0)->getType()->getIntegerBitWidth() > 64)
    return std::nullopt;
  for (bool Swap : {false, true}) {
    Value *Index = Compare->getOperand(Swap), *Bound = Compare->getOperand(!Swap);
    const LoadInst *Load = plainLoad(Index);
    if (!Load || !isa<AllocaInst, GlobalVariable, Argument>(Load->getPointerOperand()))
      continue;
    Value *Memory = const_cast<Value *>(Load->getPointerOperand());
    const StoreInst *Store = callsChange(Memory, L) ? nullptr : onlyStore(Memory, L, DT);
    std::optional<int64_t> Step = Store ? stepOf(*Store, Memory) : std::nullopt;
    CmpInst::Predicate Continue = Swap ? Compare->getSwappedPredicate() : Compare->getPredicate();
    if (!L.contains(Branch->getSuccessor(0)))
      Continue = CmpInst::getInversePredicate(Continue);
    if (!Step || !fits(Continue, *Step))
      continue;
    TripPattern P{Index, Bound, Memory, Continue, *Step, Test, Test == Latch};
    if (isHoistable(Index, P, L) && isHoistable(Bound, P, L))
      return P;
  }
  return std::nullopt;
}

/// Nothing before I in its block can write memory, leave or not return, so I is executed whenever
/// its block is.
static bool startsBlock(const Instruction &I) {
  for (const Instruction &J : *I.getParent()) {
    if (&J == &I)
      return true;
    if (J.mayHaveSideEffects() && !isa<DbgInfoIntrinsic>(J) && !J.isLifetimeStartOrEnd())
      return false;
  }
  return true;
}

bool isHoistable(const Value *V, const TripPattern &P, const Loop &L, unsigned Depth) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I)
    return true;
  if (!L.contains(I))
    return true; // defined before the loop: it dominates the header, and so the place before it
  if (I->getParent() != P.Test || Depth > 8 || isa<PHINode, CallBase, AllocaInst>(I) ||
      I->mayHaveSideEffects())
    return false;
  if (auto *Load = dyn_cast<LoadInst>(I)) {
    const Value *Pointer = Load->getPointerOperand();
    if (!Load->isSimple())
      return false;
    // What the body changes is not what the last iteration will compare with.
    if (Pointer != P.Memory && (isStored(Pointer, L) || (isa<AllocaInst, GlobalVariable>(Pointer) &&
                                                         callsChange(Pointer, L))))
      return false;
    auto *Global = dyn_cast<GlobalVariable>(Pointer);
    bool Always = isa<AllocaInst>(Pointer) || (Global && !Global->hasExternalWeakLinkage());
    if (!Always && (P.AtEnd || !startsBlock(*I)))
      return false;
  } else if (I->isIntDivRem()) {
    if (P.AtEnd || !startsBlock(*I))
      return false;
  } else if (!isa<BinaryOperator, CastInst, GetElementPtrInst>(I)) {
    return false;
  }
  return all_of(I->operands(), [&](const Use &U) { return isHoistable(U, P, L, Depth + 1); });
}

int64_t countIterations(CmpInst::Predicate Continue, int64_t First, int64_t Bound, int64_t Step,
                        bool AtEnd) {
  uint64_t Stride = Step > 0 ? uint64_t(Step) : -uint64_t(Step);
  int64_t Distance =
      int64_t(Step > 0 ? uint64_t(Bound) - uint64_t(First) : uint64_t(First) - uint64_t(Bound));
  bool Inclusive = Continue == CmpInst::ICMP_SLE || Continue == CmpInst::ICMP_ULE ||
                   Continue == CmpInst::ICMP_SGE || Continue == CmpInst::ICMP_UGE;
  uint64_t Extra = Inclusive ? Stride : Continue == CmpInst::ICMP_NE ? 0 : Stride - 1;
  int64_t Span = std::max<int64_t>(int64_t(uint64_t(Distance) + Extra), 0);
  int64_t Count = Distance < 0 ? 0 : int64_t(uint64_t(Span) / Stride);
  return std::max<int64_t>(Count, AtEnd);
}

/// A constant, directly or through a variable that is stored once and never has its address taken.
static std::optional<int64_t> constantValue(const Value *V, bool Signed) {
  const Value *Inner = stripCasts(V);
  if (const LoadInst *Load = plainLoad(V)) {
    auto *Memory = dyn_cast<AllocaInst>(Load->getPointerOperand());
    if (!Memory)
      return std::nullopt;
    const Value *Stored = nullptr;
    for (const User *U : Memory->users()) {
      auto *Store = dyn_cast<StoreInst>(U);
      if (Store && Store->getPointerOperand() == Memory && !Stored)
        Stored = Store->getValueOperand();
      else if (!isa<LoadInst>(U) && !cast<Instruction>(U)->isLifetimeStartOrEnd())
        return std::nullopt;
    }
    Inner = Stored;
  }
  auto *Constant = dyn_cast_or_null<ConstantInt>(Inner);
  if (!Constant || Constant->getBitWidth() > 64)
    return std::nullopt;
  return Signed ? Constant->getSExtValue() : int64_t(Constant->getZExtValue());
}

/// The constant stored to the index last before the loop.
static std::optional<int64_t> firstIndex(const TripPattern &P, const Loop &L, bool Signed) {
  if (!isa<AllocaInst>(P.Memory) || any_of(P.Memory->users(), [](const User *U) {
        return !isa<LoadInst>(U) &&
               !(isa<StoreInst>(U) && cast<StoreInst>(U)->getValueOperand() != U) &&
               !cast<Instruction>(U)->isLifetimeStartOrEnd();
      }))
    return std::nullopt;
  const BasicBlock *Before = L.getLoopPredecessor();
  if (!Before)
    return std::nullopt;
  for (const Instruction &I : reverse(*Before))
    if (auto *Store = dyn_cast<StoreInst>(&I); Store && Store->getPointerOperand() == P.Memory) {
      auto *Constant = dyn_cast<ConstantInt>(Store->getValueOperand());
      if (!Constant || Constant->getBitWidth() > 64)
        return std::nullopt;
      return Signed ? Constant->getSExtValue() : int64_t(Constant->getZExtValue());
    }
  return std::nullopt;
}

int64_t constantTrip(const Loop &L, const DominatorTree &DT) {
  std::optional<TripPattern> P = matchTrip(L, DT);
  if (!P)
    return SIOX_UNKNOWN;
  bool Signed = !CmpInst::isUnsigned(P->Continue);
  std::optional<int64_t> First = firstIndex(*P, L, Signed), Bound = constantValue(P->Bound, Signed);
  if (!First || !Bound)
    return SIOX_UNKNOWN;
  return countIterations(P->Continue, *First, *Bound, P->Step, P->AtEnd);
}

} // namespace siox
