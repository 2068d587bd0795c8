/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A detector of another version of siox/adpi.h. */
#include <siox/adpi.h>

extern const struct siox_adpi siox_adpi;
const struct siox_adpi siox_adpi = {.abi = SIOX_ADPI_ABI + 41, .name = "of_the_future"};
