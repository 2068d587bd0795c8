/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// From a marker to its loop.
#include "analysis/Markers.h"
#include "analysis/Externals.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
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
  SmallVector<Loop *, 2> Found;
  SmallVector<std::pair<const BasicBlock *, unsigned>, 8> Work{{Start, 0}};
  while (!Work.empty()) {
    auto [BB, Steps] = Work.pop_back_val();
    for (const BasicBlock *To : successors(BB)) {
      Loop *L = LI.getLoopFor(To);
      if (L && L->getHeader() == To && L->getParentLoop() == Around &&
          L->getLoopPredecessor() == BB)
        Found.push_back(L);
      else if (Steps < 4 && To->getSinglePredecessor() == BB && quiet(*To, To->begin()))
        Work.push_back({To, Steps + 1});
    }
  }
  if (Found.size() < 2)
    return Found.empty() ? nullptr : Found.front();
  const auto &Candidates = Around ? Around->getSubLoops() : LI.getTopLevelLoops();
  return *find_if(Candidates, [&](Loop *L) { return is_contained(Found, L); });
}

} // namespace siox
