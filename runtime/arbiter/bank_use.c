/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* I/O that claims predict keeps all disks of these claims (claims_use.h). */
#include "arbiter/bank_internal.h"
#include "arbiter/claims.h"
#include "arbiter/rule.h"

/* Pieces may be noted before others of their request are looked at: a claim that is kept by this is
 * in force on all its disks already. */
void siox__bank_note_use(const struct siox_bank *bank, const struct siox_claim_entry *entry,
                         uint32_t disk) {
  int64_t idle_since = bank->shown[disk].idle_since;
  bool idle = idle_since <= bank->now && bank->now - idle_since >= bank->hold[disk];
  siox__use_note(entry->use, disk, idle, bank->now);
}

static void note_member(struct siox_bank *bank, uint32_t client, int n) {
  for (int i = 0; i < n; i++) {
    uint32_t d = bank->piece[i].disk;
    const struct siox_claim_entry *entry = siox__claims_find(bank->claims, client, d);
    if (entry && entry->use && siox__entry_predicts(&bank->view, d, entry, bank->gap, bank->now))
      siox__bank_note_use(bank, entry, d);
  }
}

/* In a collective aggregators do I/O for all members, who may be many: what one of them does again
 * on disks where it did so within a sixteenth of `hold` is not told to all of them each time. */
void siox__bank_note_members(struct siox_bank *bank, const struct siox_request *r, int n) {
  enum { AGAIN = 16 };
  struct siox__bank_client *c = &bank->client[r->client];
  uint32_t last = r->members[r->nmembers - 1];
  uint64_t disks = 0;
  for (int i = 0; i < n; i++)
    disks |= UINT64_C(1) << bank->piece[i].disk % 64;
  bool recent = c->told.members == r->nmembers && c->told.last == last &&
                bank->now - c->told.at < bank->hold[bank->piece[0].disk] / AGAIN;
  if (recent && (disks & ~c->told.disks) == 0)
    return;
  if (recent)
    c->told.disks |= disks;
  else {
    c->told.at = bank->now;
    c->told.members = r->nmembers;
    c->told.last = last;
    c->told.disks = disks;
  }
  for (uint32_t i = 0; i < r->nmembers; i++)
    note_member(bank, r->members[i], n);
}
