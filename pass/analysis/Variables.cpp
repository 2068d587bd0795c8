/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Stores to variables, directly and in what is called.
#include "analysis/Variables.h"
#include "analysis/Externals.h"
#include "analysis/Targets.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/AbstractCallSite.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace siox {

const Value *stripCasts(const Value *V) {
  while (isa<SExtInst, ZExtInst, TruncInst>(V))
    V = cast<CastInst>(V)->getOperand(0);
  return V;
}

const LoadInst *plainLoad(const Value *V) {
  auto *Load = dyn_cast<LoadInst>(stripCasts(V));
  return Load && Load->isSimple() ? Load : nullptr;
}

static const StoreInst *storeTo(const User *U, const Value *Memory, const Loop &L) {
  auto *Store = dyn_cast<StoreInst>(U);
  return Store && Store->getPointerOperand() == Memory && L.contains(Store) ? Store : nullptr;
}

bool isStored(const Value *Memory, const Loop &L) {
  return any_of(Memory->users(), [&](const User *U) { return storeTo(U, Memory, L) != nullptr; });
}

const StoreInst *onlyStore(const Value *Memory, const Loop &L, const DominatorTree &DT) {
  const StoreInst *Only = nullptr;
  for (const User *U : Memory->users()) {
    const StoreInst *Store = storeTo(U, Memory, L);
    if (Store && (Only || !Store->isSimple()))
      return nullptr;
    Only = Store ? Store : Only;
  }
  if (Only && any_of(L.getSubLoops(), [&](const Loop *Inner) { return Inner->contains(Only); }))
    return nullptr;
  SmallVector<BasicBlock *, 4> Latches;
  L.getLoopLatches(Latches);
  for (const BasicBlock *Latch : Latches)
    if (Only && !DT.dominates(Only->getParent(), Latch))
      return nullptr;
  return Only;
}

/// The value under changes of its type that leave its last bits alone.
static const Value *lastBits(const Value *V, unsigned Bits) {
  while (isa<SExtInst, ZExtInst, TruncInst>(V) &&
         cast<CastInst>(V)->getSrcTy()->getScalarSizeInBits() >= Bits &&
         V->getType()->getScalarSizeInBits() >= Bits)
    V = cast<CastInst>(V)->getOperand(0);
  return V;
}

std::optional<int64_t> stepFrom(const Value *V, unsigned Bits,
                                function_ref<bool(const Value *)> IsOld) {
  auto *Sum = dyn_cast<BinaryOperator>(lastBits(V, Bits));
  if (!Sum || (Sum->getOpcode() != Instruction::Add && Sum->getOpcode() != Instruction::Sub))
    return std::nullopt;
  const Value *Old = Sum->getOperand(0), *Change = Sum->getOperand(1);
  if (isa<ConstantInt>(Old) && Sum->getOpcode() == Instruction::Add)
    std::swap(Old, Change);
  auto *Constant = dyn_cast<ConstantInt>(Change);
  if (!Constant || Constant->getBitWidth() > 64 || !IsOld(lastBits(Old, Bits)))
    return std::nullopt;
  int64_t Step = Constant->getSExtValue();
  if (Step == INT64_MIN || Step == 0)
    return std::nullopt;
  return Sum->getOpcode() == Instruction::Add ? Step : -Step;
}

std::optional<int64_t> stepOf(const StoreInst &Store, const Value *Memory) {
  const Value *V = Store.getValueOperand();
  return stepFrom(V, V->getType()->getScalarSizeInBits(), [&](const Value *Old) {
    const auto *Load = dyn_cast<LoadInst>(Old);
    return Load && Load->isSimple() && Load->getPointerOperand() == Memory &&
           Load->getType() == V->getType();
  });
}

