/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Striping that is known at compile time.
#ifndef SIOX_PASS_ANALYSIS_LAYOUT_H
#define SIOX_PASS_ANALYSIS_LAYOUT_H

#include "analysis/Clone.h"
#include "llvm/Support/Error.h"
#include <string>

namespace siox {

/// Fills Layout of open sites, from constant MPI_Info_set strings that reach the open, else from
/// layouts.yaml (Path, may be empty) where the file's name is a constant; then of the other sites
/// whose possible opens agree. Disks is the number of disks, 0 when not known; layouts.yaml may
/// tell it. The error names file, line and key.
llvm::Error findLayouts(OptimisticClone &Clone, ModuleModel &Model, llvm::StringRef Path,
                        unsigned &Disks);

} // namespace siox
#endif
