# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
siox_unit_test(test_statistics ${CMAKE_CURRENT_SOURCE_DIR}/test_statistics.c ${Siox_SOURCE_DIR}/runtime/daemon/statistics.c
               LIBS siox_monitor)
