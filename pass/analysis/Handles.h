/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Where values of a function can be found again: in a variable, or behind pointers that start at
// one. What a helper is handed differs from call to call; its caller knows which file it will be
// before it calls.
//
//   struct stream a, b;                        site in transfer:  *(s + 0)
//   work();              gap                   after this gap:    *(&a + 0)
//   transfer(&a);
#ifndef SIOX_PASS_HANDLES_H
#define SIOX_PASS_HANDLES_H

#include "model/Model.h"

namespace siox {

/// Where a value comes from, as far as constant offsets lead, through locals that are assigned
/// once; nullopt: from a computation.
std::optional<ValuePlace> placeOfValue(llvm::Value *V);

/// The same place as the caller sees it; nullopt where the call hands over something computed, or
/// the place is the callee's own.
std::optional<ValuePlace> placeInCaller(const ValuePlace &Place, const llvm::CallBase &Call);

/// A handle at this place changes only when a file is opened or closed: nothing in sight assigns
/// it.
bool holdsStill(const ValuePlace &Place);

/// Two calls of one function get the same arguments, not counting those that only go into output.
bool sameArguments(const llvm::CallBase &A, const llvm::CallBase &B);

} // namespace siox
#endif
