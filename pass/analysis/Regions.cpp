/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Finding regions; RegionGraph.cpp links them.
#include "analysis/Regions.h"
#include "analysis/Conditions.h"
#include "analysis/Externals.h"
#include "analysis/Handles.h"
#include "analysis/Shape.h"
#include "analysis/Trip.h"
#include "model/Abi.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"
#include <map>
#include <tuple>

using namespace llvm;

namespace siox {

namespace {

class Finder {
public:
  Finder(Module &M, const ModuleShape &Shape, ModuleModel &Model)
      : M(M), Shape(Shape), Model(Model) {}

  void run() {
    findNested();
    for (Function &F : M)
      if (const FunctionShape *S = Shape.of(&F); S && S->Slice)
        visitFunction(F, *S);
    // Callees grow while they are visited: what a reached function calls outside its loops is
    // reached too.
    for (unsigned I = 0; I != Reached.size(); I++)
      visitFunction(*Reached[I], *Shape.of(Reached[I]));
    for (Function &F : M)
      addOutside(F);
    if (any_of(Model.Regions, [](const Region &R) { return R.Kind == SIOX_REGION_OUTSIDE; }))
      for (Function &F : M)
        if (Shape.isEntrance(F))
          Model.Entrances.push_back(&F);
    findSteps();
    number();
    linkSteps();
    findConditions(Shape, Model);
    findAlike();
  }

private:
  /// Functions called, directly or not, from inside a loop with data accesses: their loops with
  /// accesses belong to that outer nest.
  void findNested() {
    SmallVector<const Function *, 8> Work;
    auto Add = [&](const CallBase &Call) {
      const Function *Callee = directCallee(Call);
      const FunctionShape *S = Shape.of(Callee);
      if (S && S->Slice && Nested.insert(Callee).second)
        Work.push_back(Callee);
    };
    for (Function &F : M)
      if (const FunctionShape *S = Shape.of(&F); S && S->Slice)
        for (CallBase *Call : S->Calls)
          if (S->LI.getLoopFor(Call->getParent()))
            Add(*Call);
    while (!Work.empty())
      for (CallBase *Call : Shape.of(Work.pop_back_val())->Calls)
        Add(*Call);
  }

  /// The innermost loop with data accesses around a gap, if its iterations tell when it ends.
  Loop *stepsAround(const Region &R) const {
    if (!isGap(R))
      return nullptr;
    const FunctionShape *S = Shape.of(R.Function);
    Loop *L = S->LI.getLoopFor(blockOf(R));
    if (R.Header && L)
      L = L->getParentLoop();
    return L && S->Slice && Shape.hasAccess(*L) && endsByItself(*L) ? L : nullptr;
  }

  /// One edge leaves the loop, not counting those that end the program.
  static bool endsByItself(const Loop &L) {
    SmallVector<Loop::Edge, 8> Exits;
    L.getExitEdges(Exits);
    return count_if(Exits, [](const Loop::Edge &E) {
             return !isa<UnreachableInst>(E.second->getTerminator());
           }) == 1;
  }

  void findSteps() {
    SetVector<Loop *> Loops;
    for (const Region &R : Model.Regions)
      if (Loop *L = R.Refused == Reason::None ? stepsAround(R) : nullptr)
        Loops.insert(L);
    for (Loop *L : Loops)
      if (whyNotMarkable(*L) == Reason::None)
        add(SIOX_REGION_STEPS, *L, constantTrip(*L, Shape.of(L->getHeader()->getParent())->DT),
            Reason::None);
  }

  void linkSteps() {
    DenseMap<const BasicBlock *, unsigned> Steps;
    for (const Region &R : Model.Regions)
      if (R.Kind == SIOX_REGION_STEPS)
        Steps[R.Header] = R.Id;
    for (Region &R : Model.Regions)
      if (Loop *L = stepsAround(R))
        if (auto It = Steps.find(L->getHeader()); It != Steps.end())
          R.Steps = It->second;
  }

  /// Calls that do the same work: what one of them took says how long another will.
  void findAlike() {
    for (Region &R : Model.Regions) {
      R.Alike = R.Id;
      if (R.Kind != SIOX_REGION_CALL)
        continue;
      for (unsigned I = R.Id; I != 0 && Model.Regions[I - 1].Function == R.Function; I--) {
        Region &Before = Model.Regions[I - 1];
        if (Before.Kind == SIOX_REGION_CALL && sameArguments(*Before.Call, *R.Call)) {
          R.Alike = Before.Alike;
          R.SharesAlike = Model.Regions[R.Alike].SharesAlike = true;
          break;
        }
      }
    }
  }

