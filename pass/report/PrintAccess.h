/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// --print-access: one line a site (format in siox-opt --help).
#ifndef SIOX_PASS_REPORT_PRINTACCESS_H
#define SIOX_PASS_REPORT_PRINTACCESS_H

#include "model/Model.h"

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace siox {

void printAccess(const ModuleModel &Model, llvm::raw_ostream &OS);

} // namespace siox
#endif
