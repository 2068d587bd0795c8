# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
siox_unit_test(test_findings test_findings.c ${CMAKE_SOURCE_DIR}/runtime/daemon/findings.c ${CMAKE_SOURCE_DIR}/runtime/daemon/spread.c
               LIBS siox_monitor siox_core PkgConfig::JANSSON)
