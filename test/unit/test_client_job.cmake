# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
siox_unit_test(test_client_job ${CMAKE_CURRENT_LIST_DIR}/test_client_job.c ${CMAKE_CURRENT_LIST_DIR}/daemon_double.c
               LIBS siox siox_core pthread)
# Its cases are forked from a process with a thread, where the leak checker has things of its own to say on stderr.
set_tests_properties(unit.test_client_job PROPERTIES ENVIRONMENT ASAN_OPTIONS=detect_leaks=0)
