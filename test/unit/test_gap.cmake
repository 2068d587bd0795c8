# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
siox_unit_test(test_gap ${CMAKE_CURRENT_LIST_DIR}/test_gap.c LIBS siox_conf)
