/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Levels that an administrator sets. A pinned disk obeys nobody else: what the policy commands
 * meanwhile is shown to it as if it had been done, so that it does not ask again, and the last of
 * it is carried out when the disk is let go. A disk with requests before it is never slowed, so a
 * pin may have to wait for their end; wear and power count as for every command. */
#include "arbiter/bank_limit.h"
#include "arbiter/rule.h"
#include <stdlib.h>

static int carry_out(struct siox_bank *bank, const struct siox_command *c) {
  int rc = bank->limit ? siox__limit_command(bank, c)
                       : siox__disk_command(&bank->disk[c->disk], bank->now, c->level, c->job);
  siox__bank_show(bank, c->disk);
  return rc;
}

/* Takes the disk to its level, or says when that can be: now, SIOX_NEVER when it is done. */
static int64_t settle(struct siox_bank *bank, uint32_t d) {
  struct siox__pin *p = &bank->pin[d];
  struct siox_command c = p->held;
  if (p->level)
    c = (struct siox_command){.disk = d, .level = p->level - 1, .job = SIOX_NOBODY};
  const struct siox__disk *disk = &bank->disk[d];
  if (c.level < disk->level && disk->free_at > bank->now)
    return disk->free_at;
  p->unmet = false;
  bank->unmet--;
  (void)carry_out(bank, &c);
  return SIOX_NEVER;
}

void siox__bank_pins(struct siox_bank *bank) {
  for (uint32_t d = 0; d < bank->view.ndisks && bank->unmet; d++)
    if (bank->pin[d].unmet)
      bank->wake = siox__sooner(bank->wake, settle(bank, d));
  if (!bank->limit)
    return;
  siox__limit_admit(bank);
  bank->wake = siox__sooner(bank->wake, bank->limit->wake);
}

bool siox__bank_withhold(struct siox_bank *bank, const struct siox_command *c) {
  struct siox__pin *p = &bank->pin[c->disk];
  if (!p->level) {
    bank->unmet -= p->unmet; /* let go, and the policy has another wish already */
    p->unmet = false;
    return false;
  }
  p->held = *c;
  siox__bank_show(bank, c->disk);
  return true;
}

int siox_bank_slow(struct siox_bank *bank, uint32_t disk, double factor, int64_t until) {
  if (disk >= bank->view.ndisks)
    return SIOX_ERANGE;
  if (!(factor >= 1 && factor <= 1e6))
    return SIOX_EINVAL;
  bank->disk[disk].slow = factor;
  bank->disk[disk].slow_until = until;
  return 0;
}

int siox_bank_pin(struct siox_bank *bank, int64_t now, uint32_t disk, uint32_t level) {
  if (bank->finished)
    return SIOX_EINVAL;
  if (disk >= bank->view.ndisks)
    return SIOX_ERANGE;
  const struct siox_drive *drive = bank->shown[disk].drive;
  if (level != SIOX_NOBODY && (level >= drive->nlevels || !drive->level[level].serves))
    return SIOX_EINVAL;
  if (!bank->pin && !(bank->pin = calloc(bank->view.ndisks, sizeof *bank->pin)))
    return SIOX_ENOMEM;
  siox__bank_arrive(bank, now);
  struct siox__pin *p = &bank->pin[disk];
  if (level == SIOX_NOBODY && !p->level)
    return 0;
  if (!p->level)
    p->held =
        (struct siox_command){.disk = disk, .level = bank->shown[disk].target, .job = SIOX_NOBODY};
  p->level = level == SIOX_NOBODY ? 0 : level + 1;
  bank->unmet += !p->unmet;
  p->unmet = true;
  siox__bank_pins(bank);
  return 0;
}

void siox_bank_disk_now(const struct siox_bank *bank, uint32_t disk, uint32_t *level,
                        uint32_t *target, bool *moving) {
  const struct siox__disk *d = &bank->disk[disk];
  *level = *target = d->level;
  if (bank->limit && bank->limit->waiting && bank->limit->waiting[disk].is)
    *target = bank->limit->waiting[disk].level;
  *moving = d->move_start <= bank->now && bank->now < d->move_end;
}

uint32_t siox_bank_pinned(const struct siox_bank *bank, uint32_t disk) {
  return bank->pin && disk < bank->view.ndisks && bank->pin[disk].level ? bank->pin[disk].level - 1
                                                                        : SIOX_NOBODY;
}
