/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A first guess of Tb, "the shortest possible execution latency through the loop body" (paper
// section IV): what every iteration executes. The run time measures and corrects it; a profile
// (Profile.h) or tb-ns=N wins over it.
//
//   computation   instructions over the issue width of the target's core (-mcpu); where LLVM could
//                 vectorise, over the lanes too; at least what the divider, the way to the second
//                 cache and chains of operations from one iteration to the next take
//   inner loops   times their constant trips, else once
//   callees       by summaries; outside the module by externals.def
//   accesses      service time of the largest piece of the request on one disk, by layout and drive
//                 profile at full speed
#ifndef SIOX_PASS_COST_H
#define SIOX_PASS_COST_H

#include "analysis/CalleeCost.h"
#include "analysis/Machine.h"
#include "model/Model.h"
#include "siox/drive.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/PassManager.h"

namespace siox {

class OptimisticClone;

/// Costs of one module; analyses come from its manager.
class CostModel {
public:
  /// Callees: of the real module, for functions that the clone leaves out. AccessNs: of each site.
  /// Optimised: the vectoriser will run.
  CostModel(OptimisticClone &Clone, llvm::Module &Real, CalleeCosts &Callees, Machines &Cores,
            std::vector<double> AccessNs, bool Optimised);
  /// One iteration of a loop.
  LeastTime iteration(llvm::Loop &L);
  /// One call of a function.
  LeastTime function(llvm::Function &F);

private:
  struct Work {
    double Instructions = 0, DividerCycles = 0, Bytes = 0;
    LeastTime Calls;
  };
  void add(llvm::BasicBlock &BB, Work &W);
  LeastTime loop(llvm::Loop &L);
  LeastTime outside(const llvm::CallBase &Call, const llvm::Function &Callee);

  OptimisticClone &Clone;
  llvm::Module &Real;
  CalleeCosts &Callees;
  Machines &Cores;
  llvm::FunctionAnalysisManager &FAM;
  std::vector<double> AccessNs;
  bool Optimised;
  llvm::DenseMap<llvm::Function *, LeastTime> Functions; ///< done, or nothing while in work
};

/// Sets BodyNs of every marked loop that the clone still has: the loop after each siox_region_enter
/// of the region's descriptor; several copies: the least. And of calls, as what one takes. Regions
/// that have a BodyNs keep it.
void estimateBodies(OptimisticClone &Clone, llvm::Module &Real, ModuleModel &Model,
                    const siox_drive *Drive, unsigned Disks);

} // namespace siox
#endif
