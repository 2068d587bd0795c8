/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Why a state is bad. SIOX "is able to differentiate bottlenecks due to high system load from those
 * engendered by system faults or misconfigurations" (paper, section 5); how, is ours. The first of
 * these that holds is the verdict:
 *
 * 1. fault: a sensor gives nothing; a call does not end;
 * 2. fault: a minority of the places of a metric (one disk of eight, one process) deviates, and
 * lies outside of where its peers are, without having more to do than they; with more to do it is a
 * hot spot: high load;
 * 3. fault: a minority of the children is bad while the others are good;
 * 4. misconfiguration of the category that is bad or overloaded: from the beginning on requests
 * were small, or many ranks shared files on one disk, or busy processors had a low clock;
 * 5. high load: the category that deviates, or else another one, is overloaded;
 * 6. fault: a place or the calls are worse than they were although there is little to do;
 * 7. most children agree on a cause: it is that.
 *
 * Slowness of energy (fewer operations for a joule) is looked for where the energy goes: in the
 * disks for meters of disks, else in the processors. */
#include "monitor/adpi.h"
#include "monitor/reasoner.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { SMALL_CLASS = 3 }; /* the last one below 64 KiB */

static bool say(struct siox__verdict *v, enum siox_verdict verdict, enum siox_category category,
                const char *subject, const char *format, ...) __attribute__((format(printf, 5, 6)));
static bool say(struct siox__verdict *v, enum siox_verdict verdict, enum siox_category category,
                const char *subject, const char *format, ...) {
  va_list a;
  v->verdict = verdict;
  v->category = category;
  snprintf(v->subject, sizeof v->subject, "%s", subject);
  va_start(a, format);
  vsnprintf(v->evidence, sizeof v->evidence, format, a);
  va_end(a);
  return true;
}

static const struct siox_series *series_of(const struct siox_reasoner_input *in,
                                           const struct siox_issue *issue) {
  return in->cycle && issue->series < in->cycle->nseries ? &in->cycle->series[issue->series] : NULL;
}

/* Where the load is that the issue may come from. */
static enum siox_category loaded_by(const struct siox_reasoner_input *in,
                                    const struct siox_issue *issue) {
  const struct siox_series *s = series_of(in, issue);
  const enum siox_category c =
      issue->category < SIOX_NCATEGORIES || !s ? issue->category : siox_category_of(s);
  if (c != SIOX_CATEGORY_ENERGY)
    return c;
  return s && s->metric.domain == SIOX_DOMAIN_DISK ? SIOX_CATEGORY_DISK : SIOX_CATEGORY_CPU;
}
static double load_of(const struct siox_reasoner_input *in, enum siox_category c) {
  return c < SIOX_NCATEGORIES ? in->utilisation[c] : -1;
}

/* The clock of the processors of this cycle; 0: not known. */
static double clock_of(const struct siox_cycle *cycle) {
  double sum = 0, n = 0;
  for (size_t i = cycle ? siox_cycle_next(cycle, 0) : 0; cycle && i < cycle->nseries;
       i = siox_cycle_next(cycle, i + 1)) {
    const struct siox_series *s = &cycle->series[i];
    if (s->gone || s->last.state != SIOX_SAMPLE_VALID || strcmp(s->metric.unit, "Hz") != 0 ||
        siox_category_of(s) != SIOX_CATEGORY_CPU)
      continue;
    sum += s->last.value;
    n++;
  }
  return n > 0 ? sum / n : 0;
}

void siox__habits_learn(struct siox__habits *h, const struct siox_reasoner_limits *k,
                        const struct siox_reasoner_input *in) {
  for (size_t i = 0; in->activities && i < in->activities->nkinds; i++)
    for (unsigned c = 1;
         c < SIOX_SIZE_CLASSES && in->activities->kinds[i].category == SIOX_CATEGORY_DISK; c++) {
      const double calls = (double)in->activities->kinds[i].classes[c].calls;
      h->calls += calls;
      h->small += c <= SMALL_CLASS ? calls : 0;
    }
  const bool busy = in->clock_max_hz > 0 && in->utilisation[SIOX_CATEGORY_CPU] > k->low_load;
  const double clock = busy ? clock_of(in->cycle) : 0;
  if (clock > 0) {
    h->busy++;
    h->clock_hz += clock;
    h->low += clock < k->low_clock * in->clock_max_hz;
  }
  if (in->stripes > 0 && in->ranks >= k->many_ranks) {
    h->used++;
    h->unstriped += in->stripes == 1;
  }
}

