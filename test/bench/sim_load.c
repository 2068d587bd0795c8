/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One run of the simulator on generated jobs, or of a bare event loop of the same size, for
 * test/bench/sim.py: prints what it took as one line of JSON.
 *
 * Jobs of up to `together` processes each; every job has a file striped over `factor` disks, the
 * files spread evenly over the disks. A process computes and then moves a burst of requests that
 * touch `touch` disks each; the gaps are as long as keeps the disks busy for `busy` % of the time.
 * What counts is a service: one disk's part of a request. */
#include "siox/sim.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { UNIT = 65536 };

struct load {
  const char *scheme; /* "bare": the event loop */
  const char *trace;  /* written here first, and played from there */
  double services, busy;
  uint32_t processes, disks, together, factor, touch, requests; /* requests: of a burst */
};

static int fail(const char *what, int rc) {
  fprintf(stderr, "sim_load: %s: %s\n", what, siox_strerror(rc));
  return 1;
}

static double thread_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* KiB at the peak; getrusage would count what the process was before it was this program. */
static long peak(void) {
  char line[256];
  long kib = -1;
  FILE *status = fopen("/proc/self/status", "r");
  while (status && kib < 0 && fgets(line, sizeof line, status))
    if (sscanf(line, "VmHWM: %ld", &kib) != 1)
      kib = -1;
  if (status)
    fclose(status);
  return kib;
}

static void say(const struct load *l, double services, double seconds) {
  printf("{\"scheme\": \"%s\", \"services\": %.0f, \"seconds\": %.6f, \"rss_kib\": %ld}\n",
         l->scheme, services, seconds, peak());
}

/* ns between two bursts of a process. */
static int64_t gap_of(const struct load *l, const struct siox_drive *drive) {
  double service = (double)siox_drive_service_ns(drive, drive->nlevels - 1, UNIT, false);
  double burst = (double)l->requests * l->touch * service;
  return (int64_t)(burst * l->processes / l->disks / (l->busy / 100));
}

static uint32_t phases_of(const struct load *l) {
  double n = l->services / ((double)l->processes * l->requests * l->touch);
  return n < 1 ? 1 : (uint32_t)n;
}

/* The least that any event loop does: a heap of processes by time, and per service a disk that is
 * free later. No claims, no policy, no joules. */
struct turn {
  int64_t time;
  uint32_t process, left; /* left: requests of the burst */
};

static void sift(struct turn *heap, uint32_t n, struct turn t) {
  uint32_t i = 0;
  for (uint32_t child; (child = 2 * i + 1) < n; i = child) {
    child += child + 1 < n && heap[child + 1].time < heap[child].time;
    if (heap[child].time >= t.time)
      break;
    heap[i] = heap[child];
  }
  heap[i] = t;
}

static int run_bare(const struct load *l, const struct siox_drive *drive) {
  struct turn *heap = calloc(l->processes, sizeof *heap);
  int64_t *free_at = calloc(l->disks, sizeof *free_at);
  if (!heap || !free_at)
    return fail("bare", SIOX_ENOMEM);
  int64_t gap = gap_of(l, drive);
  int64_t service = siox_drive_service_ns(drive, drive->nlevels - 1, UNIT, false);
  for (uint32_t i = 0; i < l->processes; i++)
    heap[i] = (struct turn){gap + i, i, l->requests};
  uint64_t events = (uint64_t)phases_of(l) * l->processes * l->requests;
  double start = thread_seconds();
  for (uint64_t e = 0; e < events; e++) {
    struct turn t = heap[0];
    uint32_t job = t.process / l->together, at = t.process + (uint32_t)e;
    int64_t end = t.time;
    for (uint32_t k = 0; k < l->touch; k++) {
      int64_t *disk = &free_at[(job * l->factor + (at + k) % l->factor) % l->disks];
      *disk = (*disk > t.time ? *disk : t.time) + service;
      end = *disk > end ? *disk : end;
    }
    t.time = end;
    if (--t.left == 0) {
      t.left = l->requests;
      t.time += gap;
    }
    sift(heap, l->processes, t);
  }
  say(l, (double)events * l->touch, thread_seconds() - start);
  free(heap);
  free(free_at);
  return 0;
}

