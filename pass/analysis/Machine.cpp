/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Issue width and vector registers from LLVM's description of the target.
#include "analysis/Machine.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSchedule.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/TargetParser/Triple.h"
#include <memory>

using namespace llvm;

namespace siox {

static unsigned vectorBits(const Triple &T, const MCSubtargetInfo &Info) {
  if (T.getArch() == Triple::x86_64 || T.getArch() == Triple::x86) {
    if (Info.checkFeatures("+avx512f") && !Info.checkFeatures("+prefer-256-bit"))
      return 512;
    return Info.checkFeatures("+avx") ? 256 : Info.checkFeatures("+sse2") ? 128 : 0;
  }
  return T.isAArch64() || T.isPPC64() || T.getArch() == Triple::systemz ? 128 : 0;
}

static Machine machineOf(const Function &F) {
  Machine M;
  std::string Unused;
  Triple T(F.getParent()->getTargetTriple());
  const Target *Found = TargetRegistry::lookupTarget(T.str(), Unused);
  std::unique_ptr<MCSubtargetInfo> Info(
      Found
          ? Found->createMCSubtargetInfo(T.str(), F.getFnAttribute("target-cpu").getValueAsString(),
                                         F.getFnAttribute("target-features").getValueAsString())
          : nullptr);
  if (!Info)
    return M;
  M.VectorBits = vectorBits(T, *Info);
  // LLVM gives processors that it has no scheduling model for one without instructions, of width 1.
  if (Info->getSchedModel().hasInstrSchedModel() && Info->getSchedModel().IssueWidth)
    M.Width = Info->getSchedModel().IssueWidth;
  return M;
}

Machine Machines::of(const Function &F) {
  auto [It, First] = Known.try_emplace({F.getFnAttribute("target-cpu").getRawPointer(),
                                        F.getFnAttribute("target-features").getRawPointer()});
  if (First)
    It->second = machineOf(F);
  return It->second;
}

} // namespace siox
