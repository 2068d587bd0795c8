/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parallel search of a sequence database, for its I/O: queries against a database that is cut into
 * fragments, after S3aSim (A. Ching et al., HPDC'06), which Son & Kandemir ran with collective I/O.
 *
 * Rank 0, the master, hands pairs of a query and a fragment to the other ranks, the workers, as
 * they ask for them. A worker aligns the query with subjects of the fragment and tells the master
 * the size and score of each hit. When `--queries-per-write` queries are through, the master orders
 * the hits of each by score and tells the workers where in the file their hits belong; they write
 * them, each by itself or all together. Then come the next queries. Alone, rank 0 does all of it.
 *
 * Sequences, scores, numbers and sizes of hits follow from the options, so the file has the same
 * bytes whoever found what, and on any number of ranks. At the end all of it is read back and
 * compared. stdout gets one line that depends on the options alone; exit status 1 and a message on
 * stderr if anything is wrong. */
#include "s3asim.h"
#include <inttypes.h>
#include <limits.h>

enum tag { TAG_FOUND = 1, TAG_UNIT, TAG_PLACES };

int s3asim_rank, s3asim_ranks;

void s3asim_fail(const char *what, const char *name, int code) {
  char reason[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  if (code != MPI_SUCCESS)
    MPI_Error_string(code, reason, &length);
  fprintf(stderr, "s3asim: rank %d: %s: %s%s%s\n", s3asim_rank, name, what, length ? ": " : "",
          reason);
  MPI_Abort(MPI_COMM_WORLD, 1);
  exit(1);
}

void s3asim_must(int code, const char *what, const char *name) {
  if (code != MPI_SUCCESS)
    s3asim_fail(what, name, code);
}

void *s3asim_allocate(size_t count, size_t size) {
  void *memory = calloc(count ? count : 1, size);
  if (!memory)
    s3asim_fail("out of memory", "allocation", MPI_SUCCESS);
  return memory;
}

/* ---- hits of some queries ---- */

struct hits {
  struct result *r;
  int64_t n, room;
};

static struct result *room_for(struct hits *h, int64_t more) {
  if (h->n + more > h->room) {
    h->room = 2 * h->room + more;
    h->r = realloc(h->r, (size_t)h->room * sizeof *h->r);
    if (!h->r)
      s3asim_fail("out of memory", "allocation", MPI_SUCCESS);
  }
  h->n += more;
  return h->r + h->n - more;
}

static void search(const struct options *o, int64_t query, int64_t fragment, struct hits *mine) {
  s3asim_search(o, query, fragment, room_for(mine, s3asim_count(o, query, fragment)));
}

/* ---- the master ---- */

struct placed { /* whose it is, and which of those that this rank told of */
  struct result r;
  int64_t owner, which;
};

/* Hands out the queries [first, last) until all is searched. found: hits by rank. */
static void hand_out(const struct options *o, int64_t first, int64_t last, struct hits *found) {
  int64_t units = (last - first) * o->fragments, workers = s3asim_ranks - 1, next = 0;
  int64_t *own = s3asim_allocate((size_t)s3asim_ranks, sizeof *own); /* next one if --balanced */
  for (int64_t r = 1; r <= workers; r++)
    own[r] = r - 1;
  for (int64_t active = workers; active > 0;) {
    MPI_Status status;
    int bytes;
    MPI_Probe(MPI_ANY_SOURCE, TAG_FOUND, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    struct result *to = room_for(&found[status.MPI_SOURCE], bytes / (int64_t)sizeof(struct result));
    MPI_Recv(to, bytes, MPI_BYTE, status.MPI_SOURCE, TAG_FOUND, MPI_COMM_WORLD, &status);
    int64_t unit = o->balanced ? own[status.MPI_SOURCE] : next++;
    own[status.MPI_SOURCE] += workers;
    int64_t what[2] = {-1, -1};
    if (unit < units) {
      what[0] = first + unit / o->fragments;
      what[1] = unit % o->fragments;
    } else {
      active--;
    }
    MPI_Send(what, 2, MPI_INT64_T, status.MPI_SOURCE, TAG_UNIT, MPI_COMM_WORLD);
  }
  free(own);
}

/* Where each hit belongs; they follow each other from byte `at` on. Returns the byte behind. */
static int64_t place(struct hits *found, int64_t at) {
  int64_t n = 0, k = 0;
  for (int r = 0; r < s3asim_ranks; r++)
    n += found[r].n;
  struct placed *all = s3asim_allocate((size_t)n, sizeof *all);
  for (int r = 0; r < s3asim_ranks; r++)
    for (int64_t i = 0; i < found[r].n; i++)
      all[k++] = (struct placed){found[r].r[i], r, i};
  qsort(all, (size_t)n, sizeof *all, s3asim_better);
  for (k = 0; k < n; k++) {
    found[all[k].owner].r[all[k].which].offset = at;
    at += all[k].r.bytes;
  }
  free(all);
  return at;
}

static int64_t lead(const struct options *o, int64_t first, int64_t last, int64_t at,
                    struct hits *mine) {
  struct hits *found = s3asim_allocate((size_t)s3asim_ranks, sizeof *found);
  if (s3asim_ranks == 1) {
    for (int64_t unit = 0; unit < (last - first) * o->fragments; unit++)
      search(o, first + unit / o->fragments, unit % o->fragments, mine);
    *found = *mine;
    at = place(found, at);
    *mine = *found;
  } else {
    hand_out(o, first, last, found);
    at = place(found, at);
    for (int r = 1; r < s3asim_ranks; r++) {
      int64_t *places = s3asim_allocate((size_t)found[r].n, sizeof *places);
      for (int64_t i = 0; i < found[r].n; i++)
        places[i] = found[r].r[i].offset;
      MPI_Send(places, (int)found[r].n, MPI_INT64_T, r, TAG_PLACES, MPI_COMM_WORLD);
      free(places);
      free(found[r].r);
    }
  }
  free(found);
  return at;
}

/* ---- the workers ---- */

static void work(const struct options *o, struct hits *mine) {
  int64_t told = 0, unit[2];
  for (;;) {
    MPI_Send(mine->r + told, (int)((mine->n - told) * (int64_t)sizeof *mine->r), MPI_BYTE, 0,
             TAG_FOUND, MPI_COMM_WORLD);
    told = mine->n;
    MPI_Recv(unit, 2, MPI_INT64_T, 0, TAG_UNIT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (unit[0] < 0)
      break;
    search(o, unit[0], unit[1], mine);
  }
  int64_t *places = s3asim_allocate((size_t)mine->n, sizeof *places);
  MPI_Recv(places, (int)mine->n, MPI_INT64_T, 0, TAG_PLACES, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int64_t i = 0; i < mine->n; i++)
    mine->r[i].offset = places[i];
  free(places);
}

/* ---- writing ---- */

static int by_offset(const void *one, const void *other) {
  const struct result *a = one, *b = other;
  return (a->offset > b->offset) - (a->offset < b->offset);
}

static void write_each(const struct options *o, MPI_File file, const struct hits *mine,
                       const char *data) {
  for (int64_t i = 0; i < mine->n; i++) {
    s3asim_must(MPI_File_write_at(file, mine->r[i].offset, data, (int)mine->r[i].bytes, MPI_BYTE,
                                  MPI_STATUS_IGNORE),
                "cannot be written", o->name);
    data += mine->r[i].bytes;
  }
}

/* All of this rank's hits at once through a view of their places, together with others or not. */
static void write_list(const struct options *o, MPI_File file, const struct hits *mine,
                       const char *data, int64_t bytes) {
  MPI_Datatype places = MPI_BYTE;
  int *length = s3asim_allocate((size_t)mine->n, sizeof *length);
  MPI_Aint *offset = s3asim_allocate((size_t)mine->n, sizeof *offset);
  for (int64_t i = 0; i < mine->n; i++) {
    length[i] = (int)mine->r[i].bytes;
    offset[i] = (MPI_Aint)mine->r[i].offset;
  }
  if (mine->n) {
    MPI_Type_create_hindexed((int)mine->n, length, offset, MPI_BYTE, &places);
    MPI_Type_commit(&places);
  }
  s3asim_must(MPI_File_set_view(file, 0, MPI_BYTE, places, "native", MPI_INFO_NULL), "no view of",
              o->name);
  if (mine->n)
    MPI_Type_free(&places);
  if (o->strategy == WRITE_COLLECTIVE)
    s3asim_must(MPI_File_write_at_all(file, 0, data, (int)bytes, MPI_BYTE, MPI_STATUS_IGNORE),
                "cannot be written", o->name);
  else if (bytes)
    s3asim_must(MPI_File_write_at(file, 0, data, (int)bytes, MPI_BYTE, MPI_STATUS_IGNORE),
                "cannot be written", o->name);
  free(length);
  free(offset);
}

static void write_hits(const struct options *o, MPI_File file, struct hits *mine) {
  int64_t bytes = 0;
  qsort(mine->r, (size_t)mine->n, sizeof *mine->r, by_offset);
  for (int64_t i = 0; i < mine->n; i++)
    bytes += mine->r[i].bytes;
  if (bytes > INT_MAX)
    s3asim_fail("one request would be longer than MPI can count; write fewer queries at once",
                "--queries-per-write", MPI_SUCCESS);
  char *data = s3asim_allocate((size_t)bytes, 1), *to = data;
  for (int64_t i = 0; i < mine->n; to += mine->r[i++].bytes)
    s3asim_write(o, &mine->r[i], to);
  if (o->strategy == WRITE_INDIVIDUAL)
    write_each(o, file, mine, data);
  else
    write_list(o, file, mine, data, bytes);
  if (o->sync)
    s3asim_must(MPI_File_sync(file), "cannot be synchronised", o->name);
  free(data);
}

/* ---- the run ---- */

static int verify(const struct options *o, MPI_File file, int64_t end) {
  int64_t first = o->queries * s3asim_rank / s3asim_ranks, at = 0;
  int64_t last = o->queries * (s3asim_rank + 1) / s3asim_ranks;
  uint64_t sum = 0, all;
  MPI_Offset size;
  for (int64_t q = 0; q < first; q++)
    at += s3asim_bytes(o, q);
  s3asim_must(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL), "no view of",
              o->name);
  const char *what = s3asim_verify(o, file, first, last, at, &sum);
  int wrong = what != NULL, any;
  if (wrong)
    fprintf(stderr, "s3asim: rank %d: %s: %s\n", s3asim_rank, o->name, what);
  s3asim_must(MPI_File_get_size(file, &size), "has no size", o->name);
  if (s3asim_rank == 0 && size != end) {
    fprintf(stderr, "s3asim: %s: %lld bytes, not %" PRId64 "\n", o->name, (long long)size, end);
    wrong = 1;
  }
  MPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Reduce(&sum, &all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  if (s3asim_rank == 0 && !any) {
    int64_t hits = 0;
    for (int64_t q = 0; q < o->queries; q++)
      for (int64_t f = 0; f < o->fragments; f++)
        hits += s3asim_count(o, q, f);
    printf("s3asim: %" PRId64 " queries, %" PRId64 " hits, %" PRId64 " bytes, checksum %016" PRIx64
           "\n",
           o->queries, hits, end, all);
    any = fflush(stdout) != 0;
  }
  return any;
}

static int run(const struct options *o) {
  MPI_Info info = info_option_make(&o->hints);
  MPI_File file;
  int64_t at = 0;
  s3asim_must(MPI_File_open(MPI_COMM_WORLD, o->name, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file),
              "cannot be opened", o->name);
  if (info != MPI_INFO_NULL)
    MPI_Info_free(&info);
  s3asim_must(MPI_File_set_size(file, 0), "cannot be cut", o->name);
  for (int64_t q = 0; q < o->queries; q += o->per_write) {
    int64_t last = q + o->per_write < o->queries ? q + o->per_write : o->queries;
    struct hits mine = {0};
    double start = MPI_Wtime();
    if (s3asim_rank == 0)
      at = lead(o, q, last, at, &mine);
    else
      work(o, &mine);
    double searched = MPI_Wtime();
    write_hits(o, file, &mine);
    if (o->time)
      fprintf(stderr, "s3asim: rank %d: queries %" PRId64 " to %" PRId64 ": %.6f s, write %.6f s\n",
              s3asim_rank, q, last - 1, searched - start, MPI_Wtime() - searched);
    free(mine.r);
  }
  s3asim_must(MPI_File_sync(file), "cannot be synchronised", o->name);
  MPI_Barrier(MPI_COMM_WORLD);
  s3asim_must(MPI_File_sync(file), "cannot be synchronised", o->name);
  int wrong = verify(o, file, at);
  s3asim_must(MPI_File_close(&file), "cannot be closed", o->name);
  return wrong;
}

int main(int argc, char **argv) {
  struct options o;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &s3asim_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &s3asim_ranks);
  int status = s3asim_parse(argc, argv, &o);
  if (!status)
    status = run(&o);
  MPI_Finalize();
  return status < 0 ? 0 : status;
}