static bool sensors_and_hung_calls(const struct siox_reasoner_input *in, struct siox__verdict *v) {
  for (enum siox_issue_kind kind = SIOX_ISSUE_SENSOR; kind <= SIOX_ISSUE_HUNG; kind++)
    for (size_t i = 0; i < in->nissues; i++) {
      const struct siox_issue *issue = &in->issues[i];
      if (issue->kind != kind)
        continue;
      char subject[112] = "";
      const struct siox_series *s = series_of(in, issue);
      if (s)
        siox__series_name(s, subject, sizeof subject);
      else if (in->activities && issue->activity < in->activities->nkinds)
        snprintf(subject, sizeof subject, "%.50s.%.50s",
                 in->activities->kinds[issue->activity].layer,
                 in->activities->kinds[issue->activity].call);
      return say(v, SIOX_VERDICT_FAULT, issue->category, subject, "%s", issue->evidence);
    }
  return false;
}

static bool told(const struct siox_reasoner_input *in, size_t series) {
  const struct siox_issue *issues = in->told ? in->told : in->issues;
  const size_t n = in->told ? in->ntold : in->nissues;
  for (size_t i = 0; i < n; i++)
    if (issues[i].series == series && issues[i].severity != SIOX_ABNORMAL_GOOD)
      return true;
  return false;
}

/* Does it tell how much there is to do (bytes, requests), and not how that goes? */
static bool is_load(const struct siox_metric *m) {
  return m->kind == SIOX_METRIC_COUNTER && m->polarity == SIOX_NEITHER_IS_BETTER &&
         (strcmp(m->unit, "B") == 0 || strcmp(m->unit, "1") == 0);
}
/* "disk" of a metric of all categories is no place among others. */
static bool usable(const struct siox_series *s) {
  for (enum siox_category c = 0; c < SIOX_NCATEGORIES; c++)
    if (strcmp(s->metric.where, siox_category_name(c)) == 0)
      return false;
  /* What it was when it was last its turn holds. */
  return !s->gone && s->metric.where[0] &&
         (s->last.state == SIOX_SAMPLE_VALID ||
          (s->last.state == SIOX_SAMPLE_HELD && s->last.error == 0));
}
/* Bytes a second that the place moves. */
static double bytes_of(const struct siox_cycle *cycle, const struct siox_series *place) {
  double bytes = 0;
  for (size_t i = 0; i < cycle->nseries; i++) {
    const struct siox_series *s = &cycle->series[i];
    if (s->provider == place->provider && strcmp(s->metric.where, place->metric.where) == 0 &&
        is_load(&s->metric) && strcmp(s->metric.unit, "B") == 0 && usable(s))
      bytes += s->last.value;
  }
  return bytes;
}

/* The places of the issue's metric: those that are told, and where the others are. */
static struct siox__peers peers_of(const struct siox_reasoner_input *in,
                                   const struct siox_series *own) {
  struct siox__peers p = {
      .provider = own->provider, .name = own->metric.name, .low = INFINITY, .high = -INFINITY};
  for (size_t i = 0; i < in->cycle->nseries; i++) {
    const struct siox_series *s = &in->cycle->series[i];
    if (s->provider != own->provider)
      continue;
    if (is_load(&s->metric) && strcmp(s->metric.unit, "B") == 0 && usable(s))
      p.bytes += s->last.value;
    if (strcmp(s->metric.name, own->metric.name) != 0 || !usable(s))
      continue;
    if (s == own || told(in, i)) {
      p.deviating++;
      continue;
    }
    p.peers++;
    p.low = fmin(p.low, s->last.value);
    p.high = fmax(p.high, s->last.value);
  }
  return p;
}

/* The same, looked for once a cycle: a thousand processes may deviate at once. */
static struct siox__peers known_peers(const struct siox_reasoner_input *in,
                                      const struct siox_series *own) {
  struct siox__peers_seen *seen = in->peers;
  for (size_t i = 0; seen && i < seen->n; i++)
    if (seen->of[i].provider == own->provider && strcmp(seen->of[i].name, own->metric.name) == 0)
      return seen->of[i];
  const struct siox__peers p = peers_of(in, own);
  if (seen && seen->n < sizeof seen->of / sizeof *seen->of)
    seen->of[seen->n++] = p;
  return p;
}

