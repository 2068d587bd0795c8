/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Finding what is periodic in an offset. One part of the expression takes the values Base + k *
// Step for k below Period:
//   x % d, x / d * -d + x    where x is affine in the loop and d does not change in it
//   x in a narrow type       the same with d = 2^bits: x & 3, (x + 1) & 7
//   c ? a : b                where a and b do not change in the loop: one of two
//   p = p + s == e ? b : p + s    a counter that starts over
// The offset is looked at with the part replaced by its first values. The differences are the
// offset's step, if they do not change in the loop.
#include "analysis/Periods.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include <numeric>

using namespace llvm;

namespace siox {
namespace {

/// Part of an offset and the values it takes, in its own type.
struct Part {
  const SCEV *Whole;
  const SCEV *Base, *Step;
  int64_t Period;
};

class Parts : public SCEVRewriteVisitor<Parts> {
public:
  Parts(ScalarEvolution &SE, const Loop &L) : SCEVRewriteVisitor(SE), L(L) {}

  /// The only periodic part of an expression; Found says how many there are.
  std::optional<Part> only(const SCEV *S) {
    visit(S);
    return Found.size() == 1 ? std::optional<Part>(Found.front()) : std::nullopt;
  }

  const SCEV *visitAddExpr(const SCEVAddExpr *E) {
    for (const SCEV *Operand : E->operands())
      if (const auto *Product = dyn_cast<SCEVMulExpr>(Operand))
        for (const SCEV *Factor : Product->operands())
          if (const auto *Q = dyn_cast<SCEVUDivExpr>(Factor))
            if (remainder(E, *Product, *Q))
              return E;
    return SCEVRewriteVisitor::visitAddExpr(E);
  }
  const SCEV *visitZeroExtendExpr(const SCEVZeroExtendExpr *E) { return extension(E); }
  const SCEV *visitSignExtendExpr(const SCEVSignExtendExpr *E) { return extension(E); }
  const SCEV *visitUnknown(const SCEVUnknown *U) {
    using namespace PatternMatch;
    Value *V = U->getValue(), *X, *D;
    if (match(V, m_SRem(m_Value(X), m_Value(D))) || match(V, m_URem(m_Value(X), m_Value(D)))) {
      note(U, SE.getSCEV(X), SE.getSCEV(D));
    } else if (auto *Choice = dyn_cast<SelectInst>(V)) {
      const SCEV *A = SE.getSCEV(Choice->getTrueValue()), *B = SE.getSCEV(Choice->getFalseValue());
      if (SE.isLoopInvariant(A, &L) && SE.isLoopInvariant(B, &L))
        add({U, A, SE.getMinusSCEV(B, A), 2});
    } else if (auto *Phi = dyn_cast<PHINode>(V)) {
      wrapping(U, *Phi);
    }
    return U;
  }

private:
  void add(const Part &P) {
    if (none_of(Found, [&](const Part &Other) { return Other.Whole == P.Whole; }))
      Found.push_back(P);
  }

  /// base + c * x - c * d * (x / d), which is base + c * (x % d) multiplied out.
  bool remainder(const SCEVAddExpr *E, const SCEVMulExpr &Product, const SCEVUDivExpr &Q) {
    const SCEV *X = Q.getLHS(), *D = Q.getRHS(), *Scale = SE.getOne(E->getType());
    const auto *K = dyn_cast<SCEVConstant>(Product.getOperand(0));
    if (const auto *Divisor = dyn_cast<SCEVConstant>(D); Divisor && K) {
      const APInt &By = Divisor->getAPInt();
      if (K->getAPInt().srem(By) != 0)
        return false;
      Scale = SE.getConstant(-K->getAPInt().sdiv(By));
    }
    const SCEV *Rest = SE.getMinusSCEV(E, SE.getAddExpr(SE.getMulExpr(Scale, X), &Product));
    return SE.isLoopInvariant(Rest, &L) && note(E, X, D, Rest, Scale);
  }

