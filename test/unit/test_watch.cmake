# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
siox_unit_test(test_watch ${CMAKE_CURRENT_SOURCE_DIR}/test_watch.c ${Siox_SOURCE_DIR}/runtime/daemon/watch.c
               ${Siox_SOURCE_DIR}/runtime/daemon/reasoners.c LIBS siox_monitor siox_core PkgConfig::JANSSON)
add_dependencies(test_watch adpi_spike) # test_adpi_contract.cmake
target_compile_definitions(test_watch PRIVATE PLUGINS="${Siox_BINARY_DIR}/test/plugins")
