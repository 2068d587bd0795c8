/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* See energies.h. */
#include "daemon/energies.h"
#include "common/clock.h"
#include <stdlib.h>

static const int64_t EVERY_NS = INT64_C(10000000000);

struct put { /* so far */
  uint32_t job;
  double joules, busy_s;
};
struct siox__energies {
  struct siox__store *store;
  int64_t last_ns;
  struct put *job;
  size_t njobs, room;
  double idle_j, unattributed_j;
};

int siox__energies_new(struct siox__energies **out, const struct siox_config *config,
                       struct siox__store *store) {
  *out = NULL;
  if (!config->database)
    return 0;
  struct siox__energies *e = *out = calloc(1, sizeof *e);
  if (!e)
    return SIOX_ENOMEM;
  e->store = store;
  siox__store_put(store, &(struct siox__store_row){
                             .kind = SIOX__ROW_RUN,
                             .number = {siox__now_ns(), siox__wall_ns(), config->disks},
                             .real = {config->time_scale},
                             .text = {config->policy}});
  return 0;
}

static void put_row(struct siox__energies *e, const struct siox__ledger *ledger, int64_t job,
                    double joules, double busy_s, const char *domain) {
  if (joules > 0 || busy_s > 0)
    siox__store_put(e->store, &(struct siox__store_row){.kind = SIOX__ROW_JOB_ENERGY,
                                                        .number = {job, ledger->estimated},
                                                        .real = {joules, busy_s},
                                                        .text = {domain}});
}

/* NULL: no memory; what is not put now is put later. */
static struct put *put_of(struct siox__energies *e, uint32_t job) {
  for (size_t i = 0; i < e->njobs; i++)
    if (e->job[i].job == job)
      return &e->job[i];
  if (e->njobs == e->room) {
    const size_t room = e->room ? 2 * e->room : 16;
    struct put *more = realloc(e->job, room * sizeof *more);
    if (!more)
      return NULL;
    e->job = more;
    e->room = room;
  }
  e->job[e->njobs] = (struct put){.job = job};
  return &e->job[e->njobs++];
}

static void put_job(struct siox__energies *e, const struct siox__ledger *ledger,
                    const struct siox__ledger_job *job) {
  struct put *so_far = put_of(e, job->job);
  if (!so_far)
    return;
  put_row(e, ledger, job->job, job->joules - so_far->joules, job->busy_s - so_far->busy_s,
          "package");
  so_far->joules = job->joules;
  so_far->busy_s = job->busy_s;
}

static void put_all(struct siox__energies *e, const struct siox__ledger *ledger) {
  for (size_t i = 0; i < ledger->njobs; i++)
    put_job(e, ledger, &ledger->job[i]);
  put_row(e, ledger, SIOX__ROW_NONE, ledger->unattributed_j - e->unattributed_j, 0, "package");
  put_row(e, ledger, SIOX__ROW_NONE, ledger->idle_j - e->idle_j, 0, "idle");
  e->unattributed_j = ledger->unattributed_j;
  e->idle_j = ledger->idle_j;
}

void siox__energies_cycle(struct siox__energies *e, const struct siox__ledger *ledger,
                          int64_t now_ns) {
  if (!e || now_ns - e->last_ns < EVERY_NS)
    return;
  e->last_ns = now_ns;
  put_all(e, ledger);
}

void siox__energies_forget(struct siox__energies *e, const struct siox__ledger *ledger,
                           uint32_t job) {
  for (size_t i = 0; e && i < ledger->njobs; i++)
    if (ledger->job[i].job == job)
      put_job(e, ledger, &ledger->job[i]);
  for (size_t i = 0; e && i < e->njobs; i++)
    if (e->job[i].job == job) {
      e->job[i] = e->job[--e->njobs];
      return;
    }
}

void siox__energies_free(struct siox__energies *e, const struct siox__ledger *ledger) {
  if (!e)
    return;
  put_all(e, ledger);
  free(e->job);
  free(e);
}
