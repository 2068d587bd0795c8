/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Idle periods and their distribution; see sim_paper_cdf.h. */
#include "sim_paper_cdf.h"
#include <siox/error.h>
#include <stdlib.h>
#include <string.h>

static int add(struct sim_idle *idle, int64_t ns) {
  if (ns <= 0)
    return 0;
  if (idle->count == idle->room) {
    size_t room = idle->room ? 2 * idle->room : 256;
    double *more = realloc(idle->seconds, room * sizeof *more);
    if (!more)
      return SIOX_ENOMEM;
    idle->seconds = more;
    idle->room = room;
  }
  idle->seconds[idle->count++] = (double)ns / 1e9;
  return 0;
}

int sim_idle_add(struct sim_idle *idle, const struct timeline_request *request, size_t count,
                 int64_t start, int64_t end) {
  int rc = 0;
  for (size_t i = 0; i < count && rc == 0; i++) {
    rc = add(idle, request[i].start - start);
    start = request[i].end;
  }
  return rc ? rc : add(idle, end - start);
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int sim_idle_sort(struct sim_idle *idle) {
  free(idle->sum);
  idle->sum = malloc((idle->count + 1) * sizeof *idle->sum);
  if (!idle->sum)
    return SIOX_ENOMEM;
  if (idle->count)
    qsort(idle->seconds, idle->count, sizeof *idle->seconds, ascending);
  idle->sum[0] = 0;
  for (size_t i = 0; i < idle->count; i++)
    idle->sum[i + 1] = idle->sum[i] + idle->seconds[i];
  return 0;
}

/* How many are not longer. */
static size_t up_to(const struct sim_idle *idle, double seconds) {
  size_t low = 0, high = idle->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (idle->seconds[middle] <= seconds)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

double sim_idle_by_count(const struct sim_idle *idle, double seconds) {
  return idle->count ? (double)up_to(idle, seconds) / (double)idle->count : 0;
}

double sim_idle_by_time(const struct sim_idle *idle, double seconds) {
  return idle->count ? idle->sum[up_to(idle, seconds)] / idle->sum[idle->count] : 0;
}

void sim_idle_free(struct sim_idle *idle) {
  free(idle->seconds);
  free(idle->sum);
  memset(idle, 0, sizeof *idle);
}
