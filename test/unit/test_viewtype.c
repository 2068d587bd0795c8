/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* File types against MPI itself: random nested types, of every constructor, are written through by
 * MPI-IO without data sieving, a byte of known value for each byte of data, and the file shows
 * where each one went. One rank, small types. */
#include "client/viewtype.h"
#include "support.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TYPES = 1200, MOST_DATA = 2048, MOST_EXTENT = 1 << 16, ROOM = 1 << 18 };

static uint64_t state = 20;
static int below(int n) { return (int)test_below(&state, (uint64_t)n); }

/* ---- random types: data in rising order without overlap, as a file type must be ---- */

static char what[4096]; /* how the present one was made */
static void note(const char *name) {
  size_t used = strlen(what);
  snprintf(what + used, sizeof what - used, " %s", name);
}

static MPI_Aint extent_of(MPI_Datatype type) {
  MPI_Aint lower, extent;
  MPI_Type_get_extent(type, &lower, &extent);
  return extent;
}

enum { MOST_BLOCKS = 5 };

/* Blocks one after the other with random holes, in units of the child's extent. */
static int blocks(int length[], int at[], bool same_length) {
  int n = 1 + below(MOST_BLOCKS), place = below(3), same = 1 + below(3);
  for (int i = 0; i < n; i++) {
    length[i] = same_length ? same : 1 + below(3); /* ROMIO does not return from blocks of 0 */
    at[i] = place;
    place += length[i] + below(3);
  }
  return n;
}

static MPI_Datatype listed(MPI_Datatype child, int kind) {
  MPI_Datatype type;
  int length[MOST_BLOCKS], at[MOST_BLOCKS], n = blocks(length, at, kind >= 2);
  MPI_Aint bytes[MOST_BLOCKS], extra = below(2) ? below(16) : 0;
  for (int i = 0; i < n; i++)
    bytes[i] = at[i] * extent_of(child) + i * extra;
  note((const char *[]){"indexed", "hindexed", "indexed_block", "hindexed_block"}[kind]);
  if (kind == 0)
    MPI_Type_indexed(n, length, at, child, &type);
  else if (kind == 1)
    MPI_Type_create_hindexed(n, length, bytes, child, &type);
  else if (kind == 2)
    MPI_Type_create_indexed_block(n, length[0], at, child, &type);
  else
    MPI_Type_create_hindexed_block(n, length[0], bytes, child, &type);
  return type;
}

static MPI_Datatype vector(MPI_Datatype child, bool bytes) {
  MPI_Datatype type;
  int count = 1 + below(4), length = 1 + below(3), stride = length + below(4);
  MPI_Aint step = stride * extent_of(child) + (bytes ? below(9) : 0);
  note(bytes ? "hvector" : "vector");
  if (bytes)
    MPI_Type_create_hvector(count, length, step, child, &type);
  else
    MPI_Type_vector(count, length, stride, child, &type);
  return type;
}

static MPI_Datatype subarray(MPI_Datatype child) {
  MPI_Datatype type;
  int n = 1 + below(3), sizes[3], subsizes[3], starts[3];
  int order = below(2) ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
  for (int i = 0; i < n; i++) {
    sizes[i] = 1 + below(5);
    subsizes[i] = 1 + below(sizes[i]);
    starts[i] = below(sizes[i] - subsizes[i] + 1);
  }
  note("subarray");
  MPI_Type_create_subarray(n, sizes, subsizes, starts, order, child, &type);
  return type;
}

