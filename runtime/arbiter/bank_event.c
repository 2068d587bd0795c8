/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The bank's clock, and its talk with the policy. Time moves to stamps of events and to wake-ups
 * only; each wake-up is carried out at exactly its time, so when a caller gets round to it changes
 * nothing. */
#include "arbiter/bank_limit.h"

struct siox__bank_job *siox__bank_job_of(struct siox_bank *bank, uint32_t job) {
  if (job >= bank->njobs)
    return job == SIOX_FORGOTTEN ? &bank->gone : &bank->nobody;
  return bank->job[job].totals.key ? &bank->job[job] : &bank->gone;
}

void siox__bank_show(struct siox_bank *bank, uint32_t d) {
  const struct siox__disk *disk = &bank->disk[d];
  struct siox_disk_view *v = &bank->shown[d];
  v->level = v->target = disk->level;
  if (bank->limit && bank->limit->waiting && bank->limit->waiting[d].is)
    v->target = bank->limit->waiting[d].level;
  v->free_at = disk->free_at;
  if (__builtin_expect(bank->unflushed != NULL, 0) && bank->unflushed[d] > v->free_at)
    v->free_at = bank->unflushed[d];
  v->idle_since = disk->last_end;
  v->move_from = disk->move_from;
  v->move_start = disk->move_start;
  v->move_end = disk->move_end;
  v->moving = disk->move_start <= bank->now && bank->now < disk->move_end;
  if (bank->pin && bank->pin[d].level) { /* what the policy believes, or it would ask for ever */
    v->level = v->target = bank->pin[d].held.level;
    v->moving = false;
  }
  if (bank->now < disk->move_end) {
    bool moving = disk->move_start <= bank->now;
    siox__due_set(&bank->moves, d, moving ? disk->move_end : disk->move_start);
    siox__limit_moves(bank, d);
  }
}

void siox__bank_settle(struct siox_bank *bank, const struct siox_mask *disks) {
  if (!disks) {
    for (uint32_t d = 0; d < bank->view.ndisks; d++)
      siox__disk_settle(&bank->disk[d], bank->now);
    return;
  }
  for (uint32_t d = siox_mask_next(disks, 0); d < disks->ndisks; d = siox_mask_next(disks, d + 1))
    siox__disk_settle(&bank->disk[d], bank->now);
}

/* Transitions that are over by now are told, and the view of the others is brought up to date. Idle
 * time is not: where it is cut must not depend on when other disks have their wake-ups. */
static void retire(struct siox_bank *bank) {
  uint32_t d;
  bool over = false;
  while (siox__due_take(&bank->moves, bank->now, &d)) {
    const struct siox__disk *disk = &bank->disk[d];
    bool moving = bank->now < disk->move_end;
    bank->shown[d].moving = moving && !(bank->pin && bank->pin[d].level);
    if (moving) {
      siox__due_set(&bank->moves, d, disk->move_end);
      continue;
    }
    siox__disk_arrive(&bank->disk[d], bank->now);
    over = true;
  }
  if (over)
    siox__limit_moved(bank);
}

void siox__bank_ask(struct siox_bank *bank, const struct siox_event *event) {
  bank->commands.count = bank->commands.granted = bank->commands.refused = 0;
  bank->wake = bank->policy->event(bank->state, bank->now, event, &bank->view, &bank->commands);
}

void siox__bank_count(struct siox_bank *bank, const struct siox_command *command) {
  if (command->cause != SIOX_CAUSE_NONE)
    bank->totals[command->disk].undercut[command->cause]++;
}

int siox__bank_command(struct siox_bank *bank, const struct siox_command *c) {
  if (bank->pin && siox__bank_withhold(bank, c))
    return 0;
  if (bank->unflushed && bank->unflushed[c->disk] > bank->now &&
      c->level < bank->disk[c->disk].level)
    return SIOX_EREFUSED;
  if (bank->limit)
    return siox__limit_command(bank, c);
  int rc = siox__disk_command(&bank->disk[c->disk], bank->now, c->level, c->job);
  if (rc == 0)
    siox__bank_count(bank, c);
  siox__bank_show(bank, c->disk);
  return rc;
}

void siox__bank_obey(struct siox_bank *bank, const struct siox_event *event) {
  struct siox_job_totals *totals = &siox__bank_job_of(bank, event->job)->totals;
  totals->granted += bank->commands.granted;
  totals->refused += bank->commands.refused;
  for (uint32_t i = 0; i < bank->commands.count; i++) {
    const struct siox_command *c = &bank->commands.item[i];
    if (c->disk >= bank->view.ndisks) /* carried out already */
      continue;
    if (siox__bank_command(bank, c) < 0)
      totals->refused++;
  }
  bank->commands.count = 0;
  if (bank->unmet)
    siox__bank_pins(bank);
  if (bank->limit) {
    siox__limit_admit(bank);
    if (bank->limit->wake < bank->wake)
      bank->wake = bank->limit->wake;
  }
}

int64_t siox__bank_arrive(struct siox_bank *bank, int64_t stamp) {
  while (bank->wake <= stamp) {
    if (bank->wake > bank->now)
      bank->now = bank->wake;
    retire(bank);
    struct siox_event event = {.kind = SIOX_EVENT_WAKE, .client = SIOX_NOBODY, .job = SIOX_NOBODY};
    siox__bank_ask(bank, &event);
    siox__bank_obey(bank, &event);
    if (bank->wake <= bank->now) /* a policy that asks for the past must not stop the clock */
      bank->wake = bank->now + 1;
    if (bank->now == SIOX_NEVER)
      break;
  }
  if (stamp > bank->now)
    bank->now = stamp;
  retire(bank);
  return bank->now;
}
