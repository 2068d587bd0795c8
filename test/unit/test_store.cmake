# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
siox_unit_test(test_store ${CMAKE_CURRENT_SOURCE_DIR}/test_store.c LIBS siox_store PkgConfig::SQLITE pthread)
