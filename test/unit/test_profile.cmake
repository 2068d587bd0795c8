# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The profile lives in libsiox; its file is built into the test.
siox_unit_test(test_profile test_profile.c ${CMAKE_SOURCE_DIR}/runtime/client/profile.c LIBS siox_core pthread)
