/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is found and what of it is written: all follows from the options' numbers. */
#include "s3asim.h"

enum { MAGIC = 0x41733353 }; /* "S3sA" */
enum stream { COUNT = 1, SIZE, BOX, QUERY, SUBJECT, PAYLOAD };

static uint64_t drawn(const struct options *o, enum stream stream, int64_t query, int64_t fragment,
                      int64_t index) {
  uint64_t of = option_mix((uint64_t)o->seed, (uint64_t)stream);
  return option_mix(option_mix(option_mix(of, (uint64_t)query), (uint64_t)fragment),
                    (uint64_t)index);
}

/* From 0 to below 1. */
static double share(uint64_t x) { return (double)(x >> 11) * 0x1p-53; }

int64_t s3asim_count(const struct options *o, int64_t query, int64_t fragment) {
  uint64_t n = (uint64_t)(o->results_most - o->results_least) + 1;
  return o->results_least + (int64_t)(drawn(o, COUNT, query, fragment, 0) % n);
}

static int64_t size_of(const struct options *o, int64_t query, int64_t fragment, int64_t index) {
  double at = share(drawn(o, BOX, query, fragment, index)) * o->weight;
  int i = 0;
  while (i < o->nboxes - 1 && at >= o->box[i].weight)
    at -= o->box[i++].weight;
  uint64_t n = (uint64_t)(o->box[i].most - o->box[i].least) + 1;
  return o->box[i].least + (int64_t)(drawn(o, SIZE, query, fragment, index) % n);
}

static void sequence(uint64_t seed, int64_t n, char *letters) {
  for (int64_t i = 0; i < n; i += 32)
    for (int64_t j = i, x = (int64_t)option_mix(seed, (uint64_t)i); j < n && j < i + 32; j++)
      letters[j] = (char)(((uint64_t)x >> 2 * (j - i)) & 3);
}

/* The best ungapped local alignment of two sequences that are n letters long each, over all
 * diagonals: 5 for letters that match, -4 for others (blastn's scores). */
static int32_t aligned(const char *a, const char *b, int64_t n) {
  int32_t best = 0;
  for (int64_t shift = 1 - n; shift < n; shift++) {
    int32_t here = 0;
    for (int64_t i = shift < 0 ? -shift : 0, end = shift < 0 ? n : n - shift; i < end; i++) {
      here += a[i] == b[i + shift] ? 5 : -4;
      here = here < 0 ? 0 : here;
      best = best < here ? here : best;
    }
  }
  return best;
}

void s3asim_search(const struct options *o, int64_t query, int64_t fragment, struct result *r) {
  char q[LETTERS], s[LETTERS];
  sequence(drawn(o, QUERY, query, 0, 0), o->letters, q);
  for (int64_t i = 0, n = s3asim_count(o, query, fragment); i < n; i++) {
    int32_t score = 0;
    /* More work is more subjects that turn out to be no hit; the last one is. */
    for (int64_t k = o->work - 1; k >= 0; k--) {
      sequence(drawn(o, SUBJECT, query, fragment, i + k * (o->results_most + 1)), o->letters, s);
      score = aligned(q, s, o->letters);
    }
    r[i] = (struct result){.query = (int32_t)query,
                           .fragment = (int32_t)fragment,
                           .index = (int32_t)i,
                           .score = score,
                           .bytes = size_of(o, query, fragment, i)};
  }
}

void s3asim_write(const struct options *o, const struct result *r, char *to) {
  struct header h = {
      MAGIC, (uint32_t)r->query, (uint32_t)r->fragment, (uint32_t)r->index, r->score, r->bytes};
  uint64_t seed = drawn(o, PAYLOAD, r->query, r->fragment, r->index);
  memcpy(to, &h, sizeof h);
  for (int64_t at = sizeof h; at < r->bytes; at += 8) {
    uint64_t word = option_mix(seed, (uint64_t)at);
    memcpy(to + at, &word, (size_t)(r->bytes - at < 8 ? r->bytes - at : 8));
  }
}

