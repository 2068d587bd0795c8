/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sources of measurements: energy meters, processors, memory, block devices, networks, processes. A
 * provider is a struct of functions; the collector (siox/collector.h) opens it, reads all its
 * metrics once a cycle and turns readings into samples. Built-in providers stand in
 * siox/providers.def.
 *
 * A provider reads below the root it is given and nowhere else, so that a captured tree stands in
 * for a machine. It never guesses: what cannot be read, or makes no sense, is a negative SIOX_E...
 * code in place of a reading. It does not print, abort, exit or wait. One thread at a time calls
 * it. */
#ifndef SIOX_PROVIDER_H
#define SIOX_PROVIDER_H
#include "siox/error.h"
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

#define SIOX_PROVIDER_ABI 1

enum siox_metric_kind {
  SIOX_METRIC_COUNTER, /* grows from an unknown beginning: the difference of two readings is what
                          happened in between */
  SIOX_METRIC_GAUGE,   /* holds at the moment of the reading */
  SIOX_METRIC_SAMPLED, /* describes the time since the reading before (utilisation, mean power) */
};
enum siox_domain { /* of what the metric tells; SIOX_DOMAIN_NONE: not of energy */
#define SIOX_DOMAIN(name, text, part_of, what) SIOX_DOMAIN_##name,
#include "siox/domains.def"
#undef SIOX_DOMAIN
                   SIOX_NDOMAINS,
};
enum {
  SIOX_METRIC_ESTIMATED =
      1, /* modelled, not metered: shown as such, and no detector that needs a meter looks at it */
  SIOX_METRIC_PART =
      2, /* contained in another metric of the same provider: not added to sums over domains */
  SIOX_METRIC_OUTSIDE = 4, /* no part of the domain that contains its own (emulated disks: no meter
                              of a node sees them) */
};
enum siox_polarity {
  SIOX_LESS_IS_BETTER = -1,
  SIOX_NEITHER_IS_BETTER = 0,
  SIOX_MORE_IS_BETTER = 1
};

#define SIOX_WRAP_UNKNOWN UINT64_MAX

struct siox_metric {
  char name[40];  /* what is measured: "energy", "bytes_read", "utilisation" */
  char where[56]; /* place in the node: "package-0", "package-0/core", "sda", "eth0", "cpu3", "" for
                     the whole node */
  char unit[8];   /* of values: "J", "W", "B", "s", "Hz", "1" for ratios and plain numbers */
  enum siox_metric_kind kind;
  enum siox_domain domain;
  enum siox_polarity polarity;
  uint32_t flags; /* SIOX_METRIC_* */
  /* COUNTER: one count is this much of the unit (powercap's microjoules: 1e-6). */
  double scale;
  /* COUNTER: the number of different counts, after the last of which comes 0 (powercap:
   * max_energy_range_uj + 1); 0: it never starts again; SIOX_WRAP_UNKNOWN: it does and nobody can
   * read where, so that a smaller count than before is a lost sample. */
  uint64_t wrap;
  /* Greatest physically possible value: COUNTER, unit a second; GAUGE and SAMPLED, unit. 0: not
   * known. What lies above is a lost sample. */
  double bound;
  /* COUNTER: the least amount, in unit, that says something of what is measured, where that is more
   * than one count (bytes from a disk: the kernel reads ahead). 0: one count. */
  double step;
};

enum {
  SIOX_READING_HELD = 1, /* it was not its turn in this cycle; what a counter gained comes with the
                            next reading */
};
struct siox_reading {
  int32_t error;  /* 0, or why there is none: SIOX_EPERM, SIOX_EIO, SIOX_ENOENT (it went away),
                     SIOX_ESYNTAX; SIOX_READING_HELD */
  uint64_t count; /* COUNTER */
  double value;   /* GAUGE, SAMPLED */
};

