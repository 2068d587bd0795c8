/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Siox for programs: hints by hand, and what the pass calls. Link with -lsiox before the MPI library. Every function
 * may be called from any thread, before MPI_Init and after MPI_Finalize, with or without a daemon; none prints (the
 * library as a whole writes at most one warning a job), blocks or ends the program, or changes errno.
 * Times are nanoseconds of CLOCK_MONOTONIC. "The paper", here and in the other headers, is Son and Kandemir, "Runtime
 * System Support for Software-Guided Disk Power Management". */
#ifndef SIOX_SIOX_H
#define SIOX_SIOX_H
#include "siox/drive.h"
#include "siox/error.h"
#include "siox/layout.h"
#include "siox/mask.h"
#include "siox/site.h"
#ifdef __cplusplus
extern "C" {
#endif

/* Paper section IV: set_speed(T, S, F). T: the disks meant; S: speed wanted (RPM or SIOX_SPEED_*); F: 1 the disks are
 * needed at that speed for the coming I/O phase, 0 they will not be used for a while. Changes only the disks in T; F = 0
 * leaves those out that a nonblocking or split access of this process, begun and not complete, may use (MPI 4.0, 14.4.2).
 * 0, or SIOX_EINVAL (speed negative, flag not 0 or 1, T NULL), SIOX_EGONE (no daemon: ignored), SIOX_ENOMEM,
 * SIOX_EREFUSED (from a signal handler that interrupted the library: ignored). */
int siox_set_speed(const struct siox_mask *T, int32_t S, int32_t F);

/* General form. F = 1: needed from need_by (0: now) until `until` (SIOX_NEVER: no end known). F = 0: not needed until
 * need_by (0: no time known), then at full speed. site may be NULL. Returns as siox_set_speed. */
int siox_set_speed_at(const struct siox_mask *T, int32_t S, int32_t F, int64_t need_by, int64_t until,
                      const struct siox_site *site);

/* Nanoseconds before an access at which the present policy wants the F = 1 hint: the transition time under rt and
 * claims; SIOX_NEVER under siox (as soon as the gap begins, carrying need_by); 0 under base and static or
 * without a daemon. site may be NULL. */
int64_t siox_lead(const struct siox_site *site);

/* Disks of the daemon this process talks to; 0 without one. */
uint32_t siox_ndisks(void);
/* Layout of an open MPI file (an MPI_File passed as void *). Caller frees with siox_layout_free. SIOX_EUNKNOWN (not on
 * emulated disks), SIOX_EINVAL, SIOX_ENOMEM. */
int siox_file_layout(const void *mpi_file, struct siox_layout *layout);
/* Drive of one disk, for a program that computes its own leads. SIOX_ERANGE, SIOX_EINVAL, SIOX_EGONE, SIOX_EREFUSED
 * (from a signal handler that interrupted the library). */
int siox_disk_drive(uint32_t disk, struct siox_drive *drive);

/* Present level of a disk, read from the daemon's table (its speed as in the profile); SIOX_EGONE, SIOX_ERANGE,
 * SIOX_EINVAL. */
int siox_disk_speed(uint32_t disk, int32_t *speed);

/* For the pass only; see abi.def. */
void siox_at(const struct siox_site *site);
const struct siox_site *siox_within(const struct siox_site *site);
void siox_region_files(struct siox_file_uses *uses, const void *a, const void *b, const void *c, const void *d);
void siox_steps_when(struct siox_steps_when *when, int64_t first, int64_t modulus);
int64_t siox_region_enter(struct siox_region *region, int64_t trip);
int64_t siox_region_tick(struct siox_region *region, int64_t iteration);
void siox_region_leave(struct siox_region *region); /* NULL: the innermost OUTSIDE region, if there is one */
int64_t siox_split_lead(struct siox_region *region, int64_t trip, int64_t iteration_ns);
void siox_region_hint(struct siox_region *region, int32_t F, int64_t iterations_left);

#ifdef __cplusplus
}
#endif
#endif
