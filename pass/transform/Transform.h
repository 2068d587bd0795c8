/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Carrying out plans on the marked module: trip counts, hints at nest entry, iteration counters or
// the preparation of split loops.
#ifndef SIOX_PASS_TRANSFORM_H
#define SIOX_PASS_TRANSFORM_H

#include "analysis/Plan.h"

namespace siox {

/// Split: loops are left for SplitPass (transform/Split.h), which runs once they are in SSA form;
/// functions that are not optimised get the guard form at once.
void transformRegions(llvm::Module &M, ModuleModel &Model, llvm::ArrayRef<RegionPlan> Plans,
                      bool Split);

} // namespace siox
#endif
