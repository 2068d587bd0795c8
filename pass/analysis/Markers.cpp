/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// From a marker to its loop.
#include "analysis/Markers.h"
#include "analysis/Externals.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"

using namespace llvm;

namespace siox {

static bool isMarker(const Instruction &I) {
  auto *Call = dyn_cast<CallBase>(&I);
  const Function *Callee = Call ? directCallee(*Call) : nullptr;
  return Callee &&
         (Callee->getName() == "siox_region_enter" || Callee->getName() == "siox_region_leave");
}

/// No other region begins or ends from here to the end of the block.
static bool quiet(const BasicBlock &BB, BasicBlock::const_iterator From) {
  return none_of(make_range(From, BB.end()), isMarker);
}

Loop *loopAfter(const CallBase &Enter, const LoopInfo &LI) {
  const BasicBlock *Start = Enter.getParent();
  if (!quiet(*Start, std::next(Enter.getIterator())))
    return nullptr;
  Loop *Around = LI.getLoopFor(Start);
  const auto &Candidates = Around ? Around->getSubLoops() : LI.getTopLevelLoops();
  for (Loop *L : Candidates) {
    const BasicBlock *BB = L->getLoopPredecessor();
    for (unsigned Steps = 0; BB && BB != Start && Steps < 4; Steps++)
      BB = quiet(*BB, BB->begin()) ? BB->getSinglePredecessor() : nullptr;
    if (BB == Start)
      return L;
  }
  return nullptr;
}

} // namespace siox
