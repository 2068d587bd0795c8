# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
siox_unit_test(test_paper_cdf ${CMAKE_CURRENT_LIST_DIR}/test_paper_cdf.c
               ${CMAKE_SOURCE_DIR}/tools/siox/sim_paper_cdf.c LIBS siox_core)
target_include_directories(test_paper_cdf PRIVATE ${CMAKE_SOURCE_DIR}/tools/siox)
