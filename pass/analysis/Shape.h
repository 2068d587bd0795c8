/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The shape of a module around its data accesses: which functions reach one (the slice), which
// functions last, and the loops of each. Everything is computed once, on the real module, when
// regions are looked for.
#ifndef SIOX_PASS_SHAPE_H
#define SIOX_PASS_SHAPE_H

#include "model/Model.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstrTypes.h"
#include <memory>

namespace siox {

/// A site that moves data: read and write calls, their split and nonblocking forms.
bool isDataSite(const Site &S);

/// Where a program begins: nobody calls it.
bool isProgram(const llvm::Function &F);

struct FunctionShape {
  llvm::DominatorTree DT;
  llvm::LoopInfo LI;
  llvm::SmallVector<llvm::CallBase *, 8>
      Calls;              ///< in block order, without intrinsics and inline assembly
  bool Slice = false;     ///< reaches a data access through direct calls
  bool Lasts = false;     ///< contains loops, or calls that may last
  bool Recursive = false; ///< can call itself
};

class ModuleShape {
public:
  ModuleShape(llvm::Module &M, const ModuleModel &Model);

  /// Of a defined function; null for declarations.
  const FunctionShape *of(const llvm::Function *F) const;
  /// The data site that a call is.
  std::optional<unsigned> site(const llvm::CallBase &Call) const;
  /// Data accesses are reached from inside the loop.
  bool hasAccess(const llvm::Loop &L) const;
  /// The function whose code runs in a call: the one that it names, or a parallel region without
  /// accesses. Its threads end where the region does, so it is like a call of a function.
  const llvm::Function *runs(const llvm::CallBase &Call) const;
  /// The call may take long: it is a region of its own where it does no I/O.
  bool lasts(const llvm::CallBase &Call) const;
  /// The program begins in this module.
  bool hasProgram() const { return Program; }
  /// Code that this module does not show can call the function, and it reaches data accesses.
  bool isEntrance(const llvm::Function &F) const;
  /// Every defined function, in module order.
  llvm::ArrayRef<const llvm::Function *> functions() const { return Functions; }
  bool empty() const { return Sites.empty(); }
  /// Direct calls to a function in the whole module.
  llvm::ArrayRef<llvm::CallBase *> callers(const llvm::Function *F) const;

private:
  void findCallees(llvm::Module &M);
  void findSlice();
  void findLasting();

  llvm::DenseMap<const llvm::CallBase *, unsigned> Sites;
  std::vector<const llvm::Function *> Functions;
  bool Program = false;
  llvm::DenseMap<const llvm::Function *, std::unique_ptr<FunctionShape>> Shapes;
  llvm::DenseMap<const llvm::Function *, llvm::SmallVector<llvm::CallBase *, 4>> Callers;
};

} // namespace siox
#endif
