/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Detectors of anomalies ("anomaly detection plug-ins"; Monitoring Energy Consumption With SIOX,
 * section 5). A detector is a struct of functions; once a cycle it is given the samples of the
 * collector and the summary of the activities, and says what is not as it was or as it must be.
 * Built-in ones stand in siox/adpis.def; others come from .so files that export `siox_adpi`
 * (docs/adpi.md).
 *
 * A detector is a pure function of its inputs and of what it has learned from them: it has no
 * clock, does no I/O, does not print, abort, exit or wait, and keeps a fixed number of bytes for
 * each series however long it runs. One thread at a time calls it. Samples that are not
 * SIOX_SAMPLE_VALID are neither judged nor learned. */
#ifndef SIOX_ADPI_H
#define SIOX_ADPI_H
#include "siox/activities.h"
#include "siox/collector.h"
#ifdef __cplusplus
extern "C" {
#endif

#define SIOX_ADPI_ABI 1

/* The states of the paper. An issue is never GOOD. */
enum siox_condition {
  SIOX_GOOD,
  SIOX_ABNORMAL_GOOD,
  SIOX_ABNORMAL_BAD,
  SIOX_ABNORMAL_OTHER,
  SIOX_NCONDITIONS
};
/* "GOOD", "ABNORMAL_GOOD", ...; "cpu", "memory", ...; never NULL. */
const char *siox_condition_name(enum siox_condition c);
const char *siox_category_name(enum siox_category c);
/* Of a metric: ENERGY where it has a domain, the category that is its place ("utilisation" of
 * "disk"), else by the words of siox/categories.def; SIOX_NCATEGORIES: of none. */
enum siox_category siox_category_of(const struct siox_series *series);

enum siox_issue_kind {
  SIOX_ISSUE_DEVIATES,   /* a value is not where it was learned to be */
  SIOX_ISSUE_SENSOR,     /* the meter is wrong, not what it measures */
  SIOX_ISSUE_HUNG,       /* a call does not end */
  SIOX_ISSUE_OVERLOADED, /* raised by reasoners */
};
#define SIOX_NO_INDEX SIZE_MAX
struct siox_issue {
  const char *detector; /* its name; lives as long as the detector */
  enum siox_issue_kind kind;
  enum siox_condition severity;
  enum siox_category category; /* SIOX_NCATEGORIES: none */
  size_t series;               /* index in the cycle; SIOX_NO_INDEX: not of one series */
  size_t activity;             /* index in the summary's kinds; SIOX_NO_INDEX */
  uint32_t size_class;         /* of the activity */
  double value, low,
      high; /* the value and the range it was expected in; -INFINITY, INFINITY: no limit */
  char evidence[192]; /* a sentence for people, cut where it is too long */
  uint32_t held;      /* set by the caller, not by detectors: it was told in a cycle before, and its
                         series has not been read since */
};

struct siox_adpi_env {
  const char *origin; /* file that the settings come from, for messages */
  const struct siox_option *settings;
  size_t nsettings;
  int64_t period_ns; /* of the collector */
};
struct siox_adpi_input {
  const struct siox_cycle *cycle;
  const struct siox_activity_summary *activities; /* NULL: nobody sees any */
};

struct siox_adpi {
  uint32_t abi;      /* SIOX_ADPI_ABI */
  const char *name;  /* "statistics" */
  const char *about; /* one line for people */
  /* 0 and a state, or negative with a message "FILE:LINE: KEY: ...": nothing is left to close then.
   * env's texts live until close. */
  int (*open)(const struct siox_adpi_env *env, void **state, struct siox_diag *diag);
  /* The number of issues of this cycle, the first max of which are in issues; or SIOX_ENOMEM, and
   * the cycle is not judged. */
  int (*cycle)(void *state, const struct siox_adpi_input *input, struct siox_issue *issues,
               size_t max);
  void (*close)(void *state);
};

/* Built-in detectors in the order of siox/adpis.def, NULL last. */
const struct siox_adpi *const *siox_adpis(void);
/* NULL: there is none of this name. */
const struct siox_adpi *siox_adpi_find(const char *name);

/* A detector from a .so file: 0, SIOX_ENOENT (no such file, or it cannot be loaded), SIOX_ESYNTAX
 * (it exports no siox_adpi, or an incomplete one), SIOX_EVERSION, SIOX_ERANGE (too long a path);
 * with a message that names the file. Unload it after close. */
struct siox_adpi_library;
int siox_adpi_load(const char *path, struct siox_adpi_library **library,
                   const struct siox_adpi **adpi, struct siox_diag *diag);
void siox_adpi_unload(struct siox_adpi_library *library); /* NULL is fine */

#ifdef __cplusplus
}
#endif
#endif
