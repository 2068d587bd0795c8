# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# With the library that plays likwid, where its header is installed; absence is tested everywhere.
siox_unit_test(test_provider_likwid ${CMAKE_CURRENT_SOURCE_DIR}/test_provider_likwid.c LIBS siox_monitor ${CMAKE_DL_LIBS})
if(SIOX_LIKWID_INCLUDE AND SIOX_LIKWID_LIBRARY)
  add_library(likwid_double MODULE ${CMAKE_CURRENT_SOURCE_DIR}/likwid_double.c)
  target_include_directories(likwid_double SYSTEM PRIVATE ${SIOX_LIKWID_INCLUDE})
  add_dependencies(test_provider_likwid likwid_double)
  target_compile_definitions(test_provider_likwid PRIVATE LIKWID_DOUBLE="$<TARGET_FILE:likwid_double>")
endif()
