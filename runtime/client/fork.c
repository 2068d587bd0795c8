/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A forked child owns nothing of its parent's connection: not the socket (two processes on one
 * request-reply stream), not the ring (one writer). It drops its copies and joins by itself if it
 * ever does I/O. Locks may have been held by threads that do not exist here: they start anew. */
#include "client/client.h"
#include "client/files.h"
#include <pthread.h>

static void in_child(void) {
  int saved = errno;
  siox__request_reset();
  siox__client_reset();
  siox__record_reset();
  siox__hint_reset();
  siox__files_reset();
  siox__self.depth = 0;
  errno = saved;
}

void siox__fork_register(void) {
  static _Atomic int done;
  if (!atomic_exchange(&done, 1))
    pthread_atfork(NULL, NULL, in_child);
}
