/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Constant datatypes. Arrays of arguments are read where they are kept: a constant global, or a
// variable that is filled, with constants at constant places, before the call and nowhere else.
#include "analysis/Datatypes.h"
#include "model/MpiIo.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include <map>

using namespace llvm;

namespace siox {
namespace {

/// Constants of an mpi.h.
struct Flavour {
  int64_t OrderFortran, SpreadCyclic, SpreadNone, DefaultBlock;
};
constexpr Flavour Mpich = {57, 122, 123, -49767}, OpenMpi = {1, 1, 2, -1};

/// Which mpi.h a call was compiled with: where no handle is in sight, the module's other ones tell.
const Flavour &flavour(const CallBase &Call) {
  for (const GlobalVariable &G : Call.getModule()->globals())
    if (G.getName().starts_with(OpenMpiHandle))
      return OpenMpi;
  return Mpich;
}
constexpr int64_t MostElements = 4096;
constexpr unsigned MostDepth = 32;
/// Structs are padded to what their members are aligned to: at most to this.
constexpr int64_t Alignment = 16;

enum class Maker {
  None,
#define SIOX_DATATYPE(Name, Kind, Old, New) Kind,
#include "analysis/datatypes.def"
};

struct Row {
  const char *Name;
  Maker Kind;
  int Old, New;
};
constexpr Row Rows[] = {
#define SIOX_DATATYPE(Name, Kind, Old, New) {#Name, Maker::Kind, Old, New},
#include "analysis/datatypes.def"
};

const Row *rowOf(const CallBase &Call) {
  for (const Row &R : Rows)
    if (isCallOf(Call, R.Name) && int(Call.arg_size()) > R.New)
      return &R;
  return nullptr;
}

FileType owned(siox__filetype *Type) {
  return Type ? FileType(Type, siox__filetype_drop) : nullptr;
}

int64_t extentOf(const FileType &Type) { return siox__filetype_facts(Type.get())->extent; }

std::optional<int64_t> number(const CallBase &Call, unsigned Position) {
  const auto *C =
      Position < Call.arg_size() ? dyn_cast<ConstantInt>(Call.getArgOperand(Position)) : nullptr;
  if (C)
    return C->getSExtValue();
  return std::nullopt;
}

bool hasOwnBounds(Maker Kind) {
  return Kind == Maker::Subarray || Kind == Maker::Darray || Kind == Maker::Resized;
}

/// What is known of the bytes of a variable: constants by offset.
class Contents {
public:
  Contents(AllocaInst &Variable, CallBase &Before, DominatorTree &Tree)
      : Layout(Before.getModule()->getDataLayout()), Before(Before), Tree(Tree) {
    Good = look(Variable, 0);
  }

  Value *at(int64_t Offset, Type *Ty) const {
    if (!Good)
      return nullptr;
    // Two numbers may have been stored as one.
    auto It = Stored.upper_bound(Offset);
    if (It != Stored.begin()) {
      auto &[Start, Value] = *std::prev(It);
      int64_t Behind = Start + int64_t(Layout.getTypeStoreSize(Value->getType()));
      if (Start == Offset && Value->getType() == Ty)
        return Value;
      if (Behind > Offset) {
        auto *C = dyn_cast<Constant>(Value);
        return C && Behind >= Offset + int64_t(Layout.getTypeStoreSize(Ty))
                   ? ConstantFoldLoadFromConst(C, Ty, APInt(64, Offset - Start), Layout)
                   : nullptr;
      }
    }
    if (Image)
      return ConstantFoldLoadFromConst(Image, Ty, APInt(64, Offset), Layout);
    return nullptr;
  }

private:
  bool look(Value &Address, int64_t Offset) {
    for (User *U : Address.users()) {
      if (auto *Gep = dyn_cast<GetElementPtrInst>(U)) {
        APInt Step(64, 0);
        if (!Gep->accumulateConstantOffset(Layout, Step) ||
            !look(*Gep, Offset + Step.getSExtValue()))
          return false;
      } else if (auto *Store = dyn_cast<StoreInst>(U)) {
        if (Store->getValueOperand() == &Address || !store(*Store, Offset))
          return false;
      } else if (auto *Copy = dyn_cast<MemCpyInst>(U)) {
        if (Copy->getRawDest() == &Address && !copy(*Copy, Offset))
          return false;
      } else if (auto *Set = dyn_cast<MemSetInst>(U)) {
        auto *Byte = dyn_cast<ConstantInt>(Set->getValue());
        if (!Byte || !Byte->isZero() || Offset || Image || !Tree.dominates(Set, &Before))
          return false;
        Image = ConstantAggregateZero::get(
            ArrayType::get(Type::getInt8Ty(U->getContext()), MostElements * 8));
      } else if (!isa<LoadInst>(U) && !reads(*U)) {
        return false;
      }
    }
    return true;
  }

