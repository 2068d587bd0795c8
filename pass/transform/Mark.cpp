/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Placing siox_region_enter and siox_region_leave, and the contents of region descriptors.
#include "transform/Mark.h"
#include "analysis/Regions.h"
#include "model/Abi.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace siox {

namespace {

class Marker {
public:
  Marker(Module &M, Function &F)
      : Enter(abiFunction(M, "siox_region_enter")), Leave(abiFunction(M, "siox_region_leave")),
        DT(F), LI(DT) {}

  void mark(Region &R) {
    if (R.Kind == SIOX_REGION_OUTSIDE)
      markOutside(R);
    else if (R.Call)
      markCall(R);
    else
      markLoop(R, *LI.getLoopFor(R.Header));
  }

  unsigned depth(const Region &R) const { return R.Header ? LI.getLoopDepth(R.Header) : 0; }

private:
  /// It ends when a function that other modules call begins: markEntrances.
  void markOutside(Region &R) {
    for (BasicBlock &BB : *R.Function) {
      if (!isa<ReturnInst>(BB.getTerminator()))
        continue;
      IRBuilder<> B(BB.getTerminator());
      B.SetCurrentDebugLocation(place(R, BB.getTerminator()->getDebugLoc()));
      R.Enter = B.CreateCall(Enter, {R.Descriptor, B.getInt64(SIOX_UNKNOWN)});
    }
  }

  void markCall(Region &R) {
    IRBuilder<> B(R.Call); // takes the call's debug location
    R.Enter = B.CreateCall(Enter, {R.Descriptor, B.getInt64(SIOX_UNKNOWN)});
    B.SetInsertPoint(R.Call->getNextNode());
    B.SetCurrentDebugLocation(R.Call->getDebugLoc());
    B.CreateCall(Leave, {R.Descriptor});
  }

  void markLoop(Region &R, Loop &L) {
    BasicBlock *Before = L.getLoopPreheader();
    if (!Before)
      Before = InsertPreheaderForLoop(&L, &DT, &LI, nullptr, false);
    if (!Before) {
      R.Refused = Reason::NoPreheader;
      return;
    }
    formDedicatedExitBlocks(&L, &DT, &LI, nullptr, false);
    if (!L.hasDedicatedExits()) {
      R.Refused = Reason::IndirectExit;
      return;
    }
    IRBuilder<> B(Before->getTerminator());
    B.SetCurrentDebugLocation(place(R, L.getStartLoc()));
    R.Enter = B.CreateCall(Enter, {R.Descriptor, B.getInt64(SIOX_UNKNOWN)});
    SmallVector<BasicBlock *, 8> Exits;
    L.getUniqueExitBlocks(Exits);
    for (BasicBlock *Exit : Exits) {
      B.SetInsertPoint(Exit, Exit->getFirstInsertionPt());
      B.SetCurrentDebugLocation(place(R, L.getStartLoc()));
      B.CreateCall(Leave, {R.Descriptor});
    }
  }

  static DebugLoc place(const Region &R, DebugLoc Where) {
    DISubprogram *S = R.Function->getSubprogram();
    if (!Where && S)
      Where = DILocation::get(S->getContext(), S->getScopeLine(), 0, S);
    return Where;
  }

  llvm::Function *Enter, *Leave;
  DominatorTree DT;
  LoopInfo LI;
};

} // namespace

/// Where other modules' code ends for a while.
static void markEntrances(Module &M, const ModuleModel &Model) {
  Constant *Nothing = ConstantPointerNull::get(PointerType::getUnqual(M.getContext()));
  for (llvm::Function *F : Model.Entrances) {
    BasicBlock &Entry = F->getEntryBlock();
    IRBuilder<> B(&Entry, Entry.getFirstNonPHIOrDbgOrAlloca());
    if (DISubprogram *S = F->getSubprogram())
      B.SetCurrentDebugLocation(DILocation::get(S->getContext(), S->getScopeLine(), 0, S));
    B.CreateCall(abiFunction(M, "siox_region_leave"), {Nothing});
  }
}

void markRegions(Module &M, ModuleModel &Model) {
  SmallVector<GlobalValue *, 32> Descriptors;
  std::vector<Region *> Here;
  for (unsigned I = 0; I != Model.Regions.size();) {
    Function *F = Model.Regions[I].Function;
    Here.clear();
    for (; I != Model.Regions.size() && Model.Regions[I].Function == F; I++)
      if (Model.Regions[I].Refused == Reason::None)
        Here.push_back(&Model.Regions[I]);
    if (Here.empty())
      continue;
    Marker Marks(M, *F);
    // Outer loops first: where one edge leaves several loops, the inner region ends first.
    llvm::sort(Here, [&](const Region *A, const Region *B) {
      return std::make_pair(Marks.depth(*A), A->Id) < std::make_pair(Marks.depth(*B), B->Id);
    });
    for (Region *R : Here) {
      R->Descriptor = newDescriptor(M, regionType(M.getContext()), "siox_regions",
                                    "siox.region." + Twine(R->Id));
      Descriptors.push_back(R->Descriptor);
      Marks.mark(*R);
    }
  }
  keep(M, Descriptors);
  markEntrances(M, Model);
}

