/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Datatypes made of constants, flattened by the run time's own code (runtime/common/filetype.h).
#ifndef SIOX_PASS_ANALYSIS_DATATYPES_H
#define SIOX_PASS_ANALYSIS_DATATYPES_H

#include "analysis/Origin.h"
#include "common/filetype.h"
#include <memory>
#include <optional>

namespace siox {

using FileType = std::shared_ptr<siox__filetype>;

/// Size of a builtin datatype, 0 when it is none. MPICH keeps it in the handle: 0x4c00SSnn;
/// Open MPI's are addresses, known by name (datatypes.def).
uint64_t builtinSize(const llvm::Value *Datatype);

/// Looks for the calls in the clone that made a datatype, and for the constants they were given.
class Datatypes {
public:
  explicit Datatypes(llvm::FunctionAnalysisManager &FAM) : FAM(FAM), Walker(FAM, typeMaker) {}

  /// The type that a handle stands for; null when it is not one type made of constants, or one
  /// whose data MPI-IO puts elsewhere than MPI does (docs/client.md).
  FileType of(llvm::Value *Handle);

private:
  FileType make(llvm::CallBase &Call);
  FileType listed(llvm::CallBase &Call, FileType Child, bool Blocks, bool Bytes);
  FileType structure(llvm::CallBase &Call);
  FileType subarray(llvm::CallBase &Call, FileType Child);
  FileType darray(llvm::CallBase &Call, FileType Child);
  /// The first N elements of a type at an address when a call is made.
  std::optional<llvm::SmallVector<llvm::Value *, 8>>
  elements(llvm::Value *Address, int64_t N, llvm::Type *Ty, llvm::CallBase &Before);
  std::optional<llvm::SmallVector<int64_t, 8>> numbers(llvm::Value *Address, int64_t N,
                                                       unsigned Bytes, llvm::CallBase &Before);

  llvm::FunctionAnalysisManager &FAM;
  OriginWalker Walker;
  llvm::DenseMap<const llvm::Value *, FileType> Known; ///< by handle
  unsigned Depth = 0;                                  ///< of types in types
};

} // namespace siox
#endif
