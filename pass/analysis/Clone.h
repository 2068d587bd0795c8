/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// An optimistic copy of the part of a module that decides what its MPI-IO calls do. It is
// simplified far beyond what the compiler may do with the real module and then thrown away: it
// changes no program, only what is predicted.
#ifndef SIOX_PASS_ANALYSIS_CLONE_H
#define SIOX_PASS_ANALYSIS_CLONE_H

#include "model/Model.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Passes/PassBuilder.h"
#include <memory>
#include <optional>

namespace siox {

/// While it lives no optimisation makes remarks: what happens to a copy is nobody's business.
class NoRemarks {
public:
  explicit NoRemarks(llvm::LLVMContext &C);
  ~NoRemarks();

private:
  llvm::LLVMContext &Context;
  std::optional<uint64_t> Before;
};

class OptimisticClone {
public:
  /// Copies functions that reach a site or call a function that does, small functions these call,
  /// and the globals that only those write; inlines along the call paths and simplifies. Markers
  /// must be in place.
  OptimisticClone(llvm::Module &M, const ModuleModel &Model);
  ~OptimisticClone();

  llvm::Module &module() { return *Clone; }
  llvm::FunctionAnalysisManager &analyses() { return FAM; }
  /// Runs a textual pipeline over the clone.
  void simplify(llvm::StringRef Pipeline);

  /// Sites whose marker comes right before an instruction on some path; several where arms were
  /// merged.
  llvm::SmallVector<unsigned, 2> sitesBefore(const llvm::Instruction &I) const;
  /// Sites or regions that a descriptor operand names (through phi and select).
  llvm::SmallVector<unsigned, 2> sitesNamed(const llvm::Value *Descriptor) const;
  llvm::SmallVector<unsigned, 2> regionsNamed(const llvm::Value *Descriptor) const;
  /// The function's body stands, inlined, in its callers too.
  bool isInlined(const llvm::Function &F) const { return Inlined.contains(F.getName()); }

private:
  using Ids = llvm::DenseMap<const llvm::Value *, unsigned>;
  static void named(const llvm::Value *V, const Ids &Index,
                    llvm::DenseSet<const llvm::Value *> &Seen,
                    llvm::SmallVectorImpl<unsigned> &Out);
  void prepare();
  void markInlining();
  void inlineMarked();

  NoRemarks Quiet;
  std::unique_ptr<llvm::Module> Clone;
  Ids SiteIds, RegionIds;
  llvm::StringSet<> Inlined; // by name: inlining deletes functions
  // Destroyed in reverse order, so that analyses die before the managers that proxies point to.
  llvm::PassBuilder PB;
  llvm::LoopAnalysisManager LAM;
  llvm::FunctionAnalysisManager FAM;
  llvm::CGSCCAnalysisManager CGAM;
  llvm::ModuleAnalysisManager MAM;
};

} // namespace siox
#endif
