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
  uint32_t nnext = region->far ? region->far->nnext : region->nnext;
  struct siox_site *const *next = region->far ? region->far->next : region->next;
  if (s && nnext && !(s->after = calloc(nnext, sizeof *s->after))) {
    free(s);
    s = NULL;
  }
  if (!s) {
    p->failed = true;
    return NULL;
  }
  for (uint32_t i = 0; i < nnext; i++)
    s->after[i].site = next[i];
  s->nafter = s->maxafter = nnext;
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
  return -1;
}

/* Accesses come mostly one behind the other, so the newest extent is looked at first. */
static void add_extent(struct siox__burst *b, uint64_t unit, int64_t low, int64_t high) {
  int64_t gap = unit ? (int64_t)unit - 1 : 0;
  if (b->nextents > SIOX__EXTENTS)
    return;
  for (uint32_t i = b->nextents; i-- > 0;) {
    struct siox__extent *e = &b->extent[i];
    if (low - gap > e->high || high + gap < e->low)
      continue;
    e->low = low < e->low ? low : e->low;
    e->high = high > e->high ? high : e->high;
    return;
  }
  if (b->nextents < SIOX__EXTENTS)
    b->extent[b->nextents] = (struct siox__extent){low, high};
  b->nextents++;
}

static void add_extents(struct siox__burst *b, uint64_t unit, const struct siox__piece *piece,
                        int64_t low, int64_t high) {
  if (piece->count > SIOX__EXTENTS)
    add_extent(b, unit, low, high);
  else
    for (int64_t i = 0, at = piece->offset; i < piece->count; i++, at += piece->stride)
      add_extent(b, unit, at, at + piece->size);
}

static void add_access(struct siox__burst *b, uint64_t unit, const struct siox__piece *piece) {
  int64_t offset = piece->offset, last = offset + (piece->count - 1) * piece->stride;
  int64_t low = last < offset ? last : offset, high = (last < offset ? offset : last) + piece->size;
  if (b->count == 0) {
    *b = (struct siox__burst){.first = offset,
                              .last = last,
                              .inner = piece->stride,
                              .low = low,
                              .high = high,
                              .size = piece->size,
                              .count = piece->count,
                              .uniform = offset >= 0};
    add_extents(b, unit, piece, low, high);
    return;
  }
  if (b->count == 1)
    b->inner = offset - b->last;
  if (offset < 0 || offset - b->last != b->inner || piece->size != b->size ||
      (piece->count > 1 && piece->stride != b->inner))
    b->uniform = false;
  add_extents(b, unit, piece, low, high);
  b->low = low < b->low ? low : b->low;
  b->high = high > b->high ? high : b->high;
  b->size = piece->size > b->size ? piece->size : b->size;
  b->last = last;
  b->count += piece->count;
}

void siox__history_access(struct siox__context *c, int32_t file, uint64_t unit,
                          const struct siox__piece *piece) {
  if (file < 0)
    return; /* not on emulated disks */
  if (file >= SIOX__FILES_MAX) {
    c->files = SIOX__FILES_UNKNOWN;
    return;
  }
  c->files |= UINT64_C(1) << file;
  uint32_t i = 0;
  while (i < c->ntracks && c->track[i].file != file)
    i++;
  if (i == SIOX__TRACKS)
    return;
  if (i == c->ntracks)
    c->track[c->ntracks++] = (struct siox__track){.file = file};
  add_access(&c->track[i].now, unit, piece);
}

void siox__history_close_burst(struct siox__context *c) {
  if (c->files) {
    c->repeats = c->ever && c->files == c->last_files && c->since + 1 == c->spacing ? c->repeats + 1
                                                                                    : c->ever != 0;
    c->spacing = c->since + 1;
    c->last_files = c->files;
    c->since = 0;
  } else if (c->since < SIOX__SPACING_MAX) {
    c->since++;
  }
  memmove(c->history + 1, c->history, (SIOX__HISTORY - 1) * sizeof c->history[0]);
  c->history[0] = c->files;
  c->ever |= c->files;
  c->files = 0;
  if (c->nhistory < SIOX__HISTORY)
    c->nhistory++;
  for (uint32_t i = 0; i < c->ntracks; i++) {
    struct siox__track *t = &c->track[i];
    if (!t->now.count)
      continue;
    t->has_step = t->has_before && t->before.first >= 0 && t->now.first >= 0;
    t->step = t->has_step ? t->now.first - t->before.first : 0;
    t->before = t->now;
    t->has_before = true;
    t->now.count = 0;
  }
}

uint64_t siox__history_files(const struct siox__context *c, uint32_t j, uint32_t *period) {
  *period = 1;
  if (c->nhistory == 0)
    return SIOX__FILES_UNKNOWN;
  /* The shortest period that explains everything remembered and was seen twice; one instance
   * explains itself. */
  for (uint32_t q = 1; q == 1 || 2 * q <= c->nhistory; q++) {
    bool holds = true, used = !c->ever;
    for (uint32_t i = 0; i < c->nhistory && holds; i++) {
      holds = i + q >= c->nhistory || c->history[i] == c->history[i + q];
      used |= c->history[i] != 0;
    }
    if (holds && used) {
      *period = q;
      return c->history[(q - j % q) % q];
    }
  }
  /* A checkpoint every so many bursts, more than are remembered. */
  if (c->repeats >= 2 && c->since < c->spacing && c->spacing < SIOX__SPACING_MAX) {
    *period = c->spacing;
    return (c->since + j) % c->spacing == 0 ? c->last_files : 0;
  }
  return c->ever; /* no pattern: any of the files it was seen with */
}

