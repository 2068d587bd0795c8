/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The functions worth a test are MPI-IO's own and those that reach MPI-IO; where all that a pointer
// can be is known, all of them. Else a function whose address is taken counts where its type is
// that of the call. Calls that become direct can make more functions reach MPI-IO, so this is
// repeated.
#include "transform/Promote.h"
#include "analysis/Targets.h"
#include "model/Context.h"
#include "model/MpiIo.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/CallPromotionUtils.h"

using namespace llvm;

namespace siox {

/// More functions than this are not tried at one call.
static constexpr unsigned MostTargets = 8;

namespace {

class Promoter {
public:
  explicit Promoter(Module &M) : M(M) {}

  bool run() {
    for (Function &F : M)
      if (F.isDeclaration() && (lookupCall(F.getName()) || lookupLibrary(F)))
        reach(F);
    if (Reaching.empty())
      return false;
    collect();
    spread();
    // Each round adds calls, to functions that were not tried at that place before.
    for (bool Changed = !Indirect.empty(); Changed;) {
      Changed = false;
      erase_if(Taken, [&](Function *F) { return Reaching.contains(F) && (Open.insert(F), true); });
      for (Place &P : Indirect)
        Changed |= tryTargets(P);
      spread();
    }
    return true;
  }

private:
  struct Place {
    CallBase *Call;
    Targets Known, Tried;
    bool Whole;
  };

  void reach(Function &F) {
    if (Reaching.insert(&F).second)
      Work.push_back(&F);
  }

  /// Callers of functions that reach MPI-IO reach it too.
  void spread() {
    while (!Work.empty())
      for (User *U : Work.pop_back_val()->users())
        if (auto *Call = dyn_cast<CallBase>(U))
          reach(*Call->getFunction());
  }

  void collect() {
    for (Function &F : M)
      for (Instruction &I : instructions(F)) {
        auto *Call = dyn_cast<CallBase>(&I);
        if (!Call || !Call->isIndirectCall() || Call->isMustTailCall() || isa<CallBrInst>(Call))
          continue;
        Place P{Call, {}, {}, false};
        P.Whole = targetsOf(*Call, P.Known) && P.Known.size() <= MostTargets;
        Indirect.push_back(std::move(P));
      }
    if (!Indirect.empty())
      for (Function &F : M)
        if (!F.isIntrinsic() && F.hasAddressTaken())
          Taken.push_back(&F);
  }

  bool tryTargets(Place &P) {
    Targets Now;
    for (Function *F : P.Whole ? P.Known.getArrayRef() : Open.getArrayRef())
      if (F->getFunctionType() == P.Call->getFunctionType() && !P.Tried.contains(F) &&
          Reaching.contains(F))
        Now.insert(F);
    // A pointer that can be a few functions only: the others are tried as well.
    if (P.Whole && !Now.empty())
      for (Function *F : P.Known)
        if (!P.Tried.contains(F))
          Now.insert(F);
    // A pointer that can be many things says little: all of them would be expected everywhere.
    if (!P.Whole && P.Tried.size() + Now.size() > MostTargets)
      return false;
    bool Changed = false;
    for (Function *F : Now) {
      if (P.Tried.size() == MostTargets || !isLegalToPromote(*P.Call, F))
        continue;
      P.Tried.insert(F);
      promoteCallWithIfThenElse(*P.Call, F);
      Changed = true;
    }
    if (Changed)
      reach(*P.Call->getFunction());
    if (Changed && P.Whole && P.Tried.size() == P.Known.size())
      setExhausted(*P.Call);
    return Changed;
  }

  Module &M;
  DenseSet<const Function *> Reaching;
  SmallVector<Function *, 16> Work;
  SmallVector<Place, 8> Indirect;
  SmallVector<Function *, 16> Taken; ///< address taken, MPI-IO not reached as far as is known
  Targets Open;                      ///< address taken, MPI-IO reached
};

} // namespace

bool promoteCalls(Module &M) { return Promoter(M).run(); }

} // namespace siox
