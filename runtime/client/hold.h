/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Files that the program has open by itself, not through MPI-IO. Nothing foretells when it uses
 * them: unknown means full speed. So their disks are held: needed from the open on, and from each
 * use on, whatever the compiler or the program says of them meanwhile.
 *
 *      open   read   read                      read                close
 *       |------|------|--- lapse ---|...........|------ ... --------|
 *       held: a release waits        it counts   held again          it counts
 *
 * A hold lapses when no file on the disk has been used for as long as the shortest gap that pays:
 * by then having let the disk go would have saved what the way back takes, so whoever waits as long
 * never pays more than twice what the best choice in hindsight would have cost (the ski rental
 * rule), whatever comes. And a file that stays open unused keeps no disk up.
 *
 * The hold is a speaker of its own beside the program's threads (hint.c): what a rank says of a
 * disk is the maximum over its speakers, so a hold needs no say in what the predictor plans. Where
 * nobody else has said anything, closing and lapsing say nothing either: the word that was given
 * ends by itself, `keep` after the last use, which is as long as the daemon keeps a disk of which
 * it knows nothing (docs/arbiter.md, `hold`, by default). So a program without hints fares as if it
 * had said nothing at all.
 *
 * Pure: time is an argument, memory is given, nothing is allocated. Not thread-safe; under the lock
 * of hints (held.c). All times in ns. */
#ifndef SIOX_CLIENT_HOLD_H
#define SIOX_CLIENT_HOLD_H
#include "client/hint.h"
#include "siox/mask.h"
#include <stdatomic.h>

#define SIOX__WHOLE INT64_MAX /* bytes: all of a file, however long it becomes */

struct siox__hold_disk {
  uint32_t files; /* that are open and can lie on it */
  int64_t since;  /* when a use was told last; 0: never, or what was told then is void */
  int64_t used;   /* end of the last use */
  int32_t speed;  /* that it is needed at */
};

struct siox__holds {
  uint32_t ndisks;
  bool timed;    /* words end by themselves: what is said again with another time is no new need */
  int64_t lapse; /* after the last use */
  int64_t renew; /* uses that follow the last one told by less are not told */
  int64_t keep;  /* a word ends so long after the use that it tells */
  /* An unknown disk begins to slow down so long after its last use, and is slow then. */
  int64_t slowing, slow;
  int64_t due; /* when the next release will count that waits now; SIOX_NEVER: none does */
  struct siox__hold_disk *disk;
  uint32_t *nodes;           /* scratch: of the layout looked at */
  struct siox_mask had, has; /* scratch */
};

size_t siox__holds_size(uint32_t ndisks); /* bytes of memory */
/* memory: zeroed, aligned as malloc's; times are to be set. */
void siox__holds_init(struct siox__holds *h, void *memory, uint32_t ndisks);
/* min_gap_ns: the shortest gap that pays on any disk; lead_ns: the longest change of speed. timed:
 * the policy plans with times (`siox`); under others a word stands until the next one, for rt
 * counts how often it is said. */
void siox__holds_times(struct siox__holds *h, bool timed, int64_t min_gap_ns, int64_t lead_ns);

/* A file is used until `until`, at least now; last: end of the use before, which may not have been
 * told, 0: none. Its first `had` bytes are held (0: none), from now on
 * its first `has` bytes are, which are no fewer. layout: its text; where it cannot be read, the
 * file can lie on any disk. Returns the disks of which something new may have to be said.
 *
 * levels: the disks' present speeds, where a request follows at once (NULL: none does). What is
 * slow then serves it slowly, and is needed at full speed behind it: told so before, it would be on
 * its way up when the request comes, which would wait for all of that. But one that must be on its
 * way down is turned round. Another call with NULL is to follow the request. */
const struct siox_mask *siox__hold_use(struct siox__holds *h, const char *layout, int64_t had,
                                       int64_t has, int64_t now, int64_t last, int64_t until,
                                       const _Atomic int32_t *levels);
/* It is closed. */
const struct siox_mask *siox__hold_end(struct siox__holds *h, const char *layout, int64_t had);
/* Makes of what the threads say of a disk what is said of it now. */
void siox__hold_says(struct siox__holds *h, uint32_t disk, int64_t now, struct siox__stance *w);

#endif
