/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Entry of SioxPass.so: at the start of every pipeline, and as siox or siox<...> for opt.
#include "frontend/Late.h"
#include "frontend/Pipeline.h"
#include "transform/Split.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"
#include <cstdio>
#include <dlfcn.h>
#include <unistd.h>

using namespace llvm;

namespace {

/// Runs before anything here needs LLVM: in a compiler of another major version, whose libLLVM has
/// other symbols, the loader would end it with the mangled name of one of them.
__attribute__((constructor(101))) void checkCompiler() {
  using Version = void (*)(unsigned *, unsigned *, unsigned *);
  // Since LLVM 16. A compiler without a C interface has to have a symbol that older ones lack.
  auto Get = reinterpret_cast<Version>(dlsym(RTLD_DEFAULT, "LLVMGetVersion"));
  unsigned Major = 0, Minor = 0, Patch = 0;
  if (Get)
    Get(&Major, &Minor, &Patch);
  bool Known = Get || dlsym(RTLD_DEFAULT, "_ZN4llvm15SmallVectorBaseIjE13mallocForGrowEPvmmRm");
  if (Known && (!Get || Major == LLVM_VERSION_MAJOR))
    return;
  char Found[32] = "older than LLVM 16";
  if (Get)
    snprintf(Found, sizeof Found, "of LLVM %u", Major);
  fprintf(stderr, "error: siox: SioxPass.so needs clang %d; this compiler is %s\n",
          LLVM_VERSION_MAJOR, Found);
  _exit(1);
}

/// Stands in for the pass when its settings are wrong: one error, and the compiler ends with a
/// failure.
class ReportPass : public PassInfoMixin<ReportPass> {
public:
  explicit ReportPass(std::string Text) : Message(std::move(Text)) {}
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    M.getContext().emitError(Message);
    return PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }

private:
  std::string Message;
};

void addPass(ModulePassManager &MPM, StringRef Parameters, bool AtLink = false) {
  Expected<siox::Options> O = siox::optionsFromEnvironment();
  if (O && AtLink)
    O->AtLink = false; // here it is
  Error E = O ? siox::addParameters(*O, Parameters) : O.takeError();
  if (E)
    MPM.addPass(ReportPass(toString(std::move(E))));
  else
    MPM.addPass(siox::SioxPass(*O));
}

bool parseName(StringRef Name, ModulePassManager &MPM, ArrayRef<PassBuilder::PipelineElement>) {
  if (!Name.consume_front("siox"))
    return false;
  if (!Name.empty() && !(Name.consume_front("<") && Name.consume_back(">")))
    return false;
  addPass(MPM, Name);
  return true;
}

bool parseFunctionPass(StringRef Name, FunctionPassManager &FPM,
                       ArrayRef<PassBuilder::PipelineElement>) {
  if (Name != "siox-split")
    return false;
  FPM.addPass(siox::SplitPass());
  return true;
}

void registerCallbacks(PassBuilder &PB) {
  PB.registerPipelineParsingCallback(parseName);
  PB.registerPipelineParsingCallback(parseFunctionPass);
  auto Held = std::make_shared<siox::HeldContents>();
  PB.registerPipelineStartEPCallback([Held](ModulePassManager &MPM, OptimizationLevel Level) {
    addPass(MPM, "");
    if (Level != OptimizationLevel::O0)
      MPM.addPass(siox::HoldPass(Held));
  });
  PB.registerVectorizerStartEPCallback(
      [](FunctionPassManager &FPM, OptimizationLevel) { FPM.addPass(siox::SplitPass()); });
  // Full LTO in lld, which loads the plug-in: what the compiler left (at-link), or never saw.
  PB.registerFullLinkTimeOptimizationEarlyEPCallback(
      [](ModulePassManager &MPM, OptimizationLevel) { addPass(MPM, "", true); });
  PB.registerFullLinkTimeOptimizationLastEPCallback([](ModulePassManager &MPM, OptimizationLevel) {
    MPM.addPass(createModuleToFunctionPassAdaptor(siox::SplitPass()));
  });
  // With -flto=thin the compiler stops before the vectoriser, and the linker knows no plug-ins: a
  // release without the hint that ends it would be all that is left of the split form.
  PB.registerOptimizerLastEPCallback([Held](ModulePassManager &MPM, OptimizationLevel) {
    MPM.addPass(createModuleToFunctionPassAdaptor(siox::SplitPass()));
    MPM.addPass(siox::GiveBackPass(Held));
  });
}

} // namespace

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "siox", "0.1", registerCallbacks};
}
