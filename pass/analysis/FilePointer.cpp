/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Shadow file pointers. Before and after, for one file:
//
//   MPI_File_open(.., &fh);            position = 0, displacement = 0, etype = 1
//   for (k = 0; k < n; k++) {
//     MPI_File_seek(fh, k * 8192, SEEK_SET);   position = k * 8192 * etype
//     MPI_File_read(fh, b, 64, MPI_DOUBLE, s); siox.access(displacement + position, 64 * 8);
//     position += 64 * 8
//   }
//
// All are i64 allocas, promoted at the end; positions are bytes of data from the start of the view.
// Promotion takes time with the length of the function for each, so only those that something reads
// are made: positions of files that are read or written there without an offset, the rest where the
// module sets views.
// A file is known by the MPI_File_open call that made its handle. A handle that may be one of
// several files has no position.
#include "analysis/FilePointer.h"
#include "analysis/Datatypes.h"
#include "analysis/Origin.h"
#include "model/MpiIo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include <array>

using namespace llvm;

namespace siox {
namespace {

// MPICH and Open MPI agree on these (MPI-IO came to both from ROMIO).
enum { SeekSet = 600, SeekCurrent = 602, ModeAppend = 128 };

/// Null where nothing reads it: without views, displacements are 0 and etypes 1.
struct Shadow {
  AllocaInst *Position = nullptr, *Displacement = nullptr, *Etype = nullptr;
  AllocaInst *View = nullptr; ///< number of its type, 0: data lies in the file as it is

  std::array<AllocaInst *, 4> all() const { return {Position, Displacement, Etype, View}; }
};

class Tracker {
public:
  explicit Tracker(OptimisticClone &Clone)
      : M(Clone.module()), Walker(Clone.analyses(), fileMaker), Types(Clone.analyses()),
        I64(Type::getInt64Ty(M.getContext())) {}
  void run();
  std::vector<FileType> Views; ///< types with holes; a file's View is its place here + 1
  bool HasVariables = false;   ///< that are not promoted yet

private:
  void collect(Function &F);
  void rewrite(Function &F);
  const Value *keyOf(CallBase &Call, const CallInfo &Info);
  Value *opaque(IRBuilder<> &B, StringRef Reason);
  Value *sizeOf(IRBuilder<> &B, Value *Datatype);
  Value *wide(IRBuilder<> &B, Value *V) { return B.CreateSExtOrTrunc(V, I64); }
  Value *load(IRBuilder<> &B, AllocaInst *A, int64_t Absent) {
    return A ? static_cast<Value *>(B.CreateLoad(I64, A)) : B.getInt64(Absent);
  }
  static void store(IRBuilder<> &B, Value *V, AllocaInst *A) {
    if (A)
      B.CreateStore(V, A);
  }

  void open(CallBase &Call, Shadow &S);
  void seek(CallBase &Call, const CallInfo &Info, Shadow &S);
  void view(CallBase &Call, const CallInfo &Info, const FileType &Type, Shadow &S);
  void data(CallBase &Call, const CallInfo &Info, Shadow *S);
  void forget(Instruction &After, StringRef Reason);

  struct Use {
    CallBase *Call;
    const CallInfo *Info;
    const Value *Key; ///< null: may be one of several files
    FileType Type;    ///< VIEW: of the file, where it is made of constants
  };
  void makeShadows(Function &F, ArrayRef<Use> Here);
  AllocaInst *shadow(Function &F);

