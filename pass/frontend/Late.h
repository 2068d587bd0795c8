/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Descriptors name each other, so that whoever walks over what a function refers to, as LLVM's call
// graph does for each function, would walk over all of them. While the optimisers run they are
// empty.
#ifndef SIOX_PASS_FRONTEND_LATE_H
#define SIOX_PASS_FRONTEND_LATE_H

#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/ValueHandle.h"
#include <memory>
#include <utility>
#include <vector>

namespace siox {

/// Contents of the descriptors of one module.
class HeldContents {
public:
  HeldContents() = default;
  HeldContents(const HeldContents &) = delete;
  HeldContents &operator=(const HeldContents &) = delete;
  ~HeldContents();

  /// Takes them, with the lists and texts that nothing else uses, out of the module.
  void take(llvm::Module &M);
  /// Puts them back. False when there are none.
  bool giveBack(llvm::Module &M);

private:
  struct Descriptor {
    llvm::WeakTrackingVH Variable;
    std::unique_ptr<llvm::GlobalVariable> Holder; ///< in no module; a constant without users dies
  };
  std::vector<Descriptor> Descriptors;
  std::vector<llvm::GlobalVariable *> Lists; ///< owned, in no module
};

/// At the start of a pipeline, after SioxPass.
class HoldPass : public llvm::PassInfoMixin<HoldPass> {
public:
  explicit HoldPass(std::shared_ptr<HeldContents> H) : Held(std::move(H)) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  std::shared_ptr<HeldContents> Held;
};

/// At its end.
class GiveBackPass : public llvm::PassInfoMixin<GiveBackPass> {
public:
  explicit GiveBackPass(std::shared_ptr<HeldContents> H) : Held(std::move(H)) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  std::shared_ptr<HeldContents> Held;
};

} // namespace siox
#endif
