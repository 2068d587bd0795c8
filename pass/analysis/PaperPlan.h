/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The compiler algorithm of the paper exactly as Fig. 3 prints it, to reproduce it. Plan.h is what
// it means (docs/pass.md tells the differences):
//
//   step 1  one tag T for the program: for a request of at most a stripe the disk
//           (base + offset % unit) % D, else base .. base + factor - 1
//   step 2  for each loop nest and each speed S_x, upwards: d_x = ceil(Ts / Tb); where 2 d_x is
//           *more* than the iterations S_x is selected, so the last such speed stays
//   step 3  the loop is split using d_x; (T, S_m, 1) at the split point, (T, S_x, 0) after the I/O
//           call
#ifndef SIOX_PASS_PAPERPLAN_H
#define SIOX_PASS_PAPERPLAN_H

#include "analysis/Plan.h"

namespace siox {

/// LOOP regions get a plan or a reason; Needed is T.
std::vector<RegionPlan> planAsPrinted(ModuleModel &Model, const PlanOptions &Options);

} // namespace siox
#endif
