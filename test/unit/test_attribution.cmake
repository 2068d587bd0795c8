# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
siox_unit_test(test_attribution ${CMAKE_CURRENT_SOURCE_DIR}/test_attribution.c LIBS siox_monitor)
