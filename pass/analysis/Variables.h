/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Variables in memory form (clang's output at any -O is full of allocas when the pass runs) and
// what a loop does to them.
#ifndef SIOX_PASS_VARIABLES_H
#define SIOX_PASS_VARIABLES_H

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include <optional>

namespace siox {

/// The value under changes of its integer type.
const llvm::Value *stripCasts(const llvm::Value *V);

/// The plain load that a value is, under such changes, or null.
const llvm::LoadInst *plainLoad(const llvm::Value *V);

/// The loop itself stores to the place.
bool isStored(const llvm::Value *Memory, const llvm::Loop &L);

/// The one store to a place inside the loop; null when there is none, several, or it is not made
/// once in every iteration.
const llvm::StoreInst *onlyStore(const llvm::Value *Memory, const llvm::Loop &L,
                                 const llvm::DominatorTree &DT);

/// The constant that V adds to Old, a value of so many bits or more, modulo 2^bits; none: it is
/// something else, or 0.
std::optional<int64_t> stepFrom(const llvm::Value *V, unsigned Bits,
                                llvm::function_ref<bool(const llvm::Value *)> IsOld);

/// Step of a store of (load Memory) + constant.
std::optional<int64_t> stepOf(const llvm::StoreInst &Store, const llvm::Value *Memory);

/// Calls of the loop can change a local or global variable, as far as the module shows.
bool callsChange(const llvm::Value *Variable, const llvm::Loop &L);

} // namespace siox
#endif
