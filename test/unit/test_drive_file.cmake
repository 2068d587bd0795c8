# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
siox_unit_test(test_drive_file ${CMAKE_CURRENT_LIST_DIR}/test_drive_file.c LIBS siox_conf)
