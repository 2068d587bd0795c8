/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A library that is no detector. */
extern const int something_else;
const int something_else = 1;
