/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The predictor's events: files opened, accesses, regions entered, ticking and left. See predict.h.
 */
#include "client/predict.h"
#include <stdlib.h>
#include <string.h>

int siox__predictor_init(struct siox__predictor *p, const struct siox__predict_env *env) {
  memset(p, 0, sizeof *p);
  p->env = *env;
  p->claimed = calloc(env->ndisks ? env->ndisks : 1, sizeof *p->claimed);
  p->next_use = calloc(env->ndisks ? env->ndisks : 1, sizeof *p->next_use);
  p->aloft = calloc(env->ndisks ? env->ndisks : 1, sizeof *p->aloft);
  if (!p->claimed || !p->next_use || !p->aloft || siox_mask_init(&p->scratch, env->ndisks) < 0 ||
      siox_mask_init(&p->group, env->ndisks) < 0) {
    siox__predictor_free(p);
    return SIOX_ENOMEM;
  }
  return 0;
}

void siox__predictor_free(struct siox__predictor *p) {
  siox__when_free(p);
  siox__flights_end(p, NULL);
  for (struct siox_region *r = p->regions, *next; r; r = next) {
    struct siox__region_state *s = r->state;
    next = s->link;
    free(s->after);
    free(s->courses);
    free(s->beaten);
    free(s);
    r->state = NULL;
  }
  for (struct siox_site *s = p->sites, *next; s; s = next) {
    next = ((struct siox__site_state *)s->state)->link;
    free(s->state);
    s->state = NULL;
  }
  for (uint32_t i = 0; i < p->nfiles; i++) {
    siox_layout_free(&p->file[i].layout);
    siox_layout_free(&p->file[i].beside);
  }
  free(p->file);
  free(p->touched);
  free(p->claimed);
  free(p->next_use);
  free(p->aloft);
  siox_mask_free(&p->scratch);
  siox_mask_free(&p->group);
  memset(p, 0, sizeof *p);
  p->failed = true;
}

bool siox__predictor_asleep(const struct siox__predictor *p) {
  return p->failed || p->env.lead == SIOX_LEAD_NONE || !p->env.ndisks;
}

void siox__predictor_opened(struct siox__predictor *p, struct siox_site *site, const void *handle,
                            const struct siox_layout *layout) {
  if (siox__predictor_asleep(p))
    return;
  struct siox__pfile *f = NULL;
  for (uint32_t i = 0; i < p->nfiles && !f; i++)
    if (!p->file[i].handle && p->file[i].origin == site &&
        (layout ? siox_layout_equal(&p->file[i].layout, layout) : !p->file[i].layout.factor))
      f = &p->file[i];
  if (!f) {
    if (p->nfiles == p->maxfiles) {
      uint32_t max = p->maxfiles ? 2 * p->maxfiles : 8;
      struct siox__pfile *more = realloc(p->file, max * sizeof *more);
      if (!more) {
        p->failed = true;
        return;
      }
      p->file = more;
      p->maxfiles = max;
    }
    f = &p->file[p->nfiles];
    *f = (struct siox__pfile){.origin = site, .needed = UINT64_MAX};
    if (layout && siox_layout_copy(&f->layout, layout) < 0) {
      p->failed = true;
      return;
    }
    p->nfiles++;
  }
  siox__when_seen(p);
  f->handle = handle;
  f->accessed = false;
  f->opens += f->opens < UINT32_MAX - 1;
}

void siox__predictor_beside(struct siox__predictor *p, const void *handle,
                            struct siox_layout *layout) {
  int32_t i = siox__predictor_asleep(p) ? -1 : siox__predictor_file(p, handle);
  if (i < 0) {
    siox_layout_free(layout);
    return;
  }
  siox_layout_free(&p->file[i].beside);
  p->file[i].beside = *layout;
  siox__predictor_pointer(p, handle);
}

void siox__predictor_pointer(struct siox__predictor *p, const void *handle) {
  int32_t i = siox__predictor_asleep(p) ? -1 : siox__predictor_file(p, handle);
  if (i < 0)
    return;
  siox_mask_zero(&p->scratch);
  siox__predict_shared(&p->file[i], &p->scratch);
  siox__predict_need(p, &p->scratch);
}

