/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The trace reader: whatever the bytes, every event it gives is whole, and an end stays an end. */
#include "fuzz_trace_input.h"
#include "trace_support.h"

void fuzz_seeds(void) {
  fuzz_seed_program("program.siox");
  for (uint64_t i = 1; i <= 4; i++)
    fuzz_seed_events((char[]){'e', (char)('0' + i), '.', 's', 'i', 'o', 'x', 0}, i);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct siox_trace_reader *r;
  struct siox_trace_event e;
  struct siox_diag diag = {""};
  char text[4096];
  int rc = siox_trace_open(&r, fuzz_file(data, size), &diag);
  if (rc < 0) {
    FUZZ_CHECK(strstr(diag.text, ": byte ") || rc == SIOX_ENOMEM);
    return 0;
  }
  const struct siox_trace_header *h = siox_trace_header(r);
  fuzz_touch_text(h->policy);
  fuzz_touch_text(h->program);
  for (uint32_t d = 0; d < h->ndisks; d++) {
    FUZZ_CHECK(h->initial_level[d] < h->drive[d]->nlevels);
    fuzz_touch(h->drive[d], sizeof *h->drive[d]);
  }
  while ((rc = siox_trace_read(r, &e, &diag)) > 0) {
    if (e.kind == SIOX_TRACE_HINT)
      fuzz_touch(e.u.hint.runs, e.u.hint.head.nruns * sizeof *e.u.hint.runs);
    if (e.kind == SIOX_TRACE_SEGMENT)
      FUZZ_CHECK(e.u.segment.disk < h->ndisks);
    if (e.kind == SIOX_TRACE_JOB)
      fuzz_touch_text(e.u.job.key);
    else if (e.kind != SIOX_TRACE_HINT || e.u.hint.head.nruns < 16)
      test_describe(&e, text, sizeof text);
  }
  FUZZ_CHECK(siox_trace_read(r, &e, &diag) == rc);
  FUZZ_CHECK(rc == 0 || strstr(diag.text, ": byte "));
  siox_trace_reader_close(r);
  return 0;
}