static MPI_Datatype darray(MPI_Datatype child) {
  MPI_Datatype type;
  int n = 1 + below(3), sizes[3], spread[3], block[3], procs[3], all = 1;
  for (int i = 0; i < n; i++) {
    sizes[i] = 1 + below(7);
    spread[i] = (int[]){MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE}[below(3)];
    procs[i] = spread[i] == MPI_DISTRIBUTE_NONE ? 1 : 1 + below(3);
    block[i] = MPI_DISTRIBUTE_DFLT_DARG;
    if (below(2) && spread[i] == MPI_DISTRIBUTE_CYCLIC)
      block[i] = 1 + below(3);
    if (below(2) && spread[i] == MPI_DISTRIBUTE_BLOCK)
      block[i] = (sizes[i] + procs[i] - 1) / procs[i] + below(2);
    all *= procs[i];
  }
  note("darray");
  MPI_Type_create_darray(all, below(all), n, sizes, spread, block, procs,
                         below(2) ? MPI_ORDER_C : MPI_ORDER_FORTRAN, child, &type);
  return type;
}

static MPI_Datatype random_type(MPI_Datatype base, int depth);

static MPI_Datatype structure(MPI_Datatype base, MPI_Datatype child, int depth) {
  MPI_Datatype type, part[3] = {child, child, child};
  int n = 1 + below(3), length[3];
  MPI_Aint at[3], place = below(5);
  for (int i = 0; i < n; i++) {
    if (i && below(2))
      part[i] = random_type(base, depth - 1);
    MPI_Aint lower, extent, true_lower, true_extent;
    MPI_Type_get_extent(part[i], &lower, &extent);
    MPI_Type_get_true_extent(part[i], &true_lower, &true_extent);
    length[i] = 1 + below(2);
    at[i] = place;
    place += (length[i] - 1) * extent + true_lower + true_extent + below(20);
  }
  note("struct");
  MPI_Type_create_struct(n, length, at, part, &type);
  for (int i = 1; i < n; i++)
    if (part[i] != child && part[i] != base)
      MPI_Type_free(&part[i]);
  return type;
}

static MPI_Datatype random_type(MPI_Datatype base, int depth) {
  MPI_Datatype child = depth ? random_type(base, depth - 1) : base, type;
  MPI_Aint lower, extent, true_lower, true_extent;
  if (!depth)
    return base;
  switch (below(12)) {
  case 0:
    note("contiguous");
    MPI_Type_contiguous(1 + below(4), child, &type);
    break;
  case 1:
    type = vector(child, false);
    break;
  case 2:
    type = vector(child, true);
    break;
  case 3:
  case 4:
  case 5:
  case 6:
    type = listed(child, below(4));
    break;
  case 7:
    type = subarray(child);
    break;
  case 8:
    type = darray(child);
    break;
  case 9:
    type = structure(base, child, depth);
    break;
  case 10:
    MPI_Type_get_extent(child, &lower, &extent);
    MPI_Type_get_true_extent(child, &true_lower, &true_extent);
    note("resized");
    MPI_Type_create_resized(child, 0, true_lower + true_extent + below(50), &type);
    break;
  default:
    note("dup");
    MPI_Type_dup(child, &type);
  }
  if (child != base)
    MPI_Type_free(&child);
  return type;
}

/* ---- the file ---- */

static char path[256];
static MPI_File file;
static unsigned char data[4 * MOST_DATA], got[ROOM];
static int64_t which[ROOM], unpacked[ROOM];

static int setup(void **unused) {
  (void)unused;
  MPI_Info info;
  const char *directory = getenv("TMPDIR");
  snprintf(path, sizeof path, "%s/siox-viewtype.%d", directory ? directory : "/tmp", (int)getpid());
  MPI_Info_create(&info);
  MPI_Info_set(info, "romio_ds_write", "enable");
  MPI_Info_set(info, "romio_cb_write", "disable");
  int rc = MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file);
  MPI_Info_free(&info);
  return rc;
}

static int teardown(void **unused) {
  (void)unused;
  MPI_File_close(&file);
  return unlink(path);
}

/* A subarray, darray or resized type within another one: ROMIO (MPICH 4.0.2) puts the data of some
 * of these elsewhere than MPI does. The client looks (client/viewtype.c). */
