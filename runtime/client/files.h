/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Files of the emulated store that this process has open, and which descriptor means which. */
#ifndef SIOX_CLIENT_FILES_H
#define SIOX_CLIENT_FILES_H
#include "client/client.h"
#include <sys/stat.h>

/* Descriptors at and above this are not managed (counted as missing). */
#define SIOX_MAX_FD 65536

/* One a file (device and inode) while something refers to it. Never freed, only used again, so a
 * thread that looks while another closes sees an old file at worst, never freed memory. */
struct siox__file {
  uint64_t id; /* the daemon's number */
  dev_t dev;
  ino_t ino;
  _Atomic int references;
  /* The last nonblocking MPI-IO call on it: its I/O may be done in whatever call comes to wait for
   * it. All 0: none since it was opened. */
  _Atomic uint64_t later_site, later_uid, later_seq;
  /* Opened by the program itself, not by MPI-IO. The MPI library's own descriptors of the same file
   * have an entry of their own. */
  bool own;
  /* Its hold (held.c): end of the last use that was told, 0: none; bytes from its beginning on in
   * which uses were foretold; bytes that are held, 0: not at all. */
  _Atomic int64_t told, reach, held;
  _Atomic int64_t last; /* end of the last use, told or not */
  struct siox__file *next;
  char layout[1024]; /* text; "": too long to keep, or none */
};

extern _Atomic(struct siox__file *) siox__fd_file[SIOX_MAX_FD] SIOX_HIDDEN;

/* The file behind a descriptor if accesses to it are to be charged, else NULL. */
static inline struct siox__file *siox__managed(int fd) {
  if ((unsigned)fd >= SIOX_MAX_FD)
    return NULL;
  struct siox__file *file = atomic_load_explicit(&siox__fd_file[fd], memory_order_acquire);
  if (!file || siox__self.depth ||
      atomic_load_explicit(&siox__client.status, memory_order_acquire) == SIOX_STATUS_GONE)
    return NULL;
  return file;
}

/* Under the guard. A child of fork joins at its first access, and tells the daemon what its
 * inherited descriptors are; so does everybody a daemon that came back. Returns the file to charge
 * or NULL. */
struct siox__file *siox__file_live(struct siox__file *file, int fd);
/* A descriptor was opened by the program (under the guard): finds out whether it is a regular file
 * under the mount, and tells the daemon; it, or NULL. */
struct siox__file *siox__file_opened(int fd, bool created);
void siox__file_dup(int from, int to);
void siox__file_closed(int fd);
void siox__file_gone(int fd); /* the same under the guard: it was closed behind our back */
void siox__file_hold(struct siox__file *file);
void siox__file_release(struct siox__file *file);
void siox__files_reset(void);
void siox__files_forget(void); /* the daemon's numbers */

#endif