  void visitFunction(Function &F, const FunctionShape &S) {
    Inside.clear();
    Reason Refused = Reason::None;
    if (F.callsFunctionThatReturnsTwice())
      Refused = Reason::ReturnsTwice;
    for (Loop *L : S.LI)
      visitLoop(*L, S, /*InAccessLoop=*/false, Refused);
    for (CallBase *Call : S.Calls)
      visitCall(*Call, S, Refused);
  }

  void visitLoop(Loop &L, const FunctionShape &S, bool InAccessLoop, Reason Refused) {
    if (!S.Slice || !Shape.hasAccess(L))
      return addLoop(L, S, Refused);
    if (!InAccessLoop && !Nested.count(L.getHeader()->getParent()))
      add(SIOX_REGION_NEST, L, SIOX_UNKNOWN, Refused);
    for (Loop *Child : L)
      visitLoop(*Child, S, true, Refused);
  }

  void addLoop(Loop &L, const FunctionShape &S, Reason Refused) {
    int64_t Trip = constantTrip(L, S.DT);
    bool Short = Trip != SIOX_UNKNOWN && Trip < ShortTrip;
    Inside[&L] = Short;
    if (Short && L.isInnermost() &&
        none_of(S.Calls, [&](CallBase *C) { return L.contains(C) && Shape.lasts(*C); }))
      return; // over in no time
    add(SIOX_REGION_LOOP, L, Trip, Refused);
    if (Short)
      for (Loop *Child : L)
        addLoop(*Child, S, Refused);
  }

  /// The innermost I/O-free loop around a call that is part of a region: {in one, it is short}.
  std::pair<bool, bool> insideLoop(const CallBase &Call, const FunctionShape &S) const {
    for (Loop *L = S.LI.getLoopFor(Call.getParent()); L; L = L->getParentLoop())
      if (auto It = Inside.find(L); It != Inside.end())
        return {true, It->second};
    return {false, false};
  }

  /// Unknown code gets a function that reaches accesses, to call it: a parallel region's, say.
  bool isHandedAccess(const CallBase &Call) const {
    return any_of(Call.args(), [&](const Use &Argument) {
      const FunctionShape *S = Shape.of(dyn_cast<Function>(Argument->stripPointerCasts()));
      return S && S->Slice;
    });
  }

  void visitCall(CallBase &Call, const FunctionShape &S, Reason Refused) {
    Function *Callee = directCallee(Call);
    if (!Callee || !S.DT.isReachableFromEntry(Call.getParent()) || !Shape.lasts(Call))
      return;
    const FunctionShape *CalleeShape = Shape.of(Callee);
    if (Shape.site(Call) || (CalleeShape && CalleeShape->Slice) || isHandedAccess(Call))
      return;
    auto [InLoop, InShort] = insideLoop(Call, S);
    // Inside a long loop the callee's own loops would only add overhead: the loop itself counts
    // iterations.
    if (CalleeShape && (!InLoop || InShort))
      Reached.insert(Callee);
    if (!S.Slice || InLoop)
      return;
    if (Call.isMustTailCall())
      Refused = Reason::MustTail;
    else if (isa<InvokeInst>(Call))
      Refused = Reason::ExceptionEdge;
    else if (!isa<CallInst>(Call))
      Refused = Reason::IndirectExit;
    else if (Call.doesNotReturn())
      return;
    Region R;
    R.Kind = SIOX_REGION_CALL;
    R.Function = Call.getFunction();
    R.Call = &Call;
    R.Refused = Refused;
    place(R, Call.getDebugLoc());
    if (!CalleeShape && classifyExternal(*Callee).Kind == External::Sleeps && !Call.arg_empty()) {
      R.Sleeps = true;
      if (auto *Time = dyn_cast<ConstantInt>(Call.getArgOperand(0)))
        R.Trip = int64_t(std::min<uint64_t>(Time->getLimitedValue(), INT64_MAX));
    }
    Model.Regions.push_back(std::move(R));
  }

  void add(siox_region_kind Kind, Loop &L, int64_t Trip, Reason Refused) {
    Region R;
    R.Kind = Kind;
    R.Header = L.getHeader();
    R.Function = R.Header->getParent();
    R.Trip = Trip;
    R.Refused = Refused;
    if (R.Refused == Reason::None)
      R.Refused = whyNotMarkable(L);
    place(R, L.getStartLoc());
    Model.Regions.push_back(std::move(R));
  }

