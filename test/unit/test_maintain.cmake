# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
siox_unit_test(test_maintain ${CMAKE_CURRENT_SOURCE_DIR}/test_maintain.c LIBS siox_store)
