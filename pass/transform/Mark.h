/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Marking regions on the real module, before it is cloned for analysis.
//
//   for (i = 0; i < n; i++) work();     becomes     siox_region_enter(&region, SIOX_UNKNOWN);
//                                                   for (i = 0; i < n; i++) work();
//                                                   siox_region_leave(&region);
//
// siox_region_leave stands on every way out.
#ifndef SIOX_PASS_MARK_H
#define SIOX_PASS_MARK_H

#include "model/Model.h"

namespace siox {

/// Descriptors and markers for every region that is not refused; may refuse more.
void markRegions(llvm::Module &M, ModuleModel &Model);

/// Writes what is known of the regions by now into their descriptors; Speeds[id]: level preferred,
/// -1 none.
void finishRegions(llvm::Module &M, const ModuleModel &Model, llvm::ArrayRef<int32_t> Speeds);

} // namespace siox
#endif
