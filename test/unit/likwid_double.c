/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What likwid 5.2 does, against its real header: initialisation sets the access mode of its
 * configuration, the daemon's; and where registers are to be read in any mode but the direct one,
 * it ends the process. */
#include "likwid_double.h"
#include <errno.h>
#include <likwid.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern struct likwid_double likwid_double __attribute__((visibility("default")));
struct likwid_double likwid_double = {
    .known = true, .rapl = true, .readable = true, .intel = true, .dies = 2, .unit = 6.1035e-05};

static int mode = ACCESSMODE_DAEMON;
static HWThread threads[4];
static CpuTopology topology = {
    .numHWThreads = 4, .activeHWThreads = 4, .numSockets = 2, .threadPool = threads};
static CpuInfo cpu;
static PowerInfo power;

int topology_init(void) {
  mode = ACCESSMODE_DAEMON;
  for (uint32_t i = 0; i < 4; i++)
    threads[i] = (HWThread){.apicId = i, .packageId = i / 2, .dieId = i % 2};
  topology.numDies = likwid_double.dies;
  cpu.isIntel = likwid_double.intel;
  return likwid_double.known ? 0 : -ENODEV;
}
int numa_init(void) { return 0; }
void affinity_init(void) { mode = ACCESSMODE_DAEMON; }
CpuTopology_t get_cpuTopology(void) { return &topology; }
CpuInfo_t get_cpuInfo(void) { return &cpu; }
void HPMmode(int wanted) { mode = wanted; }

int power_init(int cpu_id) {
  (void)cpu_id;
  if (mode != ACCESSMODE_DIRECT) {
    fprintf(stderr, "likwid: no access daemon: the end\n");
    exit(1);
  }
  likwid_double.loads++;
  memset(&power, 0, sizeof power);
  power.hasRAPL = likwid_double.rapl;
  for (int i = 0; i < NUM_POWER_DOMAINS; i++)
    if (i == PKG || i == PP0 || i == DRAM)
      power.domains[i] = (PowerDomain){.type = (PowerType)i,
                                       .supportFlags = POWER_DOMAIN_SUPPORT_STATUS,
                                       .energyUnit = likwid_double.unit};
  return likwid_double.rapl ? 1 : 0;
}
PowerInfo_t get_powerInfo(void) { return &power; }
int power_start(PowerData_t data, int cpu_id, PowerType type) {
  if (!likwid_double.readable)
    return -EIO;
  data->domain = (int)type;
  data->before = likwid_double.counters[cpu_id][type];
  return 0;
}
void power_finalize(void) {}

/* Performance groups: one that counts operations and bytes, one that counts something else. */
static int groups[2], ngroups;
static int threads_of_perfmon;

void perfmon_setVerbosity(int verbose) { (void)verbose; }
int perfmon_init(int n, const int *cpus) {
  (void)cpus;
  if (mode != ACCESSMODE_DIRECT) {
    fprintf(stderr, "likwid: no access daemon: the end\n");
    exit(1);
  }
  threads_of_perfmon = n;
  ngroups = 0;
  return 0;
}
int perfmon_addEventSet(const char *name) {
  if (strcmp(name, "MEM_DP") != 0 && strcmp(name, "BRANCH") != 0)
    return -EINVAL;
  groups[ngroups] = strcmp(name, "MEM_DP") == 0;
  return ngroups++;
}
int perfmon_setupCounters(int group) { return group < ngroups ? 0 : -ENOENT; }
int perfmon_startCounters(void) {
  likwid_double.counting = true;
  return 0;
}
int perfmon_readGroupCounters(int group) {
  (void)group;
  return likwid_double.readable ? 0 : -1;
}
int perfmon_stopCounters(void) {
  likwid_double.counting = false;
  return 0;
}
static char names[3][40] = {"CPI", "DP [MFLOP/s]", "Memory bandwidth [MBytes/s]"};
int perfmon_getNumberOfMetrics(int group) { return groups[group] ? 3 : 1; }
char *perfmon_getMetricName(int group, int metric) {
  (void)group;
  return names[metric];
}
double perfmon_getLastMetric(int group, int metric, int thread) {
  (void)group;
  if (thread >= threads_of_perfmon)
    abort();
  return metric == 1 ? likwid_double.megaflops[thread] : likwid_double.megabytes[thread];
}
double perfmon_getLastTimeOfGroup(int group) {
  (void)group;
  return likwid_double.seconds;
}
void perfmon_finalize(void) { ngroups = 0; }
