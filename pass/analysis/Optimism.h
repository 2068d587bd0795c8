/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// What the clone assumes of functions it only knows by name.
#ifndef SIOX_PASS_ANALYSIS_OPTIMISM_H
#define SIOX_PASS_ANALYSIS_OPTIMISM_H

namespace llvm {
class Function;
class TargetLibraryInfo;
} // namespace llvm

namespace siox {

/// MPI and the markers touch their arguments and memory of their own only, keep no pointer, return
/// and do not throw; a file handle is opaque. So is known C library code. Everything else stays as
/// unknown as it is. Never to be used on a module that will be compiled: MPI_BOTTOM, requests in
/// flight and windows break these assumptions.
void assumeOptimistically(llvm::Function &Declaration, const llvm::TargetLibraryInfo &Library);

} // namespace siox
#endif
