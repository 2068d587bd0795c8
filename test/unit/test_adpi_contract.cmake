# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
siox_unit_test(test_adpi_contract ${CMAKE_CURRENT_SOURCE_DIR}/test_adpi_contract.c LIBS siox_monitor)
# Detectors as others build them: against the installed headers alone. adpi_spike.c is the example of docs/adpi.md.
foreach(plugin spike wrong_version incomplete nothing asleep)
  add_library(adpi_${plugin} MODULE ${CMAKE_CURRENT_SOURCE_DIR}/plugins/adpi_${plugin}.c)
  set_target_properties(adpi_${plugin} PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${Siox_BINARY_DIR}/test/plugins)
  target_include_directories(adpi_${plugin} PRIVATE ${Siox_SOURCE_DIR}/include)
  add_dependencies(test_adpi_contract adpi_${plugin})
endforeach()
target_compile_definitions(test_adpi_contract PRIVATE PLUGINS="${Siox_BINARY_DIR}/test/plugins")
