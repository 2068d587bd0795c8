# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
siox_unit_test(test_energy_sources ${CMAKE_CURRENT_SOURCE_DIR}/test_energy_sources.c LIBS siox_monitor)
