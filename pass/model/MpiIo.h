/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The MPI-IO calls of include/siox/mpiio.def as the pass sees them: by any of the names that
// mpinames.def makes of a row's, MPI_ and PMPI_ alike.
#ifndef SIOX_PASS_MODEL_MPIIO_H
#define SIOX_PASS_MODEL_MPIIO_H

#include "siox/mpiio.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace llvm {
class CallBase;
class Function;
class Value;
} // namespace llvm

namespace siox {

/// Who does the I/O of a call: MPI-IO, a library above it, or the C library.
enum class Layer { MpiIo, Library, Posix };

/// One row of mpiio.def, or of a table of callers of it (Context.h). Argument positions count from
/// 0, -1 where there is none.
struct CallInfo {
  const char *Name;
  siox_call Call;
  siox_call_class Class;
  siox_call_pointer Pointer;
  siox_call_span Span;
  siox_call_group Group;
  siox_call_width Width;
  int File, Offset, Buffer, Count, Datatype;
  Layer By = Layer::MpiIo;

  /// An access of the region graph.
  bool isData() const {
    return By != Layer::Posix && (Class == SIOX_CLASS_READ || Class == SIOX_CLASS_WRITE);
  }
  /// A data call that itself names count and datatype; the END half of a split collective does not.
  bool movesData() const { return isData() && Span != SIOX_SPAN_END; }
};

/// How a call hands over its arguments (mpinames.def).
enum class Binding { C, Fortran, Descriptor };

/// What the predefined handles of Open MPI's mpi.h begin with, which are addresses: MPI_INT,
/// MPI_INFO_NULL. MPICH's are numbers.
inline constexpr llvm::StringLiteral OpenMpiHandle = "ompi_mpi_";

/// What a name of MPI stands for.
struct MpiName {
  std::string Routine; ///< C: "MPI_File_open"; else in lower case, "mpi_file_open"
  Binding By = Binding::C;
};
/// Null for the name of something else.
std::optional<MpiName> parseMpiName(llvm::StringRef Name);
/// True for MPI_Xxx and PMPI_Xxx, in any language.
bool isMpiName(llvm::StringRef Name);

/// The function that a call names directly, or null. Fortran's routines count also where a call has
/// other arguments than the declaration: flang declares a routine as it meets it first, and the
/// length of a character buffer is an argument more.
const llvm::Function *calledRoutine(const llvm::CallBase &Call);
/// The row of a function name, or null.
const CallInfo *lookupCall(llvm::StringRef Name);
/// The row of the function that a call names directly, or null.
const CallInfo *lookupCall(const llvm::CallBase &Call);
/// How a call of a row passes its arguments.
Binding bindingOf(const llvm::CallBase &Call);
/// Argument at a position of a row, or null when there is none or the program passes too few
/// arguments. In Fortran it is the address of what the row speaks of.
llvm::Value *argument(const llvm::CallBase &Call, int Position);
/// A call of this C routine, as C writes it or as the clone does for Fortran (analysis/Fortran.h).
bool isCallOf(const llvm::CallBase &Call, llvm::StringRef Routine);

/// Ends the name of a declaration that stands for a C routine in the clone: as C would call it, but
/// with Fortran's handles, which are integers.
inline constexpr char FortranSuffix[] = ".fortran";

} // namespace siox
#endif
