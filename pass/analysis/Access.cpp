/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Access patterns from scalar evolution. The offset of an access in loops L0 (innermost), L1, ...
// is, say,
//   {{{base,+,64K}<L2>},+,8K}<L0>:  L0 affine(8K), L1 invariant, L2 affine(64K)
// Level by level: the step of the recurrence over that loop, then its start is looked at in the
// next loop. A site that was inlined several times has several such patterns; what they agree on is
// kept.
#include "analysis/Access.h"
#include "analysis/FilePointer.h"
#include "analysis/Origin.h"
#include "analysis/Periods.h"
#include "analysis/Tables.h"
#include "analysis/Trips.h"
#include "analysis/Views.h"
#include "model/MpiIo.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemorySSA.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include <map>

using namespace llvm;

namespace siox {
namespace {

/// One copy of a site in the clone.
struct Pattern {
  int64_t First = SIOX_UNKNOWN, Size = SIOX_UNKNOWN;
  SmallVector<AccessLevel, 4> Levels;
  std::shared_ptr<const StaticView> View;
  bool Inlined = false; ///< stands in a body whose callers have their own copies
  std::string Why;
  std::string Data; ///< what a run-time level varies with
};

/// Pushes extensions and truncations inwards, as if nothing overflowed: a prediction may assume
/// that.
class Widener : public SCEVRewriteVisitor<Widener> {
public:
  explicit Widener(ScalarEvolution &SE) : SCEVRewriteVisitor(SE) {}
  const SCEV *visitSignExtendExpr(const SCEVSignExtendExpr *E) {
    return isNarrow(E) ? E : widen(visit(E->getOperand()), E->getType());
  }
  const SCEV *visitZeroExtendExpr(const SCEVZeroExtendExpr *E) {
    return isNarrow(E) ? E : widen(visit(E->getOperand()), E->getType());
  }

private:
  /// In such types overflow is meant: i & 3.
  static bool isNarrow(const SCEVCastExpr *E) {
    return E->getOperand()->getType()->getScalarSizeInBits() < CounterBits;
  }

