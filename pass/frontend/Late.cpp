/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Taking contents out of a module and putting them back. The descriptors stay, for code refers to
// them; nothing in the module may fold their zeros, because what they are handed to is not seen.
#include "frontend/Late.h"
#include "model/Abi.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace siox {

/// What newDescriptor made.
static bool isDescriptor(const GlobalVariable &V) {
  return V.hasInternalLinkage() && V.hasInitializer() && V.getSection().starts_with("siox_");
}

using ListSet = SetVector<GlobalVariable *>;

/// Private variables that a constant leads to, whatever they lead to included, and in Others what
/// else it leads to.
static void collectLists(Constant *Root, ListSet &Lists, SetVector<GlobalValue *> &Others) {
  SmallVector<Constant *, 16> Work{Root};
  while (!Work.empty())
    for (Use &U : Work.pop_back_val()->operands()) {
      auto *V = dyn_cast<GlobalVariable>(U);
      if (V && V->hasPrivateLinkage() && V->hasInitializer()) {
        if (Lists.insert(V))
          Work.push_back(V);
      } else if (auto *G = dyn_cast<GlobalValue>(U)) {
        if (!V || !isDescriptor(*V)) // those are kept
          Others.insert(G);
      } else if (isa<ConstantAggregate, ConstantExpr>(U)) {
        Work.push_back(cast<Constant>(U));
      }
    }
}

/// Only other lists and descriptors refer to a list.
static bool isOurs(const Constant &Address, const ListSet &Lists) {
  return all_of(Address.users(), [&](const User *U) {
    if (auto *V = dyn_cast<GlobalVariable>(U)) // or one that holds contents
      return !V->getParent() || Lists.contains(const_cast<GlobalVariable *>(V));
    return isa<ConstantAggregate, ConstantExpr>(U) && isOurs(*cast<Constant>(U), Lists);
  });
}

void HeldContents::take(Module &M) {
  ListSet Found;
  SetVector<GlobalValue *> Stay;
  for (GlobalVariable &V : M.globals())
    if (isDescriptor(V)) {
      Descriptors.push_back(
          {WeakTrackingVH(&V),
           std::make_unique<GlobalVariable>(V.getValueType(), false, GlobalValue::InternalLinkage,
                                            V.getInitializer())});
      collectLists(&V, Found, Stay);
      V.setInitializer(Constant::getNullValue(V.getValueType()));
    }
  while (Found.remove_if([&](GlobalVariable *V) {
    const bool Leaves = !isOurs(*V, Found);
    if (Leaves) // code hands it over
      Stay.insert(V);
    return Leaves;
  }))
    ;
  // Nobody sees that contents name these, and the code that does may go before they are back.
  keep(M, Stay.getArrayRef());
  for (GlobalVariable *V : Found) {
    V->removeFromParent();
    Lists.push_back(V);
  }
}

bool HeldContents::giveBack(Module &M) {
  if (Descriptors.empty())
    return false;
  for (GlobalVariable *V : Lists)
    M.insertGlobalVariable(V);
  Lists.clear();
  for (Descriptor &D : Descriptors) {
    auto *V = dyn_cast_or_null<GlobalVariable>(static_cast<Value *>(D.Variable));
    if (V && V->getValueType() == D.Holder->getValueType())
      V->setInitializer(D.Holder->getInitializer());
    else
      M.getContext().emitError("siox: another pass has changed what stands for an MPI-IO call");
  }
  Descriptors.clear();
  return true;
}

HeldContents::~HeldContents() {
  Descriptors.clear();
  for (GlobalVariable *V : Lists)
    V->dropAllReferences();
  for (GlobalVariable *V : Lists)
    delete V;
}

PreservedAnalyses HoldPass::run(Module &M, ModuleAnalysisManager &) {
  Held->take(M);
  return PreservedAnalyses::all(); // after SioxPass, which keeps none
}

PreservedAnalyses GiveBackPass::run(Module &M, ModuleAnalysisManager &) {
  return Held->giveBack(M) ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace siox
