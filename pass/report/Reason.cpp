/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Texts of siox/reasons.def.
#include "report/Reason.h"

namespace siox {

namespace {
struct Row {
  const char *Name, *Text, *Help;
};
const Row Rows[] = {
    {"None", "", ""},
#define SIOX_REASON(name, text, help) {#name, text, help},
#include "siox/reasons.def"
#undef SIOX_REASON
};
} // namespace

const char *reasonName(Reason R) { return Rows[static_cast<unsigned>(R)].Name; }
const char *reasonText(Reason R) { return Rows[static_cast<unsigned>(R)].Text; }
const char *reasonHelp(Reason R) { return Rows[static_cast<unsigned>(R)].Help; }

} // namespace siox
