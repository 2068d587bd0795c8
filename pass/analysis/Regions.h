/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Regions of a module: what lasts between its data accesses, and the nests that contain them.
//
//   for (k = 0; k < K; k++) {            NEST   next: read_at, write_at
//     MPI_File_read_at(...);
//     multiply(a, b, c);                 CALL   next: write_at, where it lasts: see Shape.h
//     MPI_File_write_at(...);
//   }
//   void multiply(...) {
//     for (i = 0; i < N; i++) ...        LOOP   next: write_at, trip N
//   }
//
// Code of other modules, which this one does not see, is a region as well, OUTSIDE: from where a
// function that reaches accesses and that only they call returns, to their next call.
//
// A loop with data accesses that directly contains a LOOP or CALL, and that only its own end
// leaves, is a STEPS region too: its iterations are counted, so that what waits for its end can be
// timed.
//
// The region graph holds, for every LOOP and CALL, the data sites reached after it before any other
// LOOP or CALL (next) and the regions reached first directly or after such a burst (succ), through
// calls and returns.
#ifndef SIOX_PASS_REGIONS_H
#define SIOX_PASS_REGIONS_H

#include "model/Model.h"

namespace siox {

class ModuleShape;

/// Loops with a constant trip count below this are no gap by themselves: their child loops are
/// regions too.
constexpr int64_t ShortTrip = 8;

/// Time passes in it without data accesses: what hints are given for.
inline bool isGap(const Region &R) {
  return R.Kind == SIOX_REGION_LOOP || R.Kind == SIOX_REGION_CALL || R.Kind == SIOX_REGION_OUTSIDE;
}

/// Where it stands in its function; an OUTSIDE region, at the beginning.
const llvm::BasicBlock *blockOf(const Region &R);

/// Fills Model.Regions. Changes nothing in the module. Needs Model.Sites.
void findRegions(llvm::Module &M, ModuleModel &Model);

/// Name of a function as the source has it.
std::string functionName(const llvm::Function &F);

/// Next, Succ and OpenEnd of every region (second step of findRegions).
void linkRegions(const ModuleShape &Shape, ModuleModel &Model);

} // namespace siox
#endif
