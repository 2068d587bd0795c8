/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Names of the tables, and the marks around their calls:
//
//   H5Dwrite(...);    becomes    before = siox_within(&site_7); H5Dwrite(...); siox_within(before);
#include "model/Context.h"
#include "model/Abi.h"
#include "model/Model.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace siox {

namespace {
struct Row {
  StringRef Name;
  CallInfo Info;
};

constexpr CallInfo contextRow(const char *Name, siox_call_class Class, Layer By) {
  return {Name,
          SIOX_NCALLS,
          Class,
          SIOX_POINTER_NONE,
          SIOX_SPAN_BLOCKING,
          SIOX_GROUP_ALONE,
          SIOX_WIDTH_SMALL,
          -1,
          -1,
          -1,
          -1,
          -1,
          By};
}

const Row Libraries[] = {
#define SIOX_CONTEXT(name, class) {name, contextRow(name, SIOX_CLASS_##class, Layer::Library)},
#include "siox/hdf5.def"
#include "siox/pnetcdf.def"
#undef SIOX_CONTEXT
};
const Row Posix[] = {
#define SIOX_CONTEXT(name, class) {name, contextRow(name, SIOX_CLASS_##class, Layer::Posix)},
#include "siox/posix.def"
#undef SIOX_CONTEXT
};

const CallInfo *rowFor(ArrayRef<Row> Rows, StringRef Name) {
  for (const Row &R : Rows)
    if (matchesRow(R.Name, Name))
      return &R.Info;
  return nullptr;
}
} // namespace

bool matchesRow(StringRef Row, StringRef Name) {
  return Row.consume_back("*") ? Name.starts_with(Row) : Name == Row;
}

const CallInfo *lookupLibrary(const Function &F) {
  StringRef Name = F.getName();
  if (!F.isDeclaration())
    return nullptr;
  if (Name.starts_with("nfmpi_")) // Fortran's, with the compiler's underscores
    return rowFor(Libraries, ("nc" + Name.drop_front(2).rtrim('_')).str());
  return Name.starts_with("H5") || Name.starts_with("ncmpi_") ? rowFor(Libraries, Name) : nullptr;
}

const CallInfo *lookupContext(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  if (!Callee || !Callee->isDeclaration() || Callee->isIntrinsic())
    return nullptr;
  const CallInfo *Info = lookupLibrary(*Callee);
  return Info ? Info : rowFor(Posix, Callee->getName());
}

void markContext(Module &M, const Site &S) {
  Function *Within = abiFunction(M, "siox_within");
  IRBuilder<> B(S.Call); // takes the call's debug location
  Value *Before = B.CreateCall(Within, {S.Descriptor});
  auto Leave = [&](BasicBlock::iterator At) {
    B.SetInsertPoint(At->getParent(), At);
    B.SetCurrentDebugLocation(S.Call->getDebugLoc());
    B.CreateCall(Within, {Before});
  };
  auto *Invoke = dyn_cast<InvokeInst>(S.Call);
  if (!Invoke) {
    Leave(std::next(S.Call->getIterator()));
    return;
  }
  for (unsigned I = 0; I != Invoke->getNumSuccessors(); I++)
    if (BasicBlock *Edge = SplitEdge(Invoke->getParent(), Invoke->getSuccessor(I)))
      Leave(Edge->getFirstInsertionPt());
}

} // namespace siox
