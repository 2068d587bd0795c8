# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
siox_unit_test(test_client_tally ${CMAKE_CURRENT_LIST_DIR}/test_client_tally.c ${CMAKE_CURRENT_LIST_DIR}/daemon_double.c
               LIBS siox siox_core pthread)
set_tests_properties(unit.test_client_tally PROPERTIES ENVIRONMENT ASAN_OPTIONS=detect_leaks=0) # it forks
