/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The clocks, in ns: monotonic for every duration, boot time to notice a suspend (it goes on while
 * the machine sleeps, so a growing difference between the two is time asleep), and that of the wall
 * for people and calendars, which may jump. Thread-safe. */
#ifndef SIOX_COMMON_CLOCK_H
#define SIOX_COMMON_CLOCK_H
#include <stdint.h>

int64_t siox__now_ns(void);  /* CLOCK_MONOTONIC */
int64_t siox__boot_ns(void); /* CLOCK_BOOTTIME */
int64_t siox__wall_ns(void); /* CLOCK_REALTIME, since 1970 */

#endif