static void touch(struct siox__predictor *p, struct siox_site *site, struct siox__site_state *s) {
  if (s->touched)
    return;
  if (p->ntouched == p->maxtouched) {
    uint32_t max = p->maxtouched ? 2 * p->maxtouched : 16;
    struct siox_site **more = realloc(p->touched, max * sizeof *more);
    if (!more) {
      p->failed = true;
      return;
    }
    p->touched = more;
    p->maxtouched = max;
  }
  p->touched[p->ntouched++] = site;
  s->touched = true;
}

/* What a site does in the bursts of a region; made when it is seen there first. */
static struct siox__context *context_of(struct siox__predictor *p, struct siox__region_state *s,
                                        struct siox_site *site) {
  for (uint32_t i = 0; i < s->nafter; i++)
    if (s->after[i].site == site)
      return &s->after[i];
  if (s->nafter == s->maxafter) {
    uint32_t max = s->maxafter ? 2 * s->maxafter : 4;
    struct siox__context *more = realloc(s->after, max * sizeof *more);
    if (!more) {
      p->failed = true;
      return NULL;
    }
    s->after = more;
    s->maxafter = max;
  }
  s->after[s->nafter] = (struct siox__context){.site = site};
  return &s->after[s->nafter++];
}

void siox__predictor_files(struct siox__predictor *p, const struct siox_file_uses *uses,
                           const void *const *handle) {
  if (siox__predictor_asleep(p))
    return;
  for (bool collect = false;; collect = true) {
    for (uint32_t i = 0; i < uses->nuses; i++) {
      const struct siox_file_use *use = &uses->use[i];
      struct siox__region_state *s = siox__region_state(p, use->region);
      struct siox__context *c = s ? context_of(p, s, use->site) : NULL;
      if (!c)
        return;
      int32_t file = siox__predictor_file(p, handle[i]);
      if (!collect) {
        c->given_by = uses;
        c->given = c->given_outside = 0;
      } else if (file < 0 || file >= SIOX__FILES_MAX) {
        c->given_by = NULL;
      } else {
        *(use->outside ? &c->given_outside : &c->given) |= UINT64_C(1) << file;
      }
    }
    if (collect)
      break;
  }
  p->uses = uses;
}

static void learn_access(struct siox__predictor *p, struct siox_site *site, int32_t file,
                         const struct siox__piece *piece) {
  struct siox__site_state *s = siox__site_state(p, site);
  if (!s)
    return;
  touch(p, site, s);
  uint64_t unit = file >= 0 ? p->file[file].layout.unit : 0;
  siox__history_access(&s->any, file, unit, piece);
  struct siox__region_state *r = p->burst_region ? p->burst_region->state : NULL;
  struct siox__context *c = r ? context_of(p, r, site) : NULL;
  if (!c)
    return;
  if (!c->ever && !c->files)
    r->surprise = r->bursts;
  siox__history_access(c, file, unit, piece);
}

/* Keeps the first piece; a second one ends it. */
static int take_only(void *only, const struct siox__piece *piece) {
  struct siox__piece *kept = only;
  if (kept->count)
    return 1;
  *kept = *piece;
  return 0;
}

/* What history keeps of an access: its bytes, or equal pieces at equal distances where that is what
 * a view leaves of them. */
static struct siox__piece piece_of(const struct siox__reach *reach) {
  struct siox__piece whole = {reach->offset, 0, 1, reach->bytes}, only = {0};
  if (reach->view && !reach->sieve &&
      siox__view_pieces(reach->view, reach->from, reach->data, 2, take_only, &only) == 0)
    return only;
  return whole;
}

void siox__predict_reach(const struct siox__pfile *f, const struct siox__reach *reach,
                         struct siox_mask *mask) {
  if (reach->offset < 0)
    siox_layout_disks(&f->layout, mask);
  else if (!reach->view || siox__view_mask(reach->view, reach->from, reach->data, reach->sieve,
                                           &f->layout, mask) < 0)
    siox_layout_mask(&f->layout, reach->offset, reach->bytes, mask);
}

void siox__predictor_access(struct siox__predictor *p, struct siox_site *site, const void *handle,
                            int64_t offset, int64_t bytes) {
  const struct siox__reach reach = {.offset = offset, .bytes = bytes};
  siox__predictor_reach(p, site, handle, &reach);
}

