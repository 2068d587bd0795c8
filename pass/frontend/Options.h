/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Settings of the pass: environment first, then the parameters of siox<...> or of siox-opt over it.
#ifndef SIOX_PASS_FRONTEND_OPTIONS_H
#define SIOX_PASS_FRONTEND_OPTIONS_H

#include "siox/site.h"
#include "llvm/Support/Error.h"
#include <string>

namespace siox {

enum class Form { Guard, Split };

struct Options {
  siox::Form Form = Form::Guard; ///< SIOX_FORM
  std::string Layouts;           ///< path of layouts.yaml; SIOX_LAYOUTS
  unsigned Disks = 0;            ///< disks of the system, 0: known at run time only; SIOX_DISKS
  std::string Drive;             ///< drive profile for estimates; SIOX_DRIVE
  int64_t TbNs =
      SIOX_UNKNOWN; ///< ns of one iteration of every loop, instead of estimates; SIOX_TB_NS
  int64_t Lead = SIOX_UNKNOWN; ///< iterations of lead, instead of ceil(Ts / Tb); SIOX_LEAD
  std::string Profile; ///< path of a profile: measured times instead of estimates; SIOX_PROFILE
  bool PaperLiteral = false; ///< Fig. 3 of the paper as printed, in split form; SIOX_PAPER_LITERAL
  bool AtLink = false;       ///< not here, but in lld; SIOX_AT_LINK
  bool PrintAccess = false;  ///< one line a site on stdout; SIOX_PRINT_ACCESS
  bool PrintPlan = false;    ///< one line a region on stdout; SIOX_PRINT_PLAN
  bool Summary = false;      ///< a table of the module on stdout; SIOX_SUMMARY

  /// Sets one option by its name; the error names option and value.
  llvm::Error set(llvm::StringRef Name, llvm::StringRef Value);
};

/// Options from the environment.
llvm::Expected<Options> optionsFromEnvironment();
/// Adds "a;b=c", the parameters of siox<a;b=c>.
llvm::Error addParameters(Options &O, llvm::StringRef Parameters);

} // namespace siox
#endif
