/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Which functions a call through a pointer can lead to.
#ifndef SIOX_PASS_ANALYSIS_TARGETS_H
#define SIOX_PASS_ANALYSIS_TARGETS_H

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/InstrTypes.h"

namespace siox {

using Targets = llvm::SmallSetVector<llvm::Function *, 8>;

/// All functions that the called pointer can be: chosen by conditions, kept in local variables or
/// in constant tables. False where it can come from elsewhere; Out then holds those that were
/// found.
bool targetsOf(const llvm::CallBase &Call, Targets &Out);

/// A call through a pointer that never happens: all functions that it can be were tried before it
/// (transform/Promote.h).
bool isExhausted(const llvm::CallBase &Call);
void setExhausted(llvm::CallBase &Call);

} // namespace siox
#endif
