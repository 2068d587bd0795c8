/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Declarations from abi.def, descriptor types, constants and keys.
#include "model/Abi.h"
#include "common/hash.h"
#include "siox/site.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include <cstddef>

using namespace llvm;

namespace siox {

static Type *abiType(LLVMContext &C, char Kind) {
  switch (Kind) {
  case 'V':
    return Type::getVoidTy(C);
  case 'I':
    return Type::getInt32Ty(C);
  case 'L':
    return Type::getInt64Ty(C);
  default:
    return PointerType::getUnqual(C);
  }
}

/// Parameters are the row's text, "(P, L)": one letter a parameter.
static FunctionType *abiSignature(LLVMContext &C, StringRef Wanted) {
  static const struct {
    const char *Name;
    char Return;
    const char *Parameters;
  } Rows[] = {
#define SIOX_ABI(ret, name, parameters, help) {#name, #ret[0], #parameters},
#include "siox/abi.def"
#undef SIOX_ABI
  };
  for (const auto &Row : Rows) {
    if (Wanted != Row.Name)
      continue;
    SmallVector<Type *, 6> Parameters;
    for (const char *P = Row.Parameters; *P; ++P)
      if (isUpper(*P))
        Parameters.push_back(abiType(C, *P));
    return FunctionType::get(abiType(C, Row.Return), Parameters, false);
  }
  llvm_unreachable("not an entry point of abi.def");
}

Function *abiFunction(Module &M, StringRef Name) {
  auto *F = dyn_cast<Function>(
      M.getOrInsertFunction(Name, abiSignature(M.getContext(), Name)).getCallee());
  if (F && F->isDeclaration()) {
    F->setDoesNotThrow();
    F->addFnAttr(Attribute::WillReturn);
    F->addFnAttr(Attribute::NoFree);
    F->setMemoryEffects(MemoryEffects::inaccessibleOrArgMemOnly());
    for (Argument &A : F->args()) // they are never kept: variables of the program stay its own
      if (Name == "siox_region_files" && A.getArgNo() > 0)
        A.addAttrs(AttrBuilder(M.getContext())
                       .addAttribute(Attribute::NoCapture)
                       .addAttribute(Attribute::ReadOnly));
  }
  return F;
}

StructType *siteType(LLVMContext &C) {
  if (StructType *T = StructType::getTypeByName(C, "struct.siox_site"))
    return T;
  Type *I32 = Type::getInt32Ty(C), *I64 = Type::getInt64Ty(C), *P = PointerType::getUnqual(C);
  static_assert(sizeof(siox_site) == 104 && offsetof(siox_site, levels) == 72, "siteType");
  return StructType::create(C, {I64, P, P, P, I32, I32, I32, I32, I64, I64, I32, I32, P, P, P, P},
                            "struct.siox_site");
}

StructType *regionType(LLVMContext &C) {
  if (StructType *T = StructType::getTypeByName(C, "struct.siox_region"))
    return T;
  Type *I32 = Type::getInt32Ty(C), *I64 = Type::getInt64Ty(C), *P = PointerType::getUnqual(C);
  static_assert(sizeof(siox_region) == 136 && offsetof(siox_region, measured_ns) == 128,
                "regionType");
  return StructType::create(C, {I64, P, P,   I32, I32, I32, I32, I64, I64, I32, I32,
                                P,   P, I32, I32, P,   P,   I32, I32, I64, P,   I64},
                            "struct.siox_region");
}

StructType *farType(LLVMContext &C) {
  if (StructType *T = StructType::getTypeByName(C, "struct.siox_region_far"))
    return T;
  Type *I32 = Type::getInt32Ty(C), *P = PointerType::getUnqual(C);
  static_assert(sizeof(siox_region_far) == 48 && offsetof(siox_region_far, nnext) == 24, "farType");
  return StructType::create(C, {P, P, P, I32, I32, I32, I32, I32, I32}, "struct.siox_region_far");
}

StructType *fileUseType(LLVMContext &C) {
  if (StructType *T = StructType::getTypeByName(C, "struct.siox_file_use"))
    return T;
  Type *I32 = Type::getInt32Ty(C), *P = PointerType::getUnqual(C);
  static_assert(sizeof(siox_file_use) == 40 && offsetof(siox_file_use, outside) == 32,
                "fileUseType");
  return StructType::create(C, {P, P, P, I32, I32, I32, I32}, "struct.siox_file_use");
}

StructType *fileUsesType(LLVMContext &C) {
  if (StructType *T = StructType::getTypeByName(C, "struct.siox_file_uses"))
    return T;
  Type *I32 = Type::getInt32Ty(C);
  static_assert(sizeof(siox_file_uses) == 16, "fileUsesType");
  return StructType::create(C, {PointerType::getUnqual(C), I32, I32}, "struct.siox_file_uses");
}

StructType *whenType(LLVMContext &C) {
  if (StructType *T = StructType::getTypeByName(C, "struct.siox_steps_when"))
    return T;
  Type *I32 = Type::getInt32Ty(C), *I64 = Type::getInt64Ty(C), *P = PointerType::getUnqual(C);
  static_assert(sizeof(siox_steps_when) == 112 && offsetof(siox_steps_when, step) == 48,
                "whenType");
  return StructType::create(
      C, {P, P, P, P, I32, I32, I32, I32, I64, I64, I64, I32, I32, I32, I32, P, P, I32, I32},
      "struct.siox_steps_when");
}

StructType *maskType(LLVMContext &C) {
  if (StructType *T = StructType::getTypeByName(C, "struct.siox_mask"))
    return T;
  Type *I32 = Type::getInt32Ty(C);
  return StructType::create(C, {I32, I32, PointerType::getUnqual(C)}, "struct.siox_mask");
}

/// One variable for what is needed more than once.
static GlobalVariable *privateConstant(Module &M, Constant *Value, StringRef Name) {
  for (User *U : Value->users())
    if (auto *GV = dyn_cast<GlobalVariable>(U))
      if (GV->getParent() == &M && GV->isConstant() && GV->hasPrivateLinkage() &&
          GV->getName().starts_with(Name))
        return GV;
  auto *GV =
      new GlobalVariable(M, Value->getType(), true, GlobalValue::PrivateLinkage, Value, Name);
  GV->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  return GV;
}

Constant *privateString(Module &M, StringRef Text) {
  GlobalVariable *GV =
      privateConstant(M, ConstantDataArray::getString(M.getContext(), Text), "siox.str");
  GV->setAlignment(Align(1));
  return GV;
}

Constant *privateArray(Module &M, Type *Element, ArrayRef<Constant *> Values) {
  if (Values.empty())
    return ConstantPointerNull::get(PointerType::getUnqual(M.getContext()));
  return privateConstant(M, ConstantArray::get(ArrayType::get(Element, Values.size()), Values),
                         "siox.list");
}

Constant *privateMask(Module &M, StringRef Text) {
  LLVMContext &C = M.getContext();
  if (Text.empty())
    return ConstantPointerNull::get(PointerType::getUnqual(C));
  SmallVector<uint64_t, 2> Words(siox_mask_words(Text.size()), 0);
  for (size_t Disk = 0; Disk < Text.size(); ++Disk)
    if (Text[Disk] == '1')
      Words[Disk / 64] |= uint64_t(1) << (Disk % 64);
  Constant *Bits =
      privateConstant(M, ConstantDataArray::get(C, ArrayRef<uint64_t>(Words)), "siox.words");
  Type *I32 = Type::getInt32Ty(C);
  return privateConstant(M,
                         ConstantStruct::get(maskType(C), {ConstantInt::get(I32, Text.size()),
                                                           ConstantInt::get(I32, 0), Bits}),
                         "siox.mask");
}

GlobalVariable *newDescriptor(Module &M, StructType *Type, StringRef Section, const Twine &Name) {
  auto *GV = new GlobalVariable(M, Type, false, GlobalValue::InternalLinkage,
                                Constant::getNullValue(Type), Name);
  GV->setSection(Section);
  // The run time walks the section as an array, so nothing may pad between descriptors.
  GV->setAlignment(Align(8));
  return GV;
}

void keep(Module &M, ArrayRef<GlobalValue *> Descriptors) {
  if (!Descriptors.empty())
    appendToCompilerUsed(M, Descriptors);
}

Place placeOf(const Instruction &I) {
  Place P;
  if (const DILocation *L = I.getDebugLoc().get()) {
    P.File = L->getFilename().str();
    P.Line = L->getLine();
    P.Column = L->getColumn();
    if (const DISubprogram *S = L->getScope()->getSubprogram())
      P.Function = S->getName().str();
  }
  if (P.File.empty())
    P.File = I.getModule()->getSourceFileName();
  if (P.Function.empty())
    P.Function = I.getFunction()->getName().str();
  return P;
}

uint64_t placeKey(const Place &P, unsigned Ordinal) {
  std::string Text = P.File + "\n" + P.Function + "\n" + utostr(P.Line) + "\n" + utostr(P.Column) +
                     "\n" + utostr(Ordinal);
  return siox__fnv1a(Text.data(), Text.size());
}

} // namespace siox
