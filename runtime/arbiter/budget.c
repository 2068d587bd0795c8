/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* See budget.h. A burst ends where a disk has been idle for half its break-even gap. */
#include "arbiter/budget.h"
#include <math.h>

size_t siox__budget_size(uint32_t ndisks) { return ndisks * sizeof(struct siox__budget_disk); }

void siox__budget_init(struct siox__budget *budget, void *memory, const struct siox_view *view) {
  budget->disk = memory; /* zeroed */
  budget->on = view->job != NULL;
}

bool siox__budget_note(struct siox__budget *budget, const struct siox_served *s,
                       const struct siox_view *view) {
  struct siox__budget_disk *disk = &budget->disk[s->disk];
  const struct siox_drive *drive = view->disk[s->disk].drive;
  uint32_t top = drive->nlevels - 1;
  if (s->arrival - disk->end > siox_drive_break_even(drive) / 2 && disk->now.any) {
    disk->last = disk->now;
    disk->now = (struct siox__burst){.any = false};
    disk->period = s->arrival - disk->start;
    disk->start = s->arrival;
  }
  if (!disk->now.any && !disk->last.any)
    disk->start = s->arrival;
  disk->end = s->end;
  disk->now.any = true;
  int64_t full = siox_drive_service_ns(drive, top, s->bytes, s->sequential);
  for (uint32_t l = 0; l < top; l++)
    if (drive->level[l].serves)
      disk->now.cost[l] += siox_drive_service_ns(drive, l, s->bytes, s->sequential) - full;
  if (!disk->serving || s->level == top || siox__budget_room(view, s->job, s->end) >= 0)
    return false;
  int64_t up =
      siox_drive_transition_ns(drive, drive->level[s->level].speed, drive->level[top].speed);
  return up >= 0 && disk->now.cost[s->level] >= up;
}

int64_t siox__budget_room(const struct siox_view *view, uint32_t job, int64_t now) {
  const struct siox_job_view *j = &view->job[job];
  double undelayed = (double)(now - j->since - j->delayed);
  return (int64_t)(j->budget * fmax(undelayed, 0)) - j->delayed;
}

double siox__budget_bursts(const struct siox__budget *budget, const struct siox_view *view,
                           uint32_t job, int64_t now, uint32_t disk, uint32_t level) {
  const struct siox__budget_disk *b = &budget->disk[disk];
  const struct siox__burst *burst = b->last.any ? &b->last : &b->now;
  int64_t room = siox__budget_room(view, job, now), cost = burst->cost[level];
  if (view->job[job].budget <= 0)
    return 0; /* others have one */
  if (b->now.any && b->now.cost[level] > cost)
    cost = b->now.cost[level]; /* the burst that has just ended, or the one that has not */
  if (!burst->any || room < cost)
    return 0;
  if ((double)cost <= view->job[job].budget * (double)(b->period - cost))
    return INFINITY;
  return (double)room / (double)(cost > 0 ? cost : 1);
}
