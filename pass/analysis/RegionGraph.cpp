/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Linking regions: a forward search from the end of each region to the next ones, collecting the
// data sites on the way. Calls are stepped over with a summary of the callee (what it reaches
// first, and whether it can return without meeting a region); returns lead to every caller. The
// search knows no paths but the CFG's, so what it finds is a superset of what can happen.
//
// A second search passes through the regions inside callees. Where those are short, which the run
// time knows, this is what counts: it ends at the next region of the same function, so that what
// follows a helper is what follows this call of it and not every one. With each site goes where its
// handle is found, in terms of the function the search began in.
//
// What is found after one region is bounded (MostFound): in a file of a thousand functions, each of
// which can pass its loops by, all of them can follow each.
#include "analysis/Externals.h"
#include "analysis/Handles.h"
#include "analysis/Regions.h"
#include "analysis/Shape.h"
#include "analysis/Targets.h"
#include "model/MpiIo.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"
#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <utility>

using namespace llvm;

namespace siox {

/// Sites and regions after which a search gives up: what follows is open.
static constexpr size_t MostFound = 64;

namespace {

/// Where a site's handle can come from. More places than a few say no more than none.
class HandleSet {
public:
  /// True when something was added.
  bool add(const std::optional<ValuePlace> &Place) {
    if (Unknown || (Place && is_contained(Places, *Place)))
      return false;
    if (Place && Places.size() < Few)
      Places.push_back(*Place);
    else
      Unknown = true;
    return true;
  }
  bool isUnknown() const { return Unknown; }
  ArrayRef<ValuePlace> places() const { return Places; }

private:
  static constexpr unsigned Few = 4;
  SmallVector<ValuePlace, 2> Places;
  bool Unknown = false;
};

/// Sites or regions in order; few, so that a sorted list is the cheapest set.
class IdSet {
public:
  void insert(unsigned Id) {
    auto *It = llvm::lower_bound(Ids, Id);
    if (It == Ids.end() || *It != Id)
      Ids.insert(It, Id);
  }
  void insert(const IdSet &Other) {
    if (Ids.empty()) {
      Ids = Other.Ids;
    } else if (!std::includes(begin(), end(), Other.begin(), Other.end())) {
      SmallVector<unsigned, 8> Both;
      std::set_union(begin(), end(), Other.begin(), Other.end(), std::back_inserter(Both));
      Ids = std::move(Both);
    }
  }
  bool contains(unsigned Id) const { return std::binary_search(begin(), end(), Id); }
  size_t size() const { return Ids.size(); }
  bool empty() const { return Ids.empty(); }
  const unsigned *begin() const { return Ids.begin(); }
  const unsigned *end() const { return Ids.end(); }

private:
  SmallVector<unsigned, 8> Ids;
};

using Translation = function_ref<std::optional<ValuePlace>(const ValuePlace &)>;

struct Found {
  std::map<unsigned, HandleSet> Next;
  IdSet Succ;
  IdSet Inner;          ///< regions passed through, in callees
  bool Returns = false; ///< the function's end is reached without a region
  bool Open = false;    ///< unknown code can run on the way

  bool isFull() const { return Next.size() + Succ.size() + Inner.size() >= MostFound; }

  /// True when something was added.
  bool add(const Found &Other, Translation Here) {
    size_t Before = Succ.size() + Inner.size() + Open;
    Succ.insert(Other.Succ);
    Inner.insert(Other.Inner);
    Open |= Other.Open;
    bool Grown = Succ.size() + Inner.size() + Open != Before;
    for (const auto &[Site, Handles] : Other.Next) {
      auto [It, New] = Next.try_emplace(Site);
      Grown |= New;
      for (const ValuePlace &Place : Handles.places())
        Grown |= It->second.add(Here(Place));
      if (Handles.isUnknown())
        Grown |= It->second.add(std::nullopt);
    }
    return Grown;
  }
};

std::optional<ValuePlace> samePlace(const ValuePlace &Place) { return Place; }
std::optional<ValuePlace> noPlace(const ValuePlace &) { return std::nullopt; }

class Linker {
public:
  Linker(const ModuleShape &Shape, ModuleModel &Model) : Shape(Shape), Model(Model) {
    for (const Region &R : Model.Regions) {
      if (R.Kind == SIOX_REGION_LOOP)
        LoopRegion[R.Header] = R.Id;
      if (R.Kind == SIOX_REGION_CALL)
        CallRegion[R.Call] = R.Id;
      if (R.Kind == SIOX_REGION_OUTSIDE && R.Refused == Reason::None)
        OutsideRegion[R.Function] = R.Id;
      Inside[R.Function].push_back(R.Id);
    }
  }