  /// What happens after the function has returned to other modules. Where this module calls it,
  /// too, what follows is not always theirs; and where the program begins here, what is called
  /// through pointers is called from here.
  void addOutside(Function &F) {
    if (Shape.hasProgram() || !Shape.isEntrance(F) || !Shape.callers(&F).empty())
      return;
    Region R;
    R.Kind = SIOX_REGION_OUTSIDE;
    R.Function = &F;
    bool Returns = false;
    for (BasicBlock &BB : F) {
      Returns |= isa<ReturnInst>(BB.getTerminator());
      if (BB.getTerminatingMustTailCall())
        R.Refused = Reason::MustTail;
    }
    if (!Returns)
      return;
    place(R, DebugLoc());
    R.Line = R.FunctionLine;
    if (const DISubprogram *S = F.getSubprogram())
      R.File = S->getFilename().str();
    Model.Regions.push_back(std::move(R));
  }

  static Reason whyNotMarkable(const Loop &L) {
    for (BasicBlock *Pred : predecessors(L.getHeader()))
      if (!L.contains(Pred) && isa<IndirectBrInst, CallBrInst>(Pred->getTerminator()))
        return Reason::NoPreheader;
    SmallVector<Loop::Edge, 8> Exits;
    L.getExitEdges(Exits);
    for (auto &[From, To] : Exits) {
      if (isa<IndirectBrInst, CallBrInst>(From->getTerminator()))
        return Reason::IndirectExit;
      if (To->isEHPad())
        return Reason::ExceptionEdge;
    }
    for (BasicBlock *BB : L.blocks())
      if (isa<ResumeInst, CleanupReturnInst>(BB->getTerminator()))
        return Reason::ExceptionEdge;
    return Reason::None;
  }

  void place(Region &R, const DebugLoc &Where) {
    R.File = M.getSourceFileName();
    if (Where) {
      R.File = cast<DIScope>(Where.getScope())->getFilename().str();
      R.Line = Where.getLine();
      R.Column = Where.getCol();
    }
    if (const DISubprogram *S = R.Function->getSubprogram())
      R.FunctionLine = S->getLine();
  }

  /// Ids follow the program text, so that they do not depend on the order of discovery; ordinals
  /// and keys follow ids.
  void number() {
    DenseMap<const BasicBlock *, unsigned> Blocks;
    DenseMap<const CallBase *, unsigned> Calls; // place in the block
    for (const Region &R : Model.Regions)
      if (R.Call)
        Calls[R.Call] = 0;
    unsigned N = 0;
    for (Function &F : M)
      for (BasicBlock &BB : F) {
        Blocks[&BB] = N++;
        unsigned InBlock = 0;
        for (Instruction &I : BB) {
          if (auto *Call = dyn_cast<CallBase>(&I))
            if (auto It = Calls.find(Call); It != Calls.end())
              It->second = InBlock;
          InBlock++;
        }
      }
    std::vector<std::tuple<unsigned, unsigned, siox_region_kind, unsigned>> Order;
    for (const Region &R : Model.Regions)
      Order.push_back({Blocks[blockOf(R)], R.Call ? Calls[R.Call] : 0, R.Kind, Order.size()});
    llvm::sort(Order);
    std::vector<Region> Sorted;
    Sorted.reserve(Order.size());
    for (const auto &Place : Order)
      Sorted.push_back(std::move(Model.Regions[std::get<3>(Place)]));
    Model.Regions = std::move(Sorted);
    std::map<std::tuple<std::string, Function *, unsigned, unsigned>, unsigned> Ordinals;
    for (unsigned Id = 0; Id != Model.Regions.size(); Id++) {
      Region &R = Model.Regions[Id];
      R.Id = Id;
      R.Ordinal = Ordinals[{R.File, R.Function, R.Line, R.Column}]++;
      R.Key = placeKey({R.File, functionName(*R.Function), R.Line, R.Column}, R.Ordinal);
    }
  }

  Module &M;
  const ModuleShape &Shape;
  ModuleModel &Model;
  DenseSet<const Function *> Nested;
  SetVector<Function *> Reached;
  DenseMap<const Loop *, bool> Inside; ///< I/O-free loops looked at in this function: is it short
};

} // namespace

const BasicBlock *blockOf(const Region &R) {
  return R.Header ? R.Header : R.Call ? R.Call->getParent() : &R.Function->getEntryBlock();
}

std::string functionName(const Function &F) {
  const DISubprogram *S = F.getSubprogram();
  return (S ? S->getName() : F.getName()).str();
}

void findRegions(Module &M, ModuleModel &Model) {
  ModuleShape Shape(M, Model);
  if (Shape.empty())
    return;
  Finder(M, Shape, Model).run();
  linkRegions(Shape, Model);
}

} // namespace siox
