/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// What a counted loop leads to in some of its iterations only.
//
//   for (it = 0; it < n; it++) {                       STEPS
//     step();                                          a gap
//     if ((it + 1) % every == 0) checkpoint();         Index it, Offset 1, Step 1, Modulus every,
//     Rest 0
//   }
//
// A condition is a necessary one: in other iterations none of what is behind it is reached.
#ifndef SIOX_PASS_CONDITIONS_H
#define SIOX_PASS_CONDITIONS_H

#include "model/Model.h"

namespace siox {

class ModuleShape;

/// Fills Conditions of every STEPS region. Needs ids and the Steps of all regions.
void findConditions(const ModuleShape &Shape, ModuleModel &Model);

} // namespace siox
#endif
