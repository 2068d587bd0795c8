/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// What each site does, read off the simplified clone: offset by loop level, size, origins, trip
// counts of regions.
#ifndef SIOX_PASS_ANALYSIS_ACCESS_H
#define SIOX_PASS_ANALYSIS_ACCESS_H

#include "analysis/Clone.h"
#include "analysis/Datatypes.h"

namespace siox {

/// Fills First, Size, Levels, View, Origins, WholeOrigins and Why of every site, and Trip
/// of every region. Views: what trackFilePointers returned. The clone's file pointers must be
/// tracked (FilePointer.h).
void analyzeAccess(OptimisticClone &Clone, ModuleModel &Model, llvm::ArrayRef<FileType> Views);

} // namespace siox
#endif