static bool bounded_inside(void) {
  static const char *const names[] = {" subarray ", " darray ", " resized "};
  for (int i = 0; i < 3; i++)
    if (strstr(what, names[i]))
      return true;
  return false;
}

/* which[i]: the data byte that belongs at byte i of the file; -1: none. Each byte is written once
 * for either half of its number. */
static void note_half(int half) {
  for (int64_t i = 0; i < ROOM; i++)
    which[i] = !got[i] ? -1 : half ? which[i] + (got[i] - 1) * 250 : got[i] - 1;
}

static void fill_data(int64_t bytes, int half) {
  for (int64_t k = 0; k < bytes; k++)
    data[k] = (unsigned char)(1 + (half ? k / 250 : k % 250));
}

/* As MPI lays the type out in memory. */
static void unpack(MPI_Offset displacement, MPI_Datatype type, int64_t size, int64_t bytes) {
  int tiles = (int)((bytes + size - 1) / size);
  for (int half = 0; half < 2; half++) {
    int position = 0;
    fill_data(tiles * size, half);
    memset(got, 0, sizeof got);
    MPI_Unpack(data, (int)(tiles * size), &position, got + displacement, tiles, type,
               MPI_COMM_SELF);
    note_half(half);
  }
  for (int64_t i = 0; i < ROOM; i++)
    which[i] = which[i] < bytes ? which[i] : -1;
}

/* As MPI-IO writes through the view: always from the first byte of data on, for ROMIO (MPICH 4.0.2)
 * does not return when it begins within a type that has bounds of its own. */
static void write_through(MPI_Offset displacement, MPI_Datatype base, MPI_Datatype type,
                          int64_t bytes) {
  int unit;
  MPI_Type_size(base, &unit);
  assert_int_equal(MPI_File_set_view(file, displacement, base, type, "native", MPI_INFO_NULL),
                   MPI_SUCCESS);
  for (int half = 0; half < 2; half++) {
    fill_data(bytes, half);
    assert_int_equal(truncate(path, 0), 0);
    assert_int_equal(truncate(path, ROOM), 0); /* what lies behind the end is not read as 0 */
    assert_int_equal(MPI_File_write_at(file, 0, data, (int)(bytes / unit), base, MPI_STATUS_IGNORE),
                     MPI_SUCCESS);
    int fd = open(path, O_RDONLY);
    assert_true(fd >= 0 && read(fd, got, sizeof got) == sizeof got);
    close(fd);
    note_half(half);
  }
}

/* got[i]: 1 where a byte of [from, from + bytes) lies. */
static void select_data(int64_t from, int64_t bytes) {
  for (int64_t i = 0; i < ROOM; i++)
    got[i] = which[i] >= from && which[i] < from + bytes;
}

/* ---- what the file type says ---- */

static unsigned char covered[ROOM];

static int cover(void *context, const struct siox__piece *p) {
  ++*(int *)context;
  for (int64_t i = 0; i < p->count; i++)
    for (int64_t k = 0; k < p->size; k++)
      covered[p->offset + i * p->stride + k] = 1;
  return 0;
}

static int pieces(const struct siox__view *view, int64_t from, int64_t bytes, int64_t most,
                  int *given) {
  memset(covered, 0, sizeof covered);
  *given = 0;
  return siox__view_pieces(view, from, bytes, most, cover, given);
}

