/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Calls of libraries whose MPI-IO or POSIX I/O happens inside them: HDF5, PnetCDF, the C library.
#ifndef SIOX_PASS_MODEL_CONTEXT_H
#define SIOX_PASS_MODEL_CONTEXT_H

#include "model/MpiIo.h"

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace siox {

struct Site;

/// A row's name for a function's: a final * means any ending.
bool matchesRow(llvm::StringRef Row, llvm::StringRef Name);
/// The row of hdf5.def or pnetcdf.def for a function outside the module, or null.
const CallInfo *lookupLibrary(const llvm::Function &F);
/// That of the function that a call names, or the one of posix.def. Rows have no argument
/// positions: what such a call touches is learned at run time.
const CallInfo *lookupContext(const llvm::CallBase &Call);
/// Puts siox_within(descriptor) before the site's call, and what it returned back behind it, on
/// every way out.
void markContext(llvm::Module &M, const Site &S);

} // namespace siox
#endif
