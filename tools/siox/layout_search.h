/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The search for layouts: every file stays where it is or takes one of a grid of triplets. Knows
 * nothing of simulators: somebody else says what a choice costs. Deterministic. */
#ifndef SIOX_TOOLS_LAYOUT_SEARCH_H
#define SIOX_TOOLS_LAYOUT_SEARCH_H
#include <stdbool.h>
#include <stdint.h>

/* Of each file 0, where it lies now, or 1 + (base * nfactors + factor) * nunits + unit: places in
 * the lists of the grid. */
struct layout_space {
  uint32_t nfiles, nbases, nfactors, nunits;
};

struct layout_figures {
  double joules;
  double added; /* I/O time added, part of that at full speed as files lie now */
  bool pruned;  /* not played to its end: joules and added are lower bounds, which were too high */
};

/* What n choices cost, nfiles numbers each. than (may be NULL): what is worse than this for certain
 * need not be known exactly. 0 or SIOX_E…. */
typedef int (*layout_cost_fn)(void *context, const uint32_t *choice, uint32_t n,
                              const struct layout_figures *than, struct layout_figures *out);

struct layout_search_options {
  double most_added;    /* I/O time that may be added */
  uint64_t evaluations; /* at most; the whole space is tried where it has no more choices */
  uint64_t seed;        /* of the random places that the search starts from */
  layout_cost_fn cost;
  void *context;
  void (*progress)(void *context, double part); /* may be NULL */
};
struct layout_search_result {
  uint32_t *choice; /* nfiles; freed by the caller */
  struct layout_figures figures;
  uint64_t evaluations, pruned;
  bool exhaustive;
};
/* The best choice: of those that keep most_added the one with least joules, of equal ones (to 1e-9)
 * the one that moves fewest files, then the first. If none keeps it, the one that adds least.
 * SIOX_ENOMEM, and what cost returns. */
int layout_search(const struct layout_space *space, const struct layout_search_options *options,
                  struct layout_search_result *result);
/* Choices in the space, at most UINT64_MAX. */
uint64_t layout_space_size(const struct layout_space *space);
#endif
