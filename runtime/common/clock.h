/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The two clocks: monotonic for every duration, boot time to notice a suspend (it goes on while the
 * machine sleeps, so a growing difference between the two is time asleep). Thread-safe. */
#ifndef SIOX_COMMON_CLOCK_H
#define SIOX_COMMON_CLOCK_H
#include <stdint.h>

int64_t siox__now_ns(void);  /* CLOCK_MONOTONIC */
int64_t siox__boot_ns(void); /* CLOCK_BOOTTIME */

#endif
