# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
siox_unit_test(test_schema ${CMAKE_CURRENT_SOURCE_DIR}/test_schema.c LIBS siox_store PkgConfig::SQLITE)