/* "key: value" of the module's node in the configuration. */
struct siox_option {
  const char *key, *value;
  unsigned line;
};
struct siox_provider_env {
  const char *root;   /* stands before /sys, /proc and /dev; "" for the machine itself */
  const char *origin; /* file that the settings come from, for messages */
  const struct siox_option *settings;
  size_t nsettings;
  int64_t period_ns; /* of the collector */
  const void *own;   /* of the daemon, for a provider of its own; NULL for all others */
  /* What other providers measured in this cycle, for those of a later phase: counters in unit a
   * second. The sum over all places, or of one; SIOX_ENOENT: nobody measures it, SIOX_EUNKNOWN: not
   * in this cycle. */
  int (*sample)(void *collector, const char *name, const char *where, double *value);
  /* Each place of a metric; error: SIOX_EUNKNOWN without a sample in this cycle. */
  void (*each)(void *collector, const char *name,
               void (*take)(void *context, const char *where, double value, int error),
               void *context);
  /* The processes that are watched, which may be others in the next cycle. */
  size_t (*processes)(void *collector, const int32_t **pids);
  void *collector;
};

/* What `siox providers` says of a source that was looked at. */
struct siox_probe {
  int32_t error; /* 0: it works here; SIOX_ENOENT: the machine has none; SIOX_EPERM: it may not be
                    read */
  double resolution_s; /* least time between two readings that tells something; 0: not known */
  char why[256];       /* error: what is missing, with its path */
  char grant[256];     /* SIOX_EPERM: a command that grants it */
};

enum {
  SIOX_PROVIDER_OF_PROCESSES = 1, /* its places are processes (PID@START): there may be thousands,
                                     and nothing of the node's among them */
};
struct siox_provider {
  uint32_t abi;      /* SIOX_PROVIDER_ABI */
  const char *name;  /* "powercap" */
  const char *about; /* one line for people */
  /* Providers of phase 0 are read first, those of phase 1 may use their samples. */
  uint32_t phase;
  /* Of several sources of one energy domain the one with the greatest number that works counts in
   * sums; the others are still read. 0: no source of energy. */
  uint32_t priority;
  /* Looks without opening; fills all of probe. */
  void (*probe)(const struct siox_provider_env *env, struct siox_probe *probe);
  /* 0 and a state, or negative with a message: nothing is left to close then. env's texts live
   * until close. */
  int (*open)(const struct siox_provider_env *env, void **state, struct siox_diag *diag);
  /* The metrics; the list lives until the next call of metrics() or close(). */
  size_t (*metrics)(void *state, const struct siox_metric **list);
  /* One reading for each metric, at most one sample a metric; now_ns of CLOCK_MONOTONIC. Those that
   * are left as they are say SIOX_ENOENT, of SIOX_PROVIDER_OF_PROCESSES SIOX_READING_HELD. 1: the
   * list has changed (a processor came, an interface went): nothing was read, metrics() has the new
   * one. Negative: nothing can be read. */
  int (*read)(void *state, int64_t now_ns, struct siox_reading *readings);
  void (*close)(void *state);
  /* What people should know of how it reads now, one line; "": nothing. May be NULL. */
  void (*note)(void *state, char *text, size_t size);
  uint32_t flags; /* SIOX_PROVIDER_* */
  /* After a read() that gave 0: the numbers of the readings that it wrote, each once; the list
   * lives until the next read(). For those of thousands that write few of them, so that nobody
   * looks at the others. NULL: any may have been written. */
  size_t (*written)(void *state, const uint32_t **list);
};

/* "counter", "gauge", "sampled"; never NULL. */
const char *siox_metric_kind_name(enum siox_metric_kind kind);
/* "package", ...; never NULL. The domain of such a name, length bytes long, or SIOX_NDOMAINS. */
const char *siox_domain_name(enum siox_domain domain);
enum siox_domain siox_domain_find(const char *name, size_t length);

/* Built-in providers in the order of siox/providers.def, NULL last. */
const struct siox_provider *const *siox_providers(void);
/* NULL: there is none of this name. */
const struct siox_provider *siox_provider_find(const char *name);

#ifdef __cplusplus
}
#endif
#endif