int s3asim_better(const void *one, const void *other) {
  const struct result *a = one, *b = other;
  if (a->query != b->query)
    return a->query < b->query ? -1 : 1;
  if (a->score != b->score)
    return a->score > b->score ? -1 : 1;
  if (a->fragment != b->fragment)
    return a->fragment < b->fragment ? -1 : 1;
  return (a->index > b->index) - (a->index < b->index);
}

int64_t s3asim_bytes(const struct options *o, int64_t query) {
  int64_t bytes = 0;
  for (int64_t f = 0; f < o->fragments; f++)
    for (int64_t i = 0, n = s3asim_count(o, query, f); i < n; i++)
      bytes += size_of(o, query, f, i);
  return bytes;
}

/* ---- reading it back ---- */

struct reader {
  MPI_File file;
  const char *name;
  int64_t at; /* of the file, where `data` begins */
  int64_t have, next;
  char *data;
  int64_t room;
};

/* The next n bytes, or NULL where the file ends before. */
static const char *take(struct reader *r, int64_t n, int64_t end) {
  if (r->next + n > r->have) {
    MPI_Status status;
    int got;
    r->at += r->next;
    int64_t want = r->room < end - r->at ? r->room : end - r->at;
    s3asim_must(MPI_File_read_at(r->file, r->at, r->data, (int)want, MPI_BYTE, &status),
                "cannot be read", r->name);
    MPI_Get_count(&status, MPI_BYTE, &got);
    r->have = got;
    r->next = 0;
    if (got < n)
      return NULL;
  }
  r->next += n;
  return r->data + r->next - n;
}

static const char *verify_query(const struct options *o, struct reader *r, int64_t query,
                                int64_t end, unsigned char *seen, char *expected, uint64_t *sum) {
  int64_t all = 0;
  struct result last = {0};
  memset(seen, 0, (size_t)(o->fragments * o->results_most));
  for (int64_t f = 0; f < o->fragments; f++)
    all += s3asim_count(o, query, f);
  for (int64_t n = 0; n < all; n++) {
    struct header h;
    const char *data = take(r, sizeof h, end);
    if (!data)
      return "the file is too short";
    memcpy(&h, data, sizeof h);
    if (h.magic != MAGIC || h.query != (uint64_t)query || h.fragment >= (uint64_t)o->fragments ||
        h.index >= (uint64_t)s3asim_count(o, query, h.fragment) ||
        h.bytes != size_of(o, query, h.fragment, h.index))
      return "there is no result where one must begin";
    struct result here = {
        (int32_t)h.query, (int32_t)h.fragment, (int32_t)h.index, (int32_t)h.score, h.bytes, 0};
    if (seen[h.fragment * o->results_most + h.index]++)
      return "a result is there twice";
    if (n > 0 && s3asim_better(&last, &here) >= 0)
      return "results are not in their order";
    last = here;
    s3asim_write(o, &here, expected);
    data = take(r, h.bytes - (int64_t)sizeof h, end);
    if (!data || memcmp(data, expected + sizeof h, (size_t)h.bytes - sizeof h) != 0)
      return "a result has other bytes than were written";
    *sum += option_mix((uint64_t)h.score,
                       drawn(o, PAYLOAD, query, h.fragment, h.index) ^ (uint64_t)h.bytes);
  }
  return NULL;
}

const char *s3asim_verify(const struct options *o, MPI_File file, int64_t first, int64_t last,
                          int64_t at, uint64_t *sum) {
  int64_t most = 0;
  for (int i = 0; i < o->nboxes; i++)
    most = most < o->box[i].most ? o->box[i].most : most;
  struct reader r = {.file = file, .name = o->name, .at = at, .room = 2 * most};
  const char *wrong = NULL;
  r.room = r.room < 4 << 20 ? 4 << 20 : r.room;
  r.data = s3asim_allocate((size_t)r.room, 1);
  char *expected = s3asim_allocate((size_t)most, 1);
  unsigned char *seen = s3asim_allocate((size_t)(o->fragments * o->results_most), 1);
  for (int64_t q = first, end = at; q < last && !wrong; q++) {
    end += s3asim_bytes(o, q);
    wrong = verify_query(o, &r, q, end, seen, expected, sum);
  }
  free(seen);
  free(expected);
  free(r.data);
  return wrong;
}