  /// x % d, times Scale (null: 1), from Rest (null: 0) on.
  bool note(const SCEV *Whole, const SCEV *X, const SCEV *D, const SCEV *Rest = nullptr,
            const SCEV *Scale = nullptr) {
    const auto *R = dyn_cast<SCEVAddRecExpr>(strip(X));
    if (!SE.isLoopInvariant(D, &L) || SE.isLoopInvariant(X, &L))
      return false;
    int64_t Period = SIOX_UNKNOWN, Step = 1;
    const auto *Divisor = dyn_cast<SCEVConstant>(D);
    const auto *By = R && R->isAffine() && R->getLoop() == &L
                         ? dyn_cast<SCEVConstant>(R->getStepRecurrence(SE))
                         : nullptr;
    const auto *From = R ? dyn_cast<SCEVConstant>(R->getStart()) : nullptr;
    int64_t First = 0;
    if (Divisor && Divisor->getAPInt().isStrictlyPositive() &&
        Divisor->getAPInt().getActiveBits() < 32) {
      Period = Divisor->getAPInt().getSExtValue();
      // 0, 2, 4, .. % 6 goes through three values; from where is only known with the start.
      if (By && From && By->getAPInt().getSignificantBits() <= 32 &&
          From->getAPInt().getSignificantBits() <= 32 && !From->getAPInt().isNegative()) {
        Step = std::gcd(Period, By->getAPInt().getSExtValue());
        First = From->getAPInt().getSExtValue() % Step;
        Period /= Step;
      }
    }
    Type *T = Whole->getType();
    const SCEV *Base = SE.getConstant(T, First), *Apart = SE.getConstant(T, Step);
    if (Scale) {
      Base = SE.getAddExpr(Rest, SE.getMulExpr(Scale, Base));
      Apart = SE.getMulExpr(Scale, Apart);
    }
    add({Whole, Base, Apart, Period});
    return true;
  }

  /// An index in a type too narrow for one.
  template <typename Extension> const SCEV *extension(const Extension *E) {
    unsigned Bits = E->getOperand()->getType()->getScalarSizeInBits();
    if (Bits >= CounterBits || SE.isLoopInvariant(E, &L)) {
      visit(E->getOperand());
      return E;
    }
    const SCEV *X = E->getOperand();
    const auto *R = dyn_cast<SCEVAddRecExpr>(X);
    int64_t Step = 1, First = 0, Period = int64_t(1) << Bits;
    const auto *By = R ? dyn_cast<SCEVConstant>(R->getStepRecurrence(SE)) : nullptr;
    const auto *From = R ? dyn_cast<SCEVConstant>(R->getStart()) : nullptr;
    if (By && From && R->isAffine() && !By->getAPInt().isZero()) {
      Step = std::gcd(Period, int64_t(By->getAPInt().getZExtValue()));
      First = int64_t(From->getAPInt().getZExtValue()) % Step;
      Period /= Step;
    }
    add({E, SE.getConstant(E->getType(), First), SE.getConstant(E->getType(), Step), Period});
    return E;
  }

  const SCEV *strip(const SCEV *S) {
    while (const auto *Cast = dyn_cast<SCEVCastExpr>(S))
      S = Cast->getOperand();
    return S;
  }

