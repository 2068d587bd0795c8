/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The recorded run as the check needs it: per client and disk what was said when, per disk when it
 * was below full speed, and every request. A message of a hint counts from the time that its sender
 * gave it, whenever the daemon came to read it. */
#include "check.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool siox__check_room(void **item, size_t n, size_t *room, size_t size) {
  if (n < *room)
    return true;
  size_t more = *room ? 2 * *room : 64;
  char *grown = realloc(*item, more * size);
  if (!grown)
    return false;
  memset(grown + n * size, 0, (more - n) * size);
  *item = grown;
  *room = more;
  return true;
}

enum { MOST_NUMBERS = 1 << 24 }; /* of clients and jobs; the daemon counts from 0 */

static struct siox__speaker *speaker(struct siox__recorded *t, uint32_t number) {
  while (number < MOST_NUMBERS && t->client.n <= number)
    if (!SIOX__NEXT(&t->client))
      return NULL;
  return number < t->client.n ? &t->client.item[number] : NULL;
}

static struct siox__job_record *job(struct siox__recorded *t, uint32_t number) {
  while (number < MOST_NUMBERS && t->job.n <= number)
    if (!SIOX__NEXT(&t->job))
      return NULL;
  return number < t->job.n ? &t->job.item[number] : NULL;
}

static int take_job(struct siox__recorded *t, const struct siox_trace_event *e) {
  struct siox__job_record *j = job(t, e->u.job.job);
  if (!j)
    return SIOX_ENOMEM;
  free(j->key);
  j->key = strdup(e->u.job.key);
  return j->key ? 0 : SIOX_ENOMEM;
}

static int take_client(struct siox__recorded *t, const struct siox_trace_event *e) {
  struct siox__speaker *s = speaker(t, e->u.client_def.client);
  if (!s)
    return SIOX_ENOMEM;
  s->known = true;
  s->job = e->u.client_def.job;
  s->rank = e->u.client_def.rank;
  s->left = SIOX_NEVER;
  return 0;
}

static int take_file(struct siox__recorded *t, const struct siox_trace_event *e) {
  struct siox__check_place *p = SIOX__NEXT(&t->place);
  if (!p || !(p->path = strdup(e->u.file.path)))
    return SIOX_ENOMEM;
  p->number = e->u.file.file;
  siox__stripes_read(&p->stripes, e->u.file.layout, t->ndisks);
  return 0;
}

static int take_site(struct siox__recorded *t, const struct siox_trace_event *e) {
  for (size_t i = 0; i < t->spot.n; i++)
    if (t->spot.item[i].key == e->u.site.key)
      return 0;
  struct siox__check_spot *s = SIOX__NEXT(&t->spot);
  char text[512];
  snprintf(text, sizeof text, "%.200s:%" PRIu32 " %.200s %.60s", e->u.site.file, e->u.site.line,
           e->u.site.function, e->u.site.call);
  if (!s || !(s->text = strdup(text)))
    return SIOX_ENOMEM;
  s->key = e->u.site.key;
  return 0;
}

static int say(struct siox__words *words, const struct siox__word *word) {
  struct siox__word *w = SIOX__NEXT(words);
  if (!w)
    return SIOX_ENOMEM;
  *w = *word;
  return 0;
}

/* A whole vector: of disks that it does not name nothing is said any more. */
static int forget_all(const struct siox__recorded *t, struct siox__speaker *s, int64_t time,
                      uint64_t order) {
  const struct siox__word nothing = {.time = time, .flag = -1, .order = order};
  for (uint32_t d = 0; d < t->ndisks; d++)
    if (s->disk[d].n && say(&s->disk[d], &nothing) < 0)
      return SIOX_ENOMEM;
  return 0;
}

static int take_hint(struct siox__recorded *t, const struct siox_trace_event *e) {
  struct siox__speaker *s = speaker(t, e->client);
  const struct siox_claim_header *head = &e->u.hint.head;
  if (!s || (!s->disk && !(s->disk = calloc(t->ndisks, sizeof *s->disk))))
    return SIOX_ENOMEM;
  int rc = head->flags & SIOX_CLAIM_WHOLE ? forget_all(t, s, head->time, 2 * head->seq) : 0;
  bool released = false;
  for (uint32_t i = 0; i < head->nruns && rc == 0; i++) {
    const struct siox_claim_run *run = &e->u.hint.runs[i];
    released |= run->flag == 0;
    for (uint32_t d = run->first; d < t->ndisks && d - run->first < run->count && rc == 0; d++)
      rc = say(&s->disk[d], &(struct siox__word){.time = head->time,
                                                 .need_by = run->need_by,
                                                 .until = run->until,
                                                 .flag = run->flag,
                                                 .order = 2 * head->seq + 1,
                                                 .predicted = head->flags & SIOX_CLAIM_PREDICTED});
  }
  if (rc == 0 && released) {
    int64_t *time = SIOX__NEXT(&s->released);
    rc = time ? 0 : SIOX_ENOMEM;
    if (time)
      *time = head->time;
  }
  return rc;
}

