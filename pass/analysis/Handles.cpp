/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Tracing values back to variables, in the shape that front ends emit: parameters and locals live
// in allocas.
#include "analysis/Handles.h"
#include "analysis/Externals.h"
#include "model/MpiIo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace siox {

/// Pointers followed at run time for one handle, and helpers entered on the way to one.
static constexpr unsigned MaxSteps = 3, MaxDepth = 8, MostUses = 16;

/// The only value that a local variable gets, where nothing else can write to it.
static Value *onlyValue(AllocaInst &Local) {
  Value *Only = nullptr;
  for (User *U : Local.users()) {
    if (isa<LoadInst>(U))
      continue;
    if (auto *I = dyn_cast<IntrinsicInst>(U); I && I->isLifetimeStartOrEnd())
      continue;
    auto *Store = dyn_cast<StoreInst>(U);
    if (!Store || Only || Store->getValueOperand() == &Local)
      return nullptr;
    Only = Store->getValueOperand();
  }
  return Only;
}

static std::optional<ValuePlace> trace(Value *V, const DataLayout &Layout, unsigned Depth) {
  if (Depth > MaxDepth)
    return std::nullopt;
  if (V->getType()->isPointerTy()) {
    APInt Offset(Layout.getIndexTypeSizeInBits(V->getType()), 0);
    Value *Root = V->stripAndAccumulateConstantOffsets(Layout, Offset, /*AllowNonInbounds=*/true);
    if (Root != V) {
      auto Place = trace(Root, Layout, Depth + 1);
      if (Place)
        Place->Offset += Offset.getSExtValue();
      return Place;
    }
  }
  if (isa<AllocaInst, Argument, Constant>(V)) {
    ValuePlace Place;
    Place.Base = V;
    return Place;
  }
  auto *Load = dyn_cast<LoadInst>(V);
  if (!Load)
    return std::nullopt;
  if (auto *Local = dyn_cast<AllocaInst>(Load->getPointerOperand()))
    if (Value *Only = onlyValue(*Local))
      return trace(Only, Layout, Depth + 1);
  auto Place = trace(Load->getPointerOperand(), Layout, Depth + 1);
  if (!Place || Place->Steps.size() == MaxSteps)
    return std::nullopt;
  Place->Steps.push_back(Place->Offset);
  Place->Offset = 0;
  return Place;
}

std::optional<ValuePlace> placeOfValue(Value *V) {
  auto *I = dyn_cast<Instruction>(V);
  auto *A = dyn_cast<Argument>(V);
  if (!I && !A) { // a constant is where it is
    ValuePlace Place;
    Place.Base = V;
    return Place;
  }
  return trace(V, (I ? I->getFunction() : A->getParent())->getDataLayout(), 0);
}

std::optional<ValuePlace> placeInCaller(const ValuePlace &Place, const CallBase &Call) {
  if (isa<GlobalVariable>(Place.Base))
    return Place;
  auto *Parameter = dyn_cast<Argument>(Place.Base);
  if (!Parameter || Parameter->getArgNo() >= Call.arg_size())
    return std::nullopt;
  auto Outer =
      trace(Call.getArgOperand(Parameter->getArgNo()), Call.getFunction()->getDataLayout(), 0);
  if (!Outer || Outer->Steps.size() + Place.Steps.size() > MaxSteps)
    return std::nullopt;
  for (int64_t Step : Place.Steps) {
    Outer->Steps.push_back(Outer->Offset + Step);
    Outer->Offset = 0;
  }
  Outer->Offset += Place.Offset;
  return Outer;
}

/// Something is assigned to what lies at Offset from a pointer, apart from null.
static bool isAssigned(const Value &Pointer, int64_t At, int64_t Offset, const DataLayout &Layout) {
  for (const User *U : Pointer.users()) {
    if (auto *Store = dyn_cast<StoreInst>(U)) {
      if (Store->getPointerOperand() == &Pointer && At == Offset &&
          !isa<ConstantPointerNull>(Store->getValueOperand()))
        return true;
    } else if (auto *Gep = dyn_cast<GEPOperator>(U)) {
      APInt Bytes(Layout.getIndexTypeSizeInBits(Gep->getType()), 0);
      bool Known = Gep->accumulateConstantOffset(Layout, Bytes);
      if (isAssigned(*Gep, Known ? At + Bytes.getSExtValue() : Offset, Offset, Layout))
        return true;
    }
  }
  return false;
}

bool holdsStill(const ValuePlace &Place) {
  if (Place.Steps.size() != 1)
    return true;
  const DataLayout *Layout = nullptr;
  if (auto *Local = dyn_cast<AllocaInst>(Place.Base))
    Layout = &Local->getFunction()->getDataLayout();
  else if (auto *Global = dyn_cast<GlobalVariable>(Place.Base))
    Layout = &Global->getParent()->getDataLayout();
  return !Layout || !isAssigned(*Place.Base, 0, Place.Steps.front(), *Layout);
}

/// A parameter that is used for more than being handed to a library function that is soon over.
static bool steers(const Value &V, unsigned Depth) {
  if (Depth > MaxDepth || V.hasNUsesOrMore(MostUses))
    return true;
  for (const Use &U : V.uses()) {
    const User *By = U.getUser();
    if (auto *Store = dyn_cast<StoreInst>(By)) {
      const auto *Local = dyn_cast<AllocaInst>(Store->getPointerOperand());
      if (!Local || Store->getValueOperand() != &V || Local->hasNUsesOrMore(MostUses))
        return true;
      for (const User *Other : Local->users())
        if (Other != By && !(isa<LoadInst>(Other) && !steers(*Other, Depth + 1)) &&
            !isa<IntrinsicInst>(Other))
          return true;
      continue;
    }
    auto *Call = dyn_cast<CallBase>(By);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (!Callee || !Call->isArgOperand(&U))
      return true;
    unsigned Position = Call->getArgOperandNo(&U);
    if (Callee->isDeclaration()) {
      if (mayLast(classifyExternal(*Callee).Kind) || !Call->use_empty() ||
          isMpiName(Callee->getName()))
        return true;
    } else if (Position >= Callee->arg_size() || steers(*Callee->getArg(Position), Depth + 1)) {
      return true;
    }
  }
  return false;
}

bool sameArguments(const CallBase &A, const CallBase &B) {
  const Function *Callee = A.getCalledFunction();
  if (!Callee || Callee != B.getCalledFunction() || Callee->isDeclaration() ||
      A.arg_size() != B.arg_size() || A.arg_size() != Callee->arg_size())
    return false;
  for (unsigned I = 0; I != A.arg_size(); I++) {
    auto First = placeOfValue(A.getArgOperand(I)), Second = placeOfValue(B.getArgOperand(I));
    if ((!First || !Second || !(*First == *Second)) && steers(*Callee->getArg(I), 0))
      return false;
  }
  return true;
}

} // namespace siox
