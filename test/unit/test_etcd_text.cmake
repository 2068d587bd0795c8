# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
siox_unit_test(test_etcd_text test_etcd_text.c ${CMAKE_SOURCE_DIR}/runtime/daemon/etcd_text.c LIBS siox_monitor siox_core PkgConfig::JANSSON)
