# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
siox_unit_test(test_drives test_drives.c ${CMAKE_SOURCE_DIR}/runtime/daemon/drives.c LIBS siox_monitor)
