/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The daemon's disks and jobs as a table. Neighbours that do the same for the same claims are one
 * line, their joules and counts added up. */
#include "common/conf/text.h"
#include "disks.h"
#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

int siox__ranges_parse(struct siox__ranges *ranges, const char *text) {
  ranges->count = 0;
  for (char *end;; text = end + 1) {
    if (ranges->count == sizeof ranges->range / sizeof *ranges->range || *text < '0' || *text > '9')
      return SIOX_EINVAL;
    unsigned long first = strtoul(text, &end, 10), last = first;
    if (*end == '-' && end[1] >= '0' && end[1] <= '9')
      last = strtoul(end + 1, &end, 10);
    if (last < first || last >= UINT32_MAX)
      return SIOX_EINVAL;
    ranges->range[ranges->count].first = (uint32_t)first;
    ranges->range[ranges->count++].last = (uint32_t)last;
    if (!*end)
      return 0;
    if (*end != ',')
      return SIOX_EINVAL;
  }
}

static json_int_t whole(const json_t *o, const char *key) {
  return json_integer_value(json_object_get(o, key));
}
static const char *text_of(const json_t *o, const char *key) {
  const char *text = json_string_value(json_object_get(o, key));
  return text ? text : "-";
}
static double total(const json_t *o) {
  return json_number_value(json_object_get(json_object_get(o, "joules"), "total"));
}

static const char *user(json_int_t uid, char *room, size_t size) {
  const struct passwd *known = getpwuid((uid_t)uid);
  if (known)
    snprintf(room, size, "%s", known->pw_name);
  else
    snprintf(room, size, "%lld", (long long)uid);
  return room;
}

static bool same_words(const json_t *a, const json_t *b) {
  return !strcmp(text_of(a, "job"), text_of(b, "job")) && whole(a, "uid") == whole(b, "uid") &&
         whole(a, "speed") == whole(b, "speed") &&
         json_is_true(json_object_get(a, "needed")) == json_is_true(json_object_get(b, "needed"));
}

static int by_rank(const void *a, const void *b) {
  json_int_t x = *(const json_int_t *)a, y = *(const json_int_t *)b;
  return (x > y) - (x < y);
}

static void put_ranks(FILE *out, json_int_t *rank, size_t n) {
  qsort(rank, n, sizeof *rank, by_rank);
  for (size_t i = 0, end; i < n; i = end) {
    for (end = i + 1; end < n && rank[end] <= rank[end - 1] + 1; end++)
      ;
    fprintf(out, "%s%lld", i ? "," : "", (long long)rank[i]);
    if (rank[end - 1] > rank[i])
      fprintf(out, "-%lld", (long long)rank[end - 1]);
  }
}

static void put_speed(FILE *out, json_int_t speed) {
  const char *name = siox__speed_name((int32_t)speed);
  if (name)
    fputs(name, out);
  else
    fprintf(out, "%lld", (long long)speed);
}

enum { MOST_RANKS = 64, MOST_CLAIMS = 4 };

/* Who claims a disk: ranks of a job that say the same are told together, with the earliest need. */
static char *claims_of(const json_t *disk, json_int_t now) {
  char *text = NULL;
  size_t bytes = 0, n = json_array_size(json_object_get(disk, "claims")), told = 0, groups = 0;
  FILE *out = open_memstream(&text, &bytes);
  bool done[MOST_RANKS] = {false};
  for (size_t i = 0; out && i < n && i < MOST_RANKS; i++) {
    const json_t *c = json_array_get(json_object_get(disk, "claims"), i);
    if (done[i])
      continue;
    json_int_t rank[MOST_RANKS], need = 0;
    size_t ranks = 0;
    for (size_t j = i; j < n && j < MOST_RANKS; j++) {
      const json_t *other = json_array_get(json_object_get(disk, "claims"), j);
      if (done[j] || !same_words(c, other))
        continue;
      done[j] = true;
      rank[ranks++] = whole(other, "rank");
      json_int_t by = whole(other, "need_by");
      need = by && (!need || by < need) ? by : need;
    }
    told += ranks;
    if (++groups > MOST_CLAIMS)
      continue;
    char name[64];
    fprintf(out, "%s%s:", groups > 1 ? ", " : "", text_of(c, "job"));
    put_ranks(out, rank, ranks);
    fprintf(out, " of %s %s ", user(whole(c, "uid"), name, sizeof name),
            json_is_true(json_object_get(c, "needed")) ? "needs" : "releases to");
    put_speed(out, whole(c, "speed"));
    if (need > now)
      fprintf(out, " in %.1f s", (double)(need - now) / 1e9);
  }
  if (out && groups > MOST_CLAIMS)
    fprintf(out, " and %zu jobs more", groups - MOST_CLAIMS);
  if (out && whole(disk, "claims_total") > (json_int_t)told)
    fprintf(out, " and %lld claims more", (long long)whole(disk, "claims_total") - (long long)told);
  if (out)
    fclose(out);
  return text;
}

