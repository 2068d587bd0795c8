/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names in monitor.yaml that nothing here has. */
#ifndef SIOX_DAEMON_NAMES_H
#define SIOX_DAEMON_NAMES_H
#include "common/log.h"
#include "siox/collector.h"
#include "siox/modules.h"

/* Says in the log which metrics that detectors are set to look at (`metrics`, `work`) nobody
 * measures. It is a warning: the place that has them may come later. */
void siox__names_tell(const struct siox_modules *modules, const struct siox_cycle *cycle,
                      const struct siox__log *log);

#endif
