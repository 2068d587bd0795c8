# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
siox_unit_test(test_viewtype ${CMAKE_CURRENT_LIST_DIR}/test_viewtype.c ${CMAKE_SOURCE_DIR}/runtime/client/viewtype.c
               LIBS siox_core siox_mpi)
