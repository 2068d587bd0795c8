/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Who has joined and has neither opened a file nor said anything yet: what it will use is unknown,
 * so until it is known, or for limits.hold_joined_ns, policies let no disk leave full speed.
 * All wait equally long, so in the order they joined the last one's end is the latest. */
#include "arbiter/bank_internal.h"
#include "arbiter/rule.h"

static void show(struct siox_bank *bank) {
  uint32_t last = bank->last_silent;
  bank->view.silent = last == SIOX_NOBODY ? INT64_MIN : bank->client[last].until;
}

int siox_bank_await(struct siox_bank *bank, uint32_t client) {
  if (bank->finished || client >= bank->nclients || !bank->client[client].live)
    return SIOX_EINVAL;
  struct siox__bank_client *c = &bank->client[client];
  double wait = (double)bank->view.limits.hold_joined_ns / bank->shown[0].drive->time_scale;
  if (c->silent || !(wait >= 1))
    return 0;
  c->silent = true;
  c->until = siox__later(bank->now, wait < 9e18 ? (int64_t)wait : SIOX_NEVER);
  c->before = bank->last_silent;
  c->after = SIOX_NOBODY;
  if (c->before != SIOX_NOBODY)
    bank->client[c->before].after = client;
  bank->last_silent = client;
  show(bank);
  return 0;
}

void siox__bank_heard(struct siox_bank *bank, uint32_t client) {
  struct siox__bank_client *c = &bank->client[client];
  if (!c->silent)
    return;
  c->silent = false;
  if (c->before != SIOX_NOBODY)
    bank->client[c->before].after = c->after;
  if (c->after != SIOX_NOBODY)
    bank->client[c->after].before = c->before;
  else
    bank->last_silent = c->before;
  show(bank);
  /* The event may concern no disk, and then nobody asks the policy. */
  int64_t soon = siox__later(bank->now, 1);
  bank->wake = siox__sooner(bank->wake, bank->view.silent > soon ? bank->view.silent : soon);
}
