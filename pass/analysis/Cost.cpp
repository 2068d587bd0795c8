/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Static time of loop bodies.
#include "analysis/Cost.h"
#include "analysis/Externals.h"
#include "analysis/Markers.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include <algorithm>
#include <cmath>

using namespace llvm;

namespace siox {

/// Instructions that a core does not see: renamed, folded into addressing, or only for debuggers.
static bool isFree(const Instruction &I) {
  return isa<PHINode, GetElementPtrInst, BitCastInst, AllocaInst, DbgInfoIntrinsic>(I) ||
         I.isLifetimeStartOrEnd();
}

double CostModel::block(BasicBlock &BB) {
  double Ns = 0;
  for (Instruction &I : BB) {
    if (isFree(I))
      continue;
    Ns += 1 / (NominalWidth * NominalGHz);
    auto *Call = dyn_cast<CallBase>(&I);
    Function *Callee = Call ? directCallee(*Call) : nullptr;
    if (Callee)
      Ns += Callee->isDeclaration() ? classifyExternal(*Callee).Ns : function(*Callee);
  }
  return Ns;
}

double CostModel::iteration(Loop &L) {
  Function &F = *L.getHeader()->getParent();
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  SmallVector<BasicBlock *, 4> Latches;
  L.getLoopLatches(Latches);
  auto EveryTime = [&](const BasicBlock *BB) {
    return all_of(Latches, [&](const BasicBlock *Latch) { return DT.dominates(BB, Latch); });
  };
  double Ns = 0;
  for (BasicBlock *BB : L.blocks())
    if (LI.getLoopFor(BB) == &L && EveryTime(BB))
      Ns += block(*BB);
  for (Loop *Inner : L)
    if (EveryTime(Inner->getHeader()))
      Ns += loop(*Inner);
  return Ns;
}

double CostModel::loop(Loop &L) {
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(*L.getHeader()->getParent());
  return iteration(L) * std::max(SE.getSmallConstantTripCount(&L), 1u);
}

double CostModel::function(Function &F) {
  auto [It, First] = Functions.try_emplace(&F, 0);
  if (!First)
    return It->second;
  auto &PDT = FAM.getResult<PostDominatorTreeAnalysis>(F);
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  double Ns = 0;
  for (BasicBlock &BB : F)
    if (!LI.getLoopFor(&BB) && PDT.dominates(&BB, &F.getEntryBlock()))
      Ns += block(BB);
  for (Loop *L : LI)
    if (PDT.dominates(L->getHeader(), &F.getEntryBlock()))
      Ns += loop(*L);
  return Functions[&F] = Ns;
}

void estimateBodies(Module &M, ModuleModel &Model, FunctionAnalysisManager &FAM) {
  Function *Enter = M.getFunction("siox_region_enter");
  if (!Enter)
    return;
  CostModel Costs(FAM);
  DenseMap<unsigned, double> Least;
  for (User *U : Enter->users()) {
    auto *Call = dyn_cast<CallBase>(U);
    auto *Descriptor = Call && directCallee(*Call) == Enter
                           ? dyn_cast<GlobalVariable>(Call->getArgOperand(0))
                           : nullptr;
    unsigned Id;
    StringRef Name = Descriptor ? Descriptor->getName() : "";
    if (!Name.consume_front("siox.region.") || Name.getAsInteger(10, Id) ||
        Id >= Model.Regions.size())
      continue;
    Loop *L = loopAfter(*Call, FAM.getResult<LoopAnalysis>(*Call->getFunction()));
    if (!L)
      continue;
    double Ns = Costs.iteration(*L);
    auto [It, First] = Least.try_emplace(Id, Ns);
    It->second = std::min(It->second, Ns);
  }
  for (auto &[Id, Ns] : Least)
    if (Model.Regions[Id].BodyNs == SIOX_UNKNOWN)
      Model.Regions[Id].BodyNs = std::max<int64_t>(1, std::llround(Ns));
}

} // namespace siox
