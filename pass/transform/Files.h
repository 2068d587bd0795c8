/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Telling the run time, before a gap begins, which files the calls after it will be given.
#ifndef SIOX_PASS_FILES_H
#define SIOX_PASS_FILES_H

#include "model/Model.h"
#include "llvm/ADT/ArrayRef.h"

namespace llvm {
class DominatorTree;
}

namespace siox {

/// Calls siox_region_files before every gap of a function, with the places of the handles that
/// follow any of its gaps. Here: the marked regions of one function.
void tellFiles(llvm::Module &M, const ModuleModel &Model, llvm::ArrayRef<Region *> Here,
               const llvm::DominatorTree &DT);

} // namespace siox
#endif