/* One place against those of the same metric that are not told. */
static bool deviates_from_peers(const struct siox_reasoner *r, const struct siox_reasoner_input *in,
                                const struct siox_issue *issue, struct siox__verdict *v) {
  const struct siox_series *own = series_of(in, issue);
  if (!own || !usable(own))
    return false;
  const struct siox__peers p = known_peers(in, own);
  const double value = own->last.value;
  const bool few =
      p.deviating == 1 ? p.peers >= 1 : p.deviating <= r->limits.minority * (p.peers + p.deviating);
  if (!few || (value >= p.low && value <= p.high))
    return false;
  const enum siox_category c = loaded_by(in, issue);
  const double own_bytes = bytes_of(in->cycle, own);
  const double bytes = (p.bytes - own_bytes) / (p.peers + p.deviating - 1);
  /* Bytes are no work of processors: a rank that does the I/O of others does not spin for it. */
  const bool of_bytes = siox_category_of(own) != SIOX_CATEGORY_CPU;
  const bool hot = of_bytes && own_bytes > r->limits.hot * bytes;
  if (is_load(&own->metric) || hot) {
    if (value <= p.high && !hot) /* less to do than the others is no fault */
      return false;
    return say(v, SIOX_VERDICT_HIGH_LOAD, c, own->metric.where,
               "%s of %s is %.4g where its %.0f peers have %.4g to %.4g, and it moves %.4g B/s, "
               "they %.4g: it has more to do",
               own->metric.name, own->metric.where, value, p.peers, p.low, p.high, own_bytes,
               bytes);
  }
  return say(v, SIOX_VERDICT_FAULT, c, own->metric.where,
             "%s of %s is %.4g where its %.0f peers have %.4g to %.4g%s", own->metric.name,
             own->metric.where, value, p.peers, p.low, p.high,
             of_bytes ? ", and it has no more to do than they" : "");
}

/* What tells how things go speaks before what tells how much there is to do. */
static bool places(const struct siox_reasoner *r, const struct siox_reasoner_input *in,
                   struct siox__verdict *v) {
  for (int load = 0; load < 2; load++)
    for (size_t i = 0; i < in->nissues; i++) {
      const struct siox_series *s = series_of(in, &in->issues[i]);
      if (s && in->issues[i].severity != SIOX_ABNORMAL_GOOD && is_load(&s->metric) == load &&
          deviates_from_peers(r, in, &in->issues[i], v))
        return true;
    }
  return false;
}

static bool few_children(const struct siox_reasoner *r, const struct siox_reasoner_input *in,
                         const struct siox_report *report, struct siox__verdict *v) {
  if (report->bad_children == 0 || report->children < 3 ||
      report->bad_children > r->limits.minority * report->children)
    return false;
  for (size_t i = 0; i < in->nchildren; i++)
    if (in->children[i].state == SIOX_ABNORMAL_BAD)
      return say(v, SIOX_VERDICT_FAULT, SIOX_NCATEGORIES, in->children[i].name,
                 "%s is bad, %u of %u are not", in->children[i].name,
                 report->children - report->bad_children, report->children);
  return false;
}

/* Is something of the category bad, or has it too much to do? */
static bool concerned(const struct siox_reasoner *r, const struct siox_reasoner_input *in,
                      enum siox_category c) {
  if (in->utilisation[c] > r->limits.max_load)
    return true;
  for (size_t i = 0; i < in->nissues; i++)
    if (in->issues[i].severity != SIOX_ABNORMAL_GOOD && loaded_by(in, &in->issues[i]) == c)
      return true;
  return false;
}

static bool from_the_beginning(const struct siox_reasoner *r, const struct siox_reasoner_input *in,
                               struct siox__verdict *v) {
  const struct siox__habits *h = &r->habits;
  const struct siox_reasoner_limits *k = &r->limits;
  if (concerned(r, in, SIOX_CATEGORY_DISK)) {
    if (h->calls >= k->least_calls && h->small >= k->small_calls * h->calls)
      return say(v, SIOX_VERDICT_MISCONFIGURATION, SIOX_CATEGORY_DISK, "request size",
                 "%.0f %% of %.0f calls since the beginning moved less than 64 KiB: use collective "
                 "calls, or larger requests",
                 100 * h->small / h->calls, h->calls);
    if (h->used > 0 && h->unstriped >= k->persistent * h->used && in->stripes == 1)
      return say(v, SIOX_VERDICT_MISCONFIGURATION, SIOX_CATEGORY_DISK, "striping",
                 "%u ranks use files that lie on one disk each: raise striping_factor", in->ranks);
  }
  if (concerned(r, in, SIOX_CATEGORY_CPU) && h->busy >= k->least_cycles &&
      h->low >= k->persistent * h->busy)
    return say(v, SIOX_VERDICT_MISCONFIGURATION, SIOX_CATEGORY_CPU, "clock",
               "busy processors had %.3g GHz of %.3g since the beginning (%.0f cycles): look at "
               "the frequency governor",
               h->clock_hz / h->busy * 1e-9, in->clock_max_hz * 1e-9, h->busy);
  return false;
}

