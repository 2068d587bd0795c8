/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Remarks of pass "siox" (-Rpass=siox, -Rpass-missed=siox, -fsave-optimization-record), the text of
// plans, and warnings for facts that a user must not miss.
#ifndef SIOX_PASS_REMARKS_H
#define SIOX_PASS_REMARKS_H

#include "analysis/Plan.h"

namespace llvm {
class CallBase;
class OptimizationRemarkEmitter;
class Twine;
class raw_ostream;
} // namespace llvm

namespace siox {

/// The one way to say that something was not done: the reason's text and what the user can do.
void missed(llvm::OptimizationRemarkEmitter &ORE, Reason Why, const llvm::CallBase *Where);
void passed(llvm::OptimizationRemarkEmitter &ORE, llvm::StringRef Name, const llvm::CallBase *Where,
            const llvm::Twine &Text);

/// No hint will come of it, whatever the run time finds.
bool isMissed(const Region &R, const RegionPlan &P);

/// One Passed or Missed remark a region. Loops that SplitPass will look at (Split) get theirs from
/// it.
void reportRegions(const ModuleModel &Model, llvm::ArrayRef<RegionPlan> Plans, bool Split);

/// --print-plan: one line a region.
void printPlan(const ModuleModel &Model, llvm::ArrayRef<RegionPlan> Plans, llvm::raw_ostream &Out);

void warn(llvm::Module &M, llvm::ArrayRef<std::string> Warnings);

} // namespace siox
#endif
