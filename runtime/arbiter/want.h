/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the policies without claims share: carrying out what is wanted of a disk as soon as it may
 * be, and reading their arguments. */
#ifndef SIOX_ARBITER_WANT_H
#define SIOX_ARBITER_WANT_H
#include "arbiter/rule.h"

/* Commands the level: a higher one at once, a lower one when nothing lies before the disk. False
 * when it has to wait; the disk is then due when it is free. */
bool siox__want(struct siox__due *due, int64_t now, uint32_t disk, uint32_t level, uint32_t job,
                const struct siox_view *view, struct siox_commands *out);

/* Counts, for a policy that does not listen, which hints its disks happen to meet. */
void siox__count_met(const struct siox_event *event, const struct siox_view *view,
                     struct siox_commands *out);

/* A number in [low, high] at *text, which moves behind it. SIOX_EINVAL. */
int siox__argument(const char **text, double low, double high, double *value);
/* "key=number,key=number": values of the keys that are given; the others stay. SIOX_EINVAL. */
struct siox__key {
  const char *name;
  double low, high;
};
int siox__arguments(const char *text, const struct siox__key *keys, size_t nkeys, double *value);
/* Seconds as nanoseconds, saturating. */
int64_t siox__seconds(double seconds);
#endif