static int take_leave(struct siox__recorded *t, const struct siox_trace_event *e) {
  struct siox__speaker *s = speaker(t, e->client);
  if (!s)
    return SIOX_ENOMEM;
  s->left = e->u.leave.time;
  /* What it did in the same moment it did before. */
  return s->disk ? forget_all(t, s, e->u.leave.time + 1, UINT64_MAX) : 0;
}

static int take_use(struct siox__recorded *t, const struct siox_trace_event *e) {
  bool open = e->kind == SIOX_TRACE_OPEN;
  if (!open && e->u.io.bytes <= 0)
    return 0;
  struct siox__check_use *u = SIOX__NEXT(&t->use);
  if (!u)
    return SIOX_ENOMEM;
  u->order = t->use.n;
  u->client = e->client;
  u->open = open;
  u->from = u->to = open ? e->u.open.time : e->u.io.arrival;
  u->file = open ? e->u.open.file : e->u.io.file;
  if (open)
    return 0;
  u->to = e->u.io.completion;
  u->offset = e->u.io.offset;
  u->bytes = e->u.io.bytes;
  u->site = e->u.io.site;
  u->uid = e->u.io.coll_uid;
  u->seq = e->u.io.coll_seq;
  u->write = e->u.io.op == 1; /* runtime/common/wire.h: read, write, sync */
  return 0;
}

static int take_part(struct siox__recorded *t, const struct siox_trace_event *e) {
  if (!e->u.call.coll_uid)
    return 0;
  struct siox__part *p = SIOX__NEXT(&t->part);
  if (!p)
    return SIOX_ENOMEM;
  *p = (struct siox__part){e->u.call.coll_uid, e->u.call.coll_seq, e->u.call.start, e->u.call.end,
                           e->client};
  return 0;
}

/* Of an idle time that several jobs share each has a segment, and a change of speed may be told in
 * pieces, too. */
static int take_segment(struct siox__recorded *t, const struct siox_trace_header *h,
                        const struct siox_segment *s) {
  struct siox__disk_record *d = &t->disk[s->disk];
  const struct siox_drive *drive = h->drive[s->disk];
  double full = drive->level[drive->nlevels - 1].speed;
  bool moving = s->state == SIOX_UP || s->state == SIOX_DOWN;
  if (s->end > t->end)
    t->end = s->end;
  if (s->start < d->told_until)
    return 0;
  d->told_until = s->end;
  d->transitions += moving;
  if (s->end <= s->start || (!moving && s->from_speed >= full))
    return 0;
  if (d->slow.n && d->slow.item[d->slow.n - 1].end == s->start) {
    d->slow.item[d->slow.n - 1].end = s->end;
    return 0;
  }
  struct siox__slow *slow = SIOX__NEXT(&d->slow);
  if (!slow)
    return SIOX_ENOMEM;
  *slow = (struct siox__slow){s->start, s->end};
  return 0;
}

static int take(struct siox__recorded *t, const struct siox_trace_header *h,
                const struct siox_trace_event *e) {
  switch (e->kind) {
  case SIOX_TRACE_JOB:
    return take_job(t, e);
  case SIOX_TRACE_CLIENT:
    return take_client(t, e);
  case SIOX_TRACE_FILE:
    return take_file(t, e);
  case SIOX_TRACE_SITE:
    return take_site(t, e);
  case SIOX_TRACE_LEAVE:
    return take_leave(t, e);
  case SIOX_TRACE_OPEN:
  case SIOX_TRACE_IO:
    return take_use(t, e);
  case SIOX_TRACE_HINT:
    return take_hint(t, e);
  case SIOX_TRACE_CALL:
    return take_part(t, e);
  case SIOX_TRACE_SEGMENT:
    return e->u.segment.disk < t->ndisks ? take_segment(t, h, &e->u.segment) : 0;
  default:
    return 0;
  }
}

