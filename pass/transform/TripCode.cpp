/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Trip counts by ScalarEvolution where the loop is in SSA form, else by the pattern of
// analysis/Trip.h.
#include "transform/TripCode.h"
#include "analysis/Trip.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace siox {

/// Copies what isHoistable allowed to before the loop, without flags that could make poison.
static Value *hoist(Value *V, const Loop &L, IRBuilder<> &B, DenseMap<Value *, Value *> &Done) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !L.contains(I))
    return V;
  if (Value *Copy = Done.lookup(V))
    return Copy;
  Instruction *New = I->clone();
  New->dropPoisonGeneratingFlags();
  New->dropUnknownNonDebugMetadata();
  for (Use &U : New->operands())
    U.set(hoist(U.get(), L, B, Done));
  B.Insert(New, "siox.trip");
  New->setDebugLoc(B.getCurrentDebugLocation());
  return Done[V] = New;
}

/// countIterations of analysis/Trip.h as instructions.
static Value *emitCount(const TripPattern &P, Value *First, Value *Bound, IRBuilder<> &B) {
  bool Unsigned = CmpInst::isUnsigned(P.Continue);
  Type *I64 = B.getInt64Ty();
  First = B.CreateIntCast(First, I64, !Unsigned);
  Bound = B.CreateIntCast(Bound, I64, !Unsigned);
  uint64_t Stride = P.Step > 0 ? uint64_t(P.Step) : -uint64_t(P.Step);
  bool Inclusive = ICmpInst::isNonStrictPredicate(P.Continue);
  uint64_t Extra = Inclusive ? Stride : P.Continue == CmpInst::ICMP_NE ? 0 : Stride - 1;
  Value *Zero = B.getInt64(0);
  Value *Distance = P.Step > 0 ? B.CreateSub(Bound, First) : B.CreateSub(First, Bound);
  // No more than the stride is added, so that only a negative span would count wrongly. Compare and
  // select instead of smax, and no operations that change nothing: the fast code generator of -O0
  // leaves intrinsics to the slow one.
  Value *Span = Extra ? B.CreateAdd(Distance, B.getInt64(Extra)) : Distance;
  Value *Count = B.CreateSelect(B.CreateICmpSLT(Span, Zero), Zero, Span);
  if (Stride != 1)
    Count = B.CreateUDiv(Count, B.getInt64(Stride));
  if (P.AtEnd)
    Count = B.CreateSelect(B.CreateICmpSLT(Count, B.getInt64(1)), B.getInt64(1), Count);
  return Count;
}

static Value *emitFromScev(Loop &L, LoopInfo &LI, DominatorTree &DT, Instruction &Where) {
  Function &F = *L.getHeader()->getParent();
  TargetLibraryInfoImpl Library{Triple(F.getParent()->getTargetTriple())};
  TargetLibraryInfo TLI(Library, &F);
  AssumptionCache AC(F);
  ScalarEvolution SE(F, TLI, AC, DT, LI);
  const SCEV *Taken = SE.getBackedgeTakenCount(&L);
  if (isa<SCEVCouldNotCompute>(Taken))
    return nullptr;
  Type *I64 = Type::getInt64Ty(F.getContext());
  if (SE.getTypeSizeInBits(Taken->getType()) > 64)
    return nullptr;
  const SCEV *Count = SE.getTruncateOrZeroExtend(Taken, I64);
  // A loop that tests before its body, as Fortran's do, goes back after every iteration.
  if (BasicBlock *Latch = L.getLoopLatch(); Latch && L.isLoopExiting(Latch))
    Count = SE.getAddExpr(Count, SE.getOne(I64));
  SCEVExpander Expander(SE, F.getDataLayout(), "siox.trip");
  // isSafeToExpandAt refuses what stands in the same block.
  bool Late = SCEVExprContains(Count, [&](const SCEV *S) {
    const auto *Unknown = dyn_cast<SCEVUnknown>(S);
    const auto *I = Unknown ? dyn_cast<Instruction>(Unknown->getValue()) : nullptr;
    return I && !DT.dominates(I, &Where);
  });
  if (Late || !Expander.isSafeToExpand(Count))
    return nullptr;
  Value *V = Expander.expandCodeFor(Count, I64, &Where);
  Expander.clear();
  if (isa<Constant>(V))
    return V;
  return IRBuilder<>(&Where).CreateFreeze(V);
}

Value *emitTrip(Loop &L, LoopInfo &LI, DominatorTree &DT, Instruction &Where) {
  if (isa<PHINode>(L.getHeader()->front()))
    if (Value *V = emitFromScev(L, LI, DT, Where))
      return V;
  std::optional<TripPattern> P = matchTrip(L, DT);
  if (!P)
    return nullptr;
  IRBuilder<> B(&Where);
  DenseMap<Value *, Value *> Done;
  Value *First = hoist(P->Index, L, B, Done), *Bound = hoist(P->Bound, L, B, Done);
  return emitCount(*P, First, Bound, B);
}

} // namespace siox
