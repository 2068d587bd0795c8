/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What one process used so far (/proc/PID/stat, /proc/PID/io). */
#ifndef SIOX_MONITOR_PROCESS_H
#define SIOX_MONITOR_PROCESS_H
#include <stdint.h>

struct siox__process_use {
  uint64_t started;                  /* ticks after boot: with the pid, which process it is */
  uint64_t user_ticks, system_ticks; /* 100 a second; its threads' too, not its children's */
  uint64_t resident_pages;
  int32_t io_error; /* 0, or why the following are 0: SIOX_EPERM for other users' processes */
  uint64_t bytes_asked_read, bytes_asked_written; /* of read(), write() and their like */
  uint64_t bytes_read, bytes_written;             /* from and to devices */
};
/* 0, SIOX_ENOENT (it ended), SIOX_EPERM, SIOX_ESYNTAX. */
int siox__process_read(const char *root, int32_t pid, struct siox__process_use *use);

#endif
