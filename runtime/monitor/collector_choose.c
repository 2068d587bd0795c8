/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Of several sources of the same energy, those whose joules count. */
#include "monitor/collector.h"
#include <string.h>

/* A source that has said nothing for so long, and twice, is passed over. */
static const int64_t SILENT_NS = 1000000000;

/* Which series count: see struct siox_series. */
void siox__collector_choose(struct siox_collector *c) {
  static const enum siox_domain around[] = {
#define SIOX_DOMAIN(name, text, part_of, what) SIOX_DOMAIN_##part_of,
#include "siox/domains.def"
#undef SIOX_DOMAIN
  };
  uint32_t best[SIOX_NDOMAINS] = {0};
  for (size_t i = siox_cycle_next(&c->cycle, 0); i < c->cycle.nseries;
       i = siox_cycle_next(&c->cycle, i + 1)) {
    struct siox_series *s = &c->series[i];
    s->best = false;
    s->counts = s->metric.domain != SIOX_DOMAIN_NONE && !(s->metric.flags & SIOX_METRIC_PART) &&
                !s->gone && s->provider->priority > 0 &&
                (s->silent < 2 || c->cycle.now_ns - c->before[i].heard_ns < SILENT_NS) &&
                (s->metric.kind == SIOX_METRIC_COUNTER || strcmp(s->metric.unit, "W") == 0);
    if (s->counts && s->provider->priority > best[s->metric.domain])
      best[s->metric.domain] = s->provider->priority;
  }
  /* A model of the whole tells nothing that meters of its parts do not tell better. */
  bool modelled[SIOX_NDOMAINS] = {false}, metered_inside[SIOX_NDOMAINS] = {false};
  for (size_t i = siox_cycle_next(&c->cycle, 0); i < c->cycle.nseries;
       i = siox_cycle_next(&c->cycle, i + 1)) {
    struct siox_series *s = &c->series[i];
    s->best = s->counts && s->provider->priority == best[s->metric.domain];
    if (!s->best)
      continue;
    if (s->metric.flags & SIOX_METRIC_ESTIMATED)
      modelled[s->metric.domain] = true;
    else if (!(s->metric.flags & SIOX_METRIC_OUTSIDE))
      for (enum siox_domain d = around[s->metric.domain]; d != SIOX_DOMAIN_NONE; d = around[d])
        metered_inside[d] = true;
  }
  for (size_t i = siox_cycle_next(&c->cycle, 0); i < c->cycle.nseries;
       i = siox_cycle_next(&c->cycle, i + 1)) {
    struct siox_series *s = &c->series[i];
    const enum siox_domain own = s->metric.domain;
    s->counts = s->best && !(modelled[own] && metered_inside[own]);
    if (!(s->metric.flags & SIOX_METRIC_OUTSIDE))
      for (enum siox_domain d = around[own]; d != SIOX_DOMAIN_NONE; d = around[d])
        s->counts &= best[d] == 0 || (modelled[d] && metered_inside[d]);
  }
}
