/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Names of MPI, and lookup in the table made from mpiio.def.
#include "model/MpiIo.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
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
   SIOX_WIDTH_##width,                                                                             \
   file,                                                                                           \
   offset,                                                                                         \
   buffer,                                                                                         \
   count,                                                                                          \
   datatype},
#include "siox/mpiio.def"
#undef SIOX_MPIIO
};

static StringRef afterPrefix(StringRef Name) {
  static const char *const Prefixes[] = {
#define SIOX_MPI_PREFIX(first, prefix) prefix,
#include "siox/mpinames.def"
#undef SIOX_MPI_PREFIX
  };
  for (StringRef Prefix : Prefixes)
    if (Name.starts_with(Prefix))
      return Name.drop_front(Prefix.size());
  return "";
}

std::optional<MpiName> parseMpiName(StringRef Name) {
  StringRef Rest = afterPrefix(Name);
  if (Rest.empty())
    return std::nullopt;
  Rest.consume_back(FortranSuffix);
  bool Lower = isLower(Name.front()), Upper = !Lower && none_of(Rest, isLower);
  if (!Lower && !Upper)
    return MpiName{("MPI_" + Rest).str(), Binding::C};
  enum Case { EXACT, LOWER, UPPER };
  const Case Wanted = Lower ? LOWER : UPPER;
  constexpr Binding C = Binding::C, FORTRAN = Binding::Fortran, DESCRIPTOR = Binding::Descriptor;
  static const struct {
    Binding By;
    Case How;
    StringRef Suffix;
  } Rows[] = {
#define SIOX_MPI_NAME(binding, how, suffix) {binding, how, suffix},
#include "siox/mpinames.def"
#undef SIOX_MPI_NAME
  };
  const auto *Best = std::end(Rows);
  for (const auto &Row : Rows) // the longest suffix: that of "_f08_" is not "_"
    if (Row.How == Wanted && Rest.ends_with(Row.Suffix) &&
        (Best == std::end(Rows) || Row.Suffix.size() > Best->Suffix.size()))
      Best = &Row;
  if (Best == std::end(Rows))
    return std::nullopt;
  return MpiName{"mpi_" + Rest.drop_back(Best->Suffix.size()).lower(), Best->By};
}

bool isMpiName(StringRef Name) { return !afterPrefix(Name).empty(); }

const CallInfo *lookupCall(StringRef Name) {
  static const StringMap<const CallInfo *> Index = [] {
    StringMap<const CallInfo *> Map;
    for (const CallInfo &Row : Table) {
      Map[Row.Name] = &Row;
      // Conversions of handles have no names in Fortran.
      if (Row.Call != SIOX_CALL_MPI_File_f2c && Row.Call != SIOX_CALL_MPI_File_c2f)
        Map[StringRef(Row.Name).lower()] = &Row;
    }
    return Map;
  }();
  std::optional<MpiName> Parsed = parseMpiName(Name);
  return Parsed ? Index.lookup(Parsed->Routine) : nullptr;
}

const Function *calledRoutine(const CallBase &Call) {
  if (const Function *Callee = Call.getCalledFunction())
    return Callee;
  const auto *Callee = dyn_cast<Function>(Call.getCalledOperand()->stripPointerCasts());
  std::optional<MpiName> Parsed =
      Callee ? parseMpiName(Callee->getName()) : std::optional<MpiName>();
  return Parsed && Parsed->By != Binding::C ? Callee : nullptr;
}

const CallInfo *lookupCall(const CallBase &Call) {
  const Function *Callee = calledRoutine(Call);
  return Callee ? lookupCall(Callee->getName()) : nullptr;
}

Binding bindingOf(const CallBase &Call) {
  const Function *Callee = calledRoutine(Call);
  std::optional<MpiName> Parsed =
      Callee ? parseMpiName(Callee->getName()) : std::optional<MpiName>();
  return Parsed ? Parsed->By : Binding::C;
}

bool isCallOf(const CallBase &Call, StringRef Routine) {
  const Function *Callee = Call.getCalledFunction();
  if (!Callee)
    return false;
  StringRef Name = Callee->getName();
  Name.consume_back(FortranSuffix);
  Name.consume_front("P");
  return Name == Routine;
}

Value *argument(const CallBase &Call, int Position) {
  return Position >= 0 && unsigned(Position) < Call.arg_size() ? Call.getArgOperand(Position)
                                                               : nullptr;
}

} // namespace siox
