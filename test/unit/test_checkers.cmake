# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Traces of real drives, printed by the tool and judged by the independent checkers.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
siox_unit_test(test_checkers ${CMAKE_CURRENT_SOURCE_DIR}/test_checkers.c ${CMAKE_SOURCE_DIR}/tools/siox/trace.c
               LIBS siox_cli siox_conf siox_core PkgConfig::JANSSON)
target_include_directories(test_checkers PRIVATE ${CMAKE_SOURCE_DIR}/tools/siox)
target_compile_definitions(test_checkers PRIVATE SIOX_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
                           SIOX_PYTHON="${Python3_EXECUTABLE}")