struct line {
  json_int_t first, last, moves, today;
  double joules;
  const json_t *disk; /* of the first */
  char *claims;
  json_int_t refused, delayed, overdue, below, worst_ns;
};

static json_int_t limit(const json_t *disk, const char *key) {
  return whole(json_object_get(disk, "limits"), key);
}

static void add(struct line *l, const json_t *d) {
  l->last = whole(d, "disk");
  l->moves += whole(d, "transitions_up") + whole(d, "transitions_down");
  l->today += whole(d, "transitions_today");
  l->joules += total(d);
  l->refused += limit(d, "refused_wear");
  l->delayed += limit(d, "delayed_power");
  l->overdue += limit(d, "overdue_power");
  l->below += limit(d, "decayed") + limit(d, "over_share") + limit(d, "within_budget");
  if (limit(d, "worst_delay_ns") > l->worst_ns)
    l->worst_ns = limit(d, "worst_delay_ns");
}

static bool alike(const struct line *l, const json_t *d, const char *claims) {
  static const char *const keys[] = {"drive", "speed",      "target", "moving",
                                     "set",   "last_error", "wear"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (!json_equal(json_object_get(l->disk, keys[i]), json_object_get(d, keys[i])))
      return false;
  return whole(d, "disk") == l->last + 1 && !strcmp(l->claims, claims);
}

static void put_wear(char *out, size_t size, const json_t *disk) {
  static const char *const kinds[] = {"start_stop", "load_unload"};
  size_t used = 0;
  snprintf(out, size, "-");
  for (size_t i = 0; i < 2 && used < size; i++) {
    const json_t *w = json_object_get(json_object_get(disk, "wear"), kinds[i]);
    if (json_is_object(w))
      used += (size_t)snprintf(out + used, size - used, "%s%.0f/%.0f", used ? " " : "",
                               json_number_value(json_object_get(w, "left")),
                               json_number_value(json_object_get(w, "a_day")));
  }
}

static void put_line(FILE *out, struct line *l) {
  char disks[32], wear[64];
  const json_t *d = l->disk;
  if (!d)
    return;
  snprintf(disks, sizeof disks, l->first == l->last ? "%lld" : "%lld-%lld", (long long)l->first,
           (long long)l->last);
  put_wear(wear, sizeof wear, d);
  const char mark[] = {json_is_true(json_object_get(d, "moving")) ? '~' : ' ',
                       json_is_integer(json_object_get(d, "set")) ? '!' : ' ', 0};
  fprintf(out, "%-11s  %-12s %6lld%s %7lld %6lld %6lld  %-13s %12.3f  %s\n", disks,
          text_of(d, "drive"), (long long)whole(d, "speed"), mark, (long long)whole(d, "target"),
          (long long)l->moves, (long long)l->today, wear, l->joules, *l->claims ? l->claims : "-");
  if (json_is_string(json_object_get(d, "last_error")))
    fprintf(out, "             last error: %s\n", text_of(d, "last_error"));
  if (l->refused || l->delayed || l->overdue || l->below)
    fprintf(
        out,
        "             slow-downs refused by wear %lld, below claims %lld; speed-ups that waited "
        "for power %lld, at most %.1f s, %lld overdue\n",
        (long long)l->refused, (long long)l->below, (long long)l->delayed,
        (double)l->worst_ns / 1e9, (long long)l->overdue);
  free(l->claims);
  *l = (struct line){0};
}

static void put_jobs(FILE *out, const json_t *answer) {
  size_t i;
  json_t *job;
  fprintf(out, "\n%-32s %-10s %9s %9s %9s %12s %10s %9s\n", "job", "user", "processes", "requests",
          "hints", "joules", "delay", "budget");
  json_array_foreach(json_object_get(answer, "jobs"), i, job) {
    char name[64], asked[32] = "";
    const json_t *wanted = json_object_get(job, "delay_budget_asked");
    double budget = json_number_value(json_object_get(job, "delay_budget"));
    if (json_is_number(wanted) && json_number_value(wanted) != budget)
      snprintf(asked, sizeof asked, " (asked for %g %%)", json_number_value(wanted));
    fprintf(out, "%-32s %-10s %9lld %9lld %9lld %12.3f %8.3f s %7g %%%s\n", text_of(job, "job"),
            user(whole(job, "uid"), name, sizeof name), (long long)whole(job, "clients"),
            (long long)whole(job, "requests"), (long long)whole(job, "hints"), total(job),
            (double)whole(job, "delayed_ns") / 1e9, budget, asked);
  }
  fprintf(out, "%-32s %-10s %9s %9s %9s %12.3f\n", "nobody's", "", "", "", "",
          total(json_object_get(answer, "unattributed")));
  const json_t *before = json_object_get(answer, "forgotten");
  if (whole(before, "jobs"))
    fprintf(out, "%-32s %-10lld %9s %9lld %9s %12.3f\n", "forgotten jobs",
            (long long)whole(before, "jobs"), "", (long long)whole(before, "requests"), "",
            total(before));
}

/* The nodes of the system, where an etcd joins them. */
static void put_nodes(FILE *out, const json_t *system, const json_t *etcd) {
  size_t i;
  json_t *n;
  if (!json_is_object(etcd))
    return;
  if (json_is_true(json_object_get(etcd, "connected")))
    fprintf(out, "%lld nodes: %s, and %lld heard through %s\n", (long long)whole(system, "nodes"),
            text_of(etcd, "node"), (long long)whole(etcd, "heard"), text_of(etcd, "server"));
  else
    fprintf(out, "%lld nodes: %s; etcd %s: %s\n", (long long)whole(system, "nodes"),
            text_of(etcd, "node"), text_of(etcd, "server"), text_of(etcd, "why"));
  if (json_is_true(json_object_get(etcd, "namesake")))
    fprintf(out, "another daemon is called %s, too\n", text_of(etcd, "node"));
  json_array_foreach(json_object_get(etcd, "nodes"), i, n) {
    if (strcmp(text_of(n, "state"), "GOOD") != 0)
      fprintf(out, "  node %s: %s, %s\n", text_of(n, "node"), text_of(n, "state"),
              text_of(n, "verdict"));
  }
}

/* What the daemon's reasoners say, level by level; nothing where all is well. */
static void put_monitor(FILE *out, const json_t *monitor) {
  static const char *const levels[] = {"system", "node"};
  if (!json_is_object(monitor))
    return;
  for (size_t i = 0; i < 2; i++) {
    const json_t *r = json_object_get(monitor, levels[i]);
    const bool well = !strcmp(text_of(r, "state"), "GOOD");
    if (well && !strcmp(text_of(r, "verdict"), "nothing"))
      continue;
    fprintf(out, "%s: %s, %s%s%s%s%s\n", levels[i], text_of(r, "state"), text_of(r, "verdict"),
            *text_of(r, "subject") ? " of " : "", text_of(r, "subject"),
            *text_of(r, "evidence") ? ": " : "", text_of(r, "evidence"));
  }
  put_nodes(out, json_object_get(monitor, "system"), json_object_get(monitor, "etcd"));
  const json_t *processes = json_object_get(monitor, "processes");
  if (whole(processes, "abnormal"))
    fprintf(out, "%lld of %lld processes are not as usual\n",
            (long long)whole(processes, "abnormal"), (long long)whole(processes, "count"));
  size_t i;
  json_t *p;
  json_array_foreach(json_object_get(processes, "list"), i, p) {
    if (whole(p, "rank") < 0)
      fprintf(out, "  pid %lld of %s", (long long)whole(p, "pid"), text_of(p, "job"));
    else
      fprintf(out, "  rank %lld of %s (pid %lld)", (long long)whole(p, "rank"), text_of(p, "job"),
              (long long)whole(p, "pid"));
    fprintf(out, ": %s, %s: %s\n", text_of(p, "state"), text_of(p, "verdict"),
            text_of(p, "evidence"));
  }
  json_array_foreach(json_object_get(monitor, "sources"), i, p) {
    if (*text_of(p, "note"))
      fprintf(out, "%s: %s\n", text_of(p, "name"), text_of(p, "note"));
  }
}

void siox__disks_print(FILE *out, const json_t *answer, bool all) {
  struct line line = {0};
  json_int_t now = whole(answer, "now");
  size_t i;
  json_t *d;
  fprintf(out, "%-11s  %-12s %6s   %7s %6s %6s  %-13s %12s  claims\n", "disk", "drive", "speed",
          "target", "moves", "today", "wear left", "joules");
  json_array_foreach(json_object_get(answer, "disks"), i, d) {
    char *claims = claims_of(d, now);
    if (!claims)
      break;
    if (line.disk && !all && alike(&line, d, claims)) {
      free(claims);
    } else {
      put_line(out, &line);
      line = (struct line){.first = whole(d, "disk"), .disk = d, .claims = claims};
    }
    add(&line, d);
  }
  put_line(out, &line);
  put_jobs(out, answer);
  put_monitor(out, json_object_get(answer, "monitor"));
  fprintf(out, "policy %s, %lld processes%s; joules since the first came\n",
          text_of(answer, "policy"), (long long)whole(answer, "clients"),
          json_is_true(json_object_get(answer, "draining")) ? ", draining" : "");
}
