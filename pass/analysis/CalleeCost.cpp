/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Summaries of functions without accesses.
#include "analysis/CalleeCost.h"
#include "analysis/Externals.h"
#include "analysis/Trip.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include <algorithm>

using namespace llvm;

namespace siox {

/// What the optimiser makes of it: variables become registers.
static bool vanishes(const Instruction &I) {
  const Value *Pointer = getLoadStorePointerOperand(&I);
  return (Pointer && isa<AllocaInst>(Pointer)) || isa<IntrinsicInst>(I) ||
         isa<PHINode, GetElementPtrInst, CastInst, AllocaInst>(I) ||
         (isa<BranchInst>(I) && !cast<BranchInst>(I).isConditional());
}

LeastTime leastTimeOutside(const CallBase &Call, const Function &Callee) {
  ExternalInfo Known = classifyExternal(Callee);
  if (Known.Kind == External::Sleeps) {
    auto *Units = Call.arg_empty() ? nullptr : dyn_cast<ConstantInt>(Call.getArgOperand(0));
    Known.Ns *= Units ? Units->getValue().roundToDouble() : 0;
  }
  return {Known.Ns, !mayLast(Known.Kind)};
}

EveryTime::EveryTime(const Loop &L, const DominatorTree &DT) : DT(DT) { L.getLoopLatches(Latches); }

bool EveryTime::operator()(const BasicBlock *BB) const {
  return all_of(Latches, [&](const BasicBlock *Latch) { return DT.dominates(BB, Latch); });
}

LeastTime CalleeCosts::block(const BasicBlock &BB, double CyclesNs) {
  LeastTime T;
  for (const Instruction &I : BB) {
    if (vanishes(I))
      continue;
    T.Ns += CyclesNs;
    auto *Call = dyn_cast<CallBase>(&I);
    Function *Callee = Call ? directCallee(*Call) : nullptr;
    if (Callee && !Callee->isDeclaration()) {
      T += of(*Callee);
    } else if (Callee && !Callee->getName().starts_with("siox_")) {
      T += leastTimeOutside(*Call, *Callee);
    } else if (Call && !Callee) {
      T.Whole &= Call->isInlineAsm();
    }
  }
  return T;
}

LeastTime CalleeCosts::loop(const Loop &L, const DominatorTree &DT, const LoopInfo &LI,
                            double CyclesNs) {
  const EveryTime Always(L, DT);
  LeastTime T;
  for (const BasicBlock *BB : L.blocks())
    if (LI.getLoopFor(BB) == &L && Always(BB))
      T += block(*BB, CyclesNs);
  for (const Loop *Inner : L)
    if (Always(Inner->getHeader()))
      T += loop(*Inner, DT, LI, CyclesNs);
    else
      T.Whole = false;
  int64_t Trip = constantTrip(L, DT);
  return {T.Ns * double(std::max<int64_t>(Trip, 1)), T.Whole && Trip > 0};
}

LeastTime CalleeCosts::of(Function &F) {
  auto [It, First] = Done.try_emplace(&F, LeastTime{0, false});
  if (!First)
    return It->second;
  DominatorTree DT(F);
  LoopInfo LI(DT);
  PostDominatorTree PDT(F);
  const Machine Core = Cores.of(F);
  double CyclesNs = 1 / Core.Width / Core.GHz;
  LeastTime T;
  for (const BasicBlock &BB : F)
    if (!LI.getLoopFor(&BB) && PDT.dominates(&BB, &F.getEntryBlock()))
      T += block(BB, CyclesNs);
  for (const Loop *L : LI)
    if (PDT.dominates(L->getHeader(), &F.getEntryBlock()))
      T += loop(*L, DT, LI, CyclesNs);
    else
      T.Whole = false;
  return Done[&F] = T;
}

} // namespace siox
