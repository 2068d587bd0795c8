/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The MPI-IO calls of include/siox/mpiio.def as the pass sees them: by name, MPI_ and PMPI_ alike.
#ifndef SIOX_PASS_MODEL_MPIIO_H
#define SIOX_PASS_MODEL_MPIIO_H

#include "siox/mpiio.h"
#include "llvm/ADT/StringRef.h"

namespace llvm {
class CallBase;
class Value;
} // namespace llvm

namespace siox {

/// One row of mpiio.def. Argument positions count from 0, -1 where there is none.
struct CallInfo {
  const char *Name;
  siox_call Call;
  siox_call_class Class;
  siox_call_pointer Pointer;
  siox_call_span Span;
  siox_call_group Group;
  int File, Offset, Buffer, Count, Datatype;

  bool isData() const { return Class == SIOX_CLASS_READ || Class == SIOX_CLASS_WRITE; }
  /// A data call that itself names count and datatype; the END half of a split collective does not.
  bool movesData() const { return isData() && Span != SIOX_SPAN_END; }
};

/// The row of a function name, or null.
const CallInfo *lookupCall(llvm::StringRef Name);
/// The row of the function that a call names directly, or null.
const CallInfo *lookupCall(const llvm::CallBase &Call);
/// Argument at a position of a row, or null when there is none or the program passes too few
/// arguments.
llvm::Value *argument(const llvm::CallBase &Call, int Position);
/// True for MPI_Xxx and PMPI_Xxx.
bool isMpiName(llvm::StringRef Name);

} // namespace siox
#endif
