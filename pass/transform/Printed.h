/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Step 3 of the paper's Fig. 3 as printed (analysis/PaperPlan.h): nothing but set_speed calls, no
// regions for the run time.
#ifndef SIOX_PASS_PRINTED_H
#define SIOX_PASS_PRINTED_H

#include "analysis/Plan.h"

namespace siox {

void transformAsPrinted(llvm::Module &M, ModuleModel &Model, llvm::ArrayRef<RegionPlan> Plans);

/// Removes the markers of a region from a function.
void removeMarkers(llvm::Function &F, llvm::Value *Descriptor);

} // namespace siox
#endif
