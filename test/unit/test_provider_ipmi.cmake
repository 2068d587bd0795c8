# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
siox_unit_test(test_provider_ipmi ${CMAKE_CURRENT_SOURCE_DIR}/test_provider_ipmi.c LIBS siox_monitor)
