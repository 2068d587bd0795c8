/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* siox run --check-hints: was what the program said of its disks true? Everything is judged from
 * the recorded run, in which the store has written down each request as it really came, below
 * MPI-IO. The check shares with what it checks the format of the trace and nothing else: it has its
 * own arithmetic of stripes, of claims and of gaps that pay. docs/check-hints.md defines the
 * figures. */
#ifndef SIOX_TOOLS_CHECK_H
#define SIOX_TOOLS_CHECK_H
#include <jansson.h>
#include <siox/trace.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A growing array's next place, zeroed; NULL: out of memory. */
#define SIOX__NEXT(list)                                                                           \
  (siox__check_room((void **)&(list)->item, (list)->n, &(list)->room, sizeof *(list)->item)        \
       ? &(list)->item[(list)->n++]                                                                \
       : NULL)
bool siox__check_room(void **item, size_t n, size_t *room, size_t size);

/* check_layout.c: which disks hold which bytes, found stripe by stripe. */
struct siox__stripes {
  uint32_t *node;             /* NULL: the layout's text could not be read */
  uint32_t nnodes, members;   /* members 0: a node is a disk */
  uint64_t unit, member_unit; /* bytes */
  bool parity;
  uint32_t ndisks;
};
/* false: the text is not a layout of so many disks, or memory is out. */
bool siox__stripes_read(struct siox__stripes *s, const char *text, uint32_t ndisks);
void siox__stripes_free(struct siox__stripes *s);
/* Sets touched[d] = 1 for the disks that hold [offset, offset + bytes), and for those of their
 * parity when written. */
void siox__stripes_touch(const struct siox__stripes *s, int64_t offset, int64_t bytes, bool write,
                         unsigned char *touched);
void siox__stripes_all(const struct siox__stripes *s, unsigned char *touched);

/* check_load.c: the recorded run. */
struct siox__word { /* what a rank says of a disk from `time` on */
  int64_t time, need_by, until;
  uint64_t order; /* of what has the same time */
  int32_t flag;   /* 1 needed, 0 released, -1 nothing */
  bool predicted; /* by the pass or the predictor, not by hand */
};
struct siox__words {
  struct siox__word *item;
  size_t n, room;
};
struct siox__times {
  int64_t *item;
  size_t n, room;
};
struct siox__speaker { /* a client of the trace: one rank of one job */
  bool known;
  uint32_t job;
  int32_t rank;
  int64_t left;             /* SIOX_NEVER: it was there to the end */
  struct siox__words *disk; /* one a disk; NULL: it never gave a hint */
  struct siox__times released;
};
struct siox__check_use { /* a request, or an open */
  int64_t from, to, offset, bytes;
  uint64_t file, site, uid, seq, order;
  uint32_t client;
  bool write, open;
};
struct siox__part { /* a rank's part in a collective: one call */
  uint64_t uid, seq;
  int64_t start, end;
  uint32_t client;
};
struct siox__check_place { /* a file */
  uint64_t number;
  char *path;
  struct siox__stripes stripes;
};
struct siox__check_spot { /* a call in a program */
  uint64_t key;
  char *text; /* "mxm.c:58 main MPI_File_read_at" */
};
struct siox__slow { /* a stretch of time in which a disk was below full speed */
  int64_t start, end;
};
struct siox__disk_record {
  int64_t break_even; /* ns; SIOX_NEVER: no lower level ever pays */
  struct {
    struct siox__slow *item;
    size_t n, room;
  } slow;
  uint64_t transitions;
  int64_t told_until; /* while loading */
};
struct siox__job_record {
  char *key; /* NULL: no such job */
  bool hints;
};
struct siox__recorded {
  uint32_t ndisks;
  bool gaps; /* the policy takes releases with a time of next use for predictions from then on */
  int64_t start, end;
  char *policy;
  struct siox__disk_record *disk;
  struct {
    struct siox__speaker *item;
    size_t n, room;
  } client; /* by number */
  struct {
    struct siox__job_record *item;
    size_t n, room;
  } job; /* by number */
  struct {
    struct siox__check_use *item;
    size_t n, room;
  } use; /* by time */
  struct {
    struct siox__part *item;
    size_t n, room;
  } part; /* by uid and number */
  struct {
    struct siox__check_place *item;
    size_t n, room;
  } place; /* by number */
  struct {
    struct siox__check_spot *item;
    size_t n, room;
  } spot;
};
/* 0, or SIOX_E… with diag: a trace that is not whole is an error. siox__recorded_free in any case.
 */
int siox__recorded_load(struct siox__recorded *t, const char *trace, struct siox_diag *diag);
void siox__recorded_free(struct siox__recorded *t);
const struct siox__check_place *siox__recorded_file(const struct siox__recorded *t,
                                                    uint64_t number);
/* Marks the disks of a use; false: its file's layout is not known. */
bool siox__recorded_touch(const struct siox__recorded *t, const struct siox__check_use *use,
                          unsigned char *touched);
/* check_claims.c: how many words had been said by then. */
size_t siox__words_until(const struct siox__words *words, int64_t time);
/* What a client says of a disk at a time; flag -1: nothing. */
struct siox__word siox__said(const struct siox__recorded *t, uint32_t client, uint32_t disk,
                             int64_t time);
/* Does it predict a use at that time? */
bool siox__predicts(const struct siox__recorded *t, const struct siox__word *word, int64_t time);
bool siox__predicted(const struct siox__recorded *t, uint32_t client, uint32_t disk, int64_t time);
/* The parts of a collective are item[*first] to item[*first + n - 1]; returns n. */
size_t siox__parts_of(const struct siox__recorded *t, uint64_t uid, uint64_t seq, size_t *first);

/* check_drive.c: the shortest gap that pays, ns. */
int64_t siox__check_break_even(const struct siox_drive *drive);

/* What the checks found. */
enum { SIOX__EXAMPLES = 10 };
struct siox__check {
  uint64_t accesses, unhinted,
      unknown;                 /* requests judged; of jobs without hints; without a layout */
  uint64_t outside, by_others; /* outside the prediction; of these, of another rank's in it */
  struct {
    const struct siox__check_use *use;
    uint32_t disk;
  } example[SIOX__EXAMPLES];
  uint32_t nexamples;
  uint64_t predicted, touched; /* disks a burst, summed */
  uint64_t unforetold;         /* disks claimed after a release that told no next use */
  struct {
    uint64_t eligible, used;
  } windows, disk_windows;
  struct siox__unused {                /* a disk's window that no hint used */
    const struct siox__check_use *use; /* before it */
    uint32_t disk;
    int64_t start, end;
    bool again; /* its job used the disk again */
    enum { SIOX__KEPT, SIOX__NOBODY, SIOX__TOO_SHORT } why;
    uint32_t keeper; /* KEPT: the client */
  } unused[SIOX__EXAMPLES];
  uint32_t nunused;
  uint64_t transitions;
  int64_t below_full, longest; /* ns */
};
int siox__check_accesses(const struct siox__recorded *t,
                         struct siox__check *c);                                /* check_access.c */
int siox__check_windows(const struct siox__recorded *t, struct siox__check *c); /* check_window.c */
int siox__check_waits(const struct siox__recorded *t, struct siox__check *c);   /* check_wait.c */
/* When a disk that is below full speed at `time` is no more; else `time`. */
int64_t siox__full_again(const struct siox__disk_record *disk, int64_t time);

/* check.c: all of it, of a trace; `trace` NULL or `why` given: it cannot be made, for that reason.
 */
json_t *siox__check_hints(const char *trace, const char *why);
void siox__check_print(FILE *out, const json_t *check); /* check_text.c */

#endif
