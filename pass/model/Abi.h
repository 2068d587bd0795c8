/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// What the pass emits: calls of the run-time entry points of abi.def, the descriptor structs of
// siox/site.h, constant strings and stable keys.
#ifndef SIOX_PASS_MODEL_ABI_H
#define SIOX_PASS_MODEL_ABI_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/GlobalVariable.h"
#include <string>

namespace llvm {
class Constant;
class Function;
class GlobalVariable;
class Instruction;
class Module;
} // namespace llvm

namespace siox {

/// Declaration of an entry point of abi.def. They touch only their own state and the descriptor
/// they are given.
llvm::Function *abiFunction(llvm::Module &M, llvm::StringRef Name);

llvm::StructType *siteType(llvm::LLVMContext &C);     ///< struct siox_site
llvm::StructType *regionType(llvm::LLVMContext &C);   ///< struct siox_region
llvm::StructType *farType(llvm::LLVMContext &C);      ///< struct siox_region_far
llvm::StructType *fileUseType(llvm::LLVMContext &C);  ///< struct siox_file_use
llvm::StructType *fileUsesType(llvm::LLVMContext &C); ///< struct siox_file_uses
llvm::StructType *whenType(llvm::LLVMContext &C);     ///< struct siox_steps_when
llvm::StructType *maskType(llvm::LLVMContext &C);     ///< struct siox_mask

/// Address of a private NUL-terminated constant; equal strings share one.
llvm::Constant *privateString(llvm::Module &M, llvm::StringRef Text);
/// Address of a private constant array, null for an empty one.
llvm::Constant *privateArray(llvm::Module &M, llvm::Type *Element,
                             llvm::ArrayRef<llvm::Constant *> Values);
/// Address of a private constant struct siox_mask from its text ("011110"), null for an empty text.
llvm::Constant *privateMask(llvm::Module &M, llvm::StringRef Text);
/// A zeroed descriptor in a linker section. Whoever makes some hands all to keep() at once, so that
/// optimisers keep them. Linkers may drop those of code that they drop: what they are told to keep
/// gets a section of its own.
llvm::GlobalVariable *newDescriptor(llvm::Module &M, llvm::StructType *Type,
                                    llvm::StringRef Section, const llvm::Twine &Name);
void keep(llvm::Module &M, llvm::ArrayRef<llvm::GlobalValue *> Descriptors);

/// Where an instruction stands in the source. Without debug information: module's source name, line
/// and column 0.
struct Place {
  std::string File, Function;
  unsigned Line = 0, Column = 0;
};
Place placeOf(const llvm::Instruction &I);
/// 64-bit FNV-1a of "file\nfunction\nline\ncolumn\nordinal" (siox/site.h).
uint64_t placeKey(const Place &P, unsigned Ordinal);

} // namespace siox
#endif
