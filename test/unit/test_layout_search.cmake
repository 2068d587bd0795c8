# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
siox_unit_test(test_layout_search ${CMAKE_CURRENT_LIST_DIR}/test_layout_search.c
               ${CMAKE_SOURCE_DIR}/tools/siox/layout_search.c LIBS siox_core)
target_include_directories(test_layout_search PRIVATE ${CMAKE_SOURCE_DIR}/tools/siox)
