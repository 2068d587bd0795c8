/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The check of a run's hints, as a part of its report. */
#include "check.h"
#include <inttypes.h>
#include <stdlib.h>

static const char *site_text(const struct siox__recorded *t, uint64_t key) {
  for (size_t i = 0; i < t->spot.n; i++)
    if (t->spot.item[i].key == key)
      return t->spot.item[i].text;
  return NULL;
}

static json_t *example(const struct siox__recorded *t, const struct siox__check_use *u,
                       uint32_t disk) {
  const struct siox__speaker *s = &t->client.item[u->client];
  const struct siox__check_place *file = siox__recorded_file(t, u->file);
  const char *site = site_text(t, u->site);
  json_t *o =
      json_pack("{s:s?, s:i, s:s?, s:s?, s:s, s:I, s:I, s:I, s:f, s:b}", "job",
                s->job < t->job.n ? t->job.item[s->job].key : NULL, "rank", (int)s->rank, "site",
                site, "file", file ? file->path : NULL, "op", u->write ? "write" : "read", "offset",
                (json_int_t)u->offset, "bytes", (json_int_t)u->bytes, "disk", (json_int_t)disk,
                "seconds", (double)(u->from - t->start) / 1e9, "collective", u->uid != 0);
  return o ? o : json_null(); /* a path that is not UTF-8 */
}

static json_t *unused(const struct siox__recorded *t, const struct siox__unused *u) {
  const struct siox__check_place *file = siox__recorded_file(t, u->use->file);
  const struct siox__speaker *s = &t->client.item[u->use->client];
  json_t *o = json_pack("{s:i, s:s?, s:s?, s:s?, s:f, s:f, s:b, s:s}", "disk", (int)u->disk, "job",
                        s->job < t->job.n ? t->job.item[s->job].key : NULL, "file",
                        file ? file->path : NULL, "after",
                        u->use->open ? "the open" : site_text(t, u->use->site), "from",
                        (double)(u->start - t->start) / 1e9, "to",
                        (double)(u->end - t->start) / 1e9, "used_again", u->again, "why",
                        u->why == SIOX__KEPT     ? "kept"
                        : u->why == SIOX__NOBODY ? "nobody let go of it"
                                                 : "let go too late or for too short");
  if (o && u->why == SIOX__KEPT)
    json_object_set_new(o, "kept_by_rank", json_integer(t->client.item[u->keeper].rank));
  return o ? o : json_null();
}

static json_t *used(uint64_t eligible, uint64_t used) {
  return json_pack("{s:I, s:I}", "eligible", (json_int_t)eligible, "used", (json_int_t)used);
}

static json_t *found(const struct siox__recorded *t, const struct siox__check *c) {
  json_t *o = json_pack("{s:I, s:I, s:I, s:I}", "accesses", (json_int_t)c->accesses, "outside",
                        (json_int_t)c->outside, "outside_but_predicted_by_another_rank",
                        (json_int_t)c->by_others, "unhinted", (json_int_t)c->unhinted);
  json_object_set_new(o, "predicted", json_integer((json_int_t)c->predicted));
  json_object_set_new(o, "touched", json_integer((json_int_t)c->touched));
  json_object_set_new(o, "predicted_per_touched",
                      c->touched ? json_real((double)c->predicted / (double)c->touched)
                                 : json_null());
  json_object_set_new(o, "windows", used(c->windows.eligible, c->windows.used));
  json_object_set_new(o, "disk_windows", used(c->disk_windows.eligible, c->disk_windows.used));
  int64_t pays = SIOX_NEVER;
  for (uint32_t d = 0; d < t->ndisks; d++)
    pays = t->disk[d].break_even < pays ? t->disk[d].break_even : pays;
  json_object_set_new(o, "break_even_seconds",
                      pays == SIOX_NEVER ? json_null() : json_real((double)pays / 1e9));
  json_object_set_new(o, "transitions", json_integer((json_int_t)c->transitions));
  json_object_set_new(o, "below_full_seconds", json_real((double)c->below_full / 1e9));
  json_object_set_new(o, "longest_below_full_seconds", json_real((double)c->longest / 1e9));
  json_object_set_new(o, "unforetold", json_integer((json_int_t)c->unforetold));
  json_t *list = json_array();
  for (uint32_t i = 0; i < c->nexamples; i++)
    json_array_append_new(list, example(t, c->example[i].use, c->example[i].disk));
  json_object_set_new(o, "first_outside", list);
  list = json_array();
  for (uint32_t i = 0; i < c->nunused; i++)
    json_array_append_new(list, unused(t, &c->unused[i]));
  json_object_set_new(o, "first_unused", list);
  return o;
}

static int all(const struct siox__recorded *t, struct siox__check *c) {
  int rc = siox__check_accesses(t, c);
  if (rc == 0)
    rc = siox__check_windows(t, c);
  return rc == 0 ? siox__check_waits(t, c) : rc;
}

/* What is not known does not pass. */
static const char *verdict(const struct siox__check *c, bool *passed) {
  *passed = false;
  if (c->unknown)
    return "files whose layout could not be read were accessed";
  if (!c->accesses && c->unhinted)
    return "no job that made a request gave a hint";
  *passed = !c->outside;
  return c->outside ? "requests touched disks that were not predicted" : NULL;
}

json_t *siox__check_hints(const char *trace, const char *why) {
  struct siox__recorded t = {0};
  struct siox_diag diag = {""};
  struct siox__check c = {0};
  json_t *o = NULL;
  bool passed = false;
  if (!why && siox__recorded_load(&t, trace, &diag) < 0)
    why = *diag.text ? diag.text : "the trace cannot be read";
  if (!why && all(&t, &c) < 0)
    why = siox_strerror(SIOX_ENOMEM);
  if (!why) {
    o = found(&t, &c);
    why = verdict(&c, &passed);
  }
  if (!o)
    o = json_object();
  json_object_set_new(o, "passed", json_boolean(passed));
  json_object_set_new(o, "why", why ? json_string(why) : json_null());
  siox__recorded_free(&t);
  return o;
}
