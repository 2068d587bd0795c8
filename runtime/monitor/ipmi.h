/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The ipmi provider's way to the management controller (BMC), so that another can play it. None of
 * these waits. */
#ifndef SIOX_MONITOR_IPMI_H
#define SIOX_MONITOR_IPMI_H
#include "siox/provider.h"
#include <linux/ipmi.h>

struct siox__ipmi_calls {
  int (*open)(void *context, const char *path); /* a descriptor, or SIOX_E... */
  /* Queues a command: 0. */
  int (*send)(void *context, int fd, const struct ipmi_req *request);
  /* 1: an answer; 0: there is none yet; SIOX_ERANGE: it was longer than the buffer. */
  int (*receive)(void *context, int fd, struct ipmi_recv *answer);
  void (*close)(void *context, int fd);
  void *context;
};
/* What the provider's functions do, with these calls. */
int siox__ipmi_open(const struct siox_provider_env *env, const struct siox__ipmi_calls *calls,
                    void **state, struct siox_diag *diag);
void siox__ipmi_probe(const struct siox_provider_env *env, const struct siox__ipmi_calls *calls,
                      struct siox_probe *probe);

#endif
