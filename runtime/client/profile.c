/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* See profile.h. */
#include "client/profile.h"
#include "common/profile_row.h"
#include "siox/drive.h"
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STACK = 64 };

struct measured {
  const struct siox_region *region;
  uint64_t instances;
  int64_t iterations, least_ns;
  double least_iteration_ns;
};

bool siox__profiling;

static struct {
  char *directory;
  struct measured *at; /* open addressing by region */
  size_t size, used;
  struct frame {
    const struct siox_region *region;
    int64_t start, trip, iterations, seen;
    int64_t quiet, quiet_ns; /* STEPS: iterations without an access, and their time */
    bool accessed;           /* in this iteration */
  } stack[STACK];
  unsigned depth;
  atomic_bool taken; /* a thread has */
} self;
static _Thread_local bool mine __attribute__((tls_model("initial-exec")));

/* What the parent measured the parent writes. */
static void forget(void) {
  free(self.at);
  self.at = NULL;
  self.size = self.used = 0;
}

__attribute__((constructor)) static void begin(void) {
  const char *directory = getenv("SIOX_PROFILE_DIR");
  if (!directory || *directory != '/' || !(self.directory = strdup(directory)))
    return;
  siox__profiling = true;
  pthread_atfork(NULL, NULL, forget);
}

static bool is_mine(void) { return mine || (mine = !atomic_exchange(&self.taken, true)); }

static struct measured *place(struct measured *at, size_t size, const struct siox_region *region) {
  size_t i = (uintptr_t)region / 8 * 11400714819323198485U & (size - 1);
  while (at[i].region && at[i].region != region)
    i = (i + 1) & (size - 1);
  return &at[i];
}

static struct measured *find(const struct siox_region *region) {
  if (2 * self.used >= self.size) {
    size_t size = self.size ? 2 * self.size : 64;
    struct measured *more = calloc(size, sizeof *more);
    if (!more)
      return NULL;
    for (size_t i = 0; i < self.size; i++)
      if (self.at[i].region)
        *place(more, size, self.at[i].region) = self.at[i];
    free(self.at);
    self.at = more;
    self.size = size;
  }
  struct measured *m = place(self.at, self.size, region);
  if (!m->region) {
    *m = (struct measured){.region = region};
    self.used++;
  }
  return m;
}

int64_t siox__profile_enter(const struct siox_region *region, int64_t trip, int64_t now) {
  if (!region || !is_mine() || self.depth == STACK)
    return SIOX_NEVER;
  self.stack[self.depth++] = (struct frame){
      .region = region, .start = now, .trip = trip > 0 ? trip : region->trip, .seen = now};
  return 1;
}

void siox__profile_access(void) {
  for (unsigned i = 0; mine && i < self.depth; i++)
    self.stack[i].accessed = true;
}

int64_t siox__profile_tick(const struct siox_region *region, int64_t iteration, int64_t now) {
  struct frame *f = mine && self.depth ? &self.stack[self.depth - 1] : NULL;
  if (!f || f->region != region || iteration <= f->iterations)
    return SIOX_NEVER;
  const bool steps = region->kind == SIOX_REGION_STEPS;
  if (steps && !f->accessed) {
    f->quiet += iteration - f->iterations;
    f->quiet_ns += now - f->seen;
  }
  f->accessed = false;
  f->iterations = iteration;
  f->seen = now;
  if (steps)
    return iteration + 1;
  return iteration <= INT64_MAX / 2 ? 2 * iteration : SIOX_NEVER;
}

void siox__profile_leave(const struct siox_region *region, int64_t now) {
  if (!mine)
    return;
  unsigned i = self.depth;
  while (i && (region ? self.stack[i - 1].region != region
                      : self.stack[i - 1].region->kind != SIOX_REGION_OUTSIDE))
    i--;
  if (!i)
    return;
  const struct frame f = self.stack[i - 1];
  self.depth = i - 1; /* frames above were left by a jump */
  struct measured *m = find(f.region);
  if (!m)
    return;
  int64_t iterations = f.iterations, time = f.seen - f.start;
  if (!iterations && f.trip > 0) {
    iterations = f.trip;
    time = now - f.start;
  }
  if (f.quiet) {
    iterations = f.quiet;
    time = f.quiet_ns;
  }
  double each = iterations ? (double)time / (double)iterations : 0;
  if (each > 0 && (!m->least_iteration_ns || each < m->least_iteration_ns)) {
    m->least_iteration_ns = each;
    m->iterations = iterations;
  }
  if (!m->instances++ || now - f.start < m->least_ns)
    m->least_ns = now - f.start;
}

static void write_rows(FILE *out) {
  siox__profile_write_head(out);
  for (size_t i = 0; i < self.size; i++) {
    const struct measured *m = &self.at[i];
    const struct siox_region *r = m->region;
    if (r)
      siox__profile_write(out, &(struct siox__profile_row){.kind = r->kind,
                                                           .line = r->line,
                                                           .column = r->column,
                                                           .function_line = r->function_line,
                                                           .key = r->key,
                                                           .instances = m->instances,
                                                           .iterations = m->iterations,
                                                           .least_ns = m->least_ns,
                                                           .iteration_ns = m->least_iteration_ns,
                                                           .file = r->file,
                                                           .function = r->function});
  }
}

__attribute__((destructor)) static void end(void) {
  char path[4096];
  if (!self.used ||
      snprintf(path, sizeof path, "%s/part.XXXXXX", self.directory) >= (int)sizeof path)
    return;
  int fd = mkostemp(path, O_CLOEXEC);
  FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
  if (!out) {
    if (fd >= 0)
      close(fd);
    return; /* siox run says what is missing */
  }
  write_rows(out);
  /* Half a file would be taken for a whole one. */
  bool lost = ferror(out) != 0;
  if (fclose(out) != 0 || lost)
    unlink(path);
  self.used = 0;
}
