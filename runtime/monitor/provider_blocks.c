/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* /proc/diskstats: what each block device did (Documentation/admin-guide/iostats.rst of Linux).
 * Partitions lie on devices that have a line themselves; loop and RAM devices lie on others or on
 * none. Times are kept in 32 bits of milliseconds. */
#include "monitor/builtin.h"
#include "monitor/table.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const uint64_t MS32 = UINT64_C(1) << 32;
enum { SECTOR = 512 }; /* whatever the device's own is */

#define COUNTER(metric, unit, scale, wrap, number)                                                 \
  { metric, unit, scale, wrap, SIOX_METRIC_COUNTER, SIOX_NEITHER_IS_BETTER, number }
static const struct siox__table_column columns[] = {
    COUNTER("disk_reads", "1", 1, 0, 0),
    COUNTER("disk_bytes_read", "B", SECTOR, 0, 2),
    COUNTER("disk_read_time", "s", 1e-3, MS32,
            3), /* over requests: eight at once are 8 s a second */
    COUNTER("disk_writes", "1", 1, 0, 4),
    COUNTER("disk_bytes_written", "B", SECTOR, 0, 6),
    COUNTER("disk_write_time", "s", 1e-3, MS32, 7),
    {"disk_in_flight", "1", 1, 0, SIOX_METRIC_GAUGE, SIOX_LESS_IS_BETTER, 8},
    COUNTER("disk_busy_time", "s", 1e-3, MS32, 9),
};

static bool device(const char *text, char *name, size_t size, const char **numbers) {
  const char *p = text;
  uint64_t number;
  for (int i = 0; i < 2; i++) { /* major and minor */
    p += strspn(p, " \t");
    if (!siox__input_number(&p, &number))
      return false;
  }
  p += strspn(p, " \t");
  const size_t length = strcspn(p, " \t");
  if (length == 0 || length >= size)
    return false;
  memcpy(name, p, length);
  name[length] = 0;
  *numbers = p + length;
  return strncmp(name, "loop", 4) != 0 && strncmp(name, "ram", 3) != 0;
}

static bool whole(const char *root, const char *name) {
  char path[512];
  snprintf(path, sizeof path, "%s/sys/block/%s", root, name);
  for (char *slash = path + strlen(root) + sizeof "/sys/block/" - 1; (slash = strchr(slash, '/'));)
    *slash = '!'; /* sysfs's spelling of cciss/c0d0 */
  return access(path, F_OK) == 0;
}

static const struct siox__table table = {"/proc/diskstats", columns,
                                         sizeof columns / sizeof columns[0], device, whole};

static int open_blocks(const struct siox_provider_env *env, void **state, struct siox_diag *diag) {
  return siox__table_open(&table, env, "blocks", (struct siox__table_state **)state, diag);
}

static void probe_blocks(const struct siox_provider_env *env, struct siox_probe *probe) {
  siox__probe_file(env, table.path, probe);
  probe->resolution_s = 1e-3;
}

const struct siox_provider siox__provider_blocks = {
    .abi = SIOX_PROVIDER_ABI,
    .name = "blocks",
    .about = "what each block device did: requests, bytes, time, queue (/proc/diskstats)",
    .probe = probe_blocks,
    .open = open_blocks,
    .metrics = siox__table_metrics,
    .read = siox__table_read,
    .close = siox__table_close,
};
