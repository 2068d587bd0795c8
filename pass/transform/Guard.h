/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Guard form: a loop counts its own iterations and calls the run time at the one it asked for.
//
//   next = siox_region_enter(&region, trip);       n = 0; next = siox_region_enter(&region, trip);
//   for (...) {                                    for (...) {
//     body                              becomes      body
//   }                                                if (++n == next)
//                                                      next = siox_region_tick(&region, n);
//                                                  }
//
// The counter stands on the way back to the header, so `continue` counts and `break` does not,
// whatever the loop's own induction variable does.
#ifndef SIOX_PASS_GUARD_H
#define SIOX_PASS_GUARD_H

#include "llvm/ADT/SmallVector.h"

namespace llvm {
class AllocaInst;
class CallBase;
class DominatorTree;
class Loop;
class LoopInfo;
} // namespace llvm

namespace siox {

/// Enter: the loop's siox_region_enter. Returns the two variables made, for promotion to registers
/// where that is wanted. Keeps DT and LI up to date.
llvm::SmallVector<llvm::AllocaInst *, 2> insertTicks(llvm::Loop &L, llvm::CallBase &Enter,
                                                     llvm::DominatorTree &DT, llvm::LoopInfo &LI);

/// A counter would keep a flat loop without calls from being vectorised, which costs the program
/// far more than hints are worth. Such a loop is timed as a whole.
bool bearsTicks(const llvm::Loop &L);

} // namespace siox
#endif
