/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Constant trip counts of loops in the clone.
#ifndef SIOX_PASS_ANALYSIS_TRIPS_H
#define SIOX_PASS_ANALYSIS_TRIPS_H

#include "analysis/Clone.h"

namespace llvm {
class BasicBlock;
class DominatorTree;
class Loop;
class ScalarEvolution;
} // namespace llvm

namespace siox {

/// How often a block of a loop runs each time the loop is entered, when no unpredictable exit (an
/// error check) ends it early; SIOX_UNKNOWN when that is not a constant.
int64_t tripCount(const llvm::Loop &L, const llvm::BasicBlock &Block, llvm::ScalarEvolution &SE,
                  const llvm::DominatorTree &Tree);

/// Sets Trip of every region whose loop has the same constant count wherever the clone shows it.
void findRegionTrips(OptimisticClone &Clone, ModuleModel &Model);

} // namespace siox
#endif