void siox__predictor_reach(struct siox__predictor *p, struct siox_site *site, const void *handle,
                           const struct siox__reach *reach) {
  if (siox__predictor_asleep(p) || reach->bytes <= 0)
    return; /* opening, seeking and closing are no accesses, nor is a request for nothing */
  /* An access that the pass could not see: what we took for a gap is none. */
  for (uint32_t i = 0; i < p->depth; i++) {
    struct siox__region_state *inside = p->stack[i].region->state;
    inside->had_access = true;
    inside->doubt = SIOX__PASSED_BY;
    p->stack[i].no_gap = true;
  }
  p->gap = 0;
  siox__when_seen(p);
  int32_t file = siox__predictor_file(p, handle);
  if (file >= 0) {
    p->file[file].accessed = true;
    p->file[file].user = site;
  }
  if (site) {
    siox__when_used(site, p->now); /* the last event's time: earlier is the safe side */
    const struct siox__piece piece = piece_of(reach);
    learn_access(p, site, file, &piece);
  }
  if (file < 0 || !p->file[file].layout.factor ||
      (p->file[file].needed == p->releases && !p->threads))
    return;
  struct siox__pfile *f = &p->file[file];
  siox_mask_zero(&p->scratch);
  siox__predict_reach(f, reach, &p->scratch);
  siox__predict_need(p, &p->scratch);
  siox_mask_zero(&p->scratch);
  siox_layout_disks(&f->layout, &p->scratch);
  bool all = true;
  for (uint32_t d = siox_mask_next(&p->scratch, 0); d < p->env.ndisks && all;
       d = siox_mask_next(&p->scratch, d + 1))
    all = p->claimed[d].state == SIOX__NEEDED;
  if (all)
    f->needed = p->releases;
}

static void close_burst(struct siox__predictor *p) {
  struct siox_region *r = p->burst_region;
  struct siox__region_state *rs = r ? r->state : NULL;
  for (uint32_t i = 0; rs && i < rs->nafter; i++)
    siox__history_close_burst(&rs->after[i]);
  if (rs)
    rs->bursts++;
  p->settled |= p->ntouched > 0;
  for (uint32_t i = 0; i < p->ntouched; i++) {
    struct siox__site_state *s = p->touched[i]->state;
    siox__history_close_burst(&s->any);
    s->touched = false;
  }
  p->ntouched = 0;
  p->burst_region = NULL;
}

/* The gap whose burst is running was followed by this one. */
static void followed_by(struct siox__predictor *p, struct siox_region *next) {
  struct siox__region_state *s = p->burst_region ? p->burst_region->state : NULL;
  if (!s)
    return;
  for (uint32_t i = 0; i < s->nfollowed; i++)
    if (s->followed[i] == next)
      return;
  if (s->nfollowed < SIOX__FOLLOWED)
    s->followed[s->nfollowed++] = next;
}

/* The nest that follows uses these disks and no others, where that is known of every site in it. */
static void enter_nest(struct siox__predictor *p, struct siox_region *region) {
  struct siox_mask used;
  if (siox_mask_init(&used, p->env.ndisks) < 0)
    return;
  bool known = true;
  for (uint32_t i = 0; i < region->nnext && known; i++)
    known = siox__predict_mask(p, NULL, region->next[i], 1, SIOX__FOLLOWS, &used);
  if (known && !siox_mask_empty(&used)) {
    struct siox_mask fresh;
    if (siox_mask_init(&fresh, p->env.ndisks) == 0) {
      for (uint32_t d = siox_mask_next(&used, 0); d < p->env.ndisks;
           d = siox_mask_next(&used, d + 1))
        if (p->claimed[d].state == SIOX__UNCLAIMED)
          siox_mask_set(&fresh, d);
      siox__predict_need(p, &fresh);
      siox_mask_free(&fresh);
    }
    siox_mask_complement(&used);
    siox__predict_release(p, &used);
  }
  siox_mask_free(&used);
}

void siox__gap_replan(struct siox__predictor *p, int64_t now) {
  struct siox_region *region = p->stack[p->gap - 1].region;
  struct siox__region_state *s = region->state;
  int64_t end = siox__gap_end(p, now), left = end - now;
  /* While disks can still do without turning back; of a gap that is shorter the first. */
  if (left > p->env.lead_ns || !s->predicted_end)
    s->predicted_end = end;
  siox__predict_next_use(p, region, end - siox__safe_side(left, s->late));
  siox__predict_emit(p, now);
}

