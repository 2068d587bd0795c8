/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What sites did, and from that which disks they will use next. */
#include "client/predict.h"
#include <stdlib.h>
#include <string.h>

struct siox__site_state *siox__site_state(struct siox__predictor *p, struct siox_site *site) {
  if (site->state)
    return site->state;
  struct siox__site_state *s = calloc(1, sizeof *s);
  if (!s) {
    p->failed = true;
    return NULL;
  }
  s->any.site = site;
  s->any.now.file = s->any.before.file = SIOX__FILE_NONE;
  s->link = p->sites;
  p->sites = site;
  site->state = s;
  return s;
}

struct siox__region_state *siox__region_state(struct siox__predictor *p,
                                              struct siox_region *region) {
  struct siox__region_state *s = region->state;
  if (s)
    return s;
  s = calloc(1, sizeof *s);
  if (s && region->nnext && !(s->after = calloc(region->nnext, sizeof *s->after))) {
    free(s);
    s = NULL;
  }
  if (!s) {
    p->failed = true;
    return NULL;
  }
  for (uint32_t i = 0; i < region->nnext; i++) {
    s->after[i].site = region->next[i];
    s->after[i].now.file = s->after[i].before.file = SIOX__FILE_NONE;
  }
  s->cycle = -1;
  s->trip = SIOX_UNKNOWN;
  s->link = p->regions;
  p->regions = region;
  region->state = s;
  return s;
}

int32_t siox__predictor_file(const struct siox__predictor *p, const void *handle) {
  for (uint32_t i = 0; i < p->nfiles; i++)
    if (p->file[i].handle == handle && handle)
      return (int32_t)i;
  return SIOX__FILE_NONE;
}

void siox__history_access(struct siox__context *c, int32_t file, int64_t offset, int64_t bytes) {
  struct siox__burst *b = &c->now;
  if (b->count == 0) {
    *b = (struct siox__burst){.file = file,
                              .first = offset,
                              .last = offset,
                              .low = offset,
                              .high = offset + bytes,
                              .size = bytes,
                              .count = 1,
                              .uniform = offset >= 0};
    return;
  }
  if (b->file != file)
    b->file = SIOX__FILE_MANY;
  if (offset < 0) {
    b->uniform = false;
  } else if (b->count == 1) {
    b->inner = offset - b->last;
  } else if (offset - b->last != b->inner) {
    b->uniform = false;
  }
  if (bytes != b->size)
    b->uniform = false;
  b->low = offset < b->low ? offset : b->low;
  b->high = offset + bytes > b->high ? offset + bytes : b->high;
  b->size = bytes > b->size ? bytes : b->size;
  b->last = offset;
  b->count++;
}

void siox__history_close_burst(struct siox__context *c) {
  memmove(c->history + 1, c->history, (SIOX__HISTORY - 1) * sizeof c->history[0]);
  c->history[0] = c->now.count ? c->now.file : SIOX__FILE_NONE;
  if (c->nhistory < SIOX__HISTORY)
    c->nhistory++;
  if (c->now.count) {
    c->has_step =
        c->has_before && c->before.file == c->now.file && c->before.first >= 0 && c->now.first >= 0;
    c->step = c->has_step ? c->now.first - c->before.first : 0;
    c->before = c->now;
    c->has_before = true;
  }
  c->now = (struct siox__burst){.file = SIOX__FILE_NONE};
}

int32_t siox__history_file(const struct siox__context *c, uint32_t j, uint32_t *period) {
  *period = 1;
  if (c->nhistory == 0)
    return SIOX__FILE_MANY;
  /* The shortest period that explains everything remembered and was seen twice; one instance
   * explains itself. */
  for (uint32_t q = 1; q == 1 || 2 * q <= c->nhistory; q++) {
    bool holds = true;
    for (uint32_t i = 0; i + q < c->nhistory && holds; i++)
      holds = c->history[i] == c->history[i + q];
    if (holds) {
      *period = q;
      return c->history[(q - j % q) % q];
    }
  }
  return SIOX__FILE_MANY;
}

static bool well_behaved(const struct siox_site *site) {
  for (uint32_t i = 0; i < site->nlevels; i++)
    if (site->levels[i].offset_class == SIOX_OFFSET_UNKNOWN)
      return false;
  return true;
}

static void add_whole(const struct siox_layout *l, struct siox_mask *mask) {
  for (uint32_t k = 0; k < l->factor; k++)
    siox_mask_set(mask, l->nodes[k]);
}

/* Every file the site's handle can be. */
static bool add_origins(const struct siox__predictor *p, const struct siox_site *site,
                        struct siox_mask *mask) {
  if (!site->norigins || !(site->flags & SIOX_SITE_WHOLE_ORIGINS))
    return false;
  for (uint32_t o = 0; o < site->norigins; o++) {
    bool found = false;
    for (uint32_t i = 0; i < p->nfiles; i++)
      if (p->file[i].origin == site->origins[o]) {
        add_whole(&p->file[i].layout, mask);
        found = true;
      }
    if (!found)
      return false;
  }
  return true;
}

bool siox__predict_mask(const struct siox__predictor *p, const struct siox__context *c,
                        struct siox_site *site, uint32_t j, struct siox_mask *mask) {
  if (site->mask && site->mask->ndisks == mask->ndisks) {
    siox_mask_or(mask, site->mask);
    return true;
  }
  uint32_t period = 1;
  int32_t file = c ? siox__history_file(c, j, &period) : SIOX__FILE_MANY;
  if (file == SIOX__FILE_NONE)
    return true; /* this instance passes it by */
  if (file == SIOX__FILE_MANY || (uint32_t)file >= p->nfiles) {
    const struct siox__site_state *s = site->state;
    if (add_origins(p, site, mask))
      return true;
    if (!s || !s->any.has_before || s->any.before.file < 0 || site->norigins != 1)
      return false;
    add_whole(&p->file[s->any.before.file].layout, mask);
    return true;
  }
  const struct siox_layout *l = &p->file[file].layout;
  const struct siox__burst *b = &c->before;
  bool fixed = site->nlevels == 0 && site->first != SIOX_UNKNOWN;
  if (!well_behaved(site) || period != 1 || b->file != file || b->low < 0 ||
      !(c->has_step || fixed)) {
    add_whole(l, mask);
    return true;
  }
  int64_t shift;
  int64_t first, low;
  if (__builtin_mul_overflow(c->has_step ? c->step : 0, (int64_t)j, &shift) ||
      __builtin_add_overflow(b->first, shift, &first) ||
      __builtin_add_overflow(b->low, shift, &low) || low < 0) {
    add_whole(l, mask);
    return true;
  }
  if (b->uniform)
    siox_layout_mask_strided(l, first, b->count > 1 ? b->inner : 0, b->count, b->size, mask);
  else
    siox_layout_mask(l, low, b->high - b->low, mask);
  return true;
}
