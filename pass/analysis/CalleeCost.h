/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Least times of functions that the optimistic clone leaves out, from the module as the compiler's
// front end made it: variables in memory, trip counts by the pattern of Trip.h.
#ifndef SIOX_PASS_CALLEECOST_H
#define SIOX_PASS_CALLEECOST_H

#include "analysis/Machine.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class BasicBlock;
class CallBase;
class DominatorTree;
class Function;
class Loop;
class LoopInfo;
} // namespace llvm

namespace siox {

/// Least time of something; whole: nothing in it can take longer that is not counted (unknown code,
/// loops of unknown length).
struct LeastTime {
  double Ns = 0;
  bool Whole = true;

  LeastTime &operator+=(const LeastTime &Other) {
    Ns += Other.Ns;
    Whole &= Other.Whole;
    return *this;
  }
};

/// One call of a function that is declared only.
LeastTime leastTimeOutside(const llvm::CallBase &Call, const llvm::Function &Callee);

/// The blocks that every iteration of a loop goes through.
class EveryTime {
public:
  EveryTime(const llvm::Loop &L, const llvm::DominatorTree &DT);
  bool operator()(const llvm::BasicBlock *BB) const;

private:
  const llvm::DominatorTree &DT;
  llvm::SmallVector<llvm::BasicBlock *, 4> Latches;
};

class CalleeCosts {
public:
  explicit CalleeCosts(Machines &Cores) : Cores(Cores) {}
  /// One call of a function with a body.
  LeastTime of(llvm::Function &F);

private:
  LeastTime block(const llvm::BasicBlock &BB, double CyclesNs);
  LeastTime loop(const llvm::Loop &L, const llvm::DominatorTree &DT, const llvm::LoopInfo &LI,
                 double CyclesNs);

  Machines &Cores;
  llvm::DenseMap<llvm::Function *, LeastTime> Done; ///< or nothing while in work
};

} // namespace siox
#endif
