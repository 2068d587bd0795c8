/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Slice, lasting functions and loops of a module.
#include "analysis/Shape.h"
#include "analysis/Externals.h"
#include "analysis/Targets.h"
#include "model/MpiIo.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/Analysis/CallGraph.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace siox {

bool isDataSite(const Site &S) { return S.Info && S.Info->isData(); }

ModuleShape::ModuleShape(Module &M, const ModuleModel &Model) {
  for (const Site &S : Model.Sites)
    if (isDataSite(S))
      Sites[S.Call] = S.Id;
  if (Sites.empty())
    return;
  findCallees(M);
  findSlice();
  findLasting();
}

const FunctionShape *ModuleShape::of(const Function *F) const {
  auto It = Shapes.find(F);
  return It == Shapes.end() ? nullptr : It->second.get();
}

std::optional<unsigned> ModuleShape::site(const CallBase &Call) const {
  auto It = Sites.find(&Call);
  return It == Sites.end() ? std::nullopt : std::optional<unsigned>(It->second);
}

ArrayRef<CallBase *> ModuleShape::callers(const Function *F) const {
  auto It = Callers.find(F);
  return It == Callers.end() ? ArrayRef<CallBase *>() : ArrayRef<CallBase *>(It->second);
}

bool isProgram(const Function &F) { return F.getName() == "main" || F.getName() == "_QQmain"; }

bool ModuleShape::isEntrance(const Function &F) const {
  const FunctionShape *S = of(&F);
  return S && S->Slice && !isProgram(F) && !F.hasAvailableExternallyLinkage() &&
         (!F.hasLocalLinkage() || F.hasAddressTaken());
}

bool ModuleShape::hasAccess(const Loop &L) const {
  for (BasicBlock *BB : L.blocks())
    for (Instruction &I : *BB)
      if (auto *Call = dyn_cast<CallBase>(&I)) {
        if (Sites.count(Call))
          return true;
        const FunctionShape *Callee = of(directCallee(*Call));
        if (Callee && Callee->Slice)
          return true;
      }
  return false;
}

const Function *ModuleShape::runs(const CallBase &Call) const {
  const FunctionShape *Region = of(calledBack(Call));
  return Region && !Region->Slice ? calledBack(Call) : directCallee(Call);
}

bool ModuleShape::lasts(const CallBase &Call) const {
  const Function *Callee = directCallee(Call);
  if (!Callee)
    return !Call.isInlineAsm() && !isExhausted(Call);
  if (const FunctionShape *Shape = of(Callee))
    return Shape->Lasts;
  return mayLast(classifyExternal(*Callee).Kind);
}

void ModuleShape::findCallees(Module &M) {
  for (Function &F : M) {
    if (F.isDeclaration())
      continue;
    auto Shape = std::make_unique<FunctionShape>();
    Shape->DT.recalculate(F);
    Shape->LI.analyze(Shape->DT);
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallBase>(&I); Call && !Call->isInlineAsm()) {
        Function *Callee = directCallee(*Call);
        if (Callee && Callee->isIntrinsic())
          continue;
        Shape->Calls.push_back(Call);
        if (Callee)
          Callers[Callee].push_back(Call);
      }
    Functions.push_back(&F);
    Program |= isProgram(F);
    Shapes[&F] = std::move(Shape);
  }
  CallGraph Graph(M);
  for (auto It = scc_begin(&Graph); !It.isAtEnd(); ++It)
    if (It.hasCycle())
      for (CallGraphNode *Node : *It)
        if (auto Shape = Shapes.find(Node->getFunction()); Shape != Shapes.end())
          Shape->second->Recursive = true;
}

void ModuleShape::findSlice() {
  SmallVector<const Function *, 16> Work;
  auto Reach = [&](const Function *F) {
    FunctionShape &Shape = *Shapes[F];
    if (!std::exchange(Shape.Slice, true))
      Work.push_back(F);
  };
  for (auto &[Call, Id] : Sites)
    Reach(Call->getFunction());
  while (!Work.empty())
    for (CallBase *Call : callers(Work.pop_back_val()))
      Reach(Call->getFunction());
}

/// Loops, calls to unknown code and calls to functions that last, to a fixed point.
void ModuleShape::findLasting() {
  for (auto &[F, Shape] : Shapes)
    Shape->Lasts = !Shape->LI.empty() || Shape->Recursive;
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (auto &[F, Shape] : Shapes)
      if (!Shape->Lasts && any_of(Shape->Calls, [&](CallBase *C) { return lasts(*C); }))
        Shape->Lasts = Changed = true;
  }
}

} // namespace siox
