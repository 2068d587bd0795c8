# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
siox_unit_test(test_watched_node ${CMAKE_CURRENT_SOURCE_DIR}/test_watched_node.c LIBS siox_monitor)
