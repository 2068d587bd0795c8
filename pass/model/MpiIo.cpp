/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Lookup in the table made from mpiio.def.
#include "model/MpiIo.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"

using namespace llvm;

namespace siox {

static const CallInfo Table[] = {
#define SIOX_MPIIO(name, class, pointer, span, group, width, file, offset, buffer, count,          \
                   datatype)                                                                       \
  {#name,                                                                                          \
   SIOX_CALL_##name,                                                                               \
   SIOX_CLASS_##class,                                                                             \
   SIOX_POINTER_##pointer,                                                                         \
   SIOX_SPAN_##span,                                                                               \
   SIOX_GROUP_##group,                                                                             \
   file,                                                                                           \
   offset,                                                                                         \
   buffer,                                                                                         \
   count,                                                                                          \
   datatype},
#include "siox/mpiio.def"
#undef SIOX_MPIIO
};

bool isMpiName(StringRef Name) { return Name.starts_with("MPI_") || Name.starts_with("PMPI_"); }

const CallInfo *lookupCall(StringRef Name) {
  static const StringMap<const CallInfo *> Index = [] {
    StringMap<const CallInfo *> Map;
    for (const CallInfo &Row : Table)
      Map[Row.Name] = &Row;
    return Map;
  }();
  if (Name.starts_with("PMPI_"))
    Name = Name.drop_front();
  return Index.lookup(Name);
}

const CallInfo *lookupCall(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  return Callee ? lookupCall(Callee->getName()) : nullptr;
}

Value *argument(const CallBase &Call, int Position) {
  return Position >= 0 && unsigned(Position) < Call.arg_size() ? Call.getArgOperand(Position)
                                                               : nullptr;
}

} // namespace siox
