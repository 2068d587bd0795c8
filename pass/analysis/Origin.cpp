/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Handle origins, by walking values and the memory states that MemorySSA gives:
//   a load       -> what last wrote there: an MPI_File_open, or a store, whose value is walked
//   a phi        -> every incoming value or state
//   an argument  -> the actual arguments of every call in the module
//   a global     -> every writer in the module, in whatever order
#include "analysis/Origin.h"
#include "model/MpiIo.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include <utility>

using namespace llvm;

namespace siox {

static int outAt(const CallBase &Call, int Position) {
  return Position < int(Call.arg_size()) ? Position : -1;
}

int fileMaker(const CallBase &Call) {
  const CallInfo *Info = lookupCall(Call);
  return Info && Info->Class == SIOX_CLASS_OPEN ? outAt(Call, Info->File) : -1;
}

int infoMaker(const CallBase &Call) {
  return isCallOf(Call, "MPI_Info_create") ? outAt(Call, 0) : -1;
}

/// Address of a handle that is the same place in every iteration.
static bool isFixedPlace(const Value *Address) {
  Address = Address->stripInBoundsConstantOffsets();
  return isa<AllocaInst>(Address) || isa<GlobalVariable>(Address) || isa<Argument>(Address);
}

Origins OriginWalker::ofValue(Value *Handle) {
  Found = Origins();
  Seen.clear();
  setWidth(Handle->getType()->isPointerTy() ? 8 : 4);
  OneStart = isa<LoadInst>(Handle->stripPointerCasts());
  value(Handle);
  return finish();
}

Origins OriginWalker::finish() {
  if (Began)
    Known[*Began] = Found;
  Began.reset();
  return std::move(Found);
}

Origins OriginWalker::ofMemory(Value *Address, CallBase &Before) {
  Found = Origins();
  Seen.clear();
  const Function *Callee = Before.getCalledFunction();
  bool Fortran = Callee && Callee->getName().ends_with(FortranSuffix);
  setWidth(Fortran ? 4 : 8);
  Function &F = *Before.getFunction();
  MemorySSA &States = FAM.getResult<MemorySSAAnalysis>(F).getMSSA();
  OneStart = true;
  if (MemoryUseOrDef *Here = States.getMemoryAccess(&Before))
    memory(Address, Here->getDefiningAccess(), F);
  else
    Found.Unresolved = true;
  return finish();
}

void OriginWalker::value(Value *V) {
  V = V->stripPointerCasts();
  if (!Seen.insert({V, nullptr}).second)
    return;
  if (isa<Constant>(V)) {
    if (!isa<ConstantData>(V) && !V->getName().starts_with(OpenMpiHandle))
      Found.Unresolved = true; // an implementation with global objects of other names
    return;
  }
  if (auto *Phi = dyn_cast<PHINode>(V)) {
    for (Value *Incoming : Phi->incoming_values())
      value(Incoming);
  } else if (auto *Select = dyn_cast<SelectInst>(V)) {
    value(Select->getTrueValue());
    value(Select->getFalseValue());
  } else if (auto *Load = dyn_cast<LoadInst>(V)) {
    if (!isFixedPlace(Load->getPointerOperand()))
      Found.Indexed = true;
    Function &F = *Load->getFunction();
    MemorySSA &States = FAM.getResult<MemorySSAAnalysis>(F).getMSSA();
    memory(Load->getPointerOperand(), States.getMemoryAccess(Load)->getDefiningAccess(), F);
  } else if (auto *Arg = dyn_cast<Argument>(V)) {
    callers(*Arg, [&](CallBase &, Value *Actual) { value(Actual); });
  } else if (auto *Call = dyn_cast<CallBase>(V);
             Call && Call->getCalledFunction() && !Call->getCalledFunction()->isDeclaration()) {
    for (BasicBlock &Block : *Call->getCalledFunction())
      if (auto *Return = dyn_cast<ReturnInst>(Block.getTerminator()))
        value(Return->getReturnValue());
  } else {
    Found.Unresolved = true;
  }
}

void OriginWalker::callers(Argument &A, function_ref<void(CallBase &, Value *)> Visit) {
  Function &F = *A.getParent();
  Found.OpenWorld |= !F.hasLocalLinkage();
  for (User *U : F.users()) {
    auto *Call = dyn_cast<CallBase>(U);
    if (Call && Call->getCalledFunction() == &F && A.getArgNo() < Call->arg_size())
      Visit(*Call, Call->getArgOperand(A.getArgNo()));
    else
      Found.OpenWorld = true;
  }
}

void OriginWalker::setWidth(unsigned Bytes) {
  if (Width != LocationSize::precise(Bytes)) {
    Clobbers.clear();
    Known.clear();
  }
  Width = LocationSize::precise(Bytes);
}

void OriginWalker::memory(Value *Address, MemoryAccess *From, Function &F) {
  MemorySSA &States = FAM.getResult<MemorySSAAnalysis>(F).getMSSA();
  std::unique_ptr<BatchAAResults> &Alias = Aliases[&F];
  if (!Alias)
    Alias = std::make_unique<BatchAAResults>(FAM.getResult<AAManager>(F));
  BatchAAResults &Batch = *Alias; // walking on may move the map's entries
  SmallVector<MemoryAccess *, 8> Work{From};
  while (!Work.empty()) {
    MemoryAccess *Access = clobber(Work.pop_back_val(), Address, States, Batch);
    if (!Seen.insert({Access, Address}).second)
      continue;
    if (auto Before = Known.find({Access, Address}); Before != Known.end()) {
      const Origins &Others = Before->second;
      Found.Makers.insert(Others.Makers.begin(), Others.Makers.end());
      Found.Unresolved |= Others.Unresolved;
      Found.OpenWorld |= Others.OpenWorld;
      Found.Indexed |= Others.Indexed;
      OneStart = false;
      continue;
    }
    if (std::exchange(OneStart, false))
      Began = Start(Access, Address);
    if (States.isLiveOnEntryDef(Access))
      onEntry(Address, F);
    else if (auto *Phi = dyn_cast<MemoryPhi>(Access))
      for (Use &Incoming : Phi->incoming_values())
        Work.push_back(cast<MemoryAccess>(Incoming));
    else if (definition(Address, *cast<MemoryDef>(Access), F))
      Work.push_back(cast<MemoryDef>(Access)->getDefiningAccess());
  }
}

/// The nearest state at or before From that may have written at Address: a definition, a phi where
/// several meet, or the function's entry. MemorySSA's own walker answers this too, but keeps no
/// answer about an address that is asked for: every handle of a long function would be sought
/// through all that precedes it.
MemoryAccess *OriginWalker::clobber(MemoryAccess *From, Value *Address, MemorySSA &States,
                                    BatchAAResults &Alias) {
  const Value *Base = Address->stripInBoundsConstantOffsets();
  const auto *Variable = dyn_cast<AllocaInst>(Base);
  if (!isFixedPlace(Address) ||
      (Variable && !Variable->isStaticAlloca())) // another in each iteration
    return States.isLiveOnEntryDef(From) ? From
                                         : States.getWalker()->getClobberingMemoryAccess(
                                               From, MemoryLocation(Address, Width));
  MemoryAccess *Access = straight(From, Address, States, Alias);
  if (auto *Phi = dyn_cast<MemoryPhi>(Access))
    Access = beyond(*Phi, Address, States, Alias);
  return Clobbers[{From, Address}] = Access;
}

/// As clobber, without passing a phi of which nothing is known yet.
MemoryAccess *OriginWalker::straight(MemoryAccess *From, Value *Address, MemorySSA &States,
                                     BatchAAResults &Alias) {
  SmallVector<MemoryAccess *, 16> Passed;
  MemoryAccess *Access = From;
  while (!States.isLiveOnEntryDef(Access)) {
    if (auto Known = Clobbers.find({Access, Address}); Known != Clobbers.end()) {
      Access = Known->second;
      break;
    }
    auto *Def = dyn_cast<MemoryDef>(Access);
    if (!Def)
      break;
    Instruction *I = Def->getMemoryInst();
    const auto *Intrinsic = dyn_cast<IntrinsicInst>(I);
    bool Harmless =
        Intrinsic && Intrinsic->isAssumeLikeIntrinsic() && !Intrinsic->isLifetimeStartOrEnd();
    if (!Harmless && isModSet(Alias.getModRefInfo(I, MemoryLocation(Address, Width))))
      break;
    Passed.push_back(Access);
    Access = Def->getDefiningAccess();
  }
  if (!isa<MemoryPhi>(Access)) // what is beyond a phi may still be found
    for (MemoryAccess *P : Passed)
      Clobbers[{P, Address}] = Access;
  return Access;
}

/// The one state that all ways into a phi lead to, round loops too; the phi itself where they lead
/// to several.
MemoryAccess *OriginWalker::beyond(MemoryPhi &Phi, Value *Address, MemorySSA &States,
                                   BatchAAResults &Alias) {
  constexpr unsigned MostPhis = 64;
  SmallPtrSet<MemoryPhi *, 8> Visited;
  SmallVector<MemoryPhi *, 8> Work{&Phi};
  MemoryAccess *End = nullptr;
  while (!Work.empty()) {
    MemoryPhi *Here = Work.pop_back_val();
    if (!Visited.insert(Here).second)
      continue;
    if (Visited.size() > MostPhis)
      return Clobbers[{&Phi, Address}] = &Phi;
    for (Use &Incoming : Here->incoming_values()) {
      MemoryAccess *Access = straight(cast<MemoryAccess>(Incoming), Address, States, Alias);
      auto *Inner = dyn_cast<MemoryPhi>(Access);
      if (Inner && !Clobbers.contains({Inner, Address})) {
        Work.push_back(Inner);
      } else if (End && End != Access) {
        return Clobbers[{&Phi, Address}] = &Phi;
      } else {
        End = Access;
      }
    }
  }
  // No way in at all: the code is not reached.
  return Clobbers[{&Phi, Address}] = End ? End : &Phi;
}

/// One definition that may write the place; true when earlier ones count too.
bool OriginWalker::definition(Value *Address, MemoryDef &Def, Function &F) {
  AAResults &Alias = FAM.getResult<AAManager>(F);
  Instruction *I = Def.getMemoryInst();
  auto Same = [&](Value *Other) {
    return Alias.alias(MemoryLocation(Address, Width), MemoryLocation(Other, Width));
  };
  if (auto *Store = dyn_cast<StoreInst>(I)) {
    AliasResult R = Same(Store->getPointerOperand());
    if (R != AliasResult::NoAlias)
      value(Store->getValueOperand());
    return R != AliasResult::MustAlias;
  }
  if (auto *Intrinsic = dyn_cast<IntrinsicInst>(I)) {
    if (Intrinsic->isLifetimeStartOrEnd())
      return false; // nothing lies there before
    if (isa<MemSetInst>(I))
      return Same(cast<MemSetInst>(I)->getDest()) != AliasResult::MustAlias;
  }
  auto *Call = dyn_cast<CallBase>(I);
  if (!Call) {
    Found.Unresolved = true;
    return false;
  }
  if (int Position = Maker(*Call); Position >= 0) {
    Value *Out = Call->getArgOperand(Position);
    AliasResult R = Same(Out);
    if (R == AliasResult::NoAlias)
      return true;
    Found.Makers.insert(Call);
    Found.Indexed |= R != AliasResult::MustAlias || !isFixedPlace(Out);
    return R != AliasResult::MustAlias;
  }
  if (const CallInfo *Info = lookupCall(*Call); Info && Info->Class == SIOX_CLASS_CLOSE)
    if (Value *Closed = argument(*Call, Info->File)) // leaves MPI_FILE_NULL
      return Same(Closed) != AliasResult::MustAlias;
  if (isNoAliasCall(Call))
    return false; // fresh memory
  // Any other MPI call that was given the address of something else writes there, not here.
  if (const Function *Callee = Call->getCalledFunction(); Callee && isMpiName(Callee->getName()))
    return true;
  Found.Unresolved = true;
  return true;
}

void OriginWalker::onEntry(Value *Address, Function &) {
  Value *Object = getUnderlyingObject(Address);
  if (isa<AllocaInst>(Object))
    return; // not written on this path
  if (auto *GV = dyn_cast<GlobalVariable>(Object)) {
    writers(*GV);
  } else if (auto *Arg = dyn_cast<Argument>(Object); Arg && Address->stripPointerCasts() == Arg) {
    callers(*Arg, [&](CallBase &Call, Value *Actual) {
      Function &Caller = *Call.getFunction();
      MemorySSA &States = FAM.getResult<MemorySSAAnalysis>(Caller).getMSSA();
      if (MemoryUseOrDef *Here = States.getMemoryAccess(&Call))
        memory(Actual, Here->getDefiningAccess(), Caller);
    });
  } else {
    Found.Unresolved = true;
  }
}

/// Every writer of a global or of a place in it.
void OriginWalker::writers(Value &Address) {
  if (!Seen.insert({&Address, &Found}).second)
    return;
  if (auto *GV = dyn_cast<GlobalVariable>(&Address))
    Found.OpenWorld |= !GV->hasLocalLinkage();
  for (Use &U : Address.uses()) {
    User *By = U.getUser();
    if (isa<LoadInst>(By)) {
      continue;
    } else if (auto *Store = dyn_cast<StoreInst>(By)) {
      if (Store->getPointerOperand() == &Address)
        value(Store->getValueOperand());
      else
        Found.Unresolved = true;
    } else if (isa<GEPOperator>(By) || isa<BitCastOperator>(By)) {
      Found.Indexed |= isa<GetElementPtrInst>(By);
      writers(*By);
    } else if (auto *Call = dyn_cast<CallBase>(By)) {
      if (!Call->isArgOperand(&U))
        continue;
      unsigned Position = Call->getArgOperandNo(&U);
      if (Maker(*Call) == int(Position))
        Found.Makers.insert(Call);
      else if (!Call->doesNotCapture(Position) || Call->getCalledFunction() == nullptr)
        Found.Unresolved = true;
    } else if (!isa<GlobalVariable>(By) && !isa<CmpInst>(By)) {
      Found.Unresolved = true;
    }
  }
}

} // namespace siox
