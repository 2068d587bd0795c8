# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
siox_unit_test(test_layouts ${CMAKE_CURRENT_LIST_DIR}/test_layouts.c LIBS siox_conf)
