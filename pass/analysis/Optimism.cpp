/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Optimistic attributes of declarations in the clone.
#include "analysis/Optimism.h"
#include "model/MpiIo.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Function.h"

using namespace llvm;

namespace siox {

static bool hasPointer(const Function &F, unsigned Position) {
  return Position < F.arg_size() && F.getArg(Position)->getType()->isPointerTy();
}

static void addTo(Function &F, int Position, Attribute::AttrKind Kind) {
  if (Position >= 0 && hasPointer(F, Position)) {
    F.removeParamAttr(Position, Attribute::ReadOnly);
    F.removeParamAttr(Position, Attribute::WriteOnly);
    F.removeParamAttr(Position, Attribute::ReadNone);
    F.addParamAttr(Position, Kind);
  }
}

/// Handle, buffer and status of an MPI-IO call. What a read brings may still decide offsets, so its
/// buffer is written; only its former contents do not matter.
static void assumeRoles(Function &F, const CallInfo &Info) {
  bool ByAddress = Info.Class == SIOX_CLASS_OPEN || Info.Class == SIOX_CLASS_CLOSE;
  if (!ByAddress)
    addTo(F, Info.File, Attribute::ReadNone);
  if (Info.Class == SIOX_CLASS_OPEN) {
    addTo(F, Info.File, Attribute::WriteOnly);
    addTo(F, 1, Attribute::ReadOnly); // file name
  }
  if (Info.isData()) {
    addTo(F, Info.Buffer,
          Info.Class == SIOX_CLASS_READ ? Attribute::WriteOnly : Attribute::ReadOnly);
    if (int Last = int(F.arg_size()) - 1; Last > Info.Buffer)
      addTo(F, Last, Attribute::WriteOnly); // status or request
  }
}

void assumeOptimistically(Function &F, const TargetLibraryInfo &Library) {
  if (F.isIntrinsic())
    return;
  StringRef Name = F.getName();
  LibFunc Known;
  bool Mpi = isMpiName(Name);
  bool Marker = Name.starts_with("siox_") || Name.starts_with("siox.");
  if (!Mpi && !Marker && !Library.getLibFunc(F, Known))
    return;
  F.setDoesNotThrow();
  if (Mpi && Name.ends_with("MPI_Abort"))
    F.setDoesNotReturn();
  if (!F.doesNotReturn())
    F.addFnAttr(Attribute::WillReturn);
  MemoryEffects Own =
      Marker ? MemoryEffects::inaccessibleMemOnly() : MemoryEffects::inaccessibleOrArgMemOnly();
  F.setMemoryEffects(F.getMemoryEffects() & Own);
  for (unsigned I = 0; I < F.arg_size(); ++I)
    if (hasPointer(F, I) && (Mpi || Marker))
      F.addParamAttr(I, Attribute::NoCapture);
  if (const CallInfo *Info = lookupCall(Name))
    assumeRoles(F, *Info);
}

} // namespace siox
