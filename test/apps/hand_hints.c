/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Hints by hand; see hand_hints.h. For every disk the next slot that touches it is known exactly,
 * so the only thing to estimate is how long the present stretch of computing still lasts. Like the
 * paper's T_b (section IV, equation 1) that takes the shortest time a step has taken, in any of the
 * latest windows: on a machine that others use too, what was true long ago says little. A margin
 * keeps the disks early rather than late: late costs a request its wait, early costs watts for a
 * moment.
 *
 * A policy that wants the whole gap (siox) gets one F = 0 hint at once that says when the disks are
 * needed again, corrected when the estimate moves; an access that comes sooner is claimed then.
 *
 * A policy that wants a lead (rt, claims) gets F = 0 at the level that saves most over the
 * gap, and F = 1 at the lead.
 *
 * Of a gap too short to pay at any level nothing is said, and the disk stays as it is. */
#include "hand_hints.h"
#include <stdlib.h>
#include <time.h>

#define MARGIN 0.01 /* of the remaining time */
#define WINDOWS 32  /* a stretch is measured in so many parts */
/* The first stretch is measured this long before it is believed. */
#define FIRST_ESTIMATE_NS 2000000
/* need_by is told again when it moved by more than this and 0.5 % of the gap. */
#define LEAST_CORRECTION_NS 1000000
#define LEAST_CHECK_NS 100000

enum told {
  HELD,     /* needed now */
  RELEASED, /* not needed; to be claimed when the lead comes */
  PROMISED, /* not needed until need_by, and the policy knows it */
  CLAIMED,  /* needed soon: the lead has come */
};
struct hand_hints_disk {
  enum told told;
  int64_t distance; /* slots to the next use, 0: never used again */
  int64_t need_by;
  int64_t lead; /* RELEASED: ns from the level chosen to full speed */
  bool done;    /* treated in this round */
  struct siox_drive drive;
};

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

void hand_hints_start(struct hand_hints *h, int64_t bursts, int64_t products) {
  *h = (struct hand_hints){
      .slabs = bursts - 1, .last_slot = (bursts - 1) * products, .ndisks = siox_ndisks()};
  if (!h->ndisks)
    return;
  h->disk = calloc(h->ndisks, sizeof *h->disk);
  h->touch = calloc((size_t)bursts, sizeof *h->touch);
  h->active = h->disk && h->touch && !siox_mask_init(&h->group, h->ndisks);
  for (int64_t i = 0; h->active && i < bursts; i++)
    h->active = !siox_mask_init(&h->touch[i], h->ndisks);
  for (uint32_t d = 0; h->active && d < h->ndisks; d++)
    h->active = !siox_disk_drive(d, &h->disk[d].drive);
}

void hand_hints_touch(struct hand_hints *h, int64_t burst, MPI_File file, int64_t offset,
                      int64_t bytes) {
  struct siox_layout layout;
  if (!h->active)
    return;
  if (siox_file_layout((const void *)file, &layout)) {
    h->active = false; /* where the data lies is unknown: say nothing rather than something wrong */
    return;
  }
  siox_layout_mask(&layout, offset, bytes, &h->touch[burst]);
  siox_layout_free(&layout);
}

static bool used_in(const struct hand_hints *h, uint32_t disk, int64_t slot) {
  if (slot > 0 && slot % h->slabs == 0 && siox_mask_test(&h->touch[h->slabs], disk))
    return true;
  return slot < h->last_slot && siox_mask_test(&h->touch[slot % h->slabs], disk);
}

/* Slots from the present one to the next use of the disk; 0 when there is none. The pattern repeats
 * every `slabs`. */
static int64_t distance(const struct hand_hints *h, uint32_t disk) {
  for (int64_t ahead = 1; ahead <= h->slabs && h->slot + ahead <= h->last_slot; ahead++)
    if (used_in(h, disk, h->slot + ahead))
      return ahead;
  return 0;
}

