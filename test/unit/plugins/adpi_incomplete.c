/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A detector that forgot its functions. */
#include <siox/adpi.h>

extern const struct siox_adpi siox_adpi;
const struct siox_adpi siox_adpi = {.abi = SIOX_ADPI_ABI, .name = "incomplete", .about = "nothing"};