static int add_jobs(struct siox_sim *sim, const struct load *l, const struct siox_drive *drive,
                    struct siox_layout *layout) {
  struct siox_diag diag;
  for (uint32_t first = 0, j = 0; first < l->processes; first += l->together, j++) {
    uint32_t n = l->processes - first < l->together ? l->processes - first : l->together;
    struct siox_sim_job job = {.delay_budget = -1};
    job.generated = (struct siox_sim_generated){.processes = n,
                                                .phases = phases_of(l),
                                                .gap_ns = gap_of(l, drive),
                                                .burst = (int64_t)l->requests * l->touch * UNIT,
                                                .request = (int64_t)l->touch * UNIT,
                                                .error = 0.1,
                                                .seed = j + 1,
                                                .hints = true,
                                                .layout = &layout[j]};
    job.start = j * INT64_C(7000003);
    int rc = siox_layout_triplet(&layout[j], l->disks, j * l->factor % l->disks, l->factor, UNIT);
    rc = rc ? rc : siox_sim_add(sim, &job, &diag);
    if (rc < 0)
      return rc;
  }
  return 0;
}

/* The same bursts as a trace of one job, requests one behind the other, without hints. */
static int write_trace(const struct load *l, const struct siox_drive *const *drive) {
  struct siox_trace_header h = {.clock = CLOCK_MONOTONIC,
                                .ndisks = l->disks,
                                .drive = drive,
                                .policy = "base",
                                .hold_factor = 10,
                                .program = "sim_load"};
  uint32_t *level = malloc(l->disks * sizeof *level);
  char layout[64];
  for (uint32_t d = 0; level && d < l->disks; d++)
    level[d] = drive[d]->nlevels - 1;
  h.initial_level = level;
  struct siox_trace_writer *w;
  struct siox_diag diag;
  int rc = level ? siox_trace_create(&w, l->trace, &h, &diag) : SIOX_ENOMEM;
  if (rc < 0)
    return rc;
  snprintf(layout, sizeof layout, "0:%u:%d", l->factor, UNIT);
  struct siox_trace_event e = {.kind = SIOX_TRACE_JOB};
  e.u.job.key = "load";
  rc = siox_trace_write(w, &e);
  e = (struct siox_trace_event){.kind = SIOX_TRACE_FILE};
  e.u.file.file = 1;
  e.u.file.path = "/load";
  e.u.file.layout = layout;
  rc = rc ? rc : siox_trace_write(w, &e);
  for (uint32_t c = 0; c < l->processes && rc == 0; c++) {
    e = (struct siox_trace_event){.kind = SIOX_TRACE_CLIENT};
    e.u.client_def.client = c;
    e.u.client_def.rank = (int32_t)c;
    e.u.client_def.size = (int32_t)l->processes;
    e.u.client_def.program = "load";
    rc = siox_trace_write(w, &e);
    e = (struct siox_trace_event){.kind = SIOX_TRACE_JOIN, .client = c, .thread = 1};
    rc = rc ? rc : siox_trace_write(w, &e);
  }
  int64_t service = siox_drive_service_ns(drive[0], drive[0]->nlevels - 1, UNIT, false);
  int64_t gap = gap_of(l, drive[0]), bytes = (int64_t)l->touch * UNIT, time = gap, place = 0;
  for (uint32_t p = 0, phases = phases_of(l); p < phases && rc == 0; p++) {
    for (uint32_t c = 0; c < l->processes && rc == 0; c++) {
      for (uint32_t i = 0; i < l->requests && rc == 0; i++, place += bytes) {
        int64_t at = time + c + i * service;
        e = (struct siox_trace_event){.kind = SIOX_TRACE_IO, .client = c, .thread = 1};
        e.u.io = (__typeof__(e.u.io)){
            .arrival = at, .completion = at + service, .file = 1, .offset = place, .bytes = bytes};
        rc = siox_trace_write(w, &e);
      }
    }
    time += gap + l->requests * service;
  }
  for (uint32_t c = 0; c < l->processes && rc == 0; c++) {
    e = (struct siox_trace_event){.kind = SIOX_TRACE_LEAVE, .client = c, .thread = 1};
    e.u.leave.time = time;
    rc = siox_trace_write(w, &e);
  }
  int closed = siox_trace_close(w);
  free(level);
  return rc ? rc : closed;
}

