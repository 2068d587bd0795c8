/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What stands between the policy's commands and the disks when wear or power is bounded. */
#ifndef SIOX_ARBITER_BANK_LIMIT_H
#define SIOX_ARBITER_BANK_LIMIT_H
#include "arbiter/bank_internal.h"

/* A speed-up that waits for power. */
struct siox__waiting {
  bool is;
  uint32_t level, job;
  int64_t deadline, since;
};
struct siox__turn {
  int64_t due; /* of its array */
  uint32_t array, disk;
};
struct siox__limit {
  int64_t wake; /* when a waiting speed-up may go */
  /* Wear, by generic cell rate: one slow-down every so many ns, as many at once as a day has. */
  int64_t (*spent)[SIOX_NWEAR]; /* theoretical time of the next one; NULL: wear is not bounded */
  uint64_t worn;                /* slow-downs that wore, of all disks */
  uint32_t *denied;             /* 1 + level asked for and denied in this gap, 0: none */
  /* Power */
  struct siox__waiting *waiting; /* per disk; NULL: power is not bounded */
  uint32_t *queue, nqueue;       /* the disks that wait */
  uint32_t *moving, nmoving;     /* the disks in, or before, a transition */
  bool *listed;                  /* per disk: it is one of them */
  int64_t *due;                  /* per array: earliest deadline of its waiting members */
  double *drawn;                 /* per power group: watts of speed-ups */
  bool *full;                    /* per power group: nothing more fits now */
  struct siox__turn *order;      /* scratch, like the next */
  uint32_t *sleeping;
};

/* 0, SIOX_ENOMEM, SIOX_EINVAL (a limit that is none). Leaves bank->limit NULL when all is off. */
int siox__limit_create(struct siox_bank *bank);
void siox__limit_destroy(struct siox__limit *limit);
/* Carries one command out, or part of it, or lets it wait; bank->limit is not NULL. */
int siox__limit_command(struct siox_bank *bank, const struct siox_command *command);
/* Where power is bounded: a disk has a transition before it; some have none any more. */
void siox__limit_moves(struct siox_bank *bank, uint32_t disk);
void siox__limit_moved(struct siox_bank *bank);
/* Starts those that wait and fit; sets bank->limit->wake. */
void siox__limit_admit(struct siox_bank *bank);
/* Brings the disks of the mask that do not serve to a level that does, for a request that cannot
 * wait for the queue: an array's together, each as soon as there is power. */
void siox__limit_force(struct siox_bank *bank, const struct siox_mask *disks, uint32_t job);
#endif
