/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the compiler tells the run time: static descriptors, emitted once per module into linker sections, and passed
 * by pointer. The structs are ABI between pass/ and runtime/ (SIOX_ABI_VERSION); fields are only ever added at the
 * end. All strings are NUL-terminated constants. The `state` fields belong to the run time and start as NULL/0. */
#ifndef SIOX_SITE_H
#define SIOX_SITE_H
#include "siox/mask.h"
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

#define SIOX_ABI_VERSION 1
#define SIOX_UNKNOWN INT64_MIN

/* How an access's offset behaves at one loop level, innermost level first (const, invariant, affine and periodic are
 * proved by the pass; the run time learns coefficients that are not compile-time constants). */
enum siox_offset_class {
  SIOX_OFFSET_UNKNOWN = 0,   /* anything: the whole file may be touched */
  SIOX_OFFSET_CONST = 1,     /* the absolute byte offset is `first` */
  SIOX_OFFSET_INVARIANT = 2, /* does not change at this level, value known at run time */
  SIOX_OFFSET_AFFINE = 3,    /* advances by a fixed stride per iteration at this level */
  SIOX_OFFSET_PERIODIC = 4,  /* one of `period` places a stride apart, in an order that is not told */
  SIOX_OFFSET_RUNTIME = 5,   /* varies with data that the accesses leave alone, inside a burst: bursts repeat, shifted */
};

struct siox_access_level {
  uint32_t offset_class; /* enum siox_offset_class */
  uint32_t period;       /* PERIODIC: number of places, 0: not known; else 0 */
  int64_t stride;        /* bytes per iteration; SIOX_UNKNOWN: fixed but learned at run time */
  int64_t trip;          /* iterations; SIOX_UNKNOWN: learned at run time */
};

/* One MPI-IO call in the program. Lives in section "siox_sites". Its stable key is the 64-bit FNV-1a hash of
 * "file\nfunction\nline\ncolumn\nordinal" (decimal numbers; ordinal counts calls with the same place). */
struct siox_site {
  uint64_t key;
  const char *file;
  const char *function;
  const char *call;      /* "MPI_File_read_at" */
  uint32_t line, column, ordinal;
  uint32_t flags;        /* SIOX_SITE_* */
  int64_t first;         /* constant byte offset, or SIOX_UNKNOWN */
  int64_t size;          /* constant byte count, or SIOX_UNKNOWN */
  uint32_t nlevels;
  uint32_t norigins;
  const struct siox_access_level *levels;   /* innermost first */
  struct siox_site *const *origins;         /* MPI_File_open sites that can reach this call's handle; 0: unknown */
  const struct siox_mask *mask;             /* disks, where layout and offsets are compile-time constants; or NULL */
  void *state;                              /* run time's */
};
enum {
  SIOX_SITE_OPEN = 1,
  SIOX_SITE_READ = 2,
  SIOX_SITE_WRITE = 4,
  SIOX_SITE_COLLECTIVE = 8,
  SIOX_SITE_WHOLE_ORIGINS = 16, /* origins is complete: the handle comes from nowhere else */
};

/* A region of the program that lasts: a loop nest or a call without MPI-IO in it, or a nest that contains MPI-IO.
 * Lives in section "siox_regions". Regions and the bursts of accesses between them form the region graph over
 * which the run time (and the pass, with its own estimates) computes each site's least time to next use. */