namespace {

/// What calls do with a variable that they are handed.
class Reader {
public:
  /// An argument of a call is only read.
  bool reads(const Use &U) {
    auto *Call = dyn_cast<CallBase>(U.getUser());
    if (!Call || !Call->isArgOperand(&U))
      return false;
    unsigned N = Call->getArgOperandNo(&U);
    if (Call->onlyReadsMemory(N) && Call->doesNotCapture(N))
      return true;
    if (const Function *F = directCallee(*Call); F && !F->isDeclaration())
      return N < F->arg_size() && readsPointer(*F->getArg(N));
    if (!calledBack(*Call))
      return false;
    SmallVector<const Use *, 1> Callbacks;
    AbstractCallSite::getCallbackUses(*Call, Callbacks);
    AbstractCallSite Back(Callbacks.front());
    for (unsigned I = 0; Back && I != Back.getNumArgOperands(); I++)
      if (Back.getCallArgOperandNo(I) == int(N))
        return I < Back.getCalledFunction()->arg_size() &&
               readsPointer(*Back.getCalledFunction()->getArg(I));
    return false;
  }

private:
  /// Memory is only read through the pointer, kept in a variable of its own perhaps.
  bool readsPointer(const Value &Pointer) {
    if (!Seen.insert(&Pointer).second)
      return true;
    return all_of(Pointer.uses(), [&](const Use &U) {
      const User *I = U.getUser();
      if (isa<LoadInst, ICmpInst, DbgInfoIntrinsic>(I))
        return true;
      if (auto *Store = dyn_cast<StoreInst>(I)) {
        auto *Kept = dyn_cast<AllocaInst>(Store->getPointerOperand());
        return Store->getValueOperand() == &Pointer && Kept && readsKept(*Kept);
      }
      return reads(U);
    });
  }

  /// Pointers are stored in a variable and loaded again, no more.
  bool readsKept(const AllocaInst &Variable) {
    return all_of(Variable.users(), [&](const User *U) {
      if (auto *Store = dyn_cast<StoreInst>(U))
        return Store->getPointerOperand() == &Variable;
      auto *I = cast<Instruction>(U);
      return isa<DbgInfoIntrinsic>(I) || I->isLifetimeStartOrEnd() ||
             (isa<LoadInst>(I) && readsPointer(*I));
    });
  }

  DenseSet<const Value *> Seen;
};

} // namespace

/// Code that the module does not show can call it.
static bool isOpen(const Function &F) {
  return F.getName() != "main" && (!F.hasLocalLinkage() || F.hasAddressTaken());
}

bool callsChange(const Value *Variable, const Loop &L) {
  const Function *Home = L.getHeader()->getParent();
  DenseSet<const Function *> Writers; // of a global variable
  for (const Use &U : Variable->uses()) {
    auto *I = dyn_cast<Instruction>(U.getUser());
    if (!I)
      return true; // its address is kept somewhere
    if (isa<LoadInst, ICmpInst, DbgInfoIntrinsic>(I) || I->isLifetimeStartOrEnd())
      continue;
    auto *Store = dyn_cast<StoreInst>(I);
    if (Store ? Store->getValueOperand() == Variable : !isa<CallBase>(I))
      return true;
    if (!Store && L.contains(I) && !Reader().reads(U))
      return true;
    Writers.insert(I->getFunction());
  }
  auto *Global = dyn_cast<GlobalVariable>(Variable);
  if (!Global)
    return false;
  bool Open = !Global->hasLocalLinkage() ||
              any_of(Writers, [&](const Function *F) { return F != Home && isOpen(*F); });
  if (!Open && Writers.empty())
    return false;
  DenseSet<const Function *> Reached;
  SmallVector<const CallBase *, 16> Work;
  auto AddCalls = [&](const BasicBlock &BB) {
    for (const Instruction &I : BB)
      if (auto *Call = dyn_cast<CallBase>(&I); Call && !Call->isInlineAsm())
        Work.push_back(Call);
  };
  for (const BasicBlock *BB : L.blocks())
    AddCalls(*BB);
  while (!Work.empty()) {
    const CallBase *Call = Work.pop_back_val();
    const Function *F = calledBack(*Call);
    F = F ? F : directCallee(*Call);
    if (!F && isExhausted(*Call))
      continue;
    if (!F || F->isDeclaration()) {
      if (Open && (!F || classifyExternal(*F).Kind == External::Unknown))
        return true;
    } else if (Writers.count(F)) {
      return true;
    } else if (Reached.insert(F).second) {
      for (const BasicBlock &BB : *F)
        AddCalls(BB);
    }
  }
  return false;
}

} // namespace siox
