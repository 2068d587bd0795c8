/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Reading the settings of the pass.
#include "frontend/Options.h"
#include "siox/mask.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include <cstdlib>

using namespace llvm;

namespace siox {

static Error bad(StringRef Name, StringRef Value, StringRef What) {
  return createStringError("siox: option " + Name + "=" + Value + ": " + What);
}

static Error setFlag(bool &Flag, StringRef Name, StringRef Value) {
  if (!Value.empty() && Value != "0" && Value != "1")
    return bad(Name, Value, "expected 0 or 1");
  Flag = Value != "0";
  return Error::success();
}

Error Options::set(StringRef Name, StringRef Value) {
  if (Name == "form") {
    if (Value != "guard" && Value != "split")
      return bad(Name, Value, "expected guard or split");
    Form = Value == "split" ? Form::Split : Form::Guard;
  } else if (Name == "layouts") {
    Layouts = Value.str();
  } else if (Name == "disks") {
    unsigned Count;
    if (Value.getAsInteger(10, Count) || Count == 0 || Count > SIOX_MAX_DISKS)
      return bad(Name, Value, "expected a number from 1 to " + utostr(SIOX_MAX_DISKS));
    Disks = Count;
  } else if (Name == "drive") {
    Drive = Value.str();
  } else if (Name == "tb-ns" || Name == "lead") {
    int64_t Number;
    if (Value.getAsInteger(10, Number) || Number < 1)
      return bad(Name, Value, "expected a number of at least 1");
    (Name == "lead" ? Lead : TbNs) = Number;
  } else if (Name == "profile") {
    Profile = Value.str();
  } else if (Name == "paper-literal") {
    return setFlag(PaperLiteral, Name, Value);
  } else if (Name == "at-link") {
    return setFlag(AtLink, Name, Value);
  } else if (Name == "print-access") {
    return setFlag(PrintAccess, Name, Value);
  } else if (Name == "print-plan") {
    return setFlag(PrintPlan, Name, Value);
  } else if (Name == "summary") {
    return setFlag(Summary, Name, Value);
  } else {
    return createStringError("siox: no option " + Name);
  }
  return Error::success();
}

/// One line that names both ways by which a setting can have come.
static Error wrongEnvironment(StringRef Variable, StringRef Name, Error E) {
  std::string Text = toString(std::move(E));
  StringRef What = Text;
  What.consume_front("siox: option ");
  return createStringError("siox: " + Variable + " (--siox-" + Name + " of siox-cc): " + What);
}

Expected<Options> optionsFromEnvironment() {
  Options O;
  for (StringRef Name : {
#define SIOX_PASS_OPTION(name, kind, value, help) name,
#include "frontend/options.def"
#undef SIOX_PASS_OPTION
       }) {
    std::string Variable = "SIOX_" + Name.upper();
    for (char &C : Variable)
      if (C == '-')
        C = '_';
    if (const char *Value = getenv(Variable.c_str()); Value && *Value)
      if (Error E = O.set(Name, Value))
        return wrongEnvironment(Variable, Name, std::move(E));
  }
  return O;
}

Error addParameters(Options &O, StringRef Parameters) {
  SmallVector<StringRef, 8> Parts;
  Parameters.split(Parts, ';', -1, false);
  for (StringRef Part : Parts) {
    auto [Name, Value] = Part.split('=');
    if (Error E = O.set(Name, Value))
      return E;
  }
  return Error::success();
}

} // namespace siox