/* The outermost region that can be a gap is one. */
static void begin_gap(struct siox__predictor *p, int64_t now) {
  uint32_t i = 0;
  while (p->stack[i].no_gap)
    i++;
  struct siox__frame *f = &p->stack[i];
  struct siox__region_state *s = f->region->state;
  if (s->entered)
    s->cycle = f->start - s->entered;
  s->entered = f->start;
  s->predicted_end = 0;
  followed_by(p, f->region);
  close_burst(p);
  p->gap = i + 1;
  siox__gap_replan(p, now);
}

/* Code of other modules runs: the innermost such frame, index + 1; 0: none. */
static uint32_t outside(const struct siox__predictor *p) {
  uint32_t i = p->depth;
  while (i && p->stack[i - 1].region->kind != SIOX_REGION_OUTSIDE)
    i--;
  return i;
}

void siox__predictor_lands(struct siox__predictor *p, uint64_t key, int64_t now) {
  if (siox__flight_ends(p, key) && p->gap && !siox__predictor_asleep(p))
    siox__gap_replan(p, now);
}

/* The I/O module's functions return many times before one return lasts: a phase of I/O is over when
 * its file is closed. */
void siox__predictor_closed(struct siox__predictor *p, const void *handle, int64_t now) {
  p->now = now;
  siox__flights_end(p, handle);
  int32_t i = siox__predictor_file(p, handle);
  if (i < 0)
    return;
  p->file[i].handle = NULL;
  uint32_t o = outside(p);
  struct siox__frame *f = o && o == p->depth ? &p->stack[o - 1] : NULL;
  if (f && !f->no_gap && p->file[i].accessed) {
    struct siox__region_state *s = f->region->state;
    f->closing = siox__closings_of(s, p->file[i].user);
    bool known = f->closing->n || f->closing->since; /* else the others may tell */
    int64_t rest = siox__rhythm_next(known ? f->closing : &s->closings);
    f->closed = now;
    f->due = rest > 0 ? now + rest : f->due;
    if (rest > 0 && !p->gap) {
      begin_gap(p, now);
      return;
    }
  }
  if (p->gap && p->stack[p->gap - 1].region->kind == SIOX_REGION_OUTSIDE)
    siox__gap_replan(p, now);
}

/* Does the instance that begins now last? Of functions that mostly return for a moment only the
 * rhythm tells. */
static bool will_last(const struct siox__predictor *p, struct siox__frame *f) {
  const struct siox__region_state *s = f->region->state;
  int64_t sleeps = siox__frame_sleeps(f);
  if (sleeps >= 0)
    return sleeps >= siox__brief_ns(p);
  if (!s->ntimes)
    return siox__region_expected(f->region, siox__frame_trip(f)) >= siox__brief_ns(p);
  if (f->region->kind == SIOX_REGION_OUTSIDE && (s->returns.n || s->closings.n)) {
    int64_t time = siox__rhythm_next(&s->returns);
    f->due = time > 0 ? f->start + time : 0;
    return time > 0 || siox__region_time(f->region) >= siox__brief_ns(p);
  }
  return !siox__region_brief(p, f->region);
}

int64_t siox__predictor_enter(struct siox__predictor *p, struct siox_region *region, int64_t trip,
                              int64_t now) {
  if (siox__predictor_asleep(p))
    return SIOX_NEVER;
  p->now = now;
  struct siox__region_state *s = siox__region_state(p, region);
  if (!s)
    return SIOX_NEVER;
  if (region->kind == SIOX_REGION_NEST) {
    enter_nest(p, region);
    return SIOX_NEVER;
  }
  if (region->kind == SIOX_REGION_STEPS) {
    s->stepping = true;
    s->steps_done = 0;
    s->steps_trip = trip > 0 ? trip : region->trip;
    s->steps_seen = now;
    siox__when_begins(p, region);
    return 1;
  }
  uint32_t before = region->kind == SIOX_REGION_OUTSIDE ? outside(p) : 0;
  if (before) { /* one that was called back has returned to its caller, and that one to its own */
    p->depth = before - 1;
    p->gap = p->gap < before ? p->gap : 0;
  }
  for (uint32_t i = 0; i < p->depth; i++)
    if (p->stack[i].region == region) {
      p->stack[i].nested++;
      return SIOX_NEVER;
    }
  /* Inside a gap one more level is watched: the loop of a called function. */
  if (p->depth == SIOX__STACK || (p->gap && p->depth > p->gap))
    return SIOX_NEVER;
  bool sleeps = region->flags & SIOX_REGION_SLEEPS;
  if (trip < 0 || (trip == 0 && !sleeps))
    trip = region->trip;
  p->stack[p->depth++] = (struct siox__frame){.region = region,
                                              .start = now,
                                              .trip = trip,
                                              .seen = now,
                                              .window_start = now};
  struct siox__frame *f = &p->stack[p->depth - 1];
  siox__frame_beats_begin(f, p->beats);
  f->no_gap = s->doubt > 0;
  s->had_access = false;
  bool lasts = will_last(p, f);
  if (!p->gap && !f->no_gap && lasts)
    begin_gap(p, now);
  return siox__next_tick(p, f, now);
}