struct siox__lists siox__lists_of(const struct siox__predictor *p,
                                  const struct siox_region *region) {
  const struct siox_region_far *far = region->far;
  bool brief = far != NULL;
  for (uint32_t i = 0; brief && i < far->ninner; i++)
    brief = far->inner[i]->state && siox__region_brief(p, far->inner[i]);
  if (brief)
    return (struct siox__lists){far->next,    far->succ,  far->nnext,
                                far->ninside, far->nsucc, far->nsuccinside};
  return (struct siox__lists){region->next,    region->succ,  region->nnext,
                              region->ninside, region->nsucc, region->nsuccinside};
}

enum siox__place siox__place_of_site(const struct siox__lists *lists,
                                     const struct siox_region *region,
                                     const struct siox_site *site) {
  for (uint32_t i = 0; i < lists->nnext; i++)
    if (lists->next[i] == site)
      return !region->steps ? SIOX__FOLLOWS : i < lists->ninside ? SIOX__INSIDE : SIOX__OUTSIDE;
  return SIOX__ELSEWHERE;
}

/* MPI-IO keeps the pointer as one MPI_Offset at the beginning of a file of its own. */
enum { POINTER_BYTES = 8 };

void siox__predict_shared(const struct siox__pfile *f, struct siox_mask *mask) {
  if (f->beside.factor)
    siox_layout_mask(&f->beside, 0, POINTER_BYTES, mask);
}

static void add_whole(const struct siox__pfile *f, struct siox_mask *mask) {
  siox_layout_disks(&f->layout, mask);
  siox__predict_shared(f, mask);
}

/* It is open, or was closed as one that comes back. */
static bool may_be_used(const struct siox__predictor *p, const struct siox__pfile *f) {
  return f->handle || f->opens >= p->opens;
}

static bool well_behaved(const struct siox_site *site) {
  for (uint32_t i = 0; i < site->nlevels; i++)
    if (site->levels[i].offset_class == SIOX_OFFSET_UNKNOWN ||
        site->levels[i].offset_class == SIOX_OFFSET_PERIODIC)
      return false;
  return true;
}

uint32_t siox__history_first(const struct siox__context *c, uint32_t period) {
  return period > SIOX__HISTORY / 2 ? c->spacing - c->since : 1;
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
        if (may_be_used(p, &p->file[i]))
          add_whole(&p->file[i], mask);
        found = true;
      }
    if (!found)
      return false;
  }
  return true;
}

void siox__predict_given(const struct siox__predictor *p, uint64_t files, struct siox_mask *mask) {
  for (uint32_t i = 0; i < p->nfiles && i < SIOX__FILES_MAX; i++)
    if (files >> i & 1 && may_be_used(p, &p->file[i]))
      add_whole(&p->file[i], mask);
}

/* The disks of one file that a track leads to in the j-th coming burst. */
static void add_track(const struct siox_layout *l, const struct siox_site *site,
                      const struct siox__track *t, uint32_t j, struct siox_mask *mask) {
  bool fixed = site->nlevels == 0 && site->first != SIOX_UNKNOWN;
  const struct siox__burst *b = &t->before;
  int64_t shift, first, low;
  if (!t->has_before || b->low < 0 || !(t->has_step || fixed) ||
      __builtin_mul_overflow(t->step, (int64_t)j, &shift) ||
      __builtin_add_overflow(b->first, shift, &first) ||
      __builtin_add_overflow(b->low, shift, &low) || low < 0) {
    siox_layout_disks(l, mask);
  } else if (b->uniform) {
    siox_layout_mask_strided(l, first, b->count > 1 ? b->inner : 0, b->count, b->size, mask);
  } else if (b->nextents <= SIOX__EXTENTS) {
    for (uint32_t i = 0; i < b->nextents; i++)
      siox_layout_mask(l, b->extent[i].low + shift, b->extent[i].high - b->extent[i].low, mask);
  } else {
    siox_layout_mask(l, low, b->high - b->low, mask);
  }
}

bool siox__predict_mask(const struct siox__predictor *p, const struct siox__context *c,
                        struct siox_site *site, uint32_t j, enum siox__place where,
                        struct siox_mask *mask) {
  if (site->mask && site->mask->ndisks == mask->ndisks) {
    siox_mask_or(mask, site->mask);
    return true;
  }
  uint32_t period = 1;
  bool seen = c && c->ever;
  uint64_t files = SIOX__FILES_UNKNOWN;
  if (where == SIOX__SCHEDULED)
    files = seen ? c->ever : files; /* bursts without it say nothing */
  else if (c)
    files = siox__history_files(c, j, &period);
  if (where == SIOX__ELSEWHERE && !seen)
    return true;
  if (files == SIOX__FILES_UNKNOWN || !seen) {
    if (where == SIOX__INSIDE && c && !seen && c->nhistory >= SIOX__PASSED_BY)
      return true;
    if (!c || !c->given_by || c->given_by != p->uses)
      return add_origins(p, site, mask);
    siox__predict_given(p, where == SIOX__OUTSIDE ? c->given_outside : c->given, mask);
    return true;
  }
  for (uint32_t i = 0; i < p->nfiles && i < SIOX__FILES_MAX; i++) {
    const struct siox__track *track = NULL;
    const struct siox__pfile *f = &p->file[i];
    if (!(files >> i & 1) || !f->layout.factor || !may_be_used(p, f))
      continue;
    for (uint32_t k = 0; k < c->ntracks && !track; k++)
      if (c->track[k].file == (int32_t)i)
        track = &c->track[k];
    if (track && period == 1 && well_behaved(site))
      add_track(&f->layout, site, track, j, mask);
    else
      siox_layout_disks(&f->layout, mask);
    siox__predict_shared(f, mask);
  }
  return true;
}
