/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Descriptors 0, 1 and 2 of a program that was started without them. */
#ifndef SIOX_COMMON_STDIO_H
#define SIOX_COMMON_STDIO_H

/* Puts /dev/null under each of 0, 1 and 2 that is closed, so that no socket, lock or database gets
 * such a number and is written to as if it were stdout or stderr. First thing in main. 0 or
 * SIOX_EIO. */
int siox__stdio_fill(void);

#endif
