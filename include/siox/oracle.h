/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Offline optima of one disk: the least joules with which its services can be done when all of them
 * are known beforehand. docs/oracle.md has the definitions and what they leave out.
 *
 * Zero added delay: every service starts when it did with the disk always at full speed, and is
 * served at full speed. Exact: all that is free is how each gap is spent, before the first service,
 * between services, and between the last one and the end of the run.
 *
 * A price on delay: services may also be served at lower levels, and start late because the disk is
 * still on its way; each second of delay costs so many joules. From the sums over all disks at many
 * prices siox_oracle_bound gives a lower bound on the joules at a given total delay.
 *
 * Services are fed one by one in the order of service; memory does not grow with them. Joules of
 * all disks add up. Start and end state are those of a bank: the disk starts at initial_level, and
 * the way from where it is at the end to end_level is paid in joules. Pure; not thread-safe per
 * object. */
#ifndef SIOX_ORACLE_H
#define SIOX_ORACLE_H
#include "siox/drive.h"
#ifdef __cplusplus
extern "C" {
#endif

enum siox_oracle_ways {                  /* how a gap may be spent */
                        SIOX_ORACLE_ANY, /* everything: any changes and stays between levels; a ramp
                                            turned round midway; under way at the end */
                        SIOX_ORACLE_DIRECT, /* stay, or straight to one level and straight back;
                                               after the last service: stay, or to one level */
};

struct siox_oracle_options {
  const struct siox_drive *drive; /* kept, not copied; its transition_rule counts */
  uint32_t initial_level, end_level;
  int64_t start; /* the disk is at initial_level from here on */
  enum siox_oracle_ways ways;
  /* Joules a second of delay costs, greater than 0; kept, not copied. The same for all disks whose
   * points are added. NULL and 0: zero added delay only. */
  const double *price;
  uint32_t nprices;
  /* Told the commands of the zero-delay optimum in order of time, as a policy would give them to a
   * bank: at `at` the disk is sent to `level`. May be NULL. */
  void (*command)(void *context, int64_t at, uint32_t level);
  void *context;
};

struct siox_oracle;
/* SIOX_EINVAL; SIOX_ERANGE (a level, a price); SIOX_EUNKNOWN: the highest level cannot be reached
 * from initial_level at once; SIOX_ENOMEM. */
int siox_oracle_create(struct siox_oracle **oracle, const struct siox_oracle_options *options);
void siox_oracle_destroy(struct siox_oracle *oracle); /* NULL is harmless */

struct siox_oracle_service {
  int64_t arrival; /* at the disk. It starts when those fed before it are done */
  int64_t ns;      /* time it takes at full speed; 0: that of `bytes` with a seek */
  uint64_t bytes;  /* its transfer takes longer at a lower level; the seek does not */
  /* Part of a second of delay of this service that counts, in (0, 1]: 1 / k for one of k pieces of
   * a request, which waits for the slowest of them. 0: 1. Only for prices. */
  double weight;
};
/* SIOX_EINVAL (out of order, negative, a weight outside, after finish); SIOX_ERANGE: price * weight
 * is below the watts of the highest level, where the bound would not hold. */
int siox_oracle_serve(struct siox_oracle *oracle, const struct siox_oracle_service *service);

struct siox_oracle_result {
  double joules;           /* zero added delay; from start to end, the way to end_level included */
  uint64_t services, gaps; /* gaps of more than 0 ns */
  uint64_t used;           /* gaps in which the disk was moved */
  uint64_t commands;
};
struct siox_oracle_point { /* of one price */
  double cost;    /* least of joules + price * weighted delay, less what a delay can save of the gap
                   * behind it */
  double joules;  /* of the way that has this cost, when the delay moves all that follows */
  double delay_s; /* and its weighted delay */
};
/* Once. The run ends at `end`, or after the last service if that is later. point (may be NULL):
 * nprices, in the order of the prices. SIOX_EINVAL; SIOX_EUNKNOWN: end_level cannot be reached. */
int siox_oracle_finish(struct siox_oracle *oracle, int64_t end, struct siox_oracle_result *result,
                       struct siox_oracle_point *point);

/* n prices for these disks, growing by an equal factor from the least that every disk takes with
 * weights of least_weight or more. SIOX_EINVAL. */
int siox_oracle_prices(const struct siox_drive *const *drive, uint32_t ndisks, double least_weight,
                       double *price, uint32_t n);
/* Lower bound on the joules of all disks when the delays, weighted, add up to at most delay_s:
 * point[k].cost summed over disks. D % added I/O time in every rank: delay_s = D / 100 times the
 * I/O time of all ranks together in the base run. */
double siox_oracle_bound(const struct siox_oracle_point *sum, const double *price, uint32_t n,
                         double delay_s);

#ifdef __cplusplus
}
#endif
#endif
