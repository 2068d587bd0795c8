/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a client's report is told (SIOX_MSG_TOTALS): its job's joules here, and what was found while
 * it was there. */
#include "daemon/daemon.h"
#include "daemon/monitor.h"
#include "daemon/status.h"

void siox__totals(struct siox__session *s, struct siox_msg_totals *totals) {
  struct siox__daemon *d = s->d;
  struct siox_job_totals job = {0};
  double unused;
  *totals = (struct siox_msg_totals){0};
  if (d->bank && siox_bank_job_totals(d->bank, s->job, &job) == 0) {
    totals->flags |= SIOX_TOTALS_DISKS;
    for (int i = 0; i < SIOX_NSTATES; i++)
      totals->disk_joules += job.joules[i];
  }
  if (!d->monitor)
    return;
  const bool all = siox__admin(s);
  siox__monitor_view(d->monitor, all);
  siox__monitor_job(d->monitor, d->job[s->job].serial, &totals->processor_joules, &unused);
  siox__monitor_told(d->monitor, (int32_t)s->pid, s->came, totals);
}
