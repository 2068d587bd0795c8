/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What base and static share: one level per disk for ever. */
#ifndef SIOX_ARBITER_FIXED_H
#define SIOX_ARBITER_FIXED_H
#include "arbiter/rule.h"

/* Commands each disk to its level at START; afterwards only counts which hints it happens to meet.
 */
int64_t siox__fixed_event(const uint32_t *level, const struct siox_event *event,
                          const struct siox_view *view, struct siox_commands *out);
#endif
