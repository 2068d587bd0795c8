/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Static time of loop bodies.
#include "analysis/Cost.h"
#include "analysis/Clone.h"
#include "analysis/Externals.h"
#include "analysis/Markers.h"
#include "analysis/SiteMask.h"
#include "analysis/Vector.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include <algorithm>
#include <cmath>

using namespace llvm;

namespace siox {

/// Code that is not optimised keeps every variable in memory. The estimate is made of optimised
/// code; the original has so many times its instructions (test/bench/cost.py).
constexpr double Unoptimised = 4;

/// Bytes a cycle between a core and its second cache, and its first one, which is enough for what
/// an inner loop goes through.
constexpr double CacheBytes = 32, InnerBytes = 128;

/// Instructions that a core does not see: renamed, folded into addressing, or only for debuggers.
static bool isFree(const Instruction &I) {
  return isa<PHINode, GetElementPtrInst, CastInst, AllocaInst, DbgInfoIntrinsic, AssumeInst>(I) ||
         I.isLifetimeStartOrEnd() || (isa<BranchInst>(I) && !cast<BranchInst>(I).isConditional());
}

/// Cycles for which an operation keeps the divider, which is not pipelined: the least of current
/// cores.
static double dividerCycles(const Instruction &I) {
  switch (I.getOpcode()) {
  case Instruction::FDiv:
    return I.getType()->isDoubleTy() ? 4 : 3;
  case Instruction::SDiv:
  case Instruction::UDiv:
  case Instruction::SRem:
  case Instruction::URem:
    return isa<Constant>(I.getOperand(1)) ? 0 : I.getType()->isIntegerTy(64) ? 10 : 6;
  case Instruction::Call:
    if (auto *Known = dyn_cast<IntrinsicInst>(&I);
        Known && Known->getIntrinsicID() == Intrinsic::sqrt)
      return I.getType()->isDoubleTy() ? 4.5 : 3;
    return 0;
  default:
    return 0;
  }
}

CostModel::CostModel(OptimisticClone &Clone, Module &Real, CalleeCosts &Callees, Machines &Cores,
                     std::vector<double> AccessNs, bool Optimised)
    : Clone(Clone), Real(Real), Callees(Callees), Cores(Cores), FAM(Clone.analyses()),
      AccessNs(std::move(AccessNs)), Optimised(Optimised) {}

void CostModel::add(BasicBlock &BB, Work &W) {
  for (Instruction &I : BB) {
    if (isFree(I))
      continue;
    W.Instructions++;
    W.DividerCycles += dividerCycles(I);
    if (getLoadStorePointerOperand(&I))
      W.Bytes +=
          double(I.getDataLayout().getTypeStoreSize(getLoadStoreType(&I)).getKnownMinValue());
    auto *Call = dyn_cast<CallBase>(&I);
    if (!Call || isa<IntrinsicInst>(Call))
      continue;
    Function *Callee = directCallee(*Call);
    if (!Callee) {
      W.Calls.Whole &= Call->isInlineAsm();
    } else if (!Callee->isDeclaration()) {
      W.Calls += function(*Callee);
    } else if (Callee->getName() == "siox_at") {
      double Least = HUGE_VAL;
      for (unsigned Id : Clone.sitesNamed(Call->getArgOperand(0)))
        Least = std::min(Least, AccessNs[Id]);
      W.Calls.Ns += std::isfinite(Least) ? Least : 0;
    } else if (!Callee->getName().starts_with("siox_")) {
      W.Calls += outside(*Call, *Callee);
    }
  }
}

/// A function that the clone only declares.
LeastTime CostModel::outside(const CallBase &Call, const Function &Callee) {
  Function *Body = Real.getFunction(Callee.getName());
  if (Body && !Body->isDeclaration())
    return Callees.of(*Body);
  return leastTimeOutside(Call, Callee);
}

LeastTime CostModel::iteration(Loop &L) {
  Function &F = *L.getHeader()->getParent();
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  const EveryTime Always(L, DT);
  Work W;
  LeastTime Inside;
  for (BasicBlock *BB : L.blocks())
    if (LI.getLoopFor(BB) == &L && Always(BB))
      add(*BB, W);
  for (Loop *Inner : L)
    if (Always(Inner->getHeader()))
      Inside += loop(*Inner);
    else
      Inside.Whole = false;
  const Machine Core = Cores.of(F);
  double Lanes = Optimised ? vectorLanes(L, SE, Core.VectorBits) : 1;
  // Dividers are not as wide as registers.
  double Cycles =
      std::max({W.Instructions * (Optimised ? 1 : Unoptimised) / Core.Width / Lanes,
                W.DividerCycles / std::min(Lanes, 4.0),
                W.Bytes / (L.isOutermost() ? CacheBytes : InnerBytes), recurrenceCycles(L, SE)});
  Inside += W.Calls;
  Inside.Ns += Cycles / Core.GHz;
  return Inside;
}

LeastTime CostModel::loop(Loop &L) {
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(*L.getHeader()->getParent());
  unsigned Trip = SE.getSmallConstantTripCount(&L);
  LeastTime T = iteration(L);
  return {T.Ns * std::max(Trip, 1U), T.Whole && Trip != 0};
}

LeastTime CostModel::function(Function &F) {
  // A call of itself: how deep, nobody knows.
  auto [It, First] = Functions.try_emplace(&F, LeastTime{0, false});
  if (!First)
    return It->second;
  auto &PDT = FAM.getResult<PostDominatorTreeAnalysis>(F);
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  Work W;
  LeastTime Inside;
  for (BasicBlock &BB : F)
    if (!LI.getLoopFor(&BB) && PDT.dominates(&BB, &F.getEntryBlock()))
      add(BB, W);
  for (Loop *L : LI)
    if (PDT.dominates(L->getHeader(), &F.getEntryBlock()))
      Inside += loop(*L);
    else
      Inside.Whole = false;
  const Machine Core = Cores.of(F);
  Inside += W.Calls;
  Inside.Ns +=
      std::max(W.Instructions * (Optimised ? 1 : Unoptimised) / Core.Width, W.DividerCycles) /
      Core.GHz;
  return Functions[&F] = Inside;
}

/// Least time that an access waits for its disks, each of which has an equal share at the least.
static std::vector<double> accessTimes(const ModuleModel &Model, const siox_drive *Drive,
                                       unsigned Disks) {
  std::vector<double> Times(Model.Sites.size(), 0);
  for (const Site &S : Model.Sites) {
    if (!Drive || S.Size == SIOX_UNKNOWN || S.Size <= 0 || !S.Layout)
      continue;
    SiteMask M = maskOf(S, Disks);
    const std::string &On = M.Burst.empty() ? M.Bound : M.Burst;
    uint64_t Count = std::max<size_t>(1, std::count(On.begin(), On.end(), '1'));
    int64_t Ns = siox_drive_service_ns(Drive, Drive->nlevels - 1,
                                       (uint64_t(S.Size) + Count - 1) / Count, true);
    Times[S.Id] = Ns > 0 ? double(Ns) : 0;
  }
  return Times;
}

void estimateBodies(OptimisticClone &Clone, Module &Real, ModuleModel &Model,
                    const siox_drive *Drive, unsigned Disks) {
  Module &M = Clone.module();
  std::vector<double> AccessNs = accessTimes(Model, Drive, Disks);
  Machines Cores;
  CalleeCosts Callees(Cores);
  CostModel Plain(Clone, Real, Callees, Cores, AccessNs, false),
      Optimised(Clone, Real, Callees, Cores, AccessNs, true);
  auto Costs = [&](unsigned Id) -> CostModel & {
    return Model.Regions[Id].Function->hasOptNone() ? Plain : Optimised;
  };
  DenseMap<unsigned, LeastTime> Least;
  auto Set = [&](unsigned Id, LeastTime T) {
    auto [It, First] = Least.try_emplace(Id, T);
    It->second.Ns = std::min(It->second.Ns, T.Ns);
    It->second.Whole &= T.Whole;
  };
  if (Function *Enter = M.getFunction("siox_region_enter"))
    for (User *U : Enter->users()) {
      auto *Call = dyn_cast<CallBase>(U);
      if (!Call || directCallee(*Call) != Enter)
        continue;
      Loop *L = loopAfter(*Call, Clone.analyses().getResult<LoopAnalysis>(*Call->getFunction()));
      for (unsigned Id : Clone.regionsNamed(Call->getArgOperand(0)))
        if (L && Model.Regions[Id].Header)
          Set(Id, Costs(Id).iteration(*L));
    }
  for (const Region &R : Model.Regions) {
    Function *Callee = R.Kind == SIOX_REGION_CALL ? directCallee(*R.Call) : nullptr;
    if (Callee && !Callee->isDeclaration())
      Set(R.Id, Callees.of(*Callee));
    else if (Callee)
      Set(R.Id, {classifyExternal(*Callee).Ns, false});
  }
  for (auto &[Id, T] : Least) {
    Region &R = Model.Regions[Id];
    if (R.BodyNs != SIOX_UNKNOWN)
      continue;
    R.ExactNs = T.Ns;
    R.BodyNs = std::max<int64_t>(1, std::llround(R.ExactNs));
    R.BodyWhole = T.Whole;
  }
}

} // namespace siox
