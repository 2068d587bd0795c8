# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
siox_unit_test(test_modules ${CMAKE_CURRENT_LIST_DIR}/test_modules.c LIBS siox_conf)
