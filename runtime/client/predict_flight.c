/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Nonblocking and split accesses between the call that begins them and the one that completes them:
 * the library may do their I/O at any moment of that time, so nothing that is planned in it lets go
 * of their disks. What is never seen to end does so when its file is closed. */
#include "client/predict.h"
#include <stdlib.h>

struct siox__flight {
  struct siox__flight *next;
  uint64_t key; /* 0: whoever completes it will not be seen */
  const void *handle;
  struct siox_mask mask;
};

static void end(struct siox__predictor *p, struct siox__flight **at) {
  struct siox__flight *f = *at;
  *at = f->next;
  p->nflights--;
  siox_mask_free(&f->mask);
  free(f);
}

static struct siox__flight **find(struct siox__predictor *p, uint64_t key) {
  struct siox__flight **at = &p->flights;
  while (*at && (*at)->key != key)
    at = &(*at)->next;
  return at;
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
  f->next = p->flights;
  p->flights = f;
  p->nflights++;
}

bool siox__flight_ends(struct siox__predictor *p, uint64_t key) {
  struct siox__flight **at = find(p, key);
  if (!key || !*at)
    return false;
  end(p, at);
  return true;
}

void siox__predictor_lost(struct siox__predictor *p, uint64_t key) {
  struct siox__flight **at = find(p, key);
  if (*at)
    (*at)->key = 0;
}

void siox__flights_end(struct siox__predictor *p, const void *handle) {
  for (struct siox__flight **at = &p->flights; *at;)
    if (!handle || (*at)->handle == handle)
      end(p, at);
    else
      at = &(*at)->next;
}

bool siox__flying(const struct siox__predictor *p, uint32_t disk) {
  for (const struct siox__flight *f = p->flights; f; f = f->next)
    if (siox_mask_test(&f->mask, disk))
      return true;
  return false;
}