static void compare(const struct siox__view *view, int64_t from, int64_t bytes) {
  int64_t low, high, first = -1, last = -1;
  int given, rc = pieces(view, from, bytes, ROOM, &given);
  if (rc != 0)
    fail_msg("%s: pieces: %d", what, rc);
  for (int64_t i = 0; i < ROOM; i++) {
    if (covered[i] != (got[i] != 0))
      fail_msg("%s: byte %lld: %s", what, (long long)i, got[i] ? "not found" : "too much");
    first = first < 0 && got[i] ? i : first;
    last = got[i] ? i : last;
  }
  assert_int_equal(siox__view_span(view, from, bytes, &low, &high), 0);
  if (low != first || high != last + 1)
    fail_msg("%s: span %lld to %lld, not %lld to %lld", what, (long long)low, (long long)high,
             (long long)first, (long long)last + 1);
  for (int64_t k = from; k < from + bytes; k++) { /* each byte where MPI has put it */
    siox__view_span(view, k, 1, &low, &high);
    if (high != low + 1 || which[low] != k)
      fail_msg("%s: data byte %lld is not at %lld", what, (long long)k, (long long)low);
  }
  /* With few pieces everything is covered all the same, within the span. */
  pieces(view, from, bytes, 3, &given);
  assert_true(given <= 3 + 16);
  for (int64_t i = 0; i < ROOM; i++)
    if ((got[i] && !covered[i]) || (covered[i] && (i < first || i > last)))
      fail_msg("%s: byte %lld with few pieces", what, (long long)i);
}

/* Disks as data sieving finds them: windows of the buffer's size from the first missing byte on. */
static void compare_sieved(const struct siox__view *view, int64_t from, int64_t bytes) {
  struct siox_layout layout;
  struct siox_mask mask, expected;
  int64_t unit = 1 + below(300), buffer = 1 + below(400), last = ROOM - 1;
  assert_int_equal(siox_layout_triplet(&layout, 40, 3, (uint32_t)(1 + below(37)), (uint64_t)unit),
                   0);
  siox_mask_init(&mask, 40);
  siox_mask_init(&expected, 40);
  while (!got[last])
    last--;
  for (int64_t i = 0; i <= last;) {
    int64_t n = last + 1 - i < buffer ? last + 1 - i : buffer;
    if (got[i])
      siox_layout_mask(&layout, i, n, &expected);
    i += got[i] ? n : 1;
  }
  assert_int_equal(siox__view_mask(view, from, bytes, buffer, &layout, &mask), 0);
  if (!siox_mask_equal(&mask, &expected))
    fail_msg("%s: disks with a buffer of %lld", what, (long long)buffer);
  siox_mask_zero(&mask);
  siox_mask_zero(&expected);
  for (int64_t i = 0; i <= last; i++)
    if (got[i])
      siox_layout_mask(&layout, i, 1, &expected);
  assert_int_equal(siox__view_mask(view, from, bytes, 0, &layout, &mask), 0);
  if (!siox_mask_equal(&mask, &expected))
    fail_msg("%s: disks", what);
  siox_layout_free(&layout);
  siox_mask_free(&mask);
  siox_mask_free(&expected);
}

static void random_types_lie_where_mpi_writes_them(void **unused) {
  (void)unused;
  static const MPI_Datatype bases[] = {MPI_BYTE, MPI_SHORT, MPI_INT, MPI_DOUBLE};
  int written = 0;
  for (int done = 0; done < TYPES;) {
    MPI_Datatype base = bases[below(4)];
    MPI_Count lower, extent, size;
    int unit;
    what[0] = 0;
    MPI_Datatype type = random_type(base, 1 + below(4));
    MPI_Type_commit(&type);
    MPI_Type_size(base, &unit);
    MPI_Type_size_x(type, &size);
    MPI_Type_get_extent_x(type, &lower, &extent);
    if (size > 0 && size <= MOST_DATA && extent <= MOST_EXTENT / 4) {
      struct siox__view view = {below(1000), siox__viewtype(type)};
      assert_non_null(view.type);
      const struct siox__filetype_facts *f = siox__filetype_facts(view.type);
      assert_int_equal(f->size, size);
      assert_int_equal(f->extent, extent);
      assert_true(f->rising && f->exact);
      int64_t from = below((int)size / unit + 1) * unit;
      int64_t bytes = (1 + below(2 * (int)size / unit)) * unit;
      unpack(view.displacement, type, size, from + bytes);
      memcpy(unpacked, which, sizeof which);
      if (!bounded_inside()) {
        write_through(view.displacement, base, type, from + bytes);
        if (memcmp(unpacked, which, sizeof which))
          fail_msg("%s: MPI does not agree with MPI-IO", what);
        written++;
      }
      select_data(from, bytes);
      compare(&view, from, bytes);
      compare_sieved(&view, from, bytes);
      siox__filetype_drop(view.type);
      done++;
    }
    MPI_Type_free(&type);
  }
  assert_true(written > TYPES / 2);
}

