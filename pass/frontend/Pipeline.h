/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The steps of model/Model.h in order, over one module. Shared by plug-in and siox-opt.
#ifndef SIOX_PASS_FRONTEND_PIPELINE_H
#define SIOX_PASS_FRONTEND_PIPELINE_H

#include "frontend/Options.h"
#include "llvm/IR/PassManager.h"

namespace siox {

/// Analyses and instruments a module. False when nothing changed: no MPI-IO in it, or instrumented
/// before. Errors (unreadable layouts.yaml) go to the context's diagnostic handler.
bool runPipeline(llvm::Module &M, const Options &O);

/// The pipeline as a pass; runs on functions marked optnone too, since what it inserts changes no
/// result.
class SioxPass : public llvm::PassInfoMixin<SioxPass> {
public:
  explicit SioxPass(Options O) : Opts(std::move(O)) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &) {
    return runPipeline(M, Opts) ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }

private:
  Options Opts;
};

} // namespace siox
#endif
