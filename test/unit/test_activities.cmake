# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
siox_unit_test(test_activities test_activities.c ${CMAKE_SOURCE_DIR}/runtime/daemon/activities.c ${CMAKE_SOURCE_DIR}/runtime/daemon/spread.c
               LIBS siox_core PkgConfig::JANSSON pthread)