static int run(const struct load *l, const struct siox_drive *drive) {
  const struct siox_drive **drives = malloc(l->disks * sizeof *drives);
  uint32_t njobs = (l->processes + l->together - 1) / l->together;
  struct siox_layout *layout = calloc(njobs, sizeof *layout);
  if (!drives || !layout)
    return fail("memory", SIOX_ENOMEM);
  for (uint32_t d = 0; d < l->disks; d++)
    drives[d] = drive;
  const struct siox_limits limits = {/* as siox.yaml has them by default */
                                     .early = 0.9,
                                     .wear = true,
                                     .start_stop_per_day = 27,
                                     .load_unload_per_day = 329};
  struct siox_sim_options options = {.ndisks = l->disks, .drive = drives, .limits = &limits};
  struct siox_sim *sim;
  struct siox_diag diag;
  int rc = siox_sim_create(&sim, &options);
  if (rc < 0)
    return fail("create", rc);
  if (l->trace) {
    rc = write_trace(l, drives);
    struct siox_sim_job job = {.trace = l->trace, .delay_budget = -1};
    rc = rc ? rc : siox_sim_add(sim, &job, &diag);
  } else {
    rc = add_jobs(sim, l, drive, layout);
  }
  if (rc < 0)
    return fail("jobs", rc);
  struct siox_replay_options o = {.policy = l->scheme};
  struct siox_replay_result result;
  double start = thread_seconds();
  rc = siox_sim_run(sim, &o, &result, &diag);
  double seconds = thread_seconds() - start;
  if (rc < 0)
    return fail(diag.text, rc);
  uint64_t services = 0;
  for (uint32_t d = 0; d < result.ndisks; d++)
    services += result.disk[d].requests;
  say(l, (double)services, seconds);
  siox_replay_free(&result);
  siox_sim_destroy(sim);
  for (uint32_t j = 0; j < njobs; j++)
    siox_layout_free(&layout[j]);
  free(layout);
  free(drives);
  return 0;
}

int main(int argc, char **argv) {
  struct load l = {.scheme = "base",
                   .services = 1e6,
                   .busy = 30,
                   .processes = 8,
                   .disks = 8,
                   .together = 64,
                   .factor = 8,
                   .touch = 4,
                   .requests = 16};
  const char *profile = "36Z15";
  for (int i = 1; i + 1 < argc; i += 2) {
    struct {
      const char *name;
      uint32_t *value;
    } numbers[] = {{"--processes", &l.processes}, {"--disks", &l.disks},
                   {"--together", &l.together},   {"--factor", &l.factor},
                   {"--touch", &l.touch},         {"--requests", &l.requests}};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
      if (!strcmp(argv[i], numbers[k].name))
        *numbers[k].value = (uint32_t)strtoul(argv[i + 1], NULL, 10);
    if (!strcmp(argv[i], "--scheme"))
      l.scheme = argv[i + 1];
    else if (!strcmp(argv[i], "--trace"))
      l.trace = argv[i + 1];
    else if (!strcmp(argv[i], "--drive"))
      profile = argv[i + 1];
    else if (!strcmp(argv[i], "--services"))
      l.services = strtod(argv[i + 1], NULL);
    else if (!strcmp(argv[i], "--busy"))
      l.busy = strtod(argv[i + 1], NULL);
  }
  if (!l.processes || !l.disks || !l.together || !l.factor || !l.touch || !l.requests ||
      l.factor > l.disks || l.touch > l.factor || !(l.busy > 0)) {
    fprintf(stderr, "sim_load: these figures do not go together\n");
    return 2;
  }
  struct siox_drive drive;
  struct siox_diag diag;
  int rc = siox_drive_load(&drive, profile, 1, &diag);
  if (rc < 0)
    return fail(diag.text, rc);
  return strcmp(l.scheme, "bare") ? run(&l, &drive) : run_bare(&l, &drive);
}
