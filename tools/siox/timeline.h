/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Per-disk speed over time, gathered from a trace's segments; drawn by timeline_text.c and
 * timeline_svg.c. */
#ifndef SIOX_TOOLS_TIMELINE_H
#define SIOX_TOOLS_TIMELINE_H
#include <siox/bank.h>
#include <siox/drive.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct timeline_piece { /* constant speed, or a ramp between two; pieces of a disk follow each other
                           in time */
  int64_t start, end;
  double from, to;
};
struct timeline_request { /* the disk was serving */
  int64_t start, end;
};
struct timeline_disk {
  struct timeline_piece *piece;
  size_t npieces, max_pieces;
  struct timeline_request *request;
  size_t nrequests, max_requests;
  double joules;
};
struct timeline {
  int64_t start, end;
  uint32_t ndisks;
  struct timeline_disk *disk;
  struct siox_drive drive; /* of disk 0: levels of the legend */
  double full_speed;       /* greatest over all disks */
  char policy[64], program[512];
  bool cut; /* the trace ends before its end block */
};

/* A timeline of disks that starts empty (timeline.c). SIOX_ENOMEM, and from add SIOX_EPROTO for a
 * disk that is not there. */
int siox__timeline_begin(struct timeline *t, uint32_t ndisks, const struct siox_drive *const *drive,
                         int64_t start, const char *program);
int siox__timeline_add(struct timeline *t, const struct siox_segment *segment);
void siox__timeline_done(struct timeline *t, const char *policy, bool cut);
void siox__timeline_free(struct timeline *t);

/* Mean speed of a disk over [from, to); negative where nothing is known. */
double siox__timeline_speed(const struct timeline_disk *disk, int64_t from, int64_t to);
bool siox__timeline_busy(const struct timeline_disk *disk, int64_t from, int64_t to);
/* Distance between ticks of the time axis: 1, 2 or 5 times a power of ten, at most `most` of them.
 * In ns. */
int64_t siox__timeline_tick(int64_t duration, int most);
/* "12", "0.5": a tick's time in seconds with as many decimals as the distance of the ticks needs.
 */
void siox__timeline_seconds(int64_t ns, int64_t tick, char *text, size_t size);

int siox__timeline_text(const struct timeline *t, FILE *out, int width, bool colour);
int siox__timeline_svg(const struct timeline *t, FILE *out, int width);
#endif
