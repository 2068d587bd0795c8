/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The replay of traces that decode but make no sense: clients that leave twice, collectives that
 * nobody enters, times and offsets at the ends of their ranges. */
#include "fuzz_trace_input.h"
#include "siox/sim.h"

void fuzz_seeds(void) {
  fuzz_seed_program("program.siox");
  fuzz_seed_events("events.siox", 5);
}

/* With hints said anew or placed, on the trace's own disks. */
static void replay_derived(const char *path, enum siox_sim_give give) {
  struct siox_trace_reader *reader;
  struct siox_sim *sim;
  struct siox_replay_result result;
  if (siox_trace_open(&reader, path, NULL) < 0)
    return;
  const struct siox_trace_header *h = siox_trace_header(reader);
  const struct siox_sim_options options = {
      .ndisks = h->ndisks, .drive = h->drive, .initial_level = h->initial_level};
  if (h->ndisks && siox_sim_create(&sim, &options) == 0) {
    const struct siox_sim_job job = {.trace = path, .delay_budget = -1, .hints = give};
    siox_sim_derive(sim, true);
    if (siox_sim_add(sim, &job, NULL) == 0 &&
        siox_sim_run(sim, &(struct siox_replay_options){.policy = "siox"}, &result, NULL) == 0)
      siox_replay_free(&result);
    siox_sim_destroy(sim);
  }
  siox_trace_reader_close(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const policies[] = {NULL, "base", "siox"};
  const char *path = fuzz_file(data, size);
  for (int i = 0; i < 3; i++) {
    struct siox_replay_options options = {.policy = policies[i], .open_loop = i == 1};
    struct siox_replay_result result;
    struct siox_diag diag = {""};
    if (siox_replay(path, &options, &result, &diag) < 0) {
      FUZZ_CHECK(diag.text[0]);
      continue;
    }
    fuzz_touch(result.rank, result.nranks * sizeof *result.rank);
    siox_replay_free(&result);
  }
  struct siox_replay_result result;
  if (siox_replay_recorded(path, &result, NULL) == 0)
    siox_replay_free(&result);
  replay_derived(path, SIOX_SIM_GIVE_RECORDED);
  replay_derived(path, SIOX_SIM_GIVE_TRUTH);
  return 0;
}