  Module &M;
  OriginWalker Walker;
  Datatypes Types;
  Type *I64;
  MapVector<Function *, SmallVector<Use, 8>> Uses;
  DenseSet<const Function *> Reaching;         ///< functions that use files, and their callers
  bool HasViews = false;                       ///< without any, every file keeps its default view
  DenseMap<const Value *, uint64_t> TypeSizes; ///< constant sizes of derived types, by handle
  DenseMap<const Value *, Shadow> Shadows;     ///< of the function at hand
};

/// It moves the file pointer of the process.
bool usesOwnPointer(const CallInfo &Info) {
  return Info.Pointer != SIOX_POINTER_EXPLICIT && Info.Pointer != SIOX_POINTER_SHARED;
}

/// The instruction after which a call has happened on its normal way out.
Instruction *afterCall(CallBase &Call) {
  if (auto *Invoke = dyn_cast<InvokeInst>(&Call))
    return &*Invoke->getNormalDest()->getFirstInsertionPt();
  return Call.getNextNode();
}

/// Where a handle comes from when no open is in sight: its storage, or itself.
const Value *identity(Value *Handle) {
  if (auto *Load = dyn_cast<LoadInst>(Handle))
    if (const Value *Base = Load->getPointerOperand()->stripInBoundsConstantOffsets();
        isa<AllocaInst>(Base) || isa<GlobalVariable>(Base) || isa<Argument>(Base))
      return Load->getPointerOperand();
  return Handle;
}

const Value *Tracker::keyOf(CallBase &Call, const CallInfo &Info) {
  if (Info.Class == SIOX_CLASS_OPEN)
    return &Call;
  Value *Handle = argument(Call, Info.File);
  Origins O = Walker.ofValue(Handle);
  if (O.Indexed || O.Makers.size() > 1 || (O.Unresolved && !O.Makers.empty()))
    return nullptr;
  return O.Makers.empty() ? identity(Handle) : O.Makers.front();
}

void Tracker::collect(Function &F) {
  for (Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    const CallInfo *Info = Call ? lookupCall(*Call) : nullptr;
    if (!Info || !argument(*Call, Info->File))
      continue;
    bool Matters = Info->Class == SIOX_CLASS_OPEN || Info->Class == SIOX_CLASS_VIEW ||
                   (Info->Class == SIOX_CLASS_SEEK && Info->Pointer == SIOX_POINTER_INDIVIDUAL) ||
                   Info->movesData();
    if (!Matters)
      continue;
    Value *Filetype = Info->Class == SIOX_CLASS_VIEW ? argument(*Call, 3) : nullptr;
    Uses[&F].push_back({Call, Info, keyOf(*Call, *Info), Filetype ? Types.of(Filetype) : nullptr});
    HasViews |= Info->Class == SIOX_CLASS_VIEW;
    if (Value *Datatype = argument(*Call, Info->Datatype);
        Info->movesData() && Datatype && !isa<Constant>(Datatype))
      if (FileType Type = Types.of(Datatype))
        TypeSizes[Datatype] = siox__filetype_facts(Type.get())->size;
  }
}

/// A fresh unknown value; the reason ends up in reports.
Value *Tracker::opaque(IRBuilder<> &B, StringRef Reason) {
  FunctionCallee Callee = M.getOrInsertFunction((OpaquePrefix + Reason).str(), I64);
  auto *F = cast<Function>(Callee.getCallee());
  F->setDoesNotThrow();
  F->addFnAttr(Attribute::WillReturn);
  F->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
  return B.CreateCall(Callee);
}

Value *Tracker::sizeOf(IRBuilder<> &B, Value *Datatype) {
  if (uint64_t Size = builtinSize(Datatype))
    return B.getInt64(Size);
  if (auto Known = TypeSizes.find(Datatype); Known != TypeSizes.end())
    return B.getInt64(Known->second);
  // The same type always has the same size, whatever it is.
  std::string Name = std::string(OpaquePrefix) + "derived datatype" +
                     (Datatype->getType()->isPointerTy() ? " by address" : "");
  FunctionCallee Callee = M.getOrInsertFunction(Name, I64, Datatype->getType());
  auto *F = cast<Function>(Callee.getCallee());
  F->setDoesNotThrow();
  F->addFnAttr(Attribute::WillReturn);
  F->setMemoryEffects(MemoryEffects::none());
  return B.CreateCall(Callee, {Datatype});
}

/// A fresh variable, before its file is opened.
AllocaInst *Tracker::shadow(Function &F) {
  BasicBlock &Block = F.getEntryBlock();
  IRBuilder<> B(&Block, Block.getFirstNonPHIOrDbgOrAlloca());
  AllocaInst *Variable = B.CreateAlloca(I64);
  HasVariables = true;
  B.CreateStore(opaque(B, "file opened elsewhere"), Variable);
  return Variable;
}

void Tracker::makeShadows(Function &F, ArrayRef<Use> Here) {
  for (const Use &U : Here) {
    if (!U.Key)
      continue;
    auto [Entry, New] = Shadows.try_emplace(U.Key);
    Shadow &S = Entry->second;
    if (New && HasViews)
      for (AllocaInst **Variable : {&S.Displacement, &S.Etype, &S.View})
        *Variable = shadow(F);
    if (!S.Position && U.Info->isData() && usesOwnPointer(*U.Info))
      S.Position = shadow(F);
  }
}

void Tracker::open(CallBase &Call, Shadow &S) {
  IRBuilder<> B(afterCall(Call));
  const auto *Mode = dyn_cast_or_null<ConstantInt>(argument(Call, 2));
  bool Append = Mode && Mode->getZExtValue() & ModeAppend;
  if (S.Position)
    B.CreateStore(Append ? opaque(B, "end of the file") : B.getInt64(0), S.Position);
  store(B, B.getInt64(0), S.Displacement);
  store(B, B.getInt64(1), S.Etype);
  store(B, B.getInt64(0), S.View);
}

void Tracker::seek(CallBase &Call, const CallInfo &Info, Shadow &S) {
  if (!S.Position)
    return;
  IRBuilder<> B(afterCall(Call));
  const auto *Whence = dyn_cast_or_null<ConstantInt>(argument(Call, 2));
  Value *Bytes = B.CreateMul(wide(B, argument(Call, Info.Offset)), load(B, S.Etype, 1));
  if (Whence && Whence->equalsInt(SeekSet))
    B.CreateStore(Bytes, S.Position);
  else if (Whence && Whence->equalsInt(SeekCurrent))
    B.CreateStore(B.CreateAdd(load(B, S.Position, 0), Bytes), S.Position);
  else
    B.CreateStore(opaque(B, Whence ? "end of the file" : "seek with a variable origin"),
                  S.Position);
}

bool isContiguous(const struct siox__filetype_facts &F) {
  return F.lower == 0 && F.true_lower == 0 && F.size == F.extent && F.size == F.true_upper;
}

void Tracker::view(CallBase &Call, const CallInfo &Info, const FileType &Type, Shadow &S) {
  IRBuilder<> B(afterCall(Call));
  Value *Etype = argument(Call, 2);
  const struct siox__filetype_facts *F = Type ? siox__filetype_facts(Type.get()) : nullptr;
  bool Usable = F && F->size > 0 && F->rising && F->exact && F->extent > 0;
  store(B, B.getInt64(0), S.Position);
  B.CreateStore(B.getInt64(0), S.View);
  if (Etype && Usable) {
    B.CreateStore(wide(B, argument(Call, Info.Offset)), S.Displacement);
    B.CreateStore(sizeOf(B, Etype), S.Etype);
    if (!isContiguous(*F)) {
      Views.push_back(Type);
      B.CreateStore(B.getInt64(Views.size()), S.View);
    }
  } else {
    B.CreateStore(opaque(B, "file view with a derived type"), S.Displacement);
    B.CreateStore(opaque(B, "file view with a derived type"), S.Etype);
  }
}

void Tracker::data(CallBase &Call, const CallInfo &Info, Shadow *S) {
  IRBuilder<> B(&Call);
  Value *Datatype = argument(Call, Info.Datatype), *Count = argument(Call, Info.Count);
  if (!Datatype || !Count)
    return;
  Value *Size = B.CreateMul(wide(B, Count), sizeOf(B, Datatype)), *Offset;
  if (Info.Pointer == SIOX_POINTER_SHARED)
    Offset = opaque(B, "shared file pointer");
  else if (Info.Pointer == SIOX_POINTER_EXPLICIT && !HasViews)
    Offset = wide(B, argument(Call, Info.Offset));
  else if (!S)
    Offset = opaque(B, "handle of one of several files");
  else if (Info.Pointer == SIOX_POINTER_EXPLICIT)
    Offset = B.CreateAdd(load(B, S->Displacement, 0),
                         B.CreateMul(wide(B, argument(Call, Info.Offset)), load(B, S->Etype, 1)));
  else if (!HasViews)
    Offset = load(B, S->Position, 0);
  else
    Offset = B.CreateAdd(load(B, S->Displacement, 0), load(B, S->Position, 0));
  Value *View = S ? load(B, S->View, 0) : B.getInt64(0);
  Value *Displacement = S ? load(B, S->Displacement, 0) : B.getInt64(0);
  Value *Inside = HasViews ? B.CreateSub(Offset, Displacement) : Offset;
  FunctionCallee Marker =
      M.getOrInsertFunction(AccessMarker, Type::getVoidTy(M.getContext()), I64, I64, I64, I64, I64);
  auto *F = cast<Function>(Marker.getCallee());
  F->setDoesNotThrow();
  F->addFnAttr(Attribute::WillReturn);
  F->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
  B.CreateCall(Marker, {Offset, Size, View, Inside, Displacement});
  if (S && S->Position && Info.Pointer == SIOX_POINTER_INDIVIDUAL) {
    B.SetInsertPoint(afterCall(Call));
    B.CreateStore(B.CreateAdd(load(B, S->Position, 0), Size), S->Position);
  }
}

/// After something that may have moved any file's pointer or view.
void Tracker::forget(Instruction &After, StringRef Reason) {
  IRBuilder<> B(&After);
  for (auto &[Key, S] : Shadows)
    for (AllocaInst *Variable : S.all())
      if (Variable)
        B.CreateStore(opaque(B, Reason), Variable);
}

void Tracker::rewrite(Function &F) {
  Shadows.clear();
  SmallVector<Use, 8> &Here = Uses[&F];
  SmallVector<CallBase *, 8> Unknown; // calls of functions that were not inlined and do I/O
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I))
      if (Function *Callee = Call->getCalledFunction(); Callee && Reaching.contains(Callee))
        Unknown.push_back(Call);
  makeShadows(F, Here);
  for (Use &U : Here) {
    Shadow *S = U.Key ? &Shadows.find(U.Key)->second : nullptr;
    if (U.Info->isData())
      data(*U.Call, *U.Info, S);
    if (!S && usesOwnPointer(*U.Info))
      forget(*afterCall(*U.Call), "handle of one of several files");
    else if (U.Info->Class == SIOX_CLASS_OPEN)
      open(*U.Call, *S);
    else if (U.Info->Class == SIOX_CLASS_SEEK)
      seek(*U.Call, *U.Info, *S);
    else if (U.Info->Class == SIOX_CLASS_VIEW)
      view(*U.Call, *U.Info, U.Type, *S);
  }
  for (CallBase *Call : Unknown)
    forget(*afterCall(*Call), "call of a function that was not inlined");
}

void Tracker::run() {
  for (Function &F : M)
    collect(F);
  SmallVector<Function *, 8> Changed;
  for (auto &[F, List] : Uses)
    Changed.push_back(F);
  SmallVector<const Function *, 8> Work(Changed.begin(), Changed.end());
  while (!Work.empty()) {
    const Function *F = Work.pop_back_val();
    if (Reaching.insert(F).second)
      for (const User *U : F->users())
        if (const auto *Call = dyn_cast<CallBase>(U))
          Work.push_back(Call->getFunction());
  }
  for (Function *F : Changed)
    rewrite(*F);
}

} // namespace

std::vector<FileType> trackFilePointers(OptimisticClone &Clone) {
  Tracker T(Clone);
  T.run();
  for (Function &F : Clone.module())
    Clone.analyses().invalidate(F, PreservedAnalyses::none());
  // Other markers only use what has been simplified already.
  if (T.HasVariables)
    Clone.simplify(
        "function(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,loop-mssa(licm),"
        "siox-hoist,simplifycfg)");
  return std::move(T.Views);
}

} // namespace siox
