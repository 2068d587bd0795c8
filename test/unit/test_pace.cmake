# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
siox_unit_test(test_pace ${CMAKE_CURRENT_SOURCE_DIR}/test_pace.c LIBS siox_monitor)
