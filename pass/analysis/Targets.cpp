/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Function pointers traced back in the shape that front ends emit: choices, local variables, and
// loads from tables that nothing writes.
//   go = together ? MPI_File_read_all : MPI_File_read;        both
//   static const struct ops mpi = {open, get, put};           mpi.put: put
//   const struct ops *o = &mpi;  o->put(..)                   put
#include "analysis/Targets.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace siox {

static const char Exhausted[] = "siox.exhausted";

bool isExhausted(const CallBase &Call) { return Call.hasMetadata(Exhausted); }

void setExhausted(CallBase &Call) {
  Call.setMetadata(Exhausted, MDNode::get(Call.getContext(), {}));
}

namespace {

class Tracer {
public:
  explicit Tracer(const DataLayout &Layout) : Layout(Layout) {}

  /// Everything a value can be: functions, and addresses in globals. False when there is more.
  bool value(Value *V, SmallVectorImpl<Constant *> &Out) {
    if (!Seen.insert(V).second)
      return true;
    if (auto *C = dyn_cast<Constant>(V)) {
      if (!isa<ConstantPointerNull, UndefValue>(C))
        Out.push_back(C);
      return true;
    }
    if (auto *Choice = dyn_cast<SelectInst>(V)) {
      bool First = value(Choice->getTrueValue(), Out);
      return value(Choice->getFalseValue(), Out) && First;
    }
    bool All = true;
    if (auto *Phi = dyn_cast<PHINode>(V)) {
      for (Value *Incoming : Phi->incoming_values())
        All &= value(Incoming, Out);
      return All;
    }
    auto *Load = dyn_cast<LoadInst>(V);
    if (!Load)
      return false;
    if (auto *Local = dyn_cast<AllocaInst>(Load->getPointerOperand()))
      return variable(*Local, Out);
    return place(Load->getPointerOperand(), Load->getType(), Out);
  }

private:
  /// Everything that is stored in a local variable whose address goes nowhere.
  bool variable(AllocaInst &Local, SmallVectorImpl<Constant *> &Out) {
    bool All = true;
    for (User *U : Local.users()) {
      auto *Store = dyn_cast<StoreInst>(U);
      if (Store && Store->getPointerOperand() == &Local && Store->getValueOperand() != &Local)
        All &= value(Store->getValueOperand(), Out);
      else if (auto *I = dyn_cast<IntrinsicInst>(U);
               !isa<LoadInst>(U) && !(I && I->isLifetimeStartOrEnd()))
        return false;
    }
    return All;
  }

  /// What lies at an address in constant globals.
  bool place(Value *Address, Type *Wanted, SmallVectorImpl<Constant *> &Out) {
    APInt Offset(Layout.getIndexTypeSizeInBits(Address->getType()), 0);
    Value *Base = Address->stripAndAccumulateConstantOffsets(Layout, Offset, true);
    bool Anywhere = false; // an element that is chosen at run time
    while (auto *Gep = dyn_cast<GEPOperator>(Base)) {
      Anywhere = true;
      Base = Gep->getPointerOperand();
    }
    SmallVector<Constant *, 4> Tables;
    bool All = true;
    if (auto *C = dyn_cast<Constant>(Base))
      Tables.push_back(C);
    else
      All = value(Base, Tables);
    for (Constant *C : Tables) {
      APInt Inner(Offset.getBitWidth(), 0);
      auto *Table =
          dyn_cast<GlobalVariable>(C->stripAndAccumulateConstantOffsets(Layout, Inner, true));
      if (!Table || !Table->isConstant() || !Table->hasDefinitiveInitializer()) {
        All = false;
      } else if (Anywhere) {
        elements(Table->getInitializer(), Out);
      } else if (Constant *There = atOffset(*Table, (Offset + Inner).getSExtValue(), Wanted)) {
        if (!There->isNullValue())
          Out.push_back(There);
      } else {
        All = false;
      }
    }
    return All;
  }

  Constant *atOffset(GlobalVariable &Table, int64_t Offset, Type *Wanted) {
    Constant *C = Table.getInitializer();
    while (C && C->getType() != Wanted) {
      Type *T = C->getType();
      uint64_t At = Offset, Index;
      if (auto *Struct = dyn_cast<StructType>(T)) {
        const StructLayout *Fields = Layout.getStructLayout(Struct);
        if (Offset < 0 || At >= Fields->getSizeInBytes())
          return nullptr;
        Index = Fields->getElementContainingOffset(At);
        Offset -= int64_t(Fields->getElementOffset(Index));
      } else if (auto *Array = dyn_cast<ArrayType>(T)) {
        uint64_t Size = Layout.getTypeAllocSize(Array->getElementType());
        if (Offset < 0 || Size == 0 || At >= Size * Array->getNumElements())
          return nullptr;
        Index = At / Size;
        Offset -= int64_t(Index * Size);
      } else {
        return nullptr;
      }
      C = C->getAggregateElement(Index);
    }
    return Offset == 0 ? C : nullptr;
  }

  /// Every pointer in a table.
  static void elements(Constant *C, SmallVectorImpl<Constant *> &Out) {
    if (C->getType()->isPointerTy() && !C->isNullValue())
      Out.push_back(C);
    else if (isa<ConstantAggregate>(C))
      for (Value *Element : C->operand_values())
        elements(cast<Constant>(Element), Out);
  }

  const DataLayout &Layout;
  SmallPtrSet<const Value *, 16> Seen;
};

} // namespace

bool targetsOf(const CallBase &Call, Targets &Out) {
  SmallVector<Constant *, 8> Found;
  bool All = Tracer(Call.getFunction()->getDataLayout()).value(Call.getCalledOperand(), Found);
  for (Constant *C : Found) {
    // Other pointers in a table that was searched as a whole, and functions of other types, are
    // nothing that this call can call.
    auto *F = dyn_cast<Function>(C->stripPointerCasts());
    if (F && F->getFunctionType() == Call.getFunctionType())
      Out.insert(F);
  }
  return All;
}

} // namespace siox
