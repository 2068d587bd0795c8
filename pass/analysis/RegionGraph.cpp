/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Linking regions: a forward search from the end of each region to the next ones, collecting the
// data sites on the way. Calls are stepped over with a summary of the callee (what it reaches
// first, and whether it can return without meeting a region); returns lead to every caller. The
// search knows no paths but the CFG's, so what it finds is a superset of what can happen.
#include "analysis/Externals.h"
#include "analysis/Regions.h"
#include "analysis/Shape.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"
#include <set>

using namespace llvm;

namespace siox {

namespace {

struct Found {
  std::set<unsigned> Next, Succ;
  bool Returns = false; ///< the function's end is reached without a region
  bool Open = false;    ///< unknown code can run on the way

  bool add(const Found &Other) {
    auto Size = [this] { return Next.size() + Succ.size() + Open; };
    size_t Before = Size();
    Next.insert(Other.Next.begin(), Other.Next.end());
    Succ.insert(Other.Succ.begin(), Other.Succ.end());
    Open |= Other.Open;
    return Size() != Before;
  }
};

class Linker {
public:
  Linker(const ModuleShape &Shape, ModuleModel &Model) : Shape(Shape), Model(Model) {
    for (const Region &R : Model.Regions) {
      if (R.Kind == SIOX_REGION_LOOP)
        LoopRegion[R.Header] = R.Id;
      if (R.Kind == SIOX_REGION_CALL)
        CallRegion[R.Call] = R.Id;
    }
  }

  void run() {
    summarise();
    findBursts();
    for (Region &R : Model.Regions) {
      if (R.Kind == SIOX_REGION_NEST) {
        fillNest(R);
        continue;
      }
      if (R.Kind == SIOX_REGION_STEPS)
        continue;
      Found All, Within;
      walkRegion(R, All);
      DenseSet<const Function *> Seen;
      if (All.Returns)
        climb(*R.Function, All, Seen);
      if (R.Steps) {
        Limit = Shape.of(R.Function)->LI.getLoopFor(Model.Regions[*R.Steps].Header);
        walkRegion(R, Within);
        Limit = nullptr;
      }
      R.NextInside = insideFirst(R.Next, All.Next, Within.Next);
      R.SuccInside = insideFirst(R.Succ, All.Succ, Within.Succ);
      R.OpenEnd = All.Open;
    }
  }

private:
  void walkRegion(const Region &R, Found &Out) {
    if (R.Kind == SIOX_REGION_CALL)
      walkAfter(*R.Call, Out);
    else
      walkAfterLoop(*R.Function, R.Header, Out);
  }

  static unsigned insideFirst(std::vector<unsigned> &List, const std::set<unsigned> &All,
                              const std::set<unsigned> &Within) {
    List.assign(Within.begin(), Within.end());
    for (unsigned Id : All)
      if (!Within.count(Id))
        List.push_back(Id);
    return Within.size();
  }

  /// One search inside a function.
  struct Walk {
    const Function &F;
    const LoopInfo &LI;
    Found &Out;
    DenseSet<const BasicBlock *> Seen;
    SmallVector<const BasicBlock *, 16> Work;
  };

  void edge(Walk &W, const BasicBlock *From, const BasicBlock *To) {
    if (Limit && W.LI.getLoopFor(Limit->getHeader()) == Limit && !Limit->contains(To))
      return;
    auto It = LoopRegion.find(To);
    if (It != LoopRegion.end() && !W.LI.getLoopFor(To)->contains(From))
      W.Out.Succ.insert(It->second);
    else if (W.Seen.insert(To).second)
      W.Work.push_back(To);
  }

  /// Goes on from an instruction to the end of its block; false when a region or the end of the
  /// program is met.
  bool block(Walk &W, const BasicBlock *BB, BasicBlock::const_iterator I) {
    for (; I != BB->end(); ++I) {
      auto *Call = dyn_cast<CallBase>(&*I);
      if (Call && !step(*Call, W.Out))
        return false;
    }
    return true;
  }

  void blockAndEdges(Walk &W, const BasicBlock *BB, BasicBlock::const_iterator I) {
    if (!block(W, BB, I))
      return;
    if (isa<ReturnInst>(BB->getTerminator()))
      W.Out.Returns = true;
    else if (isa<ResumeInst>(BB->getTerminator()))
      W.Out.Open = true;
    for (const BasicBlock *To : successors(BB))
      edge(W, BB, To);
  }

  void drain(Walk &W) {
    while (!W.Work.empty()) {
      const BasicBlock *BB = W.Work.pop_back_val();
      blockAndEdges(W, BB, BB->begin());
    }
  }

