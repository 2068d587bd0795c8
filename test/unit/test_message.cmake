# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
siox_unit_test(test_message test_message.c ${CMAKE_SOURCE_DIR}/runtime/daemon/message.c LIBS siox_core)
