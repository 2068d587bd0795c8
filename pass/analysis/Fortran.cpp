/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Fortran hands over everything by address and gets the error code in its last argument:
//
//   call mpi_file_read_at_(&fh, &offset, b, &count, &type, status, &ierr)       becomes
//   ierr = MPI_File_read_at.fortran(fh, offset, b, count, type, status)
//
// where fh, offset, ... are loads before the call. Handles stay integers of 4 bytes. Character
// arguments have their lengths behind the last argument and are padded with blanks; C's string
// takes their place as soon as the text is a constant:
//
//   call mpi_info_set_(&info, key, value, &ierr, 15, 1)                         becomes
//   ierr = MPI_Info_set.fortran(info, siox.string(key, 15), siox.string(value, 1))
//
// A choice buffer that comes as a descriptor (MPI 4.0 section 19.1.5) is what its first field
// points to.
#include "analysis/Fortran.h"
#include "model/MpiIo.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace siox {
namespace {

const char StringMarker[] = "siox.string";
/// A Fortran call that does not look as it should keeps its arguments and gets this in front of its
/// name, so that nobody takes them for those of C.
const char Unread[] = "unread.";

struct Shape {
  StringRef Routine;
  std::string Letters;
};

/// Letters for a row of mpiio.def, "" where its roles do not tell (fortran.def has them then).
std::string lettersOf(const CallInfo &Info) {
  if (Info.Class == SIOX_CLASS_OPEN)
    return "ISIIA";
  if (Info.Class == SIOX_CLASS_CLOSE)
    return "A";
  if (Info.Class == SIOX_CLASS_DELETE)
    return "SI";
  if (Info.Class == SIOX_CLASS_VIEW)
    return "ILIISI";
  if (Info.Class == SIOX_CLASS_SEEK)
    return "ILI";
  if (Info.Class == SIOX_CLASS_SIZE)
    return "IL";
  if (Info.Class == SIOX_CLASS_SYNC)
    return "I";
  if (!Info.isData())
    return "";
  bool HasLast = Info.Span != SIOX_SPAN_BEGIN; // a status or request
  int Last = std::max({Info.File, Info.Offset, Info.Buffer, Info.Count, Info.Datatype});
  std::string Letters(Last + 1 + HasLast, 'A');
  auto Set = [&](int Position, char Letter) {
    if (Position >= 0)
      Letters[Position] = Letter;
  };
  Set(Info.File, 'I');
  Set(Info.Offset, 'L');
  Set(Info.Buffer, 'B');
  Set(Info.Count, Info.Width == SIOX_WIDTH_LARGE ? 'L' : 'I');
  Set(Info.Datatype, 'I');
  return Letters;
}

std::optional<Shape> shapeOf(StringRef Name, const MpiName &Parsed) {
  static const StringMap<Shape> Others = [] {
    StringMap<Shape> Map;
#define SIOX_FORTRAN(routine, letters) Map[StringRef(#routine).lower()] = {#routine, letters};
#include "analysis/fortran.def"
#undef SIOX_FORTRAN
    return Map;
  }();
  if (const CallInfo *Info = lookupCall(Name))
    if (std::string Letters = lettersOf(*Info); !Letters.empty())
      return Shape{Info->Name, Letters};
  auto Found = Others.find(Parsed.Routine);
  return Found == Others.end() ? std::nullopt : std::optional<Shape>(Found->second);
}

/// One call, as C writes it. False: the call is not what its name promises.
bool rewrite(CallInst &Call, const Shape &S, Binding By) {
  unsigned Count = S.Letters.size();
  if (Call.arg_size() < Count || !Call.getType()->isVoidTy())
    return false;
  for (unsigned I = 0; I < Count; ++I)
    if (!Call.getArgOperand(I)->getType()->isPointerTy())
      return false;
  Module &M = *Call.getModule();
  IRBuilder<> B(&Call);
  Type *Pointer = B.getPtrTy(), *Int = B.getInt32Ty(), *Long = B.getInt64Ty();
  SmallVector<Value *, 8> Arguments;
  SmallVector<Type *, 8> Types;
  unsigned Length = Count + 1; // of the next string; the error code stands before the lengths
  for (unsigned I = 0; I < Count; ++I) {
    Value *V = Call.getArgOperand(I);
    if (S.Letters[I] == 'I' || S.Letters[I] == 'L')
      V = B.CreateLoad(S.Letters[I] == 'I' ? Int : Long, V);
    else if (S.Letters[I] == 'B' && By == Binding::Descriptor)
      V = B.CreateLoad(Pointer, V);
    else if (S.Letters[I] == 'S' && Length < Call.arg_size() &&
             Call.getArgOperand(Length)->getType()->isIntegerTy())
      V = B.CreateCall(M.getOrInsertFunction(StringMarker, Pointer, Pointer, Long),
                       {V, B.CreateZExtOrTrunc(Call.getArgOperand(Length++), Long)});
    Arguments.push_back(V);
    Types.push_back(V->getType());
  }
  FunctionCallee C = M.getOrInsertFunction((S.Routine + FortranSuffix).str(),
                                           FunctionType::get(Int, Types, false));
  CallInst *New = B.CreateCall(C, Arguments);
  if (Call.arg_size() > Count)
    if (Value *Error = Call.getArgOperand(Count);
        Error->getType()->isPointerTy() && !isa<ConstantPointerNull>(Error))
      B.CreateStore(New, Error);
  Call.eraseFromParent();
  return true;
}

void setAside(CallBase &Call) {
  Module &M = *Call.getModule();
  std::string Name = (Unread + calledRoutine(Call)->getName()).str();
  Call.setCalledFunction(M.getOrInsertFunction(Name, Call.getFunctionType()));
}

/// What an instruction copies whole from a constant to a variable: {constant, variable}, or nulls.
/// A string of one character is loaded and stored.
std::pair<GlobalVariable *, AllocaInst *> copiedConstant(Instruction &I) {
  GlobalVariable *Source = nullptr;
  AllocaInst *Local = nullptr;
  if (auto *Copy = dyn_cast<MemTransferInst>(&I)) {
    Source = dyn_cast<GlobalVariable>(Copy->getSource());
    Local = dyn_cast<AllocaInst>(Copy->getDest());
  } else if (auto *Store = dyn_cast<StoreInst>(&I)) {
    auto *Load = dyn_cast<LoadInst>(Store->getValueOperand());
    if (Load && Load->getType()->isArrayTy())
      Source = dyn_cast<GlobalVariable>(Load->getPointerOperand());
    Local = dyn_cast<AllocaInst>(Store->getPointerOperand());
  }
  bool Both = Source && Local && Source->isConstant();
  return {Both ? Source : nullptr, Both ? Local : nullptr};
}

/// A constant actual argument lies in a copy of its own:
///   memmove(copy, "data", 4); call sub(copy)      becomes      call sub("data")
/// Nobody may write to it (Fortran 2018, 15.5.2.4).
void uncopyConstants(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto [Source, Local] = copiedConstant(I);
    if (!Source)
      continue;
    bool OnlyHandedOver = all_of(Local->users(), [&](const User *U) {
      const auto *Intrinsic = dyn_cast<IntrinsicInst>(U);
      return U == &I || (isa<CallBase>(U) && !Intrinsic) ||
             (Intrinsic && Intrinsic->isLifetimeStartOrEnd());
    });
    if (!OnlyHandedOver)
      continue;
    Local->replaceUsesWithIf(
        Source, [&](Use &U) { return U.getUser() != &I && !isa<IntrinsicInst>(U.getUser()); });
    I.eraseFromParent();
  }
}

