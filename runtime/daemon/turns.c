/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How soon the daemon gets a processor. It is woken by hints of programs that go on computing,
 * works for some microseconds and sleeps again. Where no core is idle the kernel may let it wait
 * until the turn of the program is over that woke it: 2.9 ms on two cores, a hundred times what the
 * hint takes. A thread that asks for shorter turns gets them sooner, and no more of them: its
 * weight stays what it was (Linux 6.12 on; before, nothing changes). */
#include "daemon/daemon.h"
#include <sys/syscall.h>
#include <unistd.h>

enum { TURN_NS = 100000 }; /* the shortest that the kernel gives */

/* struct sched_attr of sched_setattr(2), whose header <linux/sched/types.h> does not go with that
 * of older C libraries. */
struct attr {
  uint32_t size, policy;
  uint64_t flags;
  int32_t nice;
  uint32_t priority;
  uint64_t runtime, deadline, period;
  uint32_t util_min, util_max;
};

void siox__short_turns(void) {
  struct attr attr = {.size = sizeof attr};
  if (syscall(SYS_sched_getattr, 0, &attr, sizeof attr, 0) < 0 || attr.policy != 0)
    return; /* an administrator gave it another policy than the usual one (SCHED_OTHER) */
  attr.runtime = TURN_NS;
  (void)syscall(SYS_sched_setattr, 0, &attr, 0); /* refused: it waits as others do */
}