  const SCEV *widen(const SCEV *S, Type *Wide) {
    SmallVector<const SCEV *, 4> Parts;
    if (const auto *N = dyn_cast<SCEVNAryExpr>(S))
      for (const SCEV *Part : N->operands())
        Parts.push_back(widen(Part, Wide));
    if (isa<SCEVAddExpr>(S))
      return SE.getAddExpr(Parts);
    if (isa<SCEVMulExpr>(S))
      return SE.getMulExpr(Parts);
    if (const auto *Q = dyn_cast<SCEVUDivExpr>(S))
      return SE.getUDivExpr(widen(Q->getLHS(), Wide), widen(Q->getRHS(), Wide));
    if (const auto *R = dyn_cast<SCEVAddRecExpr>(S))
      return SE.getAddRecExpr(Parts, R->getLoop(), SCEV::FlagAnyWrap);
    return SE.getNoopOrSignExtend(S, Wide);
  }
};

/// Why an expression varies as it does: the unknown in it that says so.
std::string reasonOf(const SCEV *S, ScalarEvolution &SE, const Loop &L) {
  struct Finder {
    ScalarEvolution &SE;
    const Loop &L;
    const Value *Varying = nullptr;
    bool follow(const SCEV *S) {
      if (const auto *U = dyn_cast<SCEVUnknown>(S); U && !SE.isLoopInvariant(S, &L))
        Varying = U->getValue();
      return !Varying;
    }
    bool isDone() const { return Varying; }
  } Find{SE, L};
  SCEVTraversal<Finder>(Find).visitAll(S);
  if (!Find.Varying)
    return "not affine in the loop";
  if (const auto *Call = dyn_cast<CallBase>(Find.Varying)) {
    const Function *Callee = Call->getCalledFunction();
    StringRef Name = Callee ? Callee->getName() : "a function pointer";
    return Name.consume_front(OpaquePrefix) ? Name.str() : "result of " + Name.str();
  }
  if (isa<LoadInst>(Find.Varying))
    return "read from memory in the loop";
  if (isa<PHINode>(Find.Varying))
    return "changes irregularly in the loop";
  return "computed from data in the loop";
}

int64_t constantOf(const SCEV *S) {
  const auto *C = dyn_cast<SCEVConstant>(S);
  return C && C->getAPInt().getSignificantBits() <= 64 ? C->getAPInt().getSExtValue()
                                                       : SIOX_UNKNOWN;
}

/// What an argument of a marker does; see FilePointer.h.
Pattern patternOf(CallBase &Marker, unsigned Argument, FunctionAnalysisManager &FAM) {
  Function &F = *Marker.getFunction();
  ScalarEvolution &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  LoopInfo &Loops = FAM.getResult<LoopAnalysis>(F);
  DominatorTree &Tree = FAM.getResult<DominatorTreeAnalysis>(F);
  MemorySSA &States = FAM.getResult<MemorySSAAnalysis>(F).getMSSA();
  Pattern P;
  Widener Widen(SE);
  const Loop *Inner = Loops.getLoopFor(Marker.getParent());
  P.Size = constantOf(SE.getSCEVAtScope(Marker.getArgOperand(1), Inner));
  const SCEV *Offset = Widen.visit(SE.getSCEVAtScope(Marker.getArgOperand(Argument), Inner));
  bool Constant = isa<SCEVConstant>(Offset);
  bool Known = true;
  std::optional<TableOffset> Table;
  for (const Loop *L = Inner; L; L = L->getParentLoop()) {
    AccessLevel Level;
    Level.Trip = tripCount(*L, *Marker.getParent(), SE, Tree);
    const auto *R = dyn_cast<SCEVAddRecExpr>(Offset);
    if (Known && Table && !Table->staysIn(*L, SE)) {
      Known = false;
      P.Why = "read from memory in the loop";
    }
    if (!Known) {
      Level.Class = SIOX_OFFSET_UNKNOWN;
    } else if (Constant) {
      Level.Class = SIOX_OFFSET_CONST;
    } else if (SE.isLoopInvariant(Offset, L)) {
      Level.Class = SIOX_OFFSET_INVARIANT;
    } else if (R && R->getLoop() == L && R->isAffine() &&
               SE.isLoopInvariant(R->getStepRecurrence(SE), L)) {
      Level.Class = SIOX_OFFSET_AFFINE;
      Level.Stride = constantOf(R->getStepRecurrence(SE));
      Offset = R->getStart();
    } else if (auto Again = periodicIn(Offset, *L, SE)) {
      Level.Class = SIOX_OFFSET_PERIODIC;
      Level.Stride = constantOf(Again->Step);
      Level.Period = Again->Period;
      Offset = Again->First;
    } else if (Table = TableOffset::in(Offset, *L, SE, States); Table) {
      Level.Class = SIOX_OFFSET_RUNTIME;
      P.Data = reasonOf(Offset, SE, *L);
      Offset = Table->rest();
    } else {
      Known = false;
      P.Why = reasonOf(Offset, SE, *L);
    }
    P.Levels.push_back(std::move(Level));
  }
  if (Known && !Table)
    P.First = constantOf(Offset);
  return P;
}

/// What the marker's pattern is in the file when the access goes through a view with holes.
void throughView(Pattern &P, CallBase &Marker, ArrayRef<FileType> Views,
                 FunctionAnalysisManager &FAM) {
  const auto *Number = dyn_cast<ConstantInt>(Marker.getArgOperand(2));
  if (Number && Number->isZero())
    return;
  P.First = SIOX_UNKNOWN;
  if (!Number) {
    P.Why = "one of several views";
    for (AccessLevel &L : P.Levels)
      L = {SIOX_OFFSET_UNKNOWN, SIOX_UNKNOWN, L.Trip};
    return;
  }
  StaticView View;
  View.Type = Views[Number->getZExtValue() - 1];
  Pattern Data = patternOf(Marker, 3, FAM);
  View.First = Data.First;
  View.Levels = Data.Levels;
  View.Displacement = patternOf(Marker, 4, FAM).First;
  if (Data.First != SIOX_UNKNOWN)
    P.First = View.place(Data.First);
  for (auto [File, Inside] : zip_equal(P.Levels, Data.Levels)) {
    if (File.Class != Inside.Class ||
        (File.Class != SIOX_OFFSET_AFFINE && File.Class != SIOX_OFFSET_PERIODIC))
      continue;
    int64_t Stride = View.stride(Inside.Stride);
    File.Stride = File.Stride == SIOX_UNKNOWN || Stride == SIOX_UNKNOWN
                      ? SIOX_UNKNOWN
                      : File.Stride - Inside.Stride + Stride;
  }
  P.View = std::make_shared<StaticView>(View);
}

/// Keeps what both levels say.
void mergeLevel(AccessLevel &A, const AccessLevel &B) {
  if (A.Trip != B.Trip)
    A.Trip = SIOX_UNKNOWN;
  if (A.Class != B.Class) {
    // The one that promises less.
    static constexpr siox_offset_class Weakest[] = {SIOX_OFFSET_UNKNOWN, SIOX_OFFSET_PERIODIC,
                                                    SIOX_OFFSET_RUNTIME, SIOX_OFFSET_AFFINE,
                                                    SIOX_OFFSET_INVARIANT};
    A.Class = *find_if(Weakest, [&](siox_offset_class C) { return A.Class == C || B.Class == C; });
    A.Stride = A.Period = SIOX_UNKNOWN;
  } else if (A.Stride != B.Stride || A.Period != B.Period) {
    A.Stride = A.Period = SIOX_UNKNOWN;
  }
}

void mergePattern(Pattern &A, const Pattern &B) {
  if (A.Size != B.Size)
    A.Size = SIOX_UNKNOWN;
  if (A.View != B.View) {
    A.View = nullptr;
    A.First = SIOX_UNKNOWN;
  }
  bool SameStart = A.First == B.First;
  if (!SameStart)
    A.First = SIOX_UNKNOWN;
  if (A.Why.empty())
    A.Why = B.Why;
  if (A.Data.empty())
    A.Data = B.Data;
  // A loop that surrounds only one of the copies runs once for the other.
  size_t Common = std::min(A.Levels.size(), B.Levels.size());
  for (size_t I = 0; I < Common; ++I)
    mergeLevel(A.Levels[I], B.Levels[I]);
  A.Levels.append(B.Levels.begin() + Common, B.Levels.end());
  for (size_t I = Common; I < A.Levels.size(); ++I)
    if (A.Levels[I].Trip != 1)
      A.Levels[I].Trip = SIOX_UNKNOWN;
  if (!SameStart)
    for (AccessLevel &L : A.Levels)
      if (L.Class == SIOX_OFFSET_CONST)
        L.Class = SIOX_OFFSET_INVARIANT;
}

void storePattern(Site &S, ArrayRef<Pattern> Patterns) {
  bool AllInlined = all_of(Patterns, [](const Pattern &P) { return P.Inlined; });
  std::optional<Pattern> Merged;
  for (const Pattern &P : Patterns) {
    if (P.Inlined && !AllInlined)
      continue;
    if (Merged)
      mergePattern(*Merged, P);
    else
      Merged = P;
  }
  if (!Merged)
    return;
  S.First = Merged->First;
  S.Size = Merged->Size;
  S.View = Merged->View;
  S.Levels.assign(Merged->Levels.begin(), Merged->Levels.end());
  S.Why = Merged->Why;
  // What varies from burst to burst does not repeat with them.
  for (size_t I = S.BurstLevels; I < S.Levels.size(); ++I)
    if (S.Levels[I].Class == SIOX_OFFSET_RUNTIME) {
      S.Levels[I].Class = SIOX_OFFSET_UNKNOWN;
      S.Why = Merged->Data;
    }
}

void findPatterns(OptimisticClone &Clone, ModuleModel &Model, ArrayRef<FileType> Views) {
  std::map<unsigned, SmallVector<Pattern, 2>> Patterns;
  for (Function &F : Clone.module())
    for (Instruction &I : instructions(F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (!Call || !Call->getCalledFunction() ||
          Call->getCalledFunction()->getName() != AccessMarker)
        continue;
      Pattern P = patternOf(*Call, 0, Clone.analyses());
      throughView(P, *Call, Views, Clone.analyses());
      P.Inlined = Clone.isInlined(F);
      for (unsigned Id : Clone.sitesBefore(*Call))
        Patterns[Id].push_back(P);
    }
  for (auto &[Id, List] : Patterns)
    storePattern(Model.Sites[Id], List);
}

void findOrigins(OptimisticClone &Clone, ModuleModel &Model) {
  OriginWalker Walker(Clone.analyses(), fileMaker);
  DenseSet<unsigned> Partial;
  for (Site &S : Model.Sites)
    S.WholeOrigins = S.Info->Class != SIOX_CLASS_OPEN && S.Info->File >= 0;
  for (Function &F : Clone.module())
    for (Instruction &I : instructions(F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      const CallInfo *Info = Call ? lookupCall(*Call) : nullptr;
      Value *Handle = Info ? argument(*Call, Info->File) : nullptr;
      if (!Handle || Info->Class == SIOX_CLASS_OPEN)
        continue;
      Origins O =
          Info->Class == SIOX_CLASS_CLOSE ? Walker.ofMemory(Handle, *Call) : Walker.ofValue(Handle);
      for (unsigned Id : Clone.sitesBefore(I)) {
        Site &S = Model.Sites[Id];
        for (CallBase *Open : O.Makers)
          for (unsigned Origin : Clone.sitesBefore(*Open))
            if (!is_contained(S.Origins, Origin))
              S.Origins.push_back(Origin);
        S.WholeOrigins &= !O.Unresolved && !O.OpenWorld;
        if (O.Unresolved)
          Partial.insert(Id);
      }
    }
  for (Site &S : Model.Sites) {
    llvm::sort(S.Origins);
    S.WholeOrigins &= !S.Origins.empty();
    S.UnresolvedOrigins = Partial.contains(S.Id);
  }
}

} // namespace

void analyzeAccess(OptimisticClone &Clone, ModuleModel &Model, ArrayRef<FileType> Views) {
  findPatterns(Clone, Model, Views);
  findOrigins(Clone, Model);
  findRegionTrips(Clone, Model);
}

} // namespace siox