enum siox_region_kind {
#define SIOX_REGION_ROW(name, number, what) SIOX_REGION_##name = number,
#include "siox/regions.def"
#undef SIOX_REGION_ROW
};
struct siox_region {
  uint64_t key;          /* FNV-1a of "file\nfunction\nline\ncolumn\nregion ordinal" */
  const char *file;
  const char *function;
  uint32_t line, column;
  uint32_t kind;         /* enum siox_region_kind */
  int32_t speed;         /* level the compiler prefers in this gap (SIOX_SPEED_*), -1: no opinion */
  int64_t trip;          /* constant trip count, or SIOX_UNKNOWN */
  int64_t body_ns;       /* the compiler's least time for one iteration, or SIOX_UNKNOWN */
  uint32_t nnext;        /* sites reached after this region before any other region (NEST: sites inside) */
  uint32_t nsucc;        /* regions that can follow, before or after such a burst */
  struct siox_site *const *next;
  struct siox_region *const *succ;
  uint32_t flags;        /* SIOX_REGION_* flags */
  uint32_t function_line; /* where the function begins, 0: not known */
  void *state;           /* run time's */
  /* LOOP, CALL: the innermost STEPS loop around the region, or NULL; the first ninside of next and the first
   * nsuccinside of succ can be reached without leaving it, the others only when its iterations are over. */
  struct siox_region *steps;
  uint32_t ninside, nsuccinside;
  uint64_t alike; /* CALL: regions with the same number call one function with the same arguments; 0: there is no other */
  const struct siox_region_far *far; /* LOOP, CALL; NULL: the lists above say it all */
  int64_t measured_ns; /* SIOX_REGION_MEASURED: least time from entering to leaving in the profile's run; body_ns is measured
                        * then, too (CALL: of the whole) */
};
/* What follows a region when the regions in functions called on the way do not last (`inner`): next and succ up to the
 * next region of the same function, after which call of a helper they come being known. */
struct siox_region_far {
  struct siox_site *const *next;
  struct siox_region *const *succ, *const *inner;
  uint32_t nnext, ninside, nsucc, nsuccinside, ninner, reserved;
};
enum {
  SIOX_REGION_OPEN_END = 1, /* code that the pass cannot see may follow: any open file may be used after this region */
  SIOX_REGION_MEASURED = 2, /* compiled with a profile that knows the region: measured_ns is there */
  SIOX_REGION_OPEN_LATER = 4, /* not before the STEPS loop around the region is over */
  SIOX_REGION_SLEEPS = 8, /* CALL: lasts for at least trip times body_ns, whatever was measured */
};

/* Where the handles of the sites after a region are found before it begins: from base[i] on (siox_region_files), each step
 * adds an offset and follows the pointer there. A site that has rows under a region gets no other handle there than
 * theirs. */
struct siox_file_use {
  struct siox_region *region;
  struct siox_site *site; /* in next of region or of region->far */
  const int64_t *steps;   /* bytes */
  uint32_t nsteps, base;
  uint32_t outside;       /* 1: only after the STEPS loop around the region; 0: sooner, or there is none */
  uint32_t reserved;
};
enum { SIOX_FILE_BASES = 4 };
struct siox_file_uses { /* of one function */
  const struct siox_file_use *use;
  uint32_t nuses;
  uint32_t calls; /* run time's */
};

/* What a STEPS loop leads to in some of its iterations only (`if (it % n == 0) write();`): in those, counted from 0, with
 * (first + step * iteration + offset) % modulus == rest, as the machine computes it: what the index is and what is divided are
 * cut to so many bits, and so is the sum, and each is then extended with its sign (bits < 0) or without (bits > 0). In others
 * none of the sites is called and none of the gaps begins as long as the loop lasts. siox_steps_when hands over first and
 * modulus before the loop. */
struct siox_steps_when {
  struct siox_region *steps;
  struct siox_site *const *sites;
  struct siox_region *const *gaps;
  struct siox_region *const *past; /* gaps of the loop after which only a later iteration can lead there */
  uint32_t nsites, ngaps, npast;
  uint32_t only; /* 1: in iterations that fulfil none of its conditions the loop does no I/O at all; 2: unless code does
                  * that the pass cannot see */
  int64_t step, rest, offset;
  int32_t index_bits, sum_bits, division_bits; /* 0: 64, with a sign */
  uint32_t elsewhere; /* 1: when the loop is over, the sites or gaps can be reached another way */
  void *state;        /* run time's */
  struct siox_region *const *ahead; /* gaps, none inside another, that every iteration goes through before it leads there */
  uint32_t nahead, reserved;
};

#ifdef __cplusplus
}
#endif
#endif