  void run() {
    summarise(Summaries, false);
    summarise(Passages, true);
    findBursts();
    for (Region &R : Model.Regions) {
      if (R.Kind == SIOX_REGION_NEST) {
        fillNest(R);
        continue;
      }
      if (R.Kind == SIOX_REGION_STEPS)
        continue;
      link(R);
    }
  }

private:
  void link(Region &R) {
    Found All, Within;
    search(R, All, Within);
    R.Near = list(All, Within);
    R.OpenEnd = All.Open;
    R.OpenLater = R.OpenEnd && R.Steps && !Within.Open;
    Found FarAll, FarWithin;
    Through = true;
    search(R, FarAll, FarWithin);
    Through = false;
    if (!FarAll.Inner.empty()) {
      R.Far = list(FarAll, FarWithin);
      R.Inner.assign(FarAll.Inner.begin(), FarAll.Inner.end());
    }
    fillHandles(R, FarAll, R.Steps ? FarWithin : FarAll);
  }

  /// What follows a region, and what of it is reached without leaving the STEPS loop around it.
  void search(const Region &R, Found &All, Found &Within) {
    walkRegion(R, All);
    if (R.Steps) {
      Limit = Shape.of(R.Function)->LI.getLoopFor(Model.Regions[*R.Steps].Header);
      walkRegion(R, Within);
      Limit = nullptr;
    }
    bool Passing = std::exchange(Through, false);
    DenseSet<const Function *> Seen;
    if (All.Returns)
      climb(*R.Function, All, Seen);
    Through = Passing;
  }

  static RegionLists list(const Found &All, const Found &Within) {
    RegionLists L;
    L.NextInside = insideFirst(L.Next, keys(All.Next), keys(Within.Next));
    L.SuccInside = insideFirst(L.Succ, All.Succ, Within.Succ);
    return L;
  }

  void walkRegion(const Region &R, Found &Out) {
    if (R.Kind == SIOX_REGION_OUTSIDE)
      callFromOutside(Out);
    else if (R.Kind == SIOX_REGION_CALL)
      walkAfter(*R.Call, Out);
    else
      walkAfterLoop(*R.Function, R.Header, Out);
  }

  static IdSet keys(const std::map<unsigned, HandleSet> &Map) {
    IdSet Keys;
    for (const auto &[Key, Value] : Map)
      Keys.insert(Key);
    return Keys;
  }

  static void fillHandles(Region &R, const Found &All, const Found &Within) {
    static const HandleSet None;
    for (const auto &[Site, Handles] : All.Next) {
      auto It = Within.Next.find(Site);
      const HandleSet &Inside = It == Within.Next.end() ? None : It->second;
      if (!isUsable(Inside))
        continue;
      for (const ValuePlace &Place : Inside.places())
        R.Handles.push_back({Site, Place, true});
      if (!isUsable(Handles))
        continue; // the run time knows then what comes in the loop, not what comes after it
      for (const ValuePlace &Place : Handles.places())
        if (!is_contained(Inside.places(), Place))
          R.Handles.push_back({Site, Place, false});
    }
  }

  static bool isUsable(const HandleSet &Handles) {
    return !Handles.isUnknown() && all_of(Handles.places(), [](const ValuePlace &P) {
      return P.Offset == 0 && !isa<ConstantData>(P.Base) && holdsStill(P);
    });
  }

  /// Of a site, in its own function.
  std::optional<ValuePlace> handleOf(unsigned Site) const {
    const siox::Site &S = Model.Sites[Site];
    Value *Handle = argument(*S.Call, S.Info->File);
    // The run time knows files by their C handles, which variables of Fortran do not hold.
    if (!Handle || !Handle->getType()->isPointerTy() || bindingOf(*S.Call) != Binding::C)
      return std::nullopt;
    return placeOfValue(Handle);
  }

  static unsigned insideFirst(std::vector<unsigned> &List, const IdSet &All, const IdSet &Within) {
    List.assign(Within.begin(), Within.end());
    for (unsigned Id : All)
      if (!Within.contains(Id))
        List.push_back(Id);
    return Within.size();
  }

  /// One search inside a function.
  struct Walk {
    const Function &F;
    const LoopInfo &LI;
    Found &Out;
    bool Callee; ///< regions are passed through
    DenseSet<const BasicBlock *> Seen;
    SmallVector<const BasicBlock *, 16> Work;
  };