/* Both types have the same data in the same places. */
static void same_places(MPI_Datatype small, MPI_Datatype large) {
  struct siox__view a = {7, siox__viewtype(small)}, b = {7, siox__viewtype(large)};
  int64_t size = siox__filetype_facts(a.type)->size;
  assert_int_equal(siox__filetype_facts(b.type)->size, size);
  for (int64_t k = 0; k < 3 * size; k++) {
    int64_t low[2], high[2];
    assert_int_equal(siox__view_span(&a, k, 1, &low[0], &high[0]), 0);
    assert_int_equal(siox__view_span(&b, k, 1, &low[1], &high[1]), 0);
    assert_int_equal(low[0], low[1]);
  }
  siox__filetype_drop(a.type);
  siox__filetype_drop(b.type);
  MPI_Type_free(&small);
  MPI_Type_free(&large);
}

/* ROMIO takes no types made with large counts for views (MPICH 4.0.2), so they are compared with
 * their twins. */
static void types_made_with_large_counts_are_those_of_their_twins(void **unused) {
  (void)unused;
  MPI_Datatype a, b;
  const int sizes[] = {4, 5, 6}, part[] = {2, 3, 4}, from[] = {1, 2, 1};
  const MPI_Count sizes_c[] = {4, 5, 6}, part_c[] = {2, 3, 4}, from_c[] = {1, 2, 1};
  const int length[] = {2, 1, 3}, at[] = {1, 4, 9};
  const MPI_Count length_c[] = {2, 1, 3}, at_c[] = {1, 4, 9}, bytes_c[] = {3, 40, 90};
  const MPI_Aint bytes[] = {3, 40, 90};
  const MPI_Datatype parts[] = {MPI_INT, MPI_SHORT, MPI_DOUBLE};
  const int spread[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE};
  const int block[] = {MPI_DISTRIBUTE_DFLT_DARG, 2, MPI_DISTRIBUTE_DFLT_DARG}, procs[] = {2, 2, 1};
  MPI_Type_vector(3, 2, 5, MPI_INT, &a);
  MPI_Type_vector_c(3, 2, 5, MPI_INT, &b);
  same_places(a, b);
  MPI_Type_create_hvector(3, 2, 21, MPI_INT, &a);
  MPI_Type_create_hvector_c(3, 2, 21, MPI_INT, &b);
  same_places(a, b);
  MPI_Type_contiguous(3, MPI_DOUBLE, &a);
  MPI_Type_contiguous_c(3, MPI_DOUBLE, &b);
  same_places(a, b);
  MPI_Type_indexed(3, length, at, MPI_INT, &a);
  MPI_Type_indexed_c(3, length_c, at_c, MPI_INT, &b);
  same_places(a, b);
  MPI_Type_create_hindexed(3, length, bytes, MPI_INT, &a);
  MPI_Type_create_hindexed_c(3, length_c, bytes_c, MPI_INT, &b);
  same_places(a, b);
  MPI_Type_create_indexed_block(3, 2, at, MPI_INT, &a);
  MPI_Type_create_indexed_block_c(3, 2, at_c, MPI_INT, &b);
  same_places(a, b);
  MPI_Type_create_hindexed_block(3, 2, bytes, MPI_INT, &a);
  MPI_Type_create_hindexed_block_c(3, 2, bytes_c, MPI_INT, &b);
  same_places(a, b);
  MPI_Type_create_struct(3, length, bytes, parts, &a);
  MPI_Type_create_struct_c(3, length_c, bytes_c, parts, &b);
  same_places(a, b);
  MPI_Type_create_resized(MPI_INT, 0, 12, &a);
  MPI_Type_create_resized_c(MPI_INT, 0, 12, &b);
  same_places(a, b);
  MPI_Type_create_subarray(3, sizes, part, from, MPI_ORDER_C, MPI_INT, &a);
  MPI_Type_create_subarray_c(3, sizes_c, part_c, from_c, MPI_ORDER_C, MPI_INT, &b);
  same_places(a, b);
  MPI_Type_create_darray(4, 3, 3, sizes, spread, block, procs, MPI_ORDER_FORTRAN, MPI_INT, &a);
  MPI_Type_create_darray_c(4, 3, 3, sizes_c, spread, block, procs, MPI_ORDER_FORTRAN, MPI_INT, &b);
  same_places(a, b);
}

