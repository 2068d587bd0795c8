# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
siox_unit_test(test_adpi_drift ${CMAKE_CURRENT_SOURCE_DIR}/test_adpi_drift.c LIBS siox_monitor)
