/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// --summary: how much of a module is known at compile time, and why not more.
#ifndef SIOX_PASS_SUMMARY_H
#define SIOX_PASS_SUMMARY_H

#include "analysis/Plan.h"

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace siox {

/// One table of a module with calls of MPI-IO: calls by what is known of their offsets, regions by
/// what becomes of them, reasons.
void printSummary(const ModuleModel &Model, llvm::ArrayRef<RegionPlan> Plans,
                  llvm::raw_ostream &Out);

} // namespace siox
#endif
