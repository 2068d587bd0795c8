# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
siox_unit_test(test_keep ${CMAKE_CURRENT_SOURCE_DIR}/test_keep.c LIBS siox_monitor)
