/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What clients say: claims, and leaving. The disks concerned are settled before an entry changes,
 * so that idle time up to then is shared by the claims that held it. */
#include "arbiter/bank_internal.h"
#include "arbiter/claims.h"

static bool known(const struct siox_bank *bank, uint32_t client) {
  return !bank->finished && client < bank->nclients && bank->client[client].live;
}

static bool alike(const struct siox_claim_run *a, const struct siox_claim_run *b) {
  return a->speed == b->speed && a->flag == b->flag && a->need_by == b->need_by &&
         a->until == b->until;
}

/* Puts the disks of the run that are still in `changed` into `mask` and takes them out there. */
static void take(struct siox_mask *changed, const struct siox_claim_run *run,
                 struct siox_mask *mask) {
  for (uint32_t d = siox_mask_next(changed, run->first); d < run->first + run->count;
       d = siox_mask_next(changed, d + 1)) {
    siox_mask_clear(changed, d);
    siox_mask_set(mask, d);
  }
}

static void tell_policy(struct siox_bank *bank, const struct siox_event *event) {
  if (siox_mask_empty(event->disks) && (!event->touched || siox_mask_empty(event->touched)))
    return;
  siox__bank_ask(bank, event);
  siox__bank_obey(bank, event);
}

/* The client gives disks up: what it touched without a prediction before is forgotten. */
static int forget_touches(struct siox_bank *bank, uint32_t client, const struct siox_mask *disks) {
  int n = siox_claim_runs(disks, 0, 0, 0, 0, bank->run, bank->view.ndisks);
  return n < 0 ? n : siox__claims_erase(bank->unknown, client, bank->run, (uint32_t)n);
}

int siox_bank_claim(struct siox_bank *bank, int64_t now, uint32_t client,
                    const struct siox_claim_header *head, const struct siox_claim_run *runs) {
  if (!known(bank, client))
    return SIOX_EINVAL;
  int rc = siox__claims_check(bank->claims, head, runs);
  if (rc < 0)
    return rc;
  struct siox_claim_header stamped = *head;
  stamped.time = siox__bank_arrive(bank, now); /* the bank's clock is the one that counts */
  uint32_t job = bank->client[client].job;
  siox__bank_heard(bank, client);

  siox_mask_zero(&bank->mask);
  if (head->flags & SIOX_CLAIM_WHOLE)
    siox__claims_mask(bank->claims, client, -1, &bank->mask);
  for (uint32_t i = 0; i < head->nruns; i++)
    for (uint32_t d = runs[i].first; d < runs[i].first + runs[i].count; d++)
      siox_mask_set(&bank->mask, d);
  siox__bank_before(bank, &bank->mask, client);
  siox_mask_zero(&bank->changed);
  rc = siox_claims_apply(bank->claims, client, job, &stamped, runs, &bank->changed);
  siox__bank_after(bank, &bank->mask, client);
  if (rc < 0)
    return rc;
  bank->job[job].totals.hints++;

  for (uint32_t i = 0; i < head->nruns;) {
    struct siox_event event = {.kind = SIOX_EVENT_CLAIM,
                               .disks = &bank->mask,
                               .client = client,
                               .job = job,
                               .speed = runs[i].speed,
                               .flag = runs[i].flag,
                               .need_by = runs[i].need_by,
                               .until = runs[i].until};
    siox_mask_zero(&bank->mask);
    uint32_t first = i; /* neighbours that ask the same are one hint */
    for (; i < head->nruns && alike(&runs[i], &runs[first]); i++)
      take(&bank->changed, &runs[i], &bank->mask);
    if (event.flag == 0 && forget_touches(bank, client, &bank->mask) < 0)
      rc = SIOX_ENOMEM;
    tell_policy(bank, &event);
  }
  struct siox_event gone = {
      .kind = SIOX_EVENT_CLAIM, .disks = &bank->changed, .client = client, .job = job, .flag = -1};
  tell_policy(bank, &gone);
  return rc;
}

int siox_bank_leave(struct siox_bank *bank, int64_t now, uint32_t client) {
  if (!known(bank, client))
    return SIOX_EINVAL;
  siox__bank_arrive(bank, now);
  siox__bank_heard(bank, client);
  siox_mask_zero(&bank->mask);
  siox_mask_zero(&bank->missed);
  siox__claims_mask(bank->claims, client, -1, &bank->mask);
  siox__claims_mask(bank->claims, client, 1, &bank->missed);
  siox__bank_before(bank, &bank->mask, client);
  siox_claims_drop(bank->claims, client, NULL);

  /* Its touches go on to hold their disks: others of its kind may follow. */
  siox_mask_zero(&bank->changed);
  siox__claims_mask(bank->unknown, client, -1, &bank->changed);
  for (uint32_t d = siox_mask_next(&bank->changed, 0); d < bank->view.ndisks;
       d = siox_mask_next(&bank->changed, d + 1)) {
    int64_t touched = siox_claims_get(bank->unknown, client, d).need_by;
    if (touched > bank->shown[d].orphaned)
      bank->shown[d].orphaned = touched;
    if (siox_mask_test(&bank->mask, d))
      siox_mask_clear(&bank->changed, d);
  }
  siox_claims_drop(bank->unknown, client, NULL);

  struct siox_event event = {.kind = SIOX_EVENT_LEAVE,
                             .disks = &bank->mask,
                             .missed = &bank->missed,
                             .touched = &bank->changed,
                             .client = client,
                             .job = bank->client[client].job};
  tell_policy(bank, &event);
  bank->client[client].live = false;
  bank->job[bank->client[client].job].clients--;
  bank->free_client[bank->nfree++] = client;
  return 0;
}
