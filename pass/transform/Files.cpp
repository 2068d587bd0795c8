/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// One table a function: region, site, where its handle is found. The addresses the table starts
// from are arguments of the call; the run time follows them, so nothing here reads the program's
// memory.
#include "transform/Files.h"
#include "analysis/Regions.h"
#include "model/Abi.h"
#include "siox/site.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace siox {

namespace {

class FileTable {
public:
  FileTable(Module &M, const ModuleModel &Model, ArrayRef<Region *> Here, const DominatorTree &DT)
      : M(M), Model(Model), DT(DT) {
    for (const Region *R : Here)
      if (isGap(*R))
        Gaps.push_back(R);
  }

  void tell() {
    for (const Region *R : Gaps)
      for (size_t I = 0; I != R->Handles.size(); I++)
        if (I == 0 || R->Handles[I].Site != R->Handles[I - 1].Site)
          addSite(*R, R->Handles[I].Site);
    if (Uses.empty())
      return;
    GlobalVariable *Table = makeTable();
    SmallVector<Value *, 5> Arguments(Bases.begin(), Bases.end());
    Arguments.insert(Arguments.begin(), Table);
    Arguments.resize(1 + SIOX_FILE_BASES,
                     ConstantPointerNull::get(PointerType::getUnqual(M.getContext())));
    FunctionCallee Files = abiFunction(M, "siox_region_files");
    for (const Region *R : Gaps) {
      IRBuilder<> B(R->Enter);
      B.SetCurrentDebugLocation(R->Enter->getDebugLoc());
      B.CreateCall(Files, Arguments);
    }
  }

private:
  /// All places of a site or none: a table that leaves one out would say too little.
  void addSite(const Region &R, unsigned Site) {
    size_t Before = Bases.size();
    SmallVector<Constant *, 4> Rows;
    for (const Region::HandleSource &H : R.Handles) {
      if (H.Site != Site)
        continue;
      if (!isAtHand(*H.Place.Base))
        return giveUp(Before);
      Bases.insert(H.Place.Base);
      Rows.push_back(row(R, H));
    }
    if (Bases.size() > SIOX_FILE_BASES)
      return giveUp(Before);
    append_range(Uses, Rows);
  }

  void giveUp(size_t Before) {
    while (Bases.size() > Before)
      Bases.pop_back();
  }

  /// Its address is known before every gap.
  bool isAtHand(const Value &Base) const {
    if (auto *Local = dyn_cast<AllocaInst>(&Base))
      return Local->isStaticAlloca() &&
             all_of(Gaps, [&](const Region *R) { return DT.dominates(Local, R->Enter); });
    return Base.getType()->isPointerTy();
  }

  Constant *row(const Region &R, const Region::HandleSource &H) {
    LLVMContext &C = M.getContext();
    Type *I32 = Type::getInt32Ty(C), *I64 = Type::getInt64Ty(C);
    SmallVector<Constant *, 3> Steps;
    for (int64_t Step : H.Place.Steps)
      Steps.push_back(ConstantInt::getSigned(I64, Step));
    return ConstantStruct::get(fileUseType(C),
                               {R.Descriptor, Model.Sites[H.Site].Descriptor,
                                privateArray(M, I64, Steps), ConstantInt::get(I32, Steps.size()),
                                ConstantInt::get(I32, find(Bases, H.Place.Base) - Bases.begin()),
                                ConstantInt::get(I32, !H.Inside), ConstantInt::get(I32, 0)});
  }

  GlobalVariable *makeTable() {
    LLVMContext &C = M.getContext();
    Type *I32 = Type::getInt32Ty(C);
    Constant *Table = ConstantStruct::get(fileUsesType(C), {privateArray(M, fileUseType(C), Uses),
                                                            ConstantInt::get(I32, Uses.size()),
                                                            ConstantInt::get(I32, 0)});
    return new GlobalVariable(M, Table->getType(), false, GlobalValue::PrivateLinkage, Table,
                              "siox.files");
  }

  Module &M;
  const ModuleModel &Model;
  const DominatorTree &DT;
  SmallVector<const Region *, 8> Gaps;
  SmallSetVector<Value *, 8> Bases;
  SmallVector<Constant *, 8> Uses;
};

} // namespace

void tellFiles(Module &M, const ModuleModel &Model, ArrayRef<Region *> Here,
               const DominatorTree &DT) {
  FileTable(M, Model, Here, DT).tell();
}

} // namespace siox
