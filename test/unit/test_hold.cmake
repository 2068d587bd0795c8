# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Holds live in libsiox; their pure file is built into the test.
siox_unit_test(test_hold test_hold.c ${CMAKE_SOURCE_DIR}/runtime/client/hold.c LIBS siox_core)
