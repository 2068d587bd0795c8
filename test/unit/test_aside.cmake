# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
siox_unit_test(test_aside ${CMAKE_CURRENT_SOURCE_DIR}/test_aside.c ${Siox_SOURCE_DIR}/runtime/daemon/aside.c LIBS siox_monitor)
