/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads a datatype back from MPI. One call gives all arguments that made a type; the types among
 * them are read in turn. Extents are those that MPI says, so that padding and bounds are its own.
 */
#include "client/viewtype.h"
#include "client/mpi.h"
#include <stdlib.h>

enum {
  MOST_DEPTH = 64,        /* of types in types */
  MOST_NUMBERS = 1 << 22, /* arguments of one type that are asked for */
  MOST_TYPES = 1 << 16,   /* looked at for one view */
};

/* What made a type. Counts come as int, or as MPI_Count where the type was made with those. */
struct contents {
  bool read;
  int combiner;
  MPI_Count nint, nlarge, naddress, ntype;
  int *small;
  MPI_Count *large;
  MPI_Aint *address;
  MPI_Datatype *type;
};

static bool is_named(MPI_Datatype type) {
  MPI_Count ints, addresses, larges, types;
  int combiner = MPI_COMBINER_NAMED;
  PMPI_Type_get_envelope_c(type, &ints, &addresses, &larges, &types, &combiner);
  return combiner == MPI_COMBINER_NAMED;
}

static void contents_free(struct contents *c) {
  for (MPI_Count i = 0; c->read && i < c->ntype; i++)
    if (!is_named(c->type[i]))
      PMPI_Type_free(&c->type[i]);
  free(c->small);
  free(c->large);
  free(c->address);
  free(c->type);
}

/* false: a type without contents, too much of them, or no memory; there is nothing to free then. */
static bool contents_read(MPI_Datatype type, struct contents *c) {
  *c = (struct contents){.combiner = MPI_COMBINER_NAMED};
  if (PMPI_Type_get_envelope_c(type, &c->nint, &c->naddress, &c->nlarge, &c->ntype, &c->combiner) !=
          MPI_SUCCESS ||
      c->combiner == MPI_COMBINER_NAMED || c->nint > MOST_NUMBERS || c->naddress > MOST_NUMBERS ||
      c->nlarge > MOST_NUMBERS || c->ntype > MOST_NUMBERS)
    return false;
  c->small = malloc(((size_t)c->nint + 1) * sizeof *c->small);
  c->large = malloc(((size_t)c->nlarge + 1) * sizeof *c->large);
  c->address = malloc(((size_t)c->naddress + 1) * sizeof *c->address);
  c->type = malloc(((size_t)c->ntype + 1) * sizeof *c->type);
  c->read = c->small && c->large && c->address && c->type &&
            PMPI_Type_get_contents_c(type, c->nint, c->naddress, c->nlarge, c->ntype, c->small,
                                     c->address, c->large, c->type) == MPI_SUCCESS;
  if (!c->read)
    contents_free(c);
  return c->read;
}

static struct siox__filetype *unseen(MPI_Datatype type) {
  MPI_Count size = 0, lower = 0, extent = 0, true_lower = 0, true_extent = 0;
  PMPI_Type_size_x(type, &size);
  PMPI_Type_get_extent_x(type, &lower, &extent);
  PMPI_Type_get_true_extent_x(type, &true_lower, &true_extent);
  return siox__filetype_somewhere(size, lower, extent, true_lower, true_lower + true_extent);
}

struct reader {
  int depth;
  int types; /* still to be looked at */
};
static struct siox__filetype *read_type(struct reader *r, MPI_Datatype type);

/* The i-th number of the arguments, without the addresses: as the routine has them. */
static int64_t number(const struct contents *c, MPI_Count i) {
  return c->nlarge ? c->large[i] : c->small[i];
}

static struct siox__filetype *vector(const struct contents *c, struct siox__filetype *child,
                                     bool in_bytes) {
  int64_t extent = siox__filetype_facts(child)->extent, count = number(c, 0), stride;
  if (in_bytes)
    stride = c->nlarge ? c->large[2] : c->address[0];
  else if (__builtin_mul_overflow(number(c, 2), extent, &stride))
    return NULL;
  struct siox__filetype *block = siox__filetype_repeat(child, 0, number(c, 1), extent);
  struct siox__filetype *t = block ? siox__filetype_repeat(block, 0, count, stride) : NULL;
  siox__filetype_drop(block);
  return t;
}

/* Which arguments of an indexed type or a struct say what. */
struct listing {
  bool blocks; /* lengths one by one, else one for all */
  bool bytes;  /* places in bytes, else in extents */
};

static struct siox__filetype *list(const struct contents *c, struct listing how,
                                   struct siox__filetype *const *child, int64_t nchildren) {
  int64_t n = number(c, 0), extent = siox__filetype_facts(child[0])->extent;
  int64_t *at = malloc(((size_t)n + 1) * 2 * sizeof *at), *count = at ? at + n : NULL;
  MPI_Count places = how.blocks ? 1 + n : 2; /* where they begin */
  bool good = at != NULL;
  for (int64_t i = 0; i < n && good; i++) {
    count[i] = number(c, how.blocks ? 1 + i : 1);
    if (!how.bytes)
      good = !__builtin_mul_overflow(number(c, places + i), extent, &at[i]);
    else
      at[i] = c->nlarge ? c->large[places + i] : c->address[i];
  }
  struct siox__filetype *t = good ? siox__filetype_list(n, at, count, child, nchildren) : NULL;
  free(at);
  return t;
}

