/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// What each site does, read off the simplified clone: offset by loop level, size, origins, trip
// counts of regions.
#ifndef SIOX_PASS_ANALYSIS_ACCESS_H
#define SIOX_PASS_ANALYSIS_ACCESS_H

#include "analysis/Clone.h"

namespace siox {

/// Fills First, Size, Levels, Origins, WholeOrigins and Why of every site, and Trip
/// of every region. The clone's file pointers must be tracked (FilePointer.h).
void analyzeAccess(OptimisticClone &Clone, ModuleModel &Model);

} // namespace siox
#endif
