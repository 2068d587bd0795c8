# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
siox_unit_test(test_learn ${CMAKE_CURRENT_SOURCE_DIR}/test_learn.c LIBS siox_monitor)
