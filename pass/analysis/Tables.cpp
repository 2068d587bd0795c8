/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Following an offset back to loads: arithmetic on them, and addresses that follow from the counter
// of the loop.
#include "analysis/Tables.h"
#include "analysis/Hoist.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemorySSA.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace siox {

namespace {

/// Collects, or takes for zero, the parts of an expression that vary in a loop and are no
/// recurrence.
class Varying : public SCEVRewriteVisitor<Varying> {
public:
  Varying(ScalarEvolution &SE, const Loop &L) : SCEVRewriteVisitor(SE), L(L) {}
  const SCEV *visitUnknown(const SCEVUnknown *U) {
    if (SE.isLoopInvariant(U, &L))
      return U;
    Values.push_back(U->getValue());
    return SE.getZero(U->getType());
  }
  SmallVector<Value *, 4> Values;

private:
  const Loop &L;
};

} // namespace

bool TableOffset::visit(Value *V, const Loop &L, ScalarEvolution &SE) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !Seen.insert(V).second)
    return true;
  if (!L.contains(I)) {
    Outside.push_back(V);
    return true;
  }
  if (auto *Phi = dyn_cast<PHINode>(I)) {
    const auto *R =
        SE.isSCEVable(Phi->getType()) ? dyn_cast<SCEVAddRecExpr>(SE.getSCEV(Phi)) : nullptr;
    if (!R || !R->isAffine() || R->getLoop() != &L)
      return false;
    if (const auto *Start = dyn_cast<SCEVUnknown>(R->getStart()))
      Outside.push_back(Start->getValue());
    return isa<SCEVConstant, SCEVUnknown>(R->getStart());
  }
  if (auto *Load = dyn_cast<LoadInst>(I)) {
    if (!Load->isSimple() || !keepsValue(*Load, L, *States))
      return false;
    Loads.push_back(Load);
  } else if (!onlyComputes(*I)) {
    return false;
  }
  return all_of(I->operands(), [&](Value *Operand) { return visit(Operand, L, SE); });
}

std::optional<TableOffset> TableOffset::in(const SCEV *Offset, const Loop &L, ScalarEvolution &SE,
                                           MemorySSA &States) {
  Varying Parts(SE, L);
  TableOffset T;
  T.States = &States;
  T.Rest = Parts.visit(Offset);
  if (const auto *R = dyn_cast<SCEVAddRecExpr>(T.Rest); R && R->getLoop() == &L)
    T.Rest = R->getStart();
  if (Parts.Values.empty() || !SE.isLoopInvariant(T.Rest, &L) ||
      !all_of(Parts.Values, [&](Value *V) { return T.visit(V, L, SE); }) || T.Loads.empty())
    return std::nullopt;
  return T;
}

bool TableOffset::staysIn(const Loop &Outer, ScalarEvolution &SE) const {
  return all_of(Loads, [&](LoadInst *Load) { return keepsValue(*Load, Outer, *States); }) &&
         all_of(Outside, [&](Value *V) {
           return SE.isSCEVable(V->getType()) ? SE.isLoopInvariant(SE.getSCEV(V), &Outer)
                                              : Outer.isLoopInvariant(V);
         });
}

} // namespace siox