static void find_distances(struct hand_hints *h) {
  for (uint32_t d = 0; d < h->ndisks; d++)
    h->disk[d].distance = distance(h, d);
}

/* Collects in h->group the disks that are to be treated like disk d. */
static void collect(struct hand_hints *h, uint32_t d) {
  siox_mask_zero(&h->group);
  for (uint32_t e = d; e < h->ndisks; e++) {
    struct hand_hints_disk *like = &h->disk[e];
    if (like->done || like->distance != h->disk[d].distance || like->told != h->disk[d].told)
      continue;
    siox_mask_set(&h->group, e);
    like->done = true;
  }
}

static void tell(struct hand_hints *h, enum told told, int32_t speed, int64_t need_by,
                 int64_t lead) {
  int32_t flag = told == HELD || told == CLAIMED;
  siox_set_speed_at(&h->group, speed, flag, need_by, SIOX_NEVER, NULL);
  for (uint32_t d = siox_mask_next(&h->group, 0); d < h->ndisks;
       d = siox_mask_next(&h->group, d + 1)) {
    h->disk[d].told = told;
    h->disk[d].need_by = need_by;
    h->disk[d].lead = lead;
  }
}

/* The disks of h->group are next used at `use`. Returns the moment at which they should be looked
 * at again. */
static int64_t treat(struct hand_hints *h, const struct hand_hints_disk *like, int64_t now,
                     int64_t use) {
  int64_t wanted = siox_lead(NULL), gap = use - now;
  uint32_t level = siox_drive_best_level(&like->drive, gap);
  bool pays = level + 1 < like->drive.nlevels;
  if (wanted == 0)
    return SIOX_NEVER; /* base, static: the policy does not listen */
  if (wanted == SIOX_NEVER) {
    int64_t moved = llabs(use - like->need_by);
    if (like->told == PROMISED ? moved > LEAST_CORRECTION_NS && moved > gap / 200 : pays)
      tell(h, PROMISED, like->drive.level[level].speed, use, 0);
    return now + gap / 32;
  }
  if (like->told == HELD) {
    if (!pays)
      return now + gap / 32;
    int32_t speed = like->drive.level[level].speed;
    int64_t lead = siox_drive_transition_ns(&like->drive, speed,
                                            like->drive.level[like->drive.nlevels - 1].speed);
    tell(h, RELEASED, speed, use, lead < 0 || lead > wanted ? wanted : lead);
  } else if (like->told == RELEASED && gap <= like->lead) {
    tell(h, CLAIMED, SIOX_SPEED_FULL, 0, 0);
  }
  return like->told == RELEASED ? use - like->lead - (use - like->lead - now) / 8 : SIOX_NEVER;
}

/* Tells the daemon what follows from `left` ns of computing before the next burst. */
static void update(struct hand_hints *h, int64_t now, int64_t left) {
  int64_t end = now + left - (int64_t)(MARGIN * (double)left), gap = now + left - h->gap_start;
  h->check_at = SIOX_NEVER;
  for (uint32_t d = 0; d < h->ndisks; d++)
    h->disk[d].done = h->disk[d].distance == 0;
  for (uint32_t d = 0; d < h->ndisks; d++) {
    if (h->disk[d].done)
      continue;
    collect(h, d);
    int64_t again =
        treat(h, &h->disk[d], now,
              end + (h->disk[d].distance - 1) * (gap - (int64_t)(MARGIN * (double)gap)));
    if (again < h->check_at)
      h->check_at = again < now + LEAST_CHECK_NS ? now + LEAST_CHECK_NS : again;
  }
}

static void release_unused(struct hand_hints *h) {
  siox_mask_zero(&h->group);
  for (uint32_t d = 0; d < h->ndisks; d++)
    if (h->disk[d].distance == 0 && h->disk[d].told != RELEASED)
      siox_mask_set(&h->group, d);
  if (!siox_mask_empty(&h->group))
    tell(h, RELEASED, SIOX_SPEED_LOWEST, 0, SIOX_NEVER);
}

