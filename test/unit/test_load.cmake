# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
siox_unit_test(test_load ${CMAKE_CURRENT_LIST_DIR}/test_load.c ${CMAKE_SOURCE_DIR}/tools/siox/load.c
               ${CMAKE_SOURCE_DIR}/tools/siox/report_machine.c LIBS siox_core PkgConfig::JANSSON)
target_include_directories(test_load PRIVATE ${CMAKE_SOURCE_DIR}/tools/siox)
