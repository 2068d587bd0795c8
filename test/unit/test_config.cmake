# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
siox_unit_test(test_config ${CMAKE_CURRENT_LIST_DIR}/test_config.c LIBS siox_conf)
