/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a program does with a file: siox/knowledge.h. A step leads from where a client's access
 * ended to where its next one begins. One of 0 bytes is sequential, one as long as the step before
 * is strided, the others are random. */
#include "siox/activities.h"
#include "siox/knowledge.h"
#include <stdlib.h>

struct siox_trail {
  uint64_t calls[SIOX_SIZE_CLASSES], all, collective;
  double bytes[2], seconds;
  uint64_t steps, sequential, strided, firsts; /* firsts: there is no step before */
  bool begun;                                  /* of this client */
  uint32_t client;
  int64_t end, step; /* of the last access, and the last step; 0: none yet */
};

int siox_trail_new(struct siox_trail **out) {
  *out = calloc(1, sizeof **out);
  return *out ? 0 : SIOX_ENOMEM;
}

void siox_trail_free(struct siox_trail *t) { free(t); }

static void step(struct siox_trail *t, uint32_t client, int64_t offset, int64_t bytes) {
  int64_t end, way;
  if (offset < 0 || __builtin_add_overflow(offset, bytes, &end))
    return;
  if (t->begun && t->client == client) {
    way = offset - t->end;
    t->steps++;
    t->sequential += way == 0;
    t->strided += way != 0 && way == t->step;
    t->firsts += way != 0 && t->step == 0;
    t->step = way;
  } else {
    t->step = 0;
  }
  t->begun = true;
  t->client = client;
  t->end = end;
}

void siox_trail_add(struct siox_trail *t, uint32_t client, bool writes, bool collective,
                    int64_t offset, int64_t bytes, int64_t ns) {
  if (bytes < 0 || ns < 0)
    return;
  t->calls[siox_size_class((uint64_t)bytes)]++;
  t->all++;
  t->collective += collective;
  t->bytes[writes] += (double)bytes;
  t->seconds += 1e-9 * (double)ns;
  step(t, client, offset, bytes);
}

static unsigned median_class(const struct siox_trail *t) {
  uint64_t below = 0;
  unsigned c = 0;
  while (c < SIOX_SIZE_CLASSES - 1 && 2 * (below + t->calls[c]) <= t->all)
    below += t->calls[c++];
  return c;
}

bool siox_trail_episode(const struct siox_trail *t, struct siox_episode *e) {
  const double bytes = t->bytes[0] + t->bytes[1];
  struct siox_situation *s = &e->situation;
  if (!(bytes > 0) || !(t->seconds > 0))
    return false;
  s->access = t->bytes[0] >= 0.9 * bytes   ? SIOX_READS
              : t->bytes[1] >= 0.9 * bytes ? SIOX_WRITES
                                           : SIOX_READS_AND_WRITES;
  s->pattern = t->steps == 0                       ? SIOX_UNKNOWN_PATTERN
               : 5 * t->sequential >= 4 * t->steps ? SIOX_SEQUENTIAL
               : t->strided > 0 && 5 * t->strided >= 4 * (t->steps - t->firsts) ? SIOX_STRIDED
                                                                                : SIOX_RANDOM;
  s->collective = 2 * t->collective > t->all;
  s->size_class = median_class(t);
  e->cost = t->seconds / (bytes / 1048576);
  return true;
}
