/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The emulated drives as a provider of measurements, beside those of the node (siox/providers.def).
 * The loop adds up what the drives are told to do, the monitor's thread reads it without a lock:
 * numbers that only grow, and what a drive takes at rest, which a count of turns holds together
 * (drives.c). What is accepted counts at once, though a drive may be busy with it for a while.
 */
#ifndef SIOX_DAEMON_DRIVES_H
#define SIOX_DAEMON_DRIVES_H
#include "monitor/builtin.h"
#include "siox/bank.h"

struct siox__drives;
/* drive: one a disk, kept, not copied: what they take at rest is read before it is told, by the
 * clock that segments and readings share (CLOCK_MONOTONIC); NULL: all is read when it is told.
 * NULL: out of memory. */
struct siox__drives *siox__drives_new(uint32_t ndisks, const struct siox_drive *const *drive);
void siox__drives_free(struct siox__drives *drives); /* NULL is fine */
/* The loop's. */
void siox__drives_tell(struct siox__drives *drives, const struct siox_segment *segment);

/* The loop's, when the bank's time is over: nothing rests any more. */
void siox__drives_end(struct siox__drives *drives);

/* "drives"; env->own is the struct siox__drives. SIOX_ENOENT: more than SIOX__DRIVES_MOST. */
extern const struct siox_provider siox__provider_drives;

#endif