  /// What one call meets; false when control does not come out of it before a region.
  bool step(const CallBase &Call, Found &Out) const {
    if (auto Site = Shape.site(Call)) {
      Out.Next.insert(*Site);
      return true;
    }
    if (auto It = CallRegion.find(&Call); It != CallRegion.end()) {
      Out.Succ.insert(It->second);
      return false;
    }
    const Function *Callee = directCallee(Call);
    if (!Callee) {
      Out.Open |= !Call.isInlineAsm();
      return true;
    }
    if (const FunctionShape *S = Shape.of(Callee)) {
      auto It = Summaries.find(Callee);
      if (It == Summaries.end())
        return false; // not known yet: the fixed point comes back
      Out.add(It->second);
      Out.Open |= S->Recursive && S->Slice;
      return It->second.Returns;
    }
    switch (classifyExternal(*Callee).Kind) {
    case External::Stops:
      return false;
    case External::Unknown:
      Out.Open = true;
      return true;
    default:
      return true;
    }
  }

  void walkFrom(const Function &F, const BasicBlock *BB, BasicBlock::const_iterator I, Found &Out) {
    Walk W{F, Shape.of(&F)->LI, Out, {}, {}};
    blockAndEdges(W, BB, I);
    drain(W);
  }

  void walkAfter(const CallBase &Call, Found &Out) {
    walkFrom(*Call.getFunction(), Call.getParent(), std::next(Call.getIterator()), Out);
  }

  void walkAfterLoop(const Function &F, const BasicBlock *Header, Found &Out) {
    Walk W{F, Shape.of(&F)->LI, Out, {}, {}};
    SmallVector<Loop::Edge, 8> Exits;
    W.LI.getLoopFor(Header)->getExitEdges(Exits);
    for (auto &[From, To] : Exits)
      edge(W, From, To);
    drain(W);
  }

  void summarise() {
    for (bool Changed = true; Changed;) {
      Changed = false;
      for (const Function *F : Shape.functions()) {
        Found New;
        walkFrom(*F, &F->getEntryBlock(), F->getEntryBlock().begin(), New);
        auto [It, First] = Summaries.try_emplace(F);
        Changed |= First | It->second.add(New);
        Changed |= !It->second.Returns && New.Returns;
        It->second.Returns |= New.Returns;
      }
    }
  }

  /// Out of a function's end to everything that can follow it.
  void climb(const Function &F, Found &Out, DenseSet<const Function *> &Seen) {
    if (!Seen.insert(&F).second)
      return;
    bool Program = F.getName() == "main" || F.getName() == "_QQmain";
    if ((!F.hasLocalLinkage() && !Program) || F.hasAddressTaken())
      Out.Open = true;
    for (const CallBase *Call : Shape.callers(&F)) {
      Found After;
      walkAfter(*Call, After);
      Out.add(After);
      if (After.Returns)
        climb(*Call->getFunction(), Out, Seen);
    }
  }

  /// Every data site inside, and whether anything unknown can do more.
  void fillNest(Region &R) {
    std::set<unsigned> Sites;
    DenseSet<const Function *> Seen;
    SmallVector<const Function *, 8> Work;
    auto Look = [&](const CallBase &Call) {
      if (auto Site = Shape.site(Call)) {
        Sites.insert(*Site);
        return;
      }
      const Function *Callee = directCallee(Call);
      if (Shape.of(Callee)) {
        if (Seen.insert(Callee).second)
          Work.push_back(Callee);
      } else if (Callee ? classifyExternal(*Callee).Kind == External::Unknown
                        : !Call.isInlineAsm()) {
        R.OpenEnd = true;
      }
    };
    const FunctionShape *S = Shape.of(R.Function);
    const Loop *L = S->LI.getLoopFor(R.Header);
    for (const CallBase *Call : S->Calls)
      if (L->contains(Call))
        Look(*Call);
    while (!Work.empty())
      for (const CallBase *Call : Shape.of(Work.pop_back_val())->Calls)
        Look(*Call);
    R.Next.assign(Sites.begin(), Sites.end());
    for (Region &Inner : Model.Regions) {
      const BasicBlock *BB = Inner.Header ? Inner.Header : Inner.Call->getParent();
      if (isGap(Inner) && (L->contains(BB) || Seen.count(Inner.Function)))
        Inner.Nests.push_back(R.Id);
    }
  }

  /// Loops around each data site, from the inside, that come back to it without passing a region.
  void findBursts() {
    for (Site &S : Model.Sites)
      if (isDataSite(S))
        for (const Loop *L = Shape.of(S.Call->getFunction())->LI.getLoopFor(S.Call->getParent()); L;
             L = L->getParentLoop()) {
          if (hasRegion(*L))
            break;
          S.BurstLevels++;
        }
  }

  bool hasRegion(const Loop &L) const {
    return any_of(Model.Regions, [&](const Region &R) {
      return isGap(R) && L.contains(R.Header ? R.Header : R.Call->getParent());
    });
  }

  const ModuleShape &Shape;
  ModuleModel &Model;
  const Loop *Limit = nullptr; ///< searches stay inside it
  DenseMap<const BasicBlock *, unsigned> LoopRegion;
  DenseMap<const CallBase *, unsigned> CallRegion;
  DenseMap<const Function *, Found> Summaries;
};

} // namespace

void linkRegions(const ModuleShape &Shape, ModuleModel &Model) { Linker(Shape, Model).run(); }

} // namespace siox