void hand_hints_ready(struct hand_hints *h) {
  if (!h->active)
    return;
  h->slot = -1; /* so that slot 0 lies ahead */
  siox_mask_zero(&h->group);
  for (uint32_t d = 0; d < h->ndisks; d++) {
    bool used = false;
    for (int64_t burst = 0; burst <= h->slabs; burst++)
      used = used || siox_mask_test(&h->touch[burst], d);
    h->disk[d].distance = used;
    if (used)
      siox_mask_set(&h->group, d);
  }
  tell(h, HELD, SIOX_SPEED_FULL, 0, 0);
  release_unused(h);
}

void hand_hints_burst_begin(struct hand_hints *h) {
  int64_t now;
  if (!h->active)
    return;
  now = now_ns();
  h->computing = false;
  if (h->slot >= 0 && h->gap_start == 0)
    return; /* first reads of the next product: same slot as the write before them */
  h->slot++;
  h->gap_start = 0;
  siox_mask_zero(&h->group);
  for (uint32_t d = 0; d < h->ndisks; d++)
    if (used_in(h, d, h->slot)) {
      bool sooner = h->disk[d].told == PROMISED && h->disk[d].need_by > now;
      if (h->disk[d].told == RELEASED ||
          sooner) /* the estimate was wrong: do not let it sleep on */
        siox_mask_set(&h->group, d);
      else
        h->disk[d].told = HELD;
    }
  if (!siox_mask_empty(&h->group))
    tell(h, HELD, SIOX_SPEED_FULL, 0, 0);
}

void hand_hints_burst_end(struct hand_hints *h) {
  if (!h->active)
    return;
  h->computing = true;
  h->gap_start = now_ns();
  find_distances(h);
  release_unused(h);
  h->check_at = h->gap_start;
  h->window_start = h->gap_start;
  h->window_done = 0;
  if (h->step > 0)
    update(h, h->gap_start, (int64_t)(h->step * (double)h->steps));
}

void hand_hints_burst_end_of_product(struct hand_hints *h) {
  if (h->active && h->slot == h->last_slot)
    hand_hints_end(h);
}

/* At the end of a window: the shortest time per step of the latest windows. */
static bool measure(struct hand_hints *h, int64_t now, int64_t done, int64_t total) {
  if (done - h->window_done < (total + WINDOWS - 1) / WINDOWS ||
      now - h->window_start < LEAST_CHECK_NS)
    return false;
  h->latest[h->windows++ % HAND_HINTS_LATEST] =
      (double)(now - h->window_start) / (double)(done - h->window_done);
  h->window_done = done;
  h->window_start = now;
  h->steps = total;
  h->step = h->latest[0];
  for (int64_t i = 1; i < HAND_HINTS_LATEST && i < h->windows; i++)
    if (h->latest[i] < h->step)
      h->step = h->latest[i];
  return true;
}

void hand_hints_tick(struct hand_hints *h, int64_t done, int64_t total) {
  int64_t now;
  if (!h->active || done == 0)
    return;
  now = now_ns();
  if (!measure(h, now, done, total) && now < h->check_at)
    return;
  if (h->step > 0)
    update(h, now, (int64_t)(h->step * (double)(total - done)));
  else if (now - h->gap_start >= FIRST_ESTIMATE_NS)
    update(h, now, (int64_t)((double)(now - h->gap_start) / (double)done * (double)(total - done)));
}

void hand_hints_end(struct hand_hints *h) {
  if (h->active) {
    for (uint32_t d = 0; d < h->ndisks; d++)
      h->disk[d].distance = 0;
    release_unused(h);
  }
  if (h->touch)
    for (int64_t burst = 0; burst <= h->slabs; burst++)
      siox_mask_free(&h->touch[burst]);
  siox_mask_free(&h->group);
  free(h->touch);
  free(h->disk);
  *h = (struct hand_hints){0};
}