  void edge(Walk &W, const BasicBlock *From, const BasicBlock *To) {
    if (Limit && W.LI.getLoopFor(Limit->getHeader()) == Limit && !Limit->contains(To))
      return;
    auto It = LoopRegion.find(To);
    if (It != LoopRegion.end() && !W.LI.getLoopFor(To)->contains(From)) {
      (W.Callee ? W.Out.Inner : W.Out.Succ).insert(It->second);
      if (!W.Callee)
        return;
    }
    if (W.Seen.insert(To).second)
      W.Work.push_back(To);
  }

  /// Goes on from an instruction to the end of its block; false when a region or the end of the
  /// program is met.
  bool block(Walk &W, const BasicBlock *BB, BasicBlock::const_iterator I) {
    for (; I != BB->end(); ++I) {
      auto *Call = dyn_cast<CallBase>(&*I);
      if (Call && !step(*Call, W))
        return false;
    }
    return true;
  }

  void blockAndEdges(Walk &W, const BasicBlock *BB, BasicBlock::const_iterator I) {
    if (!block(W, BB, I))
      return;
    if (isa<ReturnInst>(BB->getTerminator()))
      returns(W);
    else if (isa<ResumeInst>(BB->getTerminator()))
      W.Out.Open = true;
    for (const BasicBlock *To : successors(BB))
      edge(W, BB, To);
  }

  void returns(Walk &W) {
    if (auto It = OutsideRegion.find(&W.F); It != OutsideRegion.end())
      (W.Callee ? W.Out.Inner : W.Out.Succ).insert(It->second);
    else
      W.Out.Returns = true;
  }

  /// Other modules call any function that they can, or do accesses of their own.
  void callFromOutside(Found &Out) {
    if (!Calls) {
      Calls.emplace();
      for (const Function *F : Shape.functions())
        if (auto It = Summaries.find(F); Shape.isEntrance(*F) && It != Summaries.end())
          Calls->add(It->second, noPlace);
      if (Calls->Next.size() + Calls->Succ.size() > MostCalls)
        Calls.emplace();
      Calls->Open = true;
    }
    Out = *Calls;
  }

  void drain(Walk &W) {
    while (!W.Work.empty()) {
      const BasicBlock *BB = W.Work.pop_back_val();
      blockAndEdges(W, BB, BB->begin());
    }
  }

  /// What one call meets; false when control does not come out of it before a region.
  bool step(const CallBase &Call, Walk &W) const {
    Found &Out = W.Out;
    if (Out.isFull()) {
      Out.Open = true;
      return false;
    }
    if (auto Site = Shape.site(Call)) {
      Out.Next[*Site].add(handleOf(*Site));
      return true;
    }
    if (auto It = CallRegion.find(&Call); It != CallRegion.end()) {
      (W.Callee ? Out.Inner : Out.Succ).insert(It->second);
      return W.Callee;
    }
    const Function *Callee = Shape.runs(Call);
    if (!Callee) {
      Out.Open |= !Call.isInlineAsm() && !isExhausted(Call);
      return true;
    }
    if (const FunctionShape *S = Shape.of(Callee)) {
      const auto &Known = Through ? Passages : Summaries;
      auto It = Known.find(Callee);
      if (It == Known.end())
        return false; // not known yet: the fixed point comes back
      Out.add(It->second, [&](const ValuePlace &Place) { return placeInCaller(Place, Call); });
      Out.Open |= S->Recursive && S->Slice;
      return It->second.Returns;
    }
    switch (kindOf(*Callee)) {
    case External::Stops:
      return false;
    case External::Unknown:
      Out.Open = true;
      return true;
    default:
      return true;
    }
  }

  External kindOf(const Function &Callee) const {
    auto [It, New] = Kinds.try_emplace(&Callee, External::Unknown);
    if (New)
      It->second = classifyExternal(Callee).Kind;
    return It->second;
  }

  void walkFrom(const Function &F, const BasicBlock *BB, BasicBlock::const_iterator I, Found &Out,
                bool Callee = false) {
    Walk W{F, Shape.of(&F)->LI, Out, Callee, {}, {}};
    blockAndEdges(W, BB, I);
    drain(W);
  }

  void walkAfter(const CallBase &Call, Found &Out) {
    walkFrom(*Call.getFunction(), Call.getParent(), std::next(Call.getIterator()), Out);
  }

  void walkAfterLoop(const Function &F, const BasicBlock *Header, Found &Out) {
    Walk W{F, Shape.of(&F)->LI, Out, false, {}, {}};
    SmallVector<Loop::Edge, 8> Exits;
    W.LI.getLoopFor(Header)->getExitEdges(Exits);
    for (auto &[From, To] : Exits)
      edge(W, From, To);
    drain(W);
  }