  /// p = phi(base, p + s == e ? b : p + s).
  void wrapping(const SCEVUnknown *Whole, PHINode &Phi) {
    using namespace PatternMatch;
    BasicBlock *Latch = L.getLoopLatch(), *Before = L.getLoopPredecessor();
    if (Phi.getParent() != L.getHeader() || !Latch || !Before)
      return;
    const SCEV *First = SE.getSCEV(Phi.getIncomingValueForBlock(Before));
    Value *Next = Phi.getIncomingValueForBlock(Latch), *X, *D;
    if (match(Next, m_SRem(m_Value(X), m_Value(D))) ||
        match(Next, m_URem(m_Value(X), m_Value(D)))) {
      if (match(X, m_c_Add(m_Specific(&Phi), m_Value())) && SE.isLoopInvariant(SE.getSCEV(D), &L))
        add({Whole, SE.getZero(Phi.getType()), SE.getOne(Phi.getType()), small(SE.getSCEV(D))});
      return;
    }
    auto *Choice = dyn_cast<SelectInst>(Next);
    if (!Choice)
      return;
    Value *On = Choice->getFalseValue(), *Again = Choice->getTrueValue();
    if (!match(On, m_c_Add(m_Specific(&Phi), m_Value())))
      std::swap(On, Again);
    Value *By;
    if (!match(On, m_c_Add(m_Specific(&Phi), m_Value(By))) ||
        !SE.isLoopInvariant(SE.getSCEV(By), &L) || !SE.isLoopInvariant(SE.getSCEV(Again), &L))
      return;
    const SCEV *Start = SE.getSCEV(Again), *Step = SE.getSCEV(By);
    if (Start != First) // it may begin before or after the place that it comes back to
      return add({Whole, Start, Step, SIOX_UNKNOWN});
    add({Whole, Start, Step, rounds(*Choice, *On, Phi, Start, Step)});
  }

  /// How often a step is made before the counter starts over, where all are constants.
  int64_t rounds(SelectInst &Choice, Value &On, PHINode &Phi, const SCEV *Start, const SCEV *Step) {
    auto *Test = dyn_cast<ICmpInst>(Choice.getCondition());
    if (!Test)
      return SIOX_UNKNOWN;
    Value *Tested = Test->getOperand(0);
    int64_t End = small(SE.getSCEV(Test->getOperand(1))), From = small(Start), By = small(Step);
    if (End == SIOX_UNKNOWN || From == SIOX_UNKNOWN || By == SIOX_UNKNOWN || By == 0)
      return SIOX_UNKNOWN;
    bool Over = &On != Choice.getTrueValue(); // the counter starts over where the test holds
    ICmpInst::Predicate P = Over ? Test->getPredicate() : Test->getInversePredicate();
    if (Tested == &Phi)
      End += By;
    else if (Tested != &On)
      return SIOX_UNKNOWN;
    bool Beyond = P == ICmpInst::ICMP_SGT || P == ICmpInst::ICMP_UGT;
    bool Least = P == ICmpInst::ICMP_EQ || P == ICmpInst::ICMP_SGE || P == ICmpInst::ICMP_UGE;
    if ((!Beyond && !Least) || By < 0 || End <= From)
      return SIOX_UNKNOWN;
    return (End - From + By - 1) / By + (Beyond && (End - From) % By == 0);
  }

  static int64_t small(const SCEV *S) {
    const auto *C = dyn_cast<SCEVConstant>(S);
    return C && C->getAPInt().getSignificantBits() <= 32 ? C->getAPInt().getSExtValue()
                                                         : SIOX_UNKNOWN;
  }

  const Loop &L;
  SmallVector<Part, 2> Found;
};

/// Puts a value in the place of a part.
class Replacer : public SCEVRewriteVisitor<Replacer> {
public:
  Replacer(ScalarEvolution &SE, const SCEV *Old, const SCEV *New)
      : SCEVRewriteVisitor(SE), Old(Old), New(New) {}
  const SCEV *visit(const SCEV *S) { return S == Old ? New : SCEVRewriteVisitor::visit(S); }

private:
  const SCEV *Old, *New;
};

} // namespace

std::optional<Periodic> periodicIn(const SCEV *Offset, const Loop &L, ScalarEvolution &SE) {
  std::optional<Part> P = Parts(SE, L).only(Offset);
  if (!P)
    return std::nullopt;
  const SCEV *At[3], *Value = P->Base;
  for (const SCEV *&Here : At) {
    Here = Replacer(SE, P->Whole, Value).visit(Offset);
    Value = SE.getAddExpr(Value, P->Step);
  }
  const SCEV *Step = SE.getMinusSCEV(At[1], At[0]);
  if (!SE.isLoopInvariant(At[0], &L) || !SE.isLoopInvariant(Step, &L) ||
      (P->Period != 2 && SE.getMinusSCEV(At[2], At[1]) != Step))
    return std::nullopt;
  return Periodic{At[0], Step, P->Period};
}

} // namespace siox
