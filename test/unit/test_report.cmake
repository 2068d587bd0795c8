# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
siox_unit_test(test_report test_report.c ${CMAKE_SOURCE_DIR}/runtime/client/report_text.c ${CMAKE_SOURCE_DIR}/runtime/client/report_joint.c
               LIBS siox_core pthread)
