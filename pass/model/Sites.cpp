/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Finding sites, marking them, and their final contents.
//
//   MPI_File_read_at(fh, ...);    becomes    siox_at(&site_7); MPI_File_read_at(fh, ...);
//
// The marker carries the identity of a site: when an optimiser merges two calls, it merges the
// markers into one with a phi of descriptors, which is what the run time has to see.
#include "model/Sites.h"
#include "model/Abi.h"
#include "model/Context.h"
#include "model/MpiIo.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace siox {

static const char Flag[] = "siox";

bool isInstrumented(const Module &M) { return M.getModuleFlag(Flag) != nullptr; }

void setInstrumented(Module &M) { M.addModuleFlag(Module::Max, Flag, SIOX_ABI_VERSION); }

static const char Left[] = "siox.at_link", Wanted[] = "siox_pass_did_not_run_at_link";

void leaveToLinker(Module &M) {
  PointerType *P = PointerType::getUnqual(M.getContext());
  auto *V = new GlobalVariable(M, P, true, GlobalValue::InternalLinkage,
                               M.getOrInsertGlobal(Wanted, Type::getInt8Ty(M.getContext())), Left);
  appendToUsed(M, {V});
}

bool takeFromCompiler(Module &M) {
  SmallVector<GlobalVariable *, 8> All; // one of each file, renamed when they were put together
  for (GlobalVariable &V : M.globals())
    if (V.getName().starts_with(Left))
      All.push_back(&V);
  if (All.empty())
    return false;
  removeFromUsedLists(M, [&](Constant *C) { return is_contained(All, C->stripPointerCasts()); });
  for (GlobalVariable *V : All)
    V->eraseFromParent();
  if (GlobalVariable *V = M.getNamedGlobal(Wanted); V && V->use_empty())
    V->eraseFromParent();
  return true;
}

namespace {
class SiteFinder {
public:
  SiteFinder(Module &M, ModuleModel &Model) : M(M), Model(Model) {}

  /// Adds the calls that have a row.
  void add(function_ref<const CallInfo *(const CallBase &)> Lookup) {
    for (Function &F : M)
      for (Instruction &I : instructions(F)) {
        auto *Call = dyn_cast<CallBase>(&I);
        const CallInfo *Info = Call ? Lookup(*Call) : nullptr;
        if (Info && Info->Class != SIOX_CLASS_APART)
          add(*Call, *Info);
      }
  }

private:
  void add(CallBase &Call, const CallInfo &Info) {
    Site S;
    S.Id = Model.Sites.size();
    S.Call = &Call;
    S.Info = &Info;
    Place P = placeOf(Call);
    S.Ordinal = SamePlace[P.File + "\n" + P.Function + "\n" + std::to_string(P.Line) + "\n" +
                          std::to_string(P.Column)]++;
    S.Key = placeKey(P, S.Ordinal);
    S.File = P.File;
    S.Function = P.Function;
    S.Line = P.Line;
    S.Column = P.Column;
    S.Callee = Info.By == Layer::MpiIo ? Info.Name : Call.getCalledFunction()->getName();
    if (Info.By == Layer::Library) // anywhere in its files
      S.Levels.push_back(AccessLevel());
    Model.Sites.push_back(std::move(S));
  }

  Module &M;
  ModuleModel &Model;
  StringMap<unsigned> SamePlace;
};

/// Nothing can stand behind a guaranteed tail call.
const CallInfo *contextOf(const CallBase &Call, Layer By) {
  const CallInfo *Info = isa<CallInst, InvokeInst>(Call) ? lookupContext(Call) : nullptr;
  return Info && Info->By == By && !Call.isMustTailCall() ? Info : nullptr;
}
} // namespace

void findSites(Module &M, ModuleModel &Model) {
  SiteFinder Finder(M, Model);
  Finder.add([](const CallBase &Call) { return lookupCall(Call); });
  Finder.add([](const CallBase &Call) { return contextOf(Call, Layer::Library); });
  if (!Model.Sites.empty()) // a module without MPI-IO stays as it is
    Finder.add([](const CallBase &Call) { return contextOf(Call, Layer::Posix); });
}

void markSites(Module &M, ModuleModel &Model) {
  SmallVector<GlobalValue *, 32> Descriptors;
  for (Site &S : Model.Sites) {
    S.Descriptor =
        newDescriptor(M, siteType(M.getContext()), "siox_sites", "siox.site." + Twine(S.Id));
    Descriptors.push_back(S.Descriptor);
    if (S.Info->By != Layer::MpiIo) {
      markContext(M, S);
      continue;
    }
    IRBuilder<> B(S.Call); // takes the call's debug location
    B.CreateCall(abiFunction(M, "siox_at"), {S.Descriptor});
  }
  keep(M, Descriptors);
}

static uint32_t flagsOf(const Site &S) {
  uint32_t Flags = 0;
  if (S.Info->Class == SIOX_CLASS_OPEN)
    Flags |= SIOX_SITE_OPEN;
  if (S.Info->Class == SIOX_CLASS_READ)
    Flags |= SIOX_SITE_READ;
  if (S.Info->Class == SIOX_CLASS_WRITE)
    Flags |= SIOX_SITE_WRITE;
  if (S.Info->Group == SIOX_GROUP_COLLECTIVE)
    Flags |= SIOX_SITE_COLLECTIVE;
  if (S.WholeOrigins)
    Flags |= SIOX_SITE_WHOLE_ORIGINS;
  return Flags;
}

void finishSites(Module &M, const ModuleModel &Model) {
  LLVMContext &C = M.getContext();
  Type *I32 = Type::getInt32Ty(C), *I64 = Type::getInt64Ty(C), *P = PointerType::getUnqual(C);
  auto Int = [](Type *T, uint64_t V) -> Constant * { return ConstantInt::get(T, V); };
  StructType *LevelType = StructType::get(C, {I32, I32, I64, I64});
  for (const Site &S : Model.Sites) {
    SmallVector<Constant *, 4> Levels, Origins;
    for (const AccessLevel &L : S.Levels)
      Levels.push_back(ConstantStruct::get(
          LevelType, {Int(I32, L.Class), Int(I32, L.Period == SIOX_UNKNOWN ? 0 : L.Period),
                      Int(I64, L.Stride), Int(I64, L.Trip)}));
    for (unsigned Id : S.Origins)
      Origins.push_back(Model.Sites[Id].Descriptor);
    S.Descriptor->setInitializer(ConstantStruct::get(
        siteType(C),
        {Int(I64, S.Key), privateString(M, S.File), privateString(M, S.Function),
         privateString(M, S.Callee), Int(I32, S.Line), Int(I32, S.Column), Int(I32, S.Ordinal),
         Int(I32, flagsOf(S)), Int(I64, S.First), Int(I64, S.Size), Int(I32, Levels.size()),
         Int(I32, Origins.size()), privateArray(M, LevelType, Levels), privateArray(M, P, Origins),
         privateMask(M, S.Mask), ConstantPointerNull::get(cast<PointerType>(P))}));
  }
}

} // namespace siox
