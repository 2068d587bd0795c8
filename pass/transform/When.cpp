/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// One table a condition; first value and modulus are read before the loop. Both are predictions: no
// result of the program depends on them.
#include "transform/When.h"
#include "model/Abi.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace siox {

/// What a constant, a variable or a value of the loop's header is before the loop; null: no more to
/// be seen.
static Value *valueOf(Value *V, Type *Kept, bool Signed, const Region &R, IRBuilder<> &B) {
  if (V->getType()->isPointerTy()) {
    V = B.CreateLoad(Kept, V);
  } else if (auto *Phi = dyn_cast<PHINode>(V); Phi && Phi->getParent() == R.Header) {
    int Before = Phi->getBasicBlockIndex(R.Enter->getParent());
    if (Before < 0)
      return nullptr;
    V = Phi->getIncomingValue(Before);
  }
  return B.CreateIntCast(V, B.getInt64Ty(), Signed);
}

void tellWhen(Module &M, const ModuleModel &Model, const Region &R) {
  LLVMContext &C = M.getContext();
  Type *I32 = Type::getInt32Ty(C), *I64 = Type::getInt64Ty(C);
  PointerType *P = PointerType::getUnqual(C);
  auto Int = [](Type *T, int64_t V) -> Constant * { return ConstantInt::getSigned(T, V); };
  auto Marked = [&](ArrayRef<unsigned> Ids) {
    SmallVector<Constant *, 8> List;
    for (unsigned Id : Ids)
      if (Model.Regions[Id].Enter)
        List.push_back(Model.Regions[Id].Descriptor);
    return List;
  };
  for (const Region::Condition &When : R.Conditions) {
    IRBuilder<> B(R.Enter);
    B.SetCurrentDebugLocation(R.Enter->getDebugLoc());
    Value *First = valueOf(When.Index, When.IndexType, When.IndexBits < 0, R, B);
    Value *Modulus = valueOf(When.Modulus, When.ModulusType, When.ModulusSigned, R, B);
    if (!First) // told all the same: the loop's other conditions may not stand for all of its I/O
      First = Modulus = B.getInt64(0);
    else if (When.Changed)
      First = B.CreateAdd(First, B.getInt64(When.Step));
    SmallVector<Constant *, 8> Sites, Gaps = Marked(When.Gaps), Past = Marked(When.Past),
                                      Ahead = Marked(When.Ahead);
    for (unsigned Id : When.Sites)
      Sites.push_back(Model.Sites[Id].Descriptor);
    Constant *Table = ConstantStruct::get(
        whenType(C), {R.Descriptor, privateArray(M, P, Sites), privateArray(M, P, Gaps),
                      privateArray(M, P, Past), Int(I32, Sites.size()), Int(I32, Gaps.size()),
                      Int(I32, Past.size()), Int(I32, int64_t(When.Only)), Int(I64, When.Step),
                      Int(I64, When.Rest), Int(I64, When.Offset), Int(I32, When.IndexBits),
                      Int(I32, When.SumBits), Int(I32, When.DivisionBits), Int(I32, When.Elsewhere),
                      ConstantPointerNull::get(P), privateArray(M, P, Ahead),
                      Int(I32, Ahead.size()), Int(I32, 0)});
    auto *Where = new GlobalVariable(M, Table->getType(), false, GlobalValue::PrivateLinkage, Table,
                                     "siox.when");
    B.CreateCall(abiFunction(M, "siox_steps_when"), {Where, First, Modulus});
  }
}

} // namespace siox