  /// MPI's makers of types only read what they are given by address, but for the new type.
  static bool reads(const User &U) {
    if (const auto *Intrinsic = dyn_cast<IntrinsicInst>(&U))
      return Intrinsic->isLifetimeStartOrEnd();
    const auto *Call = dyn_cast<CallBase>(&U);
    return Call && rowOf(*Call);
  }

  bool store(StoreInst &Store, int64_t Offset) {
    Value *V = Store.getValueOperand();
    if (!Tree.dominates(&Store, &Before) || !V->getType()->isIntOrPtrTy())
      return false;
    return Stored.try_emplace(Offset, V).second;
  }

  bool copy(MemCpyInst &Copy, int64_t Offset) {
    auto *From = dyn_cast<GlobalVariable>(Copy.getRawSource()->stripPointerCasts());
    if (!From || !From->isConstant() || !From->hasDefinitiveInitializer() || Offset || Image ||
        !Tree.dominates(&Copy, &Before))
      return false;
    Image = From->getInitializer();
    return true;
  }

  const DataLayout &Layout;
  CallBase &Before;
  DominatorTree &Tree;
  std::map<int64_t, Value *> Stored;
  Constant *Image = nullptr; ///< what it was set to as a whole
  bool Good = false;
};

} // namespace

uint64_t builtinSize(const Value *Datatype) {
  if (const auto *Global = dyn_cast<GlobalVariable>(Datatype)) {
    StringRef Name = Global->getName();
    return Name.consume_front(OpenMpiHandle) ? StringSwitch<uint64_t>(Name)
#define SIOX_BUILTIN(name, size) .Case(#name, size)
#include "analysis/datatypes.def"
                                                   .Default(0)
                                             : 0;
  }
  const auto *Handle = dyn_cast<ConstantInt>(Datatype);
  if (!Handle || Handle->getBitWidth() != 32 || Handle->getZExtValue() >> 24 != 0x4c)
    return 0;
  return Handle->getZExtValue() >> 8 & 0xff;
}

int typeMaker(const CallBase &Call) {
  const Row *R = rowOf(Call);
  return R ? R->New : -1;
}

std::optional<SmallVector<Value *, 8>> Datatypes::elements(Value *Address, int64_t N, Type *Ty,
                                                           CallBase &Before) {
  const DataLayout &Layout = Before.getModule()->getDataLayout();
  int64_t Bytes = int64_t(Layout.getTypeStoreSize(Ty));
  APInt Start(64, 0);
  Value *Base = Address->stripAndAccumulateConstantOffsets(Layout, Start, true);
  SmallVector<Value *, 8> List;
  if (N < 0 || N > MostElements)
    return std::nullopt;
  auto *Global = dyn_cast<GlobalVariable>(Base);
  auto *Variable = dyn_cast<AllocaInst>(Base);
  std::optional<Contents> Filled;
  if (Global && (!Global->isConstant() || !Global->hasDefinitiveInitializer()))
    return std::nullopt;
  if (Variable)
    Filled.emplace(*Variable, Before, FAM.getResult<DominatorTreeAnalysis>(*Before.getFunction()));
  for (int64_t I = 0; I < N; I++) {
    int64_t Offset = Start.getSExtValue() + I * Bytes;
    Value *V = nullptr;
    if (Global)
      V = ConstantFoldLoadFromConst(Global->getInitializer(), Ty, APInt(64, Offset), Layout);
    else if (Filled)
      V = Filled->at(Offset, Ty);
    if (!V)
      return std::nullopt;
    List.push_back(V);
  }
  return List;
}

std::optional<SmallVector<int64_t, 8>> Datatypes::numbers(Value *Address, int64_t N, unsigned Bytes,
                                                          CallBase &Before) {
  auto List = elements(Address, N, Type::getIntNTy(Before.getContext(), Bytes * 8), Before);
  SmallVector<int64_t, 8> Numbers;
  if (!List)
    return std::nullopt;
  for (Value *V : *List) {
    const auto *C = dyn_cast<ConstantInt>(V);
    if (!C)
      return std::nullopt;
    Numbers.push_back(C->getSExtValue());
  }
  return Numbers;
}

FileType Datatypes::listed(CallBase &Call, FileType Child, bool Blocks, bool Bytes) {
  auto N = number(Call, 0);
  auto Places = N ? numbers(Call.getArgOperand(2), *N, Bytes ? 8 : 4, Call) : std::nullopt;
  std::optional<SmallVector<int64_t, 8>> Counts;
  if (Places && Blocks)
    Counts = numbers(Call.getArgOperand(1), *N, 4, Call);
  else if (auto All = Places ? number(Call, 1) : std::nullopt)
    Counts.emplace(size_t(*N), *All);
  if (!Counts)
    return nullptr;
  if (!Bytes)
    for (int64_t &At : *Places)
      At *= extentOf(Child);
  siox__filetype *Of = Child.get();
  return owned(siox__filetype_list(*N, Places->data(), Counts->data(), &Of, 1));
}

FileType Datatypes::structure(CallBase &Call) {
  auto N = number(Call, 0);
  auto Counts = N ? numbers(Call.getArgOperand(1), *N, 4, Call) : std::nullopt;
  auto Places = Counts ? numbers(Call.getArgOperand(2), *N, 8, Call) : std::nullopt;
  LLVMContext &Context = Call.getContext();
  Type *Handle = &flavour(Call) == &OpenMpi ? (Type *)PointerType::getUnqual(Context)
                                            : Type::getInt32Ty(Context);
  auto Handles = Places ? elements(Call.getArgOperand(3), *N, Handle, Call) : std::nullopt;
  if (!Handles)
    return nullptr;
  SmallVector<FileType, 4> Types;
  SmallVector<siox__filetype *, 4> Children;
  for (Value *Handle : *Handles) {
    Types.push_back(of(Handle));
    if (!Types.back())
      return nullptr;
    Children.push_back(Types.back().get());
  }
  FileType Type =
      owned(siox__filetype_list(*N, Places->data(), Counts->data(), Children.data(), *N));
  return Type && extentOf(Type) % Alignment == 0 ? Type : nullptr;
}

FileType Datatypes::subarray(CallBase &Call, FileType Child) {
  auto N = number(Call, 0), Order = number(Call, 4);
  SmallVector<int64_t, 8> Given[3];
  for (unsigned I = 0; I < 3; I++) {
    auto List = N && Order ? numbers(Call.getArgOperand(1 + I), *N, 4, Call) : std::nullopt;
    if (!List)
      return nullptr;
    Given[I] = *List;
  }
  return owned(siox__filetype_subarray(Child.get(), int(*N), Given[0].data(), Given[1].data(),
                                       Given[2].data(), *Order == flavour(Call).OrderFortran));
}

FileType Datatypes::darray(CallBase &Call, FileType Child) {
  auto Self = number(Call, 1), N = number(Call, 2), Order = number(Call, 7);
  SmallVector<int64_t, 8> Given[4]; // sizes, distributions, blocks, processes
  for (unsigned I = 0; I < 4; I++) {
    auto List = Self && N && Order ? numbers(Call.getArgOperand(3 + I), *N, 4, Call) : std::nullopt;
    if (!List)
      return nullptr;
    Given[I] = *List;
  }
  const Flavour &Mpi = flavour(Call);
  SmallVector<siox__spread, 8> Spread(*N);
  SmallVector<int64_t, 8> At(*N);
  for (int64_t I = *N - 1; I >= 0; I--) {
    int64_t How = Given[1][I], &Block = Given[2][I], &Procs = Given[3][I];
    Spread[I] = How == Mpi.SpreadNone     ? SIOX__SPREAD_NONE
                : How == Mpi.SpreadCyclic ? SIOX__SPREAD_CYCLIC
                                          : SIOX__SPREAD_BLOCK;
    Block = Block == Mpi.DefaultBlock ? 0 : Block;
    Procs = Procs > 0 ? Procs : 1;
    At[I] = *Self % Procs;
    *Self /= Procs;
  }
  return owned(siox__filetype_darray(Child.get(), int(*N), Given[0].data(), Spread.data(),
                                     Given[2].data(), Given[3].data(), At.data(),
                                     *Order == Mpi.OrderFortran));
}

FileType Datatypes::make(CallBase &Call) {
  const Row *R = rowOf(Call);
  if (hasOwnBounds(R->Kind) && Depth > 1)
    return nullptr;
  if (R->Kind == Maker::Struct)
    return structure(Call);
  FileType Child = of(Call.getArgOperand(R->Old));
  if (!Child)
    return nullptr;
  siox__filetype *Of = Child.get();
  auto A = number(Call, 0), B = number(Call, 1), C = number(Call, 2);
  switch (R->Kind) {
  case Maker::Contiguous:
    return A ? owned(siox__filetype_repeat(Of, 0, *A, extentOf(Child))) : nullptr;
  case Maker::Vector:
  case Maker::Hvector: {
    if (!A || !B || !C)
      return nullptr;
    FileType Block = owned(siox__filetype_repeat(Of, 0, *B, extentOf(Child)));
    int64_t Stride = R->Kind == Maker::Vector ? *C * extentOf(Child) : *C;
    return Block ? owned(siox__filetype_repeat(Block.get(), 0, *A, Stride)) : nullptr;
  }
  case Maker::Indexed:
    return listed(Call, Child, true, false);
  case Maker::Hindexed:
    return listed(Call, Child, true, true);
  case Maker::IndexedBlock:
    return listed(Call, Child, false, false);
  case Maker::HindexedBlock:
    return listed(Call, Child, false, true);
  case Maker::Subarray:
    return subarray(Call, Child);
  case Maker::Darray:
    return darray(Call, Child);
  case Maker::Resized:
    return B && C ? owned(siox__filetype_resized(Of, *B, *C)) : nullptr;
  case Maker::Dup:
    return Child;
  default:
    return nullptr;
  }
}

FileType Datatypes::of(Value *Handle) {
  if (uint64_t Size = builtinSize(Handle))
    return owned(siox__filetype_bytes(int64_t(Size)));
  if (isa<Constant>(Handle) || Depth == MostDepth)
    return nullptr;
  if (auto It = Known.find(Handle); It != Known.end())
    return It->second;
  Origins O = Walker.ofValue(Handle);
  FileType Type;
  if (O.Makers.size() == 1 && !O.Unresolved && !O.OpenWorld && !O.Indexed) {
    Depth++;
    Type = make(*O.Makers.front());
    Depth--;
  }
  // What lies inside another type may be refused for that alone.
  return Depth ? Type : Known[Handle] = Type;
}

} // namespace siox
