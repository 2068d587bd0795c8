# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
siox_unit_test(test_nodes test_nodes.c ${CMAKE_SOURCE_DIR}/runtime/daemon/nodes_text.c ${CMAKE_SOURCE_DIR}/runtime/daemon/nodes_table.c
               LIBS siox_monitor siox_core PkgConfig::JANSSON)
