# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
siox_unit_test(test_yaml_keys ${CMAKE_CURRENT_LIST_DIR}/test_yaml_keys.c LIBS siox_conf)