/* An iteration of a STEPS loop is over. */
static int64_t step(struct siox__predictor *p, struct siox_region *region, int64_t iteration,
                    int64_t now) {
  struct siox__region_state *s = region->state;
  if (!s || !s->stepping || iteration <= s->steps_done)
    return SIOX_NEVER;
  s->step[s->nsteps++ % SIOX__LATEST] =
      (double)(now - s->steps_seen) / (double)(iteration - s->steps_done);
  s->steps_done = iteration;
  s->steps_seen = now;
  s->explained++;
  if (p->burst_region && p->burst_region->steps == region)
    ((struct siox__region_state *)p->burst_region->state)->last_in_step = true;
  /* The time until then may pass in loops and waits that are not watched. */
  siox__when_step(s, now);
  if (!p->gap && !p->threads)
    siox__predict_rest(p, siox__when_any(region, NULL, now), now);
  return iteration + 1;
}

int64_t siox__predictor_tick(struct siox__predictor *p, struct siox_region *region,
                             int64_t iteration, int64_t now) {
  p->now = now;
  if (!siox__predictor_asleep(p) && region->kind == SIOX_REGION_STEPS)
    return step(p, region, iteration, now);
  if (siox__predictor_asleep(p) || !p->depth || p->stack[p->depth - 1].region != region)
    return SIOX_NEVER;
  struct siox__frame *f = &p->stack[p->depth - 1];
  siox__frame_tick(f, iteration, now);
  if (f->nested || f->no_gap)
    return SIOX_NEVER;
  if (p->gap)
    siox__gap_replan(p, now);
  else if (now - f->start >= siox__brief_ns(p))
    begin_gap(p, now);
  return siox__next_tick(p, f, now);
}

/* The gap is over: whoever was told a later time, or waits for a lead that never came due, hears of
 * it now. */
static void gap_over(struct siox__predictor *p, struct siox_region *region, int64_t now) {
  struct siox__region_state *s = region->state;
  struct siox_mask soon;
  if (siox_mask_init(&soon, p->env.ndisks) < 0)
    return;
  bool last =
      siox__steps_wait(region, now) == 0; /* what waits for the end of the loop may come now */
  struct siox__lists lists = siox__lists_of(p, region);
  p->opens = UINT32_MAX; /* now */
  for (uint32_t i = 0; i < s->nafter; i++) {
    struct siox_site *site = s->after[i].site;
    enum siox__place where = siox__place_of_site(&lists, region, site);
    if (siox__experienced(region) && !s->after[i].ever)
      continue;
    if (siox__when_use(siox__when_of(site), region, now) > now)
      continue;
    if (where != SIOX__OUTSIDE || last)
      siox__predict_mask(p, &s->after[i], site, 1, where, &soon);
  }
  p->opens = 0;
  for (uint32_t d = siox_mask_next(&soon, 0); d < p->env.ndisks; d = siox_mask_next(&soon, d + 1)) {
    const struct siox__claimed *c = &p->claimed[d];
    if (c->state != SIOX__RELEASED || (p->env.lead == SIOX_LEAD_GAP && c->need_by <= now))
      siox_mask_clear(&soon, d);
  }
  siox__predict_need(p, &soon);
  siox_mask_free(&soon);
}

/* Where a file's closing tells, the number of returns before it says nothing. */
static void outside_took(const struct siox__predictor *p, const struct siox__frame *f,
                         int64_t now) {
  struct siox__region_state *s = f->region->state;
  int64_t time = now - (f->closed ? f->closed : f->start);
  bool pays = time >= p->env.min_gap_ns;
  siox__rhythm_took(f->closed ? &s->closings : &s->returns, time, pays);
  if (f->closed)
    siox__rhythm_took(f->closing, time, pays);
  if (f->closed && pays)
    s->returns.since = 0;
}

