/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A forked child owns nothing of its parent's connection: not the socket (two processes on one
 * request-reply stream), not the ring (one writer). It drops its copies and joins by itself if it
 * ever does I/O. Locks may have been held by threads that do not exist here: they start anew. */
#include "client/client.h"
#include "client/files.h"
#include "client/report.h"
#include <pthread.h>
#include <unistd.h>

static void in_child(void) {
  int saved = errno;
  siox__request_reset();
  siox__client_reset();
  siox__report_reset();
  siox__tally_reset();
  siox__record_reset();
  siox__hint_reset();
  siox__files_reset();
  siox__self.depth = 0;
  errno = saved;
}

bool siox__borrowed(void) { return getpid() != siox__client.pid; }

/* Before anything of the program runs: pid tells this process from a child of vfork. */
__attribute__((constructor(102))) static void whose_memory(void) {
  siox__client.pid = getpid();
  pthread_atfork(NULL, NULL, in_child);
}
