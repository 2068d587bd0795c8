/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The reasons of siox/reasons.def as an enumeration with their texts.
#ifndef SIOX_PASS_REASON_H
#define SIOX_PASS_REASON_H

namespace siox {

enum class Reason {
  None,
#define SIOX_REASON(name, text, help) name,
#include "siox/reasons.def"
#undef SIOX_REASON
};

const char *reasonName(Reason R); ///< "OffsetUnknown"
const char *reasonText(Reason R); ///< one clause, no full stop
const char *reasonHelp(Reason R); ///< what the user can do

} // namespace siox
#endif
