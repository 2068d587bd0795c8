# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
siox_unit_test(test_members test_members.c ${CMAKE_SOURCE_DIR}/runtime/daemon/members.c LIBS siox_core)
