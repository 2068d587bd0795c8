/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The processors' joules of each job, into the store: every ten seconds what came since, so that
 * the rows of a job add up to what the ledger says, and a daemon that is killed has lost no more.
 * Under the monitor's lock. */
#ifndef SIOX_DAEMON_ENERGIES_H
#define SIOX_DAEMON_ENERGIES_H
#include "monitor/ledger.h"
#include "siox/config.h"
#include "store/store.h"

struct siox__energies;
/* *out NULL with 0: there is no database. Else the run begins in the store, before any other row.
 */
int siox__energies_new(struct siox__energies **out, const struct siox_config *config,
                       struct siox__store *store);
/* After each cycle. e NULL is fine everywhere. */
void siox__energies_cycle(struct siox__energies *e, const struct siox__ledger *ledger,
                          int64_t now_ns);
/* Before the ledger forgets a job: puts the rest. */
void siox__energies_forget(struct siox__energies *e, const struct siox__ledger *ledger,
                           uint32_t job);
/* Puts the rest of all. */
void siox__energies_free(struct siox__energies *e, const struct siox__ledger *ledger);

#endif
