/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How hints leave the process: by the ring, and when that is full, the whole vector by socket. */
#include "client/client.h"
#include "client/hint.h"
#include "client/real.h"

static uint64_t last_seq;

void siox__hint_begin(struct siox__hint_message *m, uint16_t flags, uint64_t site) {
  m->head = (struct siox_claim_header){.version = SIOX_CLAIM_VERSION,
                                       .flags = flags,
                                       .seq = last_seq += 2, /* odd ones: daemon/gather.c */
                                       .time = siox__now_ns(),
                                       .site = site};
}

void siox__hint_add(struct siox__hint_message *m, uint32_t disk, const struct siox__stance *w) {
  struct siox_claim_run *r = m->head.nruns ? &m->run[m->head.nruns - 1] : NULL;
  if (r && r->first + r->count == disk && r->speed == w->speed && r->flag == w->flag &&
      r->need_by == w->need_by && r->until == w->until) {
    r->count++;
    return;
  }
  m->run[m->head.nruns++] = (struct siox_claim_run){.first = disk,
                                                    .count = 1,
                                                    .speed = w->speed,
                                                    .flag = w->flag,
                                                    .need_by = w->need_by,
                                                    .until = w->until};
}

static int send_part(uint16_t flags, const struct siox_claim_run *runs, uint32_t n) {
  static struct siox__hint_message m; /* not on the stack: hint.c */
  siox__hint_begin(&m, flags, 0);
  m.head.nruns = n;
  return siox__notify(SIOX_MSG_CLAIM, &m.head, sizeof m.head, runs, n * sizeof *runs);
}

/* Records were lost from the ring, or the daemon is another one. Does not fit one packet only for
 * absurd vectors; it then goes out in parts that together say the same. */
int siox__hint_send_whole(const struct siox__vector *all) {
  const uint32_t most = (SIOX_WIRE_MAX - 256) / sizeof(struct siox_claim_run);
  struct siox_claim_run *runs = siox__real()->mmap(
      NULL, most * sizeof *runs, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (runs == MAP_FAILED)
    return SIOX_ENOMEM;
  int result = 0;
  uint32_t used = 0, parts = 0;
  for (uint32_t d = 0; d < all->ndisks && result == 0;) {
    uint32_t end = d + 1;
    while (end < all->ndisks && siox__stance_same(&all->wish[d], &all->wish[end]))
      end++;
    if (all->wish[d].flag >= 0) {
      if (used == most) {
        result = send_part(0, runs, used);
        used = 0;
        parts++;
      }
      const struct siox__stance *w = &all->wish[d];
      runs[used++] = (struct siox_claim_run){.first = d,
                                             .count = end - d,
                                             .speed = w->speed,
                                             .flag = w->flag,
                                             .need_by = w->need_by,
                                             .until = w->until};
    }
    d = end;
  }
  if (result == 0 && used)
    result = send_part(parts ? 0 : SIOX_CLAIM_WHOLE, runs, used);
  munmap(runs, most * sizeof *runs);
  return result;
}

int siox__hint_flush(struct siox__hint_message *m, const struct siox__vector *all) {
  if (!m->head.nruns)
    return 0;
  int result = siox__record(SIOX_REC_CLAIM, &m->head, sizeof m->head, m->run,
                            m->head.nruns * sizeof *m->run);
  m->head.nruns = 0;
  return result == SIOX_EFULL ? siox__hint_send_whole(all) : result;
}

void siox__hint_send_reset(void) { last_seq = 0; }
