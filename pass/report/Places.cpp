/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Whose places are they? siox-cc asks for them with -Rpass-analysis=^siox-places, a remark that no
// pass makes (tools/driver/main.c). -g has them written into the object, and remarks of other
// passes need them too.
#include "report/Places.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace siox {

/// What makes remarks in LLVM 19. A handler only tells whether one of a name is wanted.
static constexpr const char *Remarking[] = {
    "TTI",
    "always-inline",
    "annotation-remarks",
    "argpromotion",
    "asan",
    "asm-printer",
    "attributor",
    "bounds-checking",
    "coro-frame",
    "coro-split",
    "dse",
    "function-import",
    "gisel-irtranslator",
    "gisel-legalize",
    "gisel-select",
    "globalopt",
    "gvn",
    "hotcoldsplit",
    "hwasan",
    "inline",
    "inline-info",
    "instcombine",
    "iroutliner",
    "licm",
    "load-store-vectorizer",
    "loop-accesses",
    "loop-data-prefetch",
    "loop-delete",
    "loop-distribute",
    "loop-fusion",
    "loop-idiom",
    "loop-interchange",
    "loop-load-elim",
    "loop-unroll",
    "loop-unroll-and-jam",
    "loop-unroll-full",
    "loop-vectorize",
    "loop-versioning",
    "lower-matrix-intrinsics",
    "machine-outliner",
    "memtag",
    "mergeicmps",
    "misexpect",
    "openmp-opt",
    "partial-inlining",
    "pgo-icall-prom",
    "pgo-instrumentation",
    "pgo-memop-opt",
    "prologepilog",
    "regalloc",
    "sample-profile",
    "sample-profile-impl",
    "sdagisel",
    "simplifycfg",
    "siox",
    "size-info",
    "slp-vectorizer",
    "stack-frame-layout",
    "stack-protector",
    "tailcallelim",
    "transform-warning",
    "vector-combine",
    "wholeprogramdevirt",
};

static bool areOnlyOurs(Module &M) {
  const DiagnosticHandler *Handler = M.getContext().getDiagHandlerPtr();
  if (!Handler || !Handler->isAnalysisRemarkEnabled("siox-places") ||
      M.getContext().getMainRemarkStreamer())
    return false;
  if (any_of(M.debug_compile_units(), [](const DICompileUnit *Unit) {
        return Unit->getEmissionKind() != DICompileUnit::NoDebug;
      }))
    return false;
  return none_of(Remarking, [&](const char *Name) {
    return Handler->isAnalysisRemarkEnabled(Name) || Handler->isMissedOptRemarkEnabled(Name) ||
           Handler->isPassedOptRemarkEnabled(Name);
  });
}

void dropPlacesOfInstructions(Module &M) {
  if (!areOnlyOurs(M))
    return;
  for (Function &F : M)
    for (Instruction &I : instructions(F))
      I.setDebugLoc(DebugLoc());
}

bool dropPlaces(Module &M) { return areOnlyOurs(M) && StripDebugInfo(M); }

} // namespace siox
