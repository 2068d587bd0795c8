# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
siox_unit_test(test_hold_bank test_hold_bank.c ${CMAKE_SOURCE_DIR}/runtime/client/hold.c LIBS siox_core)
