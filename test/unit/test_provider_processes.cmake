# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
siox_unit_test(test_provider_processes ${CMAKE_CURRENT_SOURCE_DIR}/test_provider_processes.c LIBS siox_monitor)
