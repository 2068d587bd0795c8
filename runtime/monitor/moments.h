/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A running mean and variance (Welford, Technometrics 1962), and what they say of the next value.
 */
#ifndef SIOX_MONITOR_MOMENTS_H
#define SIOX_MONITOR_MOMENTS_H

struct siox__moments {
  double n, mean, variance; /* of the n values themselves, divided by n */
};
/* One more value. Of more than `memory` values the older ones fade, each with the weight (1 -
 * 1/memory) to the power of its age. */
void siox__moments_add(struct siox__moments *m, double x, double memory);
/* As siox__moments_add, but what lies beyond three standard deviations is taken as if it lay there.
 * So outliers widen the distribution by a bounded factor (1.31 where they are 5 % of the values,
 * however far out: v = 0.95 s^2 + 0.05 * 9 v), while a new level is learned within a time that
 * grows with the logarithm of its distance. `least` is a step that is always possible, so that a
 * distribution without width can move. */
void siox__moments_learn(struct siox__moments *m, double x, double least, double memory);
/* Half the width of the interval around the mean in which the next value lies as surely as a normal
 * one within k standard deviations, the mean and deviation being known from n values only:
 * Student's t with n - 1 degrees by the Cornish-Fisher expansion (Abramowitz and Stegun 26.7.5),
 * times sqrt(1 + 1/n). n > 2. */
double siox__moments_reach(const struct siox__moments *m, double k);

#endif