bool isFortran(const Function &F) {
  std::optional<MpiName> Parsed = parseMpiName(F.getName());
  return Parsed && Parsed->By != Binding::C && F.isDeclaration();
}

/// Text of a constant; also where the linker may choose among equal copies, which constants of a
/// Fortran program are named to be.
std::optional<StringRef> textOf(const Value *Address, uint64_t Length) {
  const auto *GV = dyn_cast<GlobalVariable>(Address->stripPointerCasts());
  if (!GV || !GV->isConstant() || !GV->hasInitializer())
    return std::nullopt;
  const auto *Data = dyn_cast<ConstantDataSequential>(GV->getInitializer());
  if (!Data || !Data->isString() || Data->getAsString().size() < Length)
    return std::nullopt;
  return Data->getAsString().take_front(Length).rtrim(' ');
}

} // namespace

bool usesFortran(const Module &M) { return any_of(M, isFortran); }

void writeFortranInC(Module &Clone) {
  SmallVector<Function *, 32> Routines;
  for (Function &F : Clone)
    if (isFortran(F))
      Routines.push_back(&F);
    else if (!F.isDeclaration())
      uncopyConstants(F);
  for (Function *F : Routines) {
    MpiName Parsed = *parseMpiName(F->getName());
    std::optional<Shape> S = shapeOf(F->getName(), Parsed);
    for (User *U : make_early_inc_range(F->users())) {
      auto *Call = dyn_cast<CallBase>(U);
      if (!Call || calledRoutine(*Call) != F)
        continue;
      if (auto *Invoke = dyn_cast<InvokeInst>(Call))
        Call = changeToCall(Invoke); // MPI does not throw
      auto *Plain = dyn_cast<CallInst>(Call);
      bool Done = S && Plain && rewrite(*Plain, *S, Parsed.By);
      if (!Done && lookupCall(F->getName()))
        setAside(*Call);
    }
  }
}

void readFortranStrings(Module &Clone) {
  Function *Marker = Clone.getFunction(StringMarker);
  if (!Marker)
    return;
  for (User *U : make_early_inc_range(Marker->users())) {
    auto *Call = cast<CallInst>(U);
    const auto *Length = dyn_cast<ConstantInt>(Call->getArgOperand(1));
    std::optional<StringRef> Text =
        Length ? textOf(Call->getArgOperand(0), Length->getZExtValue()) : std::nullopt;
    if (!Text)
      continue;
    Constant *Value = ConstantDataArray::getString(Clone.getContext(), *Text);
    auto *String = new GlobalVariable(Clone, Value->getType(), /*isConstant=*/true,
                                      GlobalValue::PrivateLinkage, Value, "siox.text");
    Call->replaceAllUsesWith(String);
    Call->eraseFromParent();
  }
}

} // namespace siox
