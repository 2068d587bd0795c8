/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Nonblocking and split accesses between the call that begins them and the one that completes them:
 * the library may do their I/O at any moment of that time, so nothing that is planned in it lets go
 * of their disks. What is never seen to end does so when its file is closed. A program may have
 * thousands under way, so they are found by key, and counted for each disk. */
#include "client/predict.h"
#include "common/random.h"
#include <stdlib.h>

struct siox__flight {
  struct siox__flight *next;
  uint64_t key;
  const void *handle;
  struct siox_mask mask;
};

/* One access more, or less, on each disk of the mask. True: a disk has none any more. */
static bool count(struct siox__predictor *p, const struct siox_mask *mask, bool more) {
  bool freed = false;
  for (uint32_t d = siox_mask_next(mask, 0); d < p->env.ndisks; d = siox_mask_next(mask, d + 1)) {
    p->aloft[d] += more ? 1 : UINT32_MAX;
    freed |= !p->aloft[d];
  }
  return freed;
}

static struct siox__flight *take(struct siox__predictor *p, struct siox__flight **at) {
  struct siox__flight *f = *at;
  *at = f->next;
  p->nflights--;
  return f;
}

static void put(struct siox__predictor *p, struct siox__flight **row, struct siox__flight *f) {
  f->next = *row;
  *row = f;
  p->nflights++;
}

static void drop(struct siox__flight *f) {
  siox_mask_free(&f->mask);
  free(f);
}

static bool end(struct siox__predictor *p, struct siox__flight **at) {
  struct siox__flight *f = take(p, at);
  const bool freed = count(p, &f->mask, false);
  drop(f);
  return freed;
}

static struct siox__flight **row_of(struct siox__predictor *p, uint64_t key) {
  return &p->flights[siox__scramble(key) % SIOX__FLIGHT_ROWS];
}

static struct siox__flight **find(struct siox__predictor *p, uint64_t key) {
  struct siox__flight **at = row_of(p, key);
  while (*at && (*at)->key != key)
    at = &(*at)->next;
  return at;
}

/* Those of one file end together, so they are kept as one. */
static void lose(struct siox__predictor *p, struct siox__flight *f) {
  struct siox__flight *lost = p->lost;
  while (lost && lost->handle != f->handle)
    lost = lost->next;
  if (!lost) {
    f->key = 0;
    put(p, &p->lost, f);
    return;
  }
  count(p, &f->mask, false);
  count(p, &lost->mask, false);
  siox_mask_or(&lost->mask, &f->mask);
  count(p, &lost->mask, true);
  drop(f);
}

void siox__predictor_departs(struct siox__predictor *p, uint64_t key, const void *handle,
                             const struct siox__reach *reach) {
  int32_t file = siox__predictor_asleep(p) ? -1 : siox__predictor_file(p, handle);
  siox__flight_ends(p, key); /* an earlier one, whose end was not seen */
  if (file < 0 || !p->file[file].layout.factor || reach->bytes <= 0)
    return;
  struct siox__flight *f = calloc(1, sizeof *f);
  if (!f || siox_mask_init(&f->mask, p->env.ndisks) < 0) {
    free(f);
    p->failed = true;
    return;
  }
  f->key = key;
  f->handle = handle;
  siox__predict_reach(&p->file[file], reach, &f->mask);
  count(p, &f->mask, true);
  put(p, row_of(p, key), f);
}

bool siox__flight_ends(struct siox__predictor *p, uint64_t key) {
  struct siox__flight **at = find(p, key);
  return *at && end(p, at);
}

void siox__predictor_lost(struct siox__predictor *p, uint64_t key) {
  struct siox__flight **at = find(p, key);
  if (*at)
    lose(p, take(p, at));
}

static void row_ends(struct siox__predictor *p, struct siox__flight **at, const void *handle) {
  while (*at)
    if (!handle || (*at)->handle == handle)
      end(p, at);
    else
      at = &(*at)->next;
}

void siox__flights_end(struct siox__predictor *p, const void *handle) {
  for (uint32_t i = 0; p->nflights && i < SIOX__FLIGHT_ROWS; i++)
    row_ends(p, &p->flights[i], handle);
  row_ends(p, &p->lost, handle);
}