static int by_time(const void *a, const void *b) {
  const struct siox__check_use *x = a, *y = b;
  return x->from != y->from ? (x->from > y->from) - (x->from < y->from)
                            : (x->order > y->order) - (x->order < y->order);
}
static int by_id(const void *a, const void *b) {
  const struct siox__part *x = a, *y = b;
  return x->uid != y->uid ? (x->uid > y->uid) - (x->uid < y->uid)
                          : (x->seq > y->seq) - (x->seq < y->seq);
}
static int by_number(const void *a, const void *b) {
  const struct siox__check_place *x = a, *y = b;
  return (x->number > y->number) - (x->number < y->number);
}
static int word_by_time(const void *a, const void *b) {
  const struct siox__word *x = a, *y = b;
  return x->time != y->time ? (x->time > y->time) - (x->time < y->time)
                            : (x->order > y->order) - (x->order < y->order);
}
static int time_by_time(const void *a, const void *b) {
  const int64_t *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

static void sort(void *item, size_t n, size_t size, int (*order)(const void *, const void *)) {
  if (n > 1)
    qsort(item, n, size, order);
}

/* Streams interleave by block in the file; order is by time. */
static void arrange(struct siox__recorded *t) {
  sort(t->use.item, t->use.n, sizeof *t->use.item, by_time);
  sort(t->part.item, t->part.n, sizeof *t->part.item, by_id);
  sort(t->place.item, t->place.n, sizeof *t->place.item, by_number);
  for (size_t i = 0; i < t->client.n; i++) {
    struct siox__speaker *s = &t->client.item[i];
    sort(s->released.item, s->released.n, sizeof *s->released.item, time_by_time);
    for (uint32_t d = 0; s->disk && d < t->ndisks; d++)
      sort(s->disk[d].item, s->disk[d].n, sizeof *s->disk[d].item, word_by_time);
    if (s->disk && s->job < t->job.n)
      t->job.item[s->job].hints = true;
  }
}

static int begin(struct siox__recorded *t, const struct siox_trace_header *h) {
  t->ndisks = h->ndisks;
  t->start = t->end = h->start;
  t->policy = strdup(h->policy);
  t->disk = calloc(h->ndisks, sizeof *t->disk);
  if (!t->policy || !t->disk)
    return SIOX_ENOMEM;
  t->gaps = strncmp(t->policy, "siox", 4) == 0;
  for (uint32_t d = 0; d < h->ndisks; d++) {
    t->disk[d].break_even = siox__check_break_even(h->drive[d]);
    t->disk[d].told_until = INT64_MIN;
  }
  return 0;
}

int siox__recorded_load(struct siox__recorded *t, const char *trace, struct siox_diag *diag) {
  struct siox_trace_reader *r;
  struct siox_trace_event e;
  *t = (struct siox__recorded){0};
  int rc = siox_trace_open(&r, trace, diag), got = 1;
  if (rc < 0)
    return rc;
  rc = begin(t, siox_trace_header(r));
  while (rc == 0 && (got = siox_trace_read(r, &e, diag)) > 0)
    rc = take(t, siox_trace_header(r), &e);
  siox_trace_reader_close(r);
  if (rc == 0 && got < 0)
    return got;
  if (rc < 0)
    snprintf(diag->text, sizeof diag->text, "%s", siox_strerror(rc));
  else
    arrange(t);
  return rc;
}

void siox__recorded_free(struct siox__recorded *t) {
  for (uint32_t d = 0; t->disk && d < t->ndisks; d++)
    free(t->disk[d].slow.item);
  for (size_t i = 0; i < t->client.n; i++) {
    struct siox__speaker *s = &t->client.item[i];
    for (uint32_t d = 0; s->disk && d < t->ndisks; d++)
      free(s->disk[d].item);
    free(s->disk);
    free(s->released.item);
  }
  for (size_t i = 0; i < t->job.n; i++)
    free(t->job.item[i].key);
  for (size_t i = 0; i < t->place.n; i++) {
    free(t->place.item[i].path);
    siox__stripes_free(&t->place.item[i].stripes);
  }
  for (size_t i = 0; i < t->spot.n; i++)
    free(t->spot.item[i].text);
  free(t->client.item);
  free(t->job.item);
  free(t->use.item);
  free(t->part.item);
  free(t->place.item);
  free(t->spot.item);
  free(t->disk);
  free(t->policy);
  *t = (struct siox__recorded){0};
}

const struct siox__check_place *siox__recorded_file(const struct siox__recorded *t,
                                                    uint64_t number) {
  struct siox__check_place key = {.number = number};
  return t->place.n ? bsearch(&key, t->place.item, t->place.n, sizeof key, by_number) : NULL;
}

bool siox__recorded_touch(const struct siox__recorded *t, const struct siox__check_use *use,
                          unsigned char *touched) {
  const struct siox__check_place *p = siox__recorded_file(t, use->file);
  if (!p || !p->stripes.node)
    return false;
  if (use->open)
    siox__stripes_all(&p->stripes, touched);
  else
    siox__stripes_touch(&p->stripes, use->offset, use->bytes, use->write, touched);
  return true;
}
