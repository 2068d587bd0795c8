/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Classification of callees by externals.def and TargetLibraryInfo.
#include "analysis/Externals.h"
#include "model/Context.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/AbstractCallSite.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace siox {

namespace {
struct Row {
  StringRef Name;
  External Kind;
  double Ns;
};
const Row Rows[] = {
#define SIOX_EXTERNAL(name, kind, ns) {name, External::kind, ns},
#include "analysis/externals.def"
#undef SIOX_EXTERNAL
};
} // namespace

Function *directCallee(const CallBase &Call) {
  return dyn_cast<Function>(Call.getCalledOperand()->stripPointerCastsAndAliases());
}

Function *calledBack(const CallBase &Call) {
  const Function *Broker = directCallee(Call);
  // Others that LLVM knows, such as pthread_create, return before the callback is done.
  if (!Broker || !Broker->getName().starts_with("__kmpc_fork_"))
    return nullptr;
  SmallVector<const Use *, 1> Uses;
  AbstractCallSite::getCallbackUses(Call, Uses);
  return Uses.size() == 1 ? dyn_cast<Function>(Uses[0]->get()->stripPointerCastsAndAliases())
                          : nullptr;
}

ExternalInfo classifyExternal(const Function &F) {
  if (F.isIntrinsic())
    return {External::Quick, 0};
  for (const Row &R : Rows)
    if (matchesRow(R.Name, F.getName()))
      return {R.Kind, R.Ns};
  if (F.doesNotReturn())
    return {External::Stops, 0};
  static const TargetLibraryInfoImpl Library{Triple("x86_64-unknown-linux-gnu")};
  LibFunc Known;
  if (Library.getLibFunc(F.getName(), Known))
    return {External::Quick, 5};
  return {};
}

} // namespace siox
