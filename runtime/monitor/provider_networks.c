/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* /proc/net/dev: what each network interface carried. */
#include "monitor/builtin.h"
#include "monitor/table.h"
#include <string.h>

#define COUNTER(metric, unit, polarity, number)                                                    \
  { metric, unit, 1, 0, SIOX_METRIC_COUNTER, polarity, number }
static const struct siox__table_column columns[] = {
    COUNTER("net_bytes_received", "B", SIOX_NEITHER_IS_BETTER, 0),
    COUNTER("net_packets_received", "1", SIOX_NEITHER_IS_BETTER, 1),
    COUNTER("net_receive_errors", "1", SIOX_LESS_IS_BETTER, 2),
    COUNTER("net_receive_drops", "1", SIOX_LESS_IS_BETTER, 3),
    COUNTER("net_bytes_sent", "B", SIOX_NEITHER_IS_BETTER, 8),
    COUNTER("net_packets_sent", "1", SIOX_NEITHER_IS_BETTER, 9),
    COUNTER("net_send_errors", "1", SIOX_LESS_IS_BETTER, 10),
    COUNTER("net_send_drops", "1", SIOX_LESS_IS_BETTER, 11),
};

/* " eth0: 123 ...": interfaces may have colons in their names, and old kernels write no space
 * behind the last one. */
static bool interface(const char *text, char *name, size_t size, const char **numbers) {
  const char *begin = text + strspn(text, " \t"), *colon = strrchr(begin, ':');
  if (!colon || colon == begin || (size_t)(colon - begin) >= size)
    return false;
  memcpy(name, begin, (size_t)(colon - begin));
  name[colon - begin] = 0;
  *numbers = colon + 1;
  return true;
}

static const struct siox__table table = {"/proc/net/dev", columns,
                                         sizeof columns / sizeof columns[0], interface, NULL};

static int open_networks(const struct siox_provider_env *env, void **state,
                         struct siox_diag *diag) {
  return siox__table_open(&table, env, "networks", (struct siox__table_state **)state, diag);
}

static void probe_networks(const struct siox_provider_env *env, struct siox_probe *probe) {
  siox__probe_file(env, table.path, probe);
}

const struct siox_provider siox__provider_networks = {
    .abi = SIOX_PROVIDER_ABI,
    .name = "networks",
    .about = "what each network interface carried, lost and got wrong (/proc/net/dev)",
    .probe = probe_networks,
    .open = open_networks,
    .metrics = siox__table_metrics,
    .read = siox__table_read,
    .close = siox__table_close,
};
