/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Preloaded into the ranks of tests: a rank that waits in MPI sleeps instead of asking over and
 * over. Where there are more ranks than cores, MPICH's waiting ranks keep those that could go on
 * from the cores for whole turns of the scheduler (4 ms each on a kernel of 250 Hz); its own
 * MPIR_CVAR_POLLS_BEFORE_YIELD does nothing under ch4:ucx (4.0.2). Four ranks on two cores took
 * twice the time and twice the processor. Other MPI libraries do not call what stands here. */
#include <dlfcn.h>
#include <time.h>

enum { POLLS = 100, SLEEP_NS = 100000 };

unsigned ucp_worker_progress(void *worker);

unsigned ucp_worker_progress(void *worker) {
  static unsigned (*progress)(void *);
  static __thread unsigned polls;
  if (!progress)
    progress = (unsigned (*)(void *))dlsym(RTLD_NEXT, "ucp_worker_progress");
  const unsigned events = progress(worker);
  if (events > 0) {
    polls = 0;
  } else if (++polls == POLLS) {
    polls = 0;
    nanosleep(&(struct timespec){.tv_nsec = SLEEP_NS}, 0);
  }
  return events;
}
