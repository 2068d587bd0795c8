/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the files of s3asim share; s3asim.c says what the program does. Functions end the program
 * with a message where something fails. */
#ifndef SIOX_TEST_APPS_S3ASIM_H
#define SIOX_TEST_APPS_S3ASIM_H
#include "info_option.h"
#include "options.h"
#include <mpi.h>

enum { BOXES = 64, LETTERS = 512 };

/* Of the sizes of results: as many as weigh `weight` of all are from `least` to `most` bytes. */
struct box {
  int64_t least, most;
  double weight;
};
enum strategy { WRITE_COLLECTIVE, WRITE_LIST, WRITE_INDIVIDUAL };
struct options {
  const char *name;
  struct info_option hints;
  enum strategy strategy;
  int64_t queries, fragments, results_least, results_most, letters, work, per_write, seed;
  struct box box[BOXES];
  int nboxes;
  double weight; /* of all boxes */
  bool balanced, sync, time;
};

/* One hit: sequence `index` of a fragment of the database, as it was found for a query. */
struct result {
  int32_t query, fragment, index, score;
  int64_t bytes;  /* with the header */
  int64_t offset; /* in the file, once the master has placed it */
};
struct header { /* of a result in the file; bytes follow that depend on its numbers alone */
  uint32_t magic, query, fragment, index;
  int64_t score, bytes;
};

extern int s3asim_rank, s3asim_ranks;

/* code: of MPI, for its own words; MPI_SUCCESS: none. */
_Noreturn void s3asim_fail(const char *what, const char *name, int code);
void *s3asim_allocate(size_t count, size_t size); /* zeroed */
void s3asim_must(int code, const char *what, const char *name);

/* s3asim_options.c: 0, -1 (help was asked for and given), or the exit status after a message. */
int s3asim_parse(int argc, char **argv, struct options *o);

/* s3asim_results.c: pure functions of the options */
int64_t s3asim_count(const struct options *o, int64_t query, int64_t fragment);
/* All hits of a query in a fragment, s3asim_count of them: this is where time is spent. */
void s3asim_search(const struct options *o, int64_t query, int64_t fragment, struct result *r);
/* A result's bytes in the file. */
void s3asim_write(const struct options *o, const struct result *r, char *to);
/* Best first; equal scores by fragment and index. For qsort. */
int s3asim_better(const void *a, const void *b);
/* Reads the queries [first, last) out of the file, which begin at byte `at` of it: what is there
 * must be every result of theirs once, in order, with its bytes. Returns what is wrong or NULL;
 * sum: a checksum of what was read that does not depend on who reads which queries. */
const char *s3asim_verify(const struct options *o, MPI_File file, int64_t first, int64_t last,
                          int64_t at, uint64_t *sum);
/* The bytes of a query's results. */
int64_t s3asim_bytes(const struct options *o, int64_t query);

#endif
