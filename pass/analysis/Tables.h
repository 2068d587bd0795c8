/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Offsets that a loop takes from tables: low[cell], which no formula tells, but which are the same
// whenever the loop comes again.
#ifndef SIOX_PASS_ANALYSIS_TABLES_H
#define SIOX_PASS_ANALYSIS_TABLES_H

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace llvm {
class LoadInst;
class Loop;
class MemorySSA;
class SCEV;
class ScalarEvolution;
class Value;
} // namespace llvm

namespace siox {

class TableOffset {
public:
  /// An offset that varies in a loop with what lies in memory that the loop does not write, at
  /// places that follow from its counter.
  static std::optional<TableOffset> in(const llvm::SCEV *Offset, const llvm::Loop &L,
                                       llvm::ScalarEvolution &SE, llvm::MemorySSA &States);

  /// A loop around finds the same values there each time.
  bool staysIn(const llvm::Loop &Outer, llvm::ScalarEvolution &SE) const;

  /// The offset without what comes from tables, for the loops around.
  const llvm::SCEV *rest() const { return Rest; }

private:
  bool visit(llvm::Value *V, const llvm::Loop &L, llvm::ScalarEvolution &SE);

  llvm::MemorySSA *States = nullptr;
  llvm::SmallVector<llvm::LoadInst *, 4> Loads;
  llvm::SmallVector<llvm::Value *, 4> Outside; ///< what they depend on from outside the loop
  llvm::SmallPtrSet<llvm::Value *, 16> Seen;
  const llvm::SCEV *Rest = nullptr;
};

} // namespace siox
#endif
