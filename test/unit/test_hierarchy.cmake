# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
siox_unit_test(test_hierarchy ${CMAKE_CURRENT_SOURCE_DIR}/test_hierarchy.c ${Siox_SOURCE_DIR}/runtime/daemon/reasoners.c
               LIBS siox_monitor)
