# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
siox_unit_test(test_sim_show ${CMAKE_CURRENT_LIST_DIR}/test_sim_show.c ${CMAKE_SOURCE_DIR}/tools/siox/sim_show.c
               ${CMAKE_SOURCE_DIR}/tools/cli/text.c LIBS siox_core PkgConfig::JANSSON m)
target_include_directories(test_sim_show PRIVATE ${CMAKE_SOURCE_DIR}/tools/siox ${CMAKE_SOURCE_DIR}/tools)
