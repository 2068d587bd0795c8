/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// What calls lead to: a function of the module, a known function outside it, or unknown code.
#ifndef SIOX_PASS_EXTERNALS_H
#define SIOX_PASS_EXTERNALS_H

namespace llvm {
class CallBase;
class Function;
} // namespace llvm

namespace siox {

enum class External { Quick, Compute, Sleeps, Stops, Unknown };

/// A call may last, so that hints for the time inside it can pay.
inline bool mayLast(External Kind) {
  return Kind == External::Compute || Kind == External::Sleeps || Kind == External::Unknown;
}

struct ExternalInfo {
  External Kind = External::Unknown;
  double Ns = 0; ///< least time of a call; Sleeps: of one unit of its argument
};

/// The function a call names, through casts and aliases; null for calls through pointers and inline
/// assembly.
llvm::Function *directCallee(const llvm::CallBase &Call);

/// The function that an external one calls before it returns, as OpenMP's parallel regions are
/// called; null where there is none or it is not told.
llvm::Function *calledBack(const llvm::CallBase &Call);

/// What is known of a function that the module only declares (externals.def, intrinsics,
/// TargetLibraryInfo).
ExternalInfo classifyExternal(const llvm::Function &F);

} // namespace siox
#endif