static bool high_load(const struct siox_reasoner *r, const struct siox_reasoner_input *in,
                      const struct siox_report *report, struct siox__verdict *v) {
  for (size_t i = 0; i < in->nissues; i++) {
    const struct siox_issue *issue = &in->issues[i];
    const enum siox_category c = loaded_by(in, issue);
    if (issue->severity != SIOX_ABNORMAL_GOOD && load_of(in, c) > r->limits.max_load)
      return say(v, SIOX_VERDICT_HIGH_LOAD, c, siox_category_name(c),
                 "%.0f %% of %s are in use; %s", 100 * load_of(in, c), siox_category_name(c),
                 issue->evidence);
  }
  if (report->noverloaded > 0)
    return say(v, SIOX_VERDICT_HIGH_LOAD, report->overloaded[0].category,
               siox_category_name(report->overloaded[0].category), "%s",
               report->overloaded[0].evidence);
  return false;
}

static bool worse_than_before(const struct siox_reasoner *r, const struct siox_reasoner_input *in,
                              struct siox__verdict *v) {
  for (size_t i = 0; i < in->nissues; i++) {
    const struct siox_issue *issue = &in->issues[i];
    const enum siox_category c = loaded_by(in, issue);
    const double load = load_of(in, c);
    if (issue->severity != SIOX_ABNORMAL_BAD || load < 0 || load >= r->limits.low_load)
      continue;
    const struct siox_series *s = series_of(in, issue);
    return say(v, SIOX_VERDICT_FAULT, c,
               s && s->metric.where[0] ? s->metric.where : siox_category_name(c),
               "%s, although only %.0f %% of %s are in use", issue->evidence, 100 * load,
               siox_category_name(c));
  }
  return false;
}

static bool most_children(const struct siox_reasoner_input *in, struct siox__verdict *v) {
  for (enum siox_verdict verdict = SIOX_VERDICT_HIGH_LOAD; verdict < SIOX_VERDICT_UNCLEAR;
       verdict++) {
    size_t n = 0, abnormal = 0;
    for (size_t i = 0; i < in->nchildren; i++) {
      const bool bad = in->children[i].state == SIOX_ABNORMAL_BAD ||
                       in->children[i].state == SIOX_ABNORMAL_OTHER;
      abnormal += bad;
      n += bad && in->children[i].verdict == verdict;
    }
    if (2 * n > abnormal)
      return say(v, verdict, SIOX_NCATEGORIES, "", "%zu of %zu abnormal ones below say %s", n,
                 abnormal, siox_verdict_name(verdict));
  }
  return false;
}

void siox__verdict(const struct siox_reasoner *r, const struct siox_reasoner_input *in,
                   const struct siox_report *report, struct siox__verdict *v) {
  *v = (struct siox__verdict){.verdict = SIOX_VERDICT_NONE, .category = SIOX_NCATEGORIES};
  /* A dead meter of energy is a good one to whoever looks at its joules. */
  if (sensors_and_hung_calls(in, v) || report->state == SIOX_ABNORMAL_GOOD)
    return;
  if (report->state == SIOX_GOOD) { /* nothing deviates where it was wrong from the beginning on */
    from_the_beginning(r, in, v);
    return;
  }
  if (places(r, in, v) || few_children(r, in, report, v) || from_the_beginning(r, in, v) ||
      high_load(r, in, report, v) || worse_than_before(r, in, v) || most_children(in, v))
    return;
  say(v, SIOX_VERDICT_UNCLEAR, SIOX_NCATEGORIES, "", "%s",
      in->nissues > 0 ? in->issues[0].evidence : "some below are abnormal");
}