static void a_billion_blocks_are_one_loop(void **unused) {
  (void)unused;
  MPI_Datatype type, pair;
  MPI_Type_vector_c(1000000000, 8, 4096, MPI_BYTE, &pair);
  MPI_Type_create_hvector_c(100, 1, INT64_C(1) << 43, pair, &type);
  struct siox__view view = {0, siox__viewtype(type)};
  assert_int_equal(siox__filetype_facts(view.type)->size, INT64_C(800000000000));
  assert_true(siox__filetype_facts(view.type)->exact);
  int64_t low, high;
  assert_int_equal(siox__view_span(&view, 8 * INT64_C(999999999), 16, &low, &high), 0);
  assert_int_equal(low, INT64_C(999999999) * 4096);
  assert_int_equal(high, (INT64_C(1) << 43) + 8);
  struct siox_layout layout;
  struct siox_mask mask;
  siox_layout_triplet(&layout, 8, 0, 8, 1024); /* every 4096 bytes: disks 0 and 4 */
  siox_mask_init(&mask, 8);
  assert_int_equal(siox__view_mask(&view, 0, INT64_C(800000000000), 0, &layout, &mask), 0);
  for (uint32_t d = 0; d < 8; d++)
    assert_int_equal(siox_mask_test(&mask, d), d == 0 || d == 4);
  siox_mask_free(&mask);
  siox_layout_free(&layout);
  siox__filetype_drop(view.type);
  MPI_Type_free(&type);
  MPI_Type_free(&pair);
}

static void an_endless_list_is_kept_coarse(void **unused) {
  (void)unused;
  enum { N = 1000000 };
  MPI_Datatype type;
  int *at = malloc(N * sizeof *at);
  for (int i = 0, place = 0; i < N; i++, place += 2 + below(3))
    at[i] = place;
  MPI_Type_create_indexed_block(N, 1, at, MPI_BYTE, &type);
  struct siox__view view = {0, siox__viewtype(type)};
  const struct siox__filetype_facts *f = siox__filetype_facts(view.type);
  assert_int_equal(f->size, N);
  assert_int_equal(f->true_upper, at[N - 1] + 1);
  assert_false(f->exact);
  for (int i = 0; i < 1000;
       i++) { /* each byte is inside what is said of it, and that is not much */
    int64_t k = below(N), low, high;
    siox__view_span(&view, k, 1, &low, &high);
    assert_true(low <= at[k] && at[k] < high && high - low < 4 * 64);
  }
  siox__filetype_drop(view.type);
  MPI_Type_free(&type);
  free(at);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(random_types_lie_where_mpi_writes_them, setup, teardown),
      cmocka_unit_test(types_made_with_large_counts_are_those_of_their_twins),
      cmocka_unit_test(a_billion_blocks_are_one_loop),
      cmocka_unit_test(an_endless_list_is_kept_coarse),
  };
  MPI_Init(&argc, &argv);
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  MPI_Finalize();
  return failed;
}
