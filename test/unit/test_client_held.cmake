# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
siox_unit_test(test_client_held ${CMAKE_CURRENT_LIST_DIR}/test_client_held.c ${CMAKE_CURRENT_LIST_DIR}/daemon_double.c
               LIBS siox siox_core pthread)
