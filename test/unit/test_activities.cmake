# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set(daemon ${CMAKE_SOURCE_DIR}/runtime/daemon)
siox_unit_test(test_activities test_activities.c ${daemon}/activities.c ${daemon}/activities_cycle.c ${daemon}/activities_total.c
               ${daemon}/spread.c LIBS siox_core PkgConfig::JANSSON pthread)