/* MPI_Type_create_subarray(ndims, sizes, subsizes, starts, order, type). */
static struct siox__filetype *subarray(const struct contents *c, struct siox__filetype *child) {
  int n = c->small[0];
  int64_t *given = malloc(((size_t)n * 3 + 1) * sizeof *given);
  bool fortran = c->small[c->nlarge ? 1 : 3 * n + 1] == MPI_ORDER_FORTRAN;
  if (!given)
    return NULL;
  for (int i = 0; i < 3 * n; i++)
    given[i] = c->nlarge ? c->large[i] : c->small[1 + i];
  struct siox__filetype *t =
      siox__filetype_subarray(child, n, given, given + n, given + 2 * n, fortran);
  free(given);
  return t;
}

/* MPI_Type_create_darray(size, rank, ndims, gsizes, distribs, dargs, psizes, order, type): ranks
 * lie row by row in the grid of processes, whatever the order of the array is. */
static struct siox__filetype *darray(const struct contents *c, struct siox__filetype *child) {
  int n = c->small[2], self = c->small[1];
  const int *after = c->small + (c->nlarge ? 3 : 3 + n); /* distribs, dargs, psizes, order */
  int64_t *given = malloc(((size_t)n * 4 + 1) * sizeof *given);
  enum siox__spread *spread = malloc(((size_t)n + 1) * sizeof *spread);
  struct siox__filetype *t = NULL;
  if (given && spread) {
    int64_t *sizes = given, *block = given + n, *procs = given + 2 * n, *at = given + 3 * n;
    for (int i = n - 1; i >= 0; i--) {
      sizes[i] = c->nlarge ? c->large[i] : c->small[3 + i];
      spread[i] = after[i] == MPI_DISTRIBUTE_NONE     ? SIOX__SPREAD_NONE
                  : after[i] == MPI_DISTRIBUTE_CYCLIC ? SIOX__SPREAD_CYCLIC
                                                      : SIOX__SPREAD_BLOCK;
      block[i] = after[n + i] == MPI_DISTRIBUTE_DFLT_DARG ? 0 : after[n + i];
      procs[i] = after[2 * n + i] > 0 ? after[2 * n + i] : 1;
      at[i] = self % procs[i];
      self /= (int)procs[i];
    }
    t = siox__filetype_darray(child, n, sizes, spread, block, procs, at,
                              after[3 * n] == MPI_ORDER_FORTRAN);
  }
  free(given);
  free(spread);
  return t;
}

static struct siox__filetype *combine(const struct contents *c,
                                      struct siox__filetype *const *child) {
  switch (c->combiner) {
  case MPI_COMBINER_DUP:
  case MPI_COMBINER_RESIZED: /* the extent comes from MPI */
    return siox__filetype_hold(child[0]);
  case MPI_COMBINER_CONTIGUOUS:
    return siox__filetype_repeat(child[0], 0, number(c, 0), siox__filetype_facts(child[0])->extent);
  case MPI_COMBINER_VECTOR:
    return vector(c, child[0], false);
  case MPI_COMBINER_HVECTOR:
    return vector(c, child[0], true);
  case MPI_COMBINER_INDEXED:
    return list(c, (struct listing){.blocks = true}, child, 1);
  case MPI_COMBINER_HINDEXED:
    return list(c, (struct listing){.blocks = true, .bytes = true}, child, 1);
  case MPI_COMBINER_INDEXED_BLOCK:
    return list(c, (struct listing){0}, child, 1);
  case MPI_COMBINER_HINDEXED_BLOCK:
    return list(c, (struct listing){.bytes = true}, child, 1);
  case MPI_COMBINER_STRUCT:
    return list(c, (struct listing){.blocks = true, .bytes = true}, child, c->ntype);
  case MPI_COMBINER_SUBARRAY:
    return subarray(c, child[0]);
  case MPI_COMBINER_DARRAY:
    return darray(c, child[0]);
  default: /* Fortran's parametrised numbers, or what comes later */
    return NULL;
  }
}

/* The types among the arguments, read. NULL: not all. */
static struct siox__filetype **read_children(struct reader *r, const struct contents *c) {
  struct siox__filetype **child = calloc((size_t)c->ntype + 1, sizeof *child);
  for (MPI_Count i = 0; child && i < c->ntype; i++)
    if (i && c->type[i] == c->type[i - 1])
      child[i] = siox__filetype_hold(child[i - 1]);
    else if (!(child[i] = read_type(r, c->type[i]))) {
      for (MPI_Count k = 0; k < i; k++)
        siox__filetype_drop(child[k]);
      free(child);
      return NULL;
    }
  return child;
}

static struct siox__filetype *read_type(struct reader *r, MPI_Datatype type) {
  struct contents c;
  struct siox__filetype *bare = NULL, **child = NULL;
  MPI_Count lower = 0, extent = 0;
  bool look = r->depth < MOST_DEPTH && r->types > 0 && contents_read(type, &c);
  if (!look)
    return unseen(type);
  r->depth++;
  r->types -= (int)c.ntype;
  if (c.ntype > 0)
    child = read_children(r, &c);
  r->depth--;
  if (child)
    bare = combine(&c, child);
  for (MPI_Count i = 0; child && i < c.ntype; i++)
    siox__filetype_drop(child[i]);
  free(child);
  contents_free(&c);
  if (!bare)
    return unseen(type);
  PMPI_Type_get_extent_x(type, &lower, &extent);
  struct siox__filetype *t = siox__filetype_resized(bare, lower, extent);
  siox__filetype_drop(bare);
  return t;
}

struct siox__filetype *siox__viewtype(MPI_Datatype type) {
  struct reader r = {.types = MOST_TYPES};
  return read_type(&r, type);
}