  void summarise(DenseMap<const Function *, Found> &Known, bool Whole) {
    Through = Whole;
    for (bool Changed = true; Changed;) {
      Changed = false;
      for (const Function *F : Shape.functions()) {
        Found New;
        walkFrom(*F, &F->getEntryBlock(), F->getEntryBlock().begin(), New, Whole);
        auto [It, First] = Known.try_emplace(F);
        Changed |= First | It->second.add(New, samePlace);
        Changed |= !It->second.Returns && New.Returns;
        It->second.Returns |= New.Returns;
      }
    }
    Through = false;
  }

  /// Out of a function's end to everything that can follow it.
  void climb(const Function &F, Found &Out, DenseSet<const Function *> &Seen) {
    if (!Seen.insert(&F).second)
      return;
    if (Out.isFull()) {
      Out.Open = true;
      return;
    }
    if ((!F.hasLocalLinkage() && !isProgram(F)) || F.hasAddressTaken())
      Out.Open = true;
    for (const CallBase *Call : Shape.callers(&F)) {
      const Found &After = afterCall(*Call);
      Out.add(After, noPlace); // a caller's variables are out of reach
      if (After.Returns)
        climb(*Call->getFunction(), Out, Seen);
    }
  }

  /// Every region of the callee asks for it again. Not in a search with a limit or through regions.
  const Found &afterCall(const CallBase &Call) {
    std::unique_ptr<Found> &After = AfterCalls[&Call];
    if (!After) {
      After = std::make_unique<Found>();
      walkAfter(Call, *After);
    }
    return *After;
  }

  /// Every data site inside, and whether anything unknown can do more.
  void fillNest(Region &R) {
    IdSet Sites;
    DenseSet<const Function *> Seen;
    SmallVector<const Function *, 8> Work;
    auto Look = [&](const CallBase &Call) {
      if (auto Site = Shape.site(Call)) {
        Sites.insert(*Site);
        return;
      }
      const Function *Callee = Shape.runs(Call);
      if (Shape.of(Callee)) {
        if (Seen.insert(Callee).second)
          Work.push_back(Callee);
      } else if (Callee ? kindOf(*Callee) == External::Unknown
                        : !Call.isInlineAsm() && !isExhausted(Call)) {
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
    R.Near.Next.assign(Sites.begin(), Sites.end());
    for (unsigned Id : Inside[R.Function]) {
      Region &Inner = Model.Regions[Id];
      if (isGap(Inner) && !Seen.count(R.Function) && L->contains(blockOf(Inner)))
        Inner.Nests.push_back(R.Id);
    }
    for (const Function *F : Seen)
      for (unsigned Id : Inside[F])
        if (isGap(Model.Regions[Id]))
          Model.Regions[Id].Nests.push_back(R.Id);
  }

  /// Loops around each data site, from the inside, that come back to it without passing a region.
  void findBursts() {
    DenseSet<const Loop *> WithRegion;
    for (const Region &R : Model.Regions)
      if (isGap(R))
        for (const Loop *L = Shape.of(R.Function)->LI.getLoopFor(blockOf(R));
             L && WithRegion.insert(L).second; L = L->getParentLoop())
          ;
    for (Site &S : Model.Sites)
      if (isDataSite(S))
        for (const Loop *L = Shape.of(S.Call->getFunction())->LI.getLoopFor(S.Call->getParent()); L;
             L = L->getParentLoop()) {
          if (WithRegion.contains(L))
            break;
          S.BurstLevels++;
        }
  }

  const ModuleShape &Shape;
  ModuleModel &Model;
  const Loop *Limit = nullptr; ///< searches stay inside it
  DenseMap<const BasicBlock *, unsigned> LoopRegion;
  DenseMap<const CallBase *, unsigned> CallRegion;
  DenseMap<const Function *, unsigned> OutsideRegion;
  /// What other modules' calls begin with; of many, every region would list them all, and what they
  /// are worth is known at run time.
  static constexpr size_t MostCalls = 64;
  std::optional<Found> Calls;
  DenseMap<const Function *, SmallVector<unsigned, 4>> Inside;   ///< regions of each function
  DenseMap<const Function *, Found> Summaries;                   ///< up to the first region
  DenseMap<const Function *, Found> Passages;                    ///< through all regions
  DenseMap<const CallBase *, std::unique_ptr<Found>> AfterCalls; ///< climb's
  mutable DenseMap<const Function *, External> Kinds;            ///< of functions outside
  bool Through = false;                                          ///< the summaries to use
};

} // namespace

void linkRegions(const ModuleShape &Shape, ModuleModel &Model) { Linker(Shape, Model).run(); }

} // namespace siox
