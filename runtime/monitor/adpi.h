/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the built-in detectors, one file each (adpi_NAME.c), have in common. */
#ifndef SIOX_MONITOR_ADPI_H
#define SIOX_MONITOR_ADPI_H
#include "siox/adpi.h"

#define SIOX_ADPI(name) extern const struct siox_adpi siox__adpi_##name;
#include "siox/adpis.def"
#undef SIOX_ADPI

/* A setting that is a number: "0.05", "5 %"; `offset` of a double in the detector's settings. */
struct siox__number {
  const char *key;
  size_t offset;
  double value, least, most; /* value: unless set */
};
/* Reads numbers into *into and texts (keys that follow in `texts`, NULL last; may be NULL) into
 * text[], NULL where not set. SIOX_EINVAL or SIOX_ERANGE with "FILE:LINE: KEY: ..." for an unknown
 * key or a value that is none. */
int siox__numbers_read(const char *origin, const struct siox_option *settings, size_t nsettings,
                       const char *who, const struct siox__number *numbers, size_t n, void *into,
                       const char *const *texts, const char **text, struct siox_diag *diag);
/* The next name of a list "a, b c", whose rest is in *list then; NULL: there is none. */
const char *siox__list_next(const char **list, size_t *length);
/* Is the name one of such a list? */
int siox__listed(const char *list, const char *name);

/* What a detector keeps for each series or kind: zeroed when its index comes. */
struct siox__slots {
  void *at;
  uint32_t *generation; /* of the series that each is of; NULL: they are of no series */
  size_t n;
  uint64_t lists; /* of the cycle whose series they were last compared with */
};
int siox__slots_grow(struct siox__slots *slots, size_t n, size_t size);
/* One for each series of the cycle; what was learned of a series whose place another one has taken
 * is zeroed. */
int siox__slots_series(struct siox__slots *slots, const struct siox_cycle *cycle, size_t size);
void siox__slots_free(struct siox__slots *slots);

/* Issues of one cycle: counts all, keeps what there is room for. */
struct siox__issues {
  struct siox_issue *list;
  size_t n, max;
};
/* Room for one more, zeroed but for the indices; where there is none a spare that nobody reads. */
struct siox_issue *siox__issue(struct siox__issues *issues, struct siox_issue *spare);

/* A sample that can be judged and learned: valid, and a number that arithmetic survives. */
int siox__is_sample(const struct siox_sample *s);
/* Better or worse, by the metric's polarity, of a value above (+1) or below (-1) what was expected.
 */
enum siox_condition siox__severity(enum siox_polarity polarity, int side);
/* "sda" and "bytes_read of sda" for people; the whole node has no place. */
void siox__series_name(const struct siox_series *s, char *text, size_t size);
/* Is it a meter of energy (a counter of joules or a gauge of watts), and no model? */
int siox__is_meter(const struct siox_series *s);

#endif
