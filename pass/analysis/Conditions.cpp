/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Matching of `index % n == rest` in front of accesses, in memory form (clang's output when the
// pass runs) and in SSA form (bitcode that was optimised before).
#include "analysis/Conditions.h"
#include "analysis/Externals.h"
#include "analysis/Fortran.h"
#include "analysis/Regions.h"
#include "analysis/Shape.h"
#include "analysis/Targets.h"
#include "analysis/Variables.h"
#include "model/MpiIo.h"
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

/// An integer, extended to the type that it is used in.
struct Extended {
  Value *V;
  bool Signed;
};

/// Takes extensions of one kind off a value; Signed is what it is where there is none.
Extended stripExtensions(Value *V, bool Signed) {
  while (auto *Freeze = dyn_cast<FreezeInst>(V))
    V = Freeze->getOperand(0);
  for (bool First = true; isa<SExtInst, ZExtInst>(V); First = false) {
    bool Sign = isa<SExtInst>(V);
    Value *Inner = cast<CastInst>(V)->getOperand(0);
    // Of two, the inner one decides; zext of sext is neither.
    if (!First && Sign != Signed && Sign)
      break;
    Signed = Sign;
    V = Inner;
  }
  return {V, Signed};
}

/// V as Base + constant.
int64_t offsetFrom(Value *V, Value *&Base) {
  const APInt *C = nullptr;
  Base = V;
  Value *Inner;
  if (match(V, m_Add(m_Value(Inner), m_APInt(C))) && C->getSignificantBits() <= 63) {
    Base = Inner;
    return C->getSExtValue();
  }
  if (match(V, m_Sub(m_Value(Inner), m_APInt(C))) && C->getSignificantBits() <= 63) {
    Base = Inner;
    return -C->getSExtValue();
  }
  return 0;
}

int32_t widthOf(const Extended &E) {
  int32_t Bits = int32_t(E.V->getType()->getIntegerBitWidth());
  return E.Signed ? -Bits : Bits;
}

bool isSmallInteger(const Value &V) {
  return V.getType()->isIntegerTy() && V.getType()->getIntegerBitWidth() <= 64;
}

/// Without a new iteration.
bool leadsTo(const Loop &L, const BasicBlock &From, const BasicBlock &To) {
  DenseSet<const BasicBlock *> Seen{&From};
  SmallVector<const BasicBlock *, 16> Work{&From};
  while (!Work.empty()) {
    const BasicBlock *BB = Work.pop_back_val();
    if (BB == &To)
      return true;
    for (const BasicBlock *Next : successors(BB))
      if (L.contains(Next) && Next != L.getHeader() && Seen.insert(Next).second)
        Work.push_back(Next);
  }
  return false;
}

/// The edge of a branch that is taken where index % modulus == rest only.
struct BranchMatcher {
  const Loop &L;
  const DominatorTree &DT;
  Condition &Out;

  std::optional<unsigned> match(BranchInst &Branch) {
    CmpInst::Predicate P;
    Value *Remainder, *Index, *Modulus;
    const APInt *Rest, *Mask;
    if (!Branch.isConditional() ||
        !PatternMatch::match(Branch.getCondition(), m_ICmp(P, m_Value(Remainder), m_APInt(Rest))) ||
        !ICmpInst::isEquality(P) || Rest->getSignificantBits() > 63)
      return std::nullopt;
    bool Signed =
        PatternMatch::match(stripExtensions(Remainder, false).V, m_SRem(m_Value(), m_Value()));
    Extended R = stripExtensions(Remainder, Signed);
    if (!isSmallInteger(*R.V) || R.Signed != Signed)
      return std::nullopt;
    if (PatternMatch::match(R.V, m_And(m_Value(Index), m_APInt(Mask))) && Mask->isMask() &&
        Mask->getActiveBits() < 31)
      Modulus = ConstantInt::get(Type::getInt64Ty(Branch.getContext()), Mask->getZExtValue() + 1);
    else if (!PatternMatch::match(R.V, m_SRem(m_Value(Index), m_Value(Modulus))) &&
             !PatternMatch::match(R.V, m_URem(m_Value(Index), m_Value(Modulus))))
      return std::nullopt;
    Out.Rest = Rest->getSExtValue();
    Out.DivisionBits = widthOf(R);
    if (!matchIndex(Index, Signed) || !matchModulus(Modulus, Signed))
      return std::nullopt;
    return P == CmpInst::ICMP_EQ ? 0 : 1;
  }

private:
  /// An index that the loop changes by a constant in each iteration, whatever else happens.
  bool matchIndex(Value *V, bool Signed) {
    Extended Sum = stripExtensions(V, Signed);
    Value *Base;
    Out.Offset = offsetFrom(Sum.V, Base);
    Out.SumBits = widthOf(Sum);
    Extended I = stripExtensions(Base, Sum.Signed);
    Out.IndexBits = widthOf(I);
    Out.IndexType = I.V->getType();
    if (auto *Phi = dyn_cast<PHINode>(I.V))
      return matchPhi(*Phi);
    return matchVariable(dyn_cast<LoadInst>(I.V));
  }

  /// Kept: a variable that holds it in the loop.
  bool matchPhi(PHINode &Phi, const Value *Kept = nullptr) {
    BasicBlock *Latch = L.getLoopLatch();
    if (!Latch || Phi.getParent() != L.getHeader() || Phi.getNumIncomingValues() != 2)
      return false;
    std::optional<int64_t> Step =
        stepFrom(Phi.getIncomingValueForBlock(Latch), Phi.getType()->getIntegerBitWidth(),
                 [&](const Value *Old) {
                   const LoadInst *Load = plainLoad(Old);
                   return Old == &Phi || (Kept && Load && Load->getPointerOperand() == Kept);
                 });
    Out.Index = &Phi;
    Out.Step = Step.value_or(0);
    return Step.has_value();
  }

  bool matchVariable(LoadInst *Load) {
    Value *Variable = variable(Load);
    const StoreInst *Store = Variable ? onlyStore(Variable, L, DT) : nullptr;
    // A DO loop keeps a value and writes it to its variable as an iteration begins. Nobody else may
    // change that: Fortran 2023, 11.1.7.4.3.
    if (auto *Phi =
            Store ? dyn_cast<PHINode>(const_cast<Value *>(Store->getValueOperand())) : nullptr;
        Phi && Phi->getType() == Load->getType() && DT.dominates(Store, Load) &&
        usesFortran(*Phi->getModule()))
      return matchPhi(*Phi, Variable);
    std::optional<int64_t> Step = Store ? stepOf(*Store, Variable) : std::nullopt;
    if (!Step || Store->getValueOperand()->getType() != Load->getType() || callsChange(Variable, L))
      return false;
    Out.Index = Variable;
    Out.Step = *Step;
    Out.Changed = DT.dominates(Store, Load);
    return Out.Changed || Store->getParent() == Load->getParent() ||
           !leadsTo(L, *Store->getParent(), *Load->getParent());
  }

  /// The same in every iteration, as far as can be seen.
  bool matchModulus(Value *V, bool Signed) {
    Extended M = stripExtensions(V, Signed);
    Out.Modulus = M.V;
    Out.ModulusType = M.V->getType();
    Out.ModulusSigned = M.Signed;
    if (auto *I = dyn_cast<Instruction>(M.V); !I || !L.contains(I))
      return true;
    Out.Modulus = variable(dyn_cast<LoadInst>(M.V));
    return Out.Modulus && !isStored(Out.Modulus, L) && !callsChange(Out.Modulus, L);
  }

  /// The local or global variable that is read.
  Value *variable(LoadInst *Load) const {
    if (!Load || !Load->isSimple() || !L.contains(Load))
      return nullptr;
    Value *Memory = Load->getPointerOperand();
    auto *Local = dyn_cast<AllocaInst>(Memory);
    auto *Global = dyn_cast<GlobalVariable>(Memory);
    return (Global && !Global->hasExternalWeakLinkage()) || (Local && !L.contains(Local)) ? Memory
                                                                                          : nullptr;
  }
};

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
      if (std::optional<unsigned> Taken = BranchMatcher{L, S.DT, C}.match(*Branch))
        add({BB, Branch->getSuccessor(*Taken)}, std::move(C));
    }
    Reached Otherwise;
    for (const CallBase *Call : S.Calls)
      if (L.contains(Call) && none_of(Edges, [&](const BasicBlockEdge &E) {
            return S.DT.dominates(E, Call->getParent());
          }))
        reach(*Call, Otherwise);
    // What a nonblocking call has begun goes on in others.
    bool Only = Otherwise.Sites.empty();
    for (const Condition &C : R.Conditions)
      Only &= none_of(C.Sites, [&](unsigned Site) {
        return Model.Sites[Site].Info->Span == SIOX_SPAN_NONBLOCKING;
      });
    for (Condition &C : R.Conditions)
      C.Only = !Only ? Condition::No : Otherwise.Unknown ? Condition::UnlessUnseen : Condition::Yes;
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
               : !Reachable && G.Function != R.Function && Within.Functions.count(G.Function) &&
                     !Without.Functions.count(G.Function))
        C.Gaps.push_back(G.Id);
      else if (Here && !leadsTo(L, *blockOf(G), *Edge.getStart()))
        C.Past.push_back(G.Id);
      else if (Here && directlyIn(G) && S.DT.dominates(blockOf(G), Edge.getStart()))
        C.Ahead.push_back(G.Id);
    }
    C.Elsewhere =
        !isProgram(*R.Function) ||
        !all_of(Shape.callers(R.Function),
                [](const CallBase *Call) { return isProgram(*Call->getFunction()); }) ||
        L.getParentLoop() || any_of(Within.Functions, [&](const Function *F) {
          return Shape.of(F)->Slice && (Shape.isEntrance(*F) || calledElsewhere(*F, Edge, Within));
        });
    R.Conditions.push_back(std::move(C));
  }

  /// In no loop inside of this one but its own, so that no two of these are one in the other.
  bool directlyIn(const Region &G) const {
    const Loop *Around = S.LI.getLoopFor(blockOf(G));
    return Around == &L || (G.Header && Around && Around->getParentLoop() == &L);
  }

  /// Other code than that behind the edge calls the function.
  bool calledElsewhere(const Function &F, const BasicBlockEdge &Edge, const Reached &Within) const {
    return any_of(Shape.callers(&F), [&](const CallBase *Call) {
      return Call->getFunction() == R.Function ? !S.DT.dominates(Edge, Call->getParent())
                                               : !Within.Functions.count(Call->getFunction());
    });
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