namespace {

/// The lists of one search as constants, without regions that could not be marked: those never
/// begin, so what follows them is not known either.
struct EmittedLists {
  SmallVector<Constant *, 8> Next, Succ;
  unsigned NextInside = 0, SuccInside = 0;
  bool Open = false;

  EmittedLists(const ModuleModel &Model, const RegionLists &Lists) : NextInside(Lists.NextInside) {
    for (unsigned Id : Lists.Next)
      Next.push_back(Model.Sites[Id].Descriptor);
    for (unsigned I = 0; I != Lists.Succ.size(); I++) {
      const Region &After = Model.Regions[Lists.Succ[I]];
      Open |= !After.Enter;
      if (!After.Enter)
        continue;
      Succ.push_back(After.Descriptor);
      SuccInside += I < Lists.SuccInside;
    }
  }
};

} // namespace

/// Null where the far search finds nothing that the near one does not.
static Constant *farLists(Module &M, const ModuleModel &Model, const Region &R) {
  LLVMContext &C = M.getContext();
  Type *I32 = Type::getInt32Ty(C);
  PointerType *P = PointerType::getUnqual(C);
  auto Int = [&](uint64_t V) -> Constant * { return ConstantInt::get(I32, V); };
  if (R.Inner.empty())
    return ConstantPointerNull::get(P);
  EmittedLists L(Model, R.Far);
  SmallVector<Constant *, 8> Inner;
  for (unsigned Id : R.Inner)
    if (Model.Regions[Id].Enter)
      Inner.push_back(Model.Regions[Id].Descriptor);
  Constant *Far = ConstantStruct::get(
      farType(C), {privateArray(M, P, L.Next), privateArray(M, P, L.Succ),
                   privateArray(M, P, Inner), Int(L.Next.size()), Int(R.Steps ? L.NextInside : 0),
                   Int(L.Succ.size()), Int(R.Steps ? L.SuccInside : 0), Int(Inner.size()), Int(0)});
  return privateArray(M, Far->getType(), Far);
}

void finishRegions(Module &M, const ModuleModel &Model, ArrayRef<int32_t> Speeds) {
  LLVMContext &C = M.getContext();
  Type *I32 = Type::getInt32Ty(C), *I64 = Type::getInt64Ty(C);
  PointerType *P = PointerType::getUnqual(C);
  auto Int = [](Type *T, uint64_t V) -> Constant * { return ConstantInt::get(T, V); };
  for (const Region &R : Model.Regions) {
    if (!R.Descriptor)
      continue;
    EmittedLists L(Model, R.Near);
    Constant *Steps =
        R.Steps ? cast<Constant>(Model.Regions[*R.Steps].Descriptor) : ConstantPointerNull::get(P);
    R.Descriptor->setInitializer(ConstantStruct::get(
        regionType(C), {Int(I64, R.Key),
                        privateString(M, R.File),
                        privateString(M, functionName(*R.Function)),
                        Int(I32, R.Line),
                        Int(I32, R.Column),
                        Int(I32, R.Kind),
                        Int(I32, Speeds[R.Id]),
                        Int(I64, R.Trip),
                        Int(I64, R.BodyNs),
                        Int(I32, L.Next.size()),
                        Int(I32, L.Succ.size()),
                        privateArray(M, P, L.Next),
                        privateArray(M, P, L.Succ),
                        Int(I32, (R.OpenEnd || L.Open ? SIOX_REGION_OPEN_END : 0) |
                                     (R.OpenLater && !L.Open ? SIOX_REGION_OPEN_LATER : 0) |
                                     (R.Measured ? SIOX_REGION_MEASURED : 0) |
                                     (R.Sleeps ? SIOX_REGION_SLEEPS : 0)),
                        Int(I32, R.FunctionLine),
                        ConstantPointerNull::get(P),
                        Steps,
                        Int(I32, R.Steps ? L.NextInside : 0),
                        Int(I32, R.Steps ? L.SuccInside : 0),
                        Int(I64, R.SharesAlike ? Model.Regions[R.Alike].Key : 0),
                        farLists(M, Model, R),
                        Int(I64, R.RegionNs)}));
  }
}

} // namespace siox