void siox__predictor_leave(struct siox__predictor *p, struct siox_region *region, int64_t now) {
  if (siox__predictor_asleep(p))
    return;
  p->now = now;
  uint32_t i = p->depth;
  if (!region) {
    i = outside(p);
    region = i ? p->stack[i - 1].region : NULL;
  } else {
    if (region->kind == SIOX_REGION_STEPS && region->state) {
      ((struct siox__region_state *)region->state)->stepping = false;
      siox__when_ends(p, region);
    }
    while (i && p->stack[i - 1].region != region)
      i--;
  }
  if (!i)
    return;
  struct siox__frame *f = &p->stack[i - 1];
  if (f->nested) {
    f->nested--;
    return;
  }
  struct siox__region_state *s = region->state;
  if (f->trip > 0 && !(region->flags & SIOX_REGION_SLEEPS))
    s->trip = f->trip;
  if (p->gap > i) /* frames above were left by a jump */
    p->gap = 0;
  p->depth = i - 1;
  if (s->had_access)
    return;
  s->doubt -= s->doubt > 0;
  siox__region_took(s, now - f->start);
  siox__frame_took(p, f, now);
  /* A loop whose iterations nobody counts is paced as a whole. */
  if (region->kind == SIOX_REGION_LOOP && f->trip > 0 && f->iterations == 0)
    s->step[s->nsteps++ % SIOX__LATEST] = (double)(now - f->start) / (double)f->trip;
  if (region->kind == SIOX_REGION_OUTSIDE)
    outside_took(p, f, now);
  if (i > 1 && (p->gap ? p->gap < i : !p->stack[i - 2].no_gap)) {
    p->stack[i - 2].inner_end = now; /* the loop of a called function: its caller is the gap */
    return;
  }
  if (p->gap != i) { /* never taken for a gap: it is one if it lasted */
    if (now - f->start < siox__brief_ns(p))
      return;
    followed_by(p, region);
    close_burst(p);
  }
  s->tail = f->inner_end ? now - f->inner_end : 0;
  if (p->gap == i && s->predicted_end)
    s->late = (3 * s->late + (now < s->predicted_end ? s->predicted_end - now : 0)) / 4;
  p->gap = 0;
  p->burst_region = region;
  gap_over(p, region, now);
}

/* Measured time of one iteration, or the compiler's; 0: neither. */
static int64_t iteration_time(const struct siox_region *region, int64_t given) {
  const struct siox__region_state *s = region->state;
  int64_t time = s ? siox__region_time(region) : -1;
  if (time > 0 && s->trip > 0)
    return time / s->trip > 0 ? time / s->trip : 1;
  return given > 0 ? given : region->body_ns > 0 ? region->body_ns : 0;
}

int64_t siox__predictor_split(struct siox__predictor *p, struct siox_region *region, int64_t trip,
                              int64_t iteration_ns) {
  if (siox__predictor_asleep(p) || trip <= 0)
    return 0;
  int64_t each = iteration_time(region, iteration_ns);
  if (p->env.lead == SIOX_LEAD_GAP || each <= 0)
    return trip;
  int64_t d = (p->env.lead_ns + each - 1) / each; /* paper equation (1) */
  return d < trip ? d : trip;
}

void siox__predictor_split_hint(struct siox__predictor *p, struct siox_region *region, int32_t flag,
                                int64_t left, int64_t now) {
  struct siox__region_state *s = siox__predictor_asleep(p) ? NULL : siox__region_state(p, region);
  if (!s)
    return;
  if (flag == 0 || p->env.lead == SIOX_LEAD_GAP) {
    int64_t each = iteration_time(region, 0);
    if (each <= 0 || left > INT64_MAX / 4 / each)
      return;
    siox__predict_next_use(p, region, now + left * each);
    siox__predict_emit(p, now);
    return;
  }
  siox_mask_zero(&p->group);
  struct siox_mask soon;
  if (siox_mask_init(&soon, p->env.ndisks) < 0)
    return;
  struct siox__lists lists = siox__lists_of(p, region);
  for (uint32_t i = 0; i < s->nafter; i++) {
    struct siox_site *site = s->after[i].site;
    if (!siox__predict_mask(p, &s->after[i], site, 1, siox__place_of_site(&lists, region, site),
                            &soon))
      siox_mask_fill(&soon);
  }
  siox__predict_need(p, &soon);
  siox_mask_free(&soon);
}
