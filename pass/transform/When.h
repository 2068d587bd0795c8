/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Telling the run time, before a counted loop begins, in which of its iterations it does I/O.
#ifndef SIOX_PASS_WHEN_H
#define SIOX_PASS_WHEN_H

#include "model/Model.h"

namespace siox {

/// Calls siox_steps_when before a STEPS loop, once a condition.
void tellWhen(llvm::Module &M, const ModuleModel &Model, const Region &R);

} // namespace siox
#endif
