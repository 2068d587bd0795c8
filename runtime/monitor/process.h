/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What one process used so far. Its processor time is asked for each cycle, the rest in turns, so
 * they are read apart, each as cheaply as Linux has it (us a process, measured on Linux 6.18):
 *
 *   the clock of its processor time  0.26   clock_gettime, in nanoseconds, for anybody's process
 *   /proc/PID/statm                  0.95   kept open; 4.6 opened, read and closed
 *   /proc/PID/io                     1.2    kept open; 4.3 opened, read and closed
 *   /proc/PID/stat                   4.1    kept open; 5.6 opened, read and closed */
#ifndef SIOX_MONITOR_PROCESS_H
#define SIOX_MONITOR_PROCESS_H
#include <stdint.h>

/* In place of pages: it has no address space any more, for it ends, or its first thread has. */
#define SIOX__NO_MEMORY UINT64_MAX

enum { SIOX__TICK_NS = 10000000 };
struct siox__process_stat {
  uint64_t started; /* ticks after boot: with the pid, which process it is */
  uint64_t busy_ns; /* in steps of a tick; its threads' too, not its children's */
  uint64_t resident_pages;
};
/* 0, SIOX_ENOENT (it ended), SIOX_EPERM, SIOX_ESYNTAX. */
int siox__process_stat(const char *root, int32_t pid, struct siox__process_stat *stat);

/* Processor time by the kernel's clock of the process; SIOX_ENOENT: there is no such process here.
 * It does not tell one process from another that has its pid now. */
int siox__process_clock(int32_t pid, uint64_t *busy_ns);

/* Descriptors that are read again and again; they stay with the process when its pid becomes
 * another one's. -1: not open. */
struct siox__process_files {
  int io, statm;
};
void siox__process_files_close(struct siox__process_files *files);

struct siox__process_io {
  uint64_t bytes_asked_read, bytes_asked_written; /* of read(), write() and their like */
  uint64_t bytes_read, bytes_written;             /* from and to devices */
};
/* SIOX_EPERM: another user's; SIOX_ENOENT, SIOX_ESYNTAX. files: NULL, or what to keep open. */
int siox__process_io(const char *root, int32_t pid, struct siox__process_files *files,
                     struct siox__process_io *io);
int siox__process_resident(const char *root, int32_t pid, struct siox__process_files *files,
                           uint64_t *pages);

#endif
