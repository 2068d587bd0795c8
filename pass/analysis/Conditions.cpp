/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Matching of `index % n == rest` in front of accesses, in memory form (clang's output when the
// pass runs) and in SSA form (bitcode that was optimised before).
#include "analysis/Conditions.h"
#include "analysis/Externals.h"
#include "analysis/Regions.h"
#include "analysis/Shape.h"
#include "analysis/Targets.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include <set>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace siox {

namespace {

using Condition = Region::Condition;

Value *stripCasts(Value *V) {
  while (isa<SExtInst, ZExtInst, FreezeInst>(V))
    V = cast<Instruction>(V)->getOperand(0);
  return V;
}

/// Where a plain load reads from, if that is a variable.
Value *variable(Value *V) {
  auto *Load = dyn_cast<LoadInst>(V);
  return Load && Load->isSimple() && isa<AllocaInst, GlobalVariable>(Load->getPointerOperand())
             ? Load->getPointerOperand()
             : nullptr;
}

/// The stores of a loop to a variable.
SmallVector<StoreInst *, 2> storesTo(Value *Variable, const Loop &L) {
  SmallVector<StoreInst *, 2> Stores;
  for (User *U : Variable->users())
    if (auto *Store = dyn_cast<StoreInst>(U);
        Store && Store->getPointerOperand() == Variable && L.contains(Store))
      Stores.push_back(Store);
  return Stores;
}

/// V as Base + constant.
int64_t offsetFrom(Value *V, Value *&Base) {
  const APInt *C = nullptr;
  Base = stripCasts(V);
  Value *Inner;
  if (match(Base, m_Add(m_Value(Inner), m_APInt(C))) && C->getSignificantBits() <= 63) {
    Base = stripCasts(Inner);
    return C->getSExtValue();
  }
  if (match(Base, m_Sub(m_Value(Inner), m_APInt(C))) && C->getSignificantBits() <= 63) {
    Base = stripCasts(Inner);
    return -C->getSExtValue();
  }
  return 0;
}

/// An index that the loop changes by a constant at its end, whatever else happens.
bool matchIndex(Value *V, const Loop &L, const BasicBlock &Test, Condition &Out) {
  Value *Base, *Old;
  Out.Offset = offsetFrom(V, Base);
  Out.IndexType = Base->getType();
  BasicBlock *Latch = L.getLoopLatch();
  if (!Latch || !Base->getType()->isIntegerTy() || Base->getType()->getIntegerBitWidth() > 64)
    return false;
  if (auto *Phi = dyn_cast<PHINode>(Base)) {
    if (Phi->getParent() != L.getHeader())
      return false;
    Out.Index = Phi;
    Out.Step = offsetFrom(Phi->getIncomingValueForBlock(Latch), Old);
    return Old == Phi && Out.Step != 0;
  }
  Out.Index = variable(Base);
  if (!Out.Index || &Test == Latch)
    return false;
  SmallVector<StoreInst *, 2> Stores = storesTo(Out.Index, L);
  if (Stores.size() != 1 || Stores[0]->getParent() != Latch)
    return false;
  Out.Step = offsetFrom(Stores[0]->getValueOperand(), Old);
  return variable(Old) == Out.Index && Out.Step != 0;
}

/// The same in every iteration, as far as can be seen.
bool matchModulus(Value *V, const Loop &L, Condition &Out) {
  V = stripCasts(V);
  if (!V->getType()->isIntegerTy() || V->getType()->getIntegerBitWidth() > 64)
    return false;
  Out.Modulus = V;
  Out.ModulusType = V->getType();
  if (auto *I = dyn_cast<Instruction>(V); !I || !L.contains(I))
    return true;
  Out.Modulus = variable(V);
  return Out.Modulus && storesTo(Out.Modulus, L).empty();
}

/// The edge of a branch that is taken where index % modulus == rest only.
std::optional<unsigned> matchBranch(BranchInst &Branch, const Loop &L, Condition &Out) {
  CmpInst::Predicate P;
  Value *Remainder, *Index, *Modulus;
  const APInt *Rest, *Mask;
  if (!Branch.isConditional() ||
      !match(Branch.getCondition(), m_ICmp(P, m_Value(Remainder), m_APInt(Rest))) ||
      !ICmpInst::isEquality(P) || Rest->getSignificantBits() > 63)
    return std::nullopt;
  Remainder = stripCasts(Remainder);
  if (match(Remainder, m_And(m_Value(Index), m_APInt(Mask))) && Mask->isMask() &&
      Mask->getActiveBits() < 31)
    Modulus = ConstantInt::get(Type::getInt64Ty(Branch.getContext()), Mask->getZExtValue() + 1);
  else if (!match(Remainder, m_SRem(m_Value(Index), m_Value(Modulus))) &&
           !match(Remainder, m_URem(m_Value(Index), m_Value(Modulus))))
    return std::nullopt;
  Out.Rest = Rest->getSExtValue();
  if (!matchIndex(Index, L, *Branch.getParent(), Out) || !matchModulus(Modulus, L, Out))
    return std::nullopt;
  return P == CmpInst::ICMP_EQ ? 0 : 1;
}

class ConditionFinder {
public:
  ConditionFinder(const ModuleShape &Shape, ModuleModel &Model, Region &R)
      : Shape(Shape), Model(Model), R(R), S(*Shape.of(R.Function)), L(*S.LI.getLoopFor(R.Header)) {}

  void run() {
    for (BasicBlock *BB : L.blocks()) {
      auto *Branch = dyn_cast<BranchInst>(BB->getTerminator());
      Condition C{};
      if (!Branch || S.LI.getLoopFor(BB) != &L)
        continue;
      if (std::optional<unsigned> Taken = matchBranch(*Branch, L, C))
        add({BB, Branch->getSuccessor(*Taken)}, std::move(C));
    }
    Reached Otherwise;
    for (const CallBase *Call : S.Calls)
      if (L.contains(Call) && none_of(Edges, [&](const BasicBlockEdge &E) {
            return S.DT.dominates(E, Call->getParent());
          }))
        reach(*Call, Otherwise);
    for (Condition &C : R.Conditions)
      C.Only = Otherwise.Sites.empty() && !Otherwise.Unknown;
  }

private:
  struct Reached {
    std::set<unsigned> Sites;
    DenseSet<const Function *> Functions;
    bool Unknown = false; ///< code that is not seen
  };

  /// What a call of the loop leads to.
  void reach(const CallBase &Call, Reached &Out) const {
    SmallVector<const CallBase *, 16> Work{&Call};
    while (!Work.empty()) {
      const CallBase *C = Work.pop_back_val();
      if (auto Site = Shape.site(*C)) {
        Out.Sites.insert(*Site);
        continue;
      }
      const Function *Callee = directCallee(*C);
      if (const FunctionShape *Inner = Shape.of(Callee);
          Inner && Out.Functions.insert(Callee).second)
        Work.append(Inner->Calls.begin(), Inner->Calls.end());
      else if (!Inner)
        Out.Unknown |=
            Callee ? classifyExternal(*Callee).Kind == External::Unknown : !isExhausted(*C);
    }
  }

  void add(const BasicBlockEdge &Edge, Condition C) {
    if (Edge.getStart()->getTerminator()->getSuccessor(0) ==
        Edge.getStart()->getTerminator()->getSuccessor(1))
      return;
    auto Behind = [&](const BasicBlock *BB) { return S.DT.dominates(Edge, BB); };
    Reached Within, Without;
    for (const CallBase *Call : S.Calls)
      if (L.contains(Call))
        reach(*Call, Behind(Call->getParent()) ? Within : Without);
    // Unknown code in other iterations may call what other modules can.
    bool Reachable = Without.Unknown && any_of(Within.Functions, [&](const Function *F) {
                       return Shape.isEntrance(*F);
                     });
    for (unsigned Site : Within.Sites)
      if (!Without.Sites.count(Site) &&
          !(Reachable && Model.Sites[Site].Call->getFunction() != R.Function))
        C.Sites.push_back(Site);
    if (C.Sites.empty())
      return;
    Edges.push_back(Edge);
    for (const Region &G : Model.Regions) {
      if (!isGap(G) || G.Refused != Reason::None || G.Kind == SIOX_REGION_OUTSIDE)
        continue;
      bool Here = G.Function == R.Function && L.contains(blockOf(G));
      if (Here ? Behind(blockOf(G))
               : G.Function != R.Function && Within.Functions.count(G.Function) &&
                     !Without.Functions.count(G.Function))
        C.Gaps.push_back(G.Id);
      else if (Here && !leadsTo(blockOf(G), Edge.getStart()))
        C.Past.push_back(G.Id);
    }
    R.Conditions.push_back(std::move(C));
  }

  /// Without a new iteration.
  bool leadsTo(const BasicBlock *From, const BasicBlock *To) const {
    DenseSet<const BasicBlock *> Seen{From};
    SmallVector<const BasicBlock *, 16> Work{From};
    while (!Work.empty()) {
      const BasicBlock *BB = Work.pop_back_val();
      if (BB == To)
        return true;
      for (const BasicBlock *Next : successors(BB))
        if (L.contains(Next) && Next != L.getHeader() && Seen.insert(Next).second)
          Work.push_back(Next);
    }
    return false;
  }

  const ModuleShape &Shape;
  ModuleModel &Model;
  Region &R;
  const FunctionShape &S;
  const Loop &L;
  SmallVector<BasicBlockEdge, 4> Edges; ///< one a condition
};

} // namespace

void findConditions(const ModuleShape &Shape, ModuleModel &Model) {
  for (Region &R : Model.Regions)
    if (R.Kind == SIOX_REGION_STEPS && R.Refused == Reason::None)
      ConditionFinder(Shape, Model, R).run();
}

} // namespace siox
