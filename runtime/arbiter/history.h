/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How much earlier than predicted the accesses of a site have come: the last predictions of each
 * site, of each client for sites that have none yet, and where they are few of everybody, if that
 * is more, as a part of the time that was predicted. And how much longer than its I/O each client
 * has waited for disks that were not ready: a small part of its I/O time may be risked, no more.
 * Fixed size; a site that shares its place with another takes it over. Pure. */
#ifndef SIOX_ARBITER_HISTORY_H
#define SIOX_ARBITER_HISTORY_H
#include "siox/claim.h"
#include "siox/mask.h"
#include "siox/policy.h"

enum { SIOX__HISTORY_SAMPLES = 32, SIOX__HISTORY_PLACES = 1024 };

/* Margins are asked for much more often than samples are added: they do not lie between these. */
struct siox__earliness {
  uint64_t key;
  bool used;
  uint8_t count, next; /* of its samples, and the oldest when there is no room */
  int64_t margin;      /* quantile of the samples, and a part for those to come */
};
struct siox__samples {
  int64_t at[SIOX__HISTORY_SAMPLES]; /* ns, a ring */
};
/* What a client's requests took. */
struct siox__account {
  uint32_t client;
  bool used;
  uint32_t uses;      /* that were judged */
  int64_t io, waited; /* ns: served, and waiting for changes of level; several at once are one */
  int64_t io_to, wait_to; /* counted up to here */
  int64_t bears;          /* siox__history_bears(); negative: not worked out since it changed */
};
/* A use that is still to come, as the client said it last for the disk. */
struct siox__promise {
  int64_t need_by, since; /* 0: none */
  uint64_t site;
  bool used;
  uint32_t client, disk;
  uint32_t round;  /* of the disk, in which it was said */
  uint32_t rounds; /* it took part in, */
  int64_t lag[2]; /* ns behind their beginnings at most: in this window of rounds, the one before */
  int64_t bound;  /* for the round to come, INT64_MIN: none */
};
/* The uses of a disk from one until somebody uses it who has used it since: a round. Clients that
 * keep step use it at nearly the same times in each. Then each one's word, less by how much it may
 * be early and by how much it has lagged behind the first, is a bound for when the next round
 * begins, and the latest of these bounds holds for all. */
struct siox__round {
  uint32_t number;
  int64_t begun; /* ns; of number 0: not known */
  int64_t best;  /* the latest bound by those who have used it in this round; INT64_MIN: none */
  int64_t bound; /* the one before that, so that no word is relied on alone */
  bool unsure;   /* who gave it has taken it back */
  uint32_t promised, behind; /* words that are out; of those who have not used it in this round */
  struct siox__earliness early; /* of the next round before the bound, in millionths of the time
                                 * from the round's beginning to the bound */
  struct siox__samples of_early;
};
struct siox__history {
  double quantile;               /* 0: nothing is kept, all margins are 0 */
  int64_t most;                  /* ns: no site's or client's margin has been greater so far, */
  int64_t longest;               /* and no gap longer */
  struct siox__promise *promise; /* one that shares its place with another is forgotten for it */
  uint32_t npromises;            /* a power of two */
  struct siox__round *round;     /* per disk */
  uint32_t promised[SIOX__HISTORY_PLACES]; /* promises that are out, of the clients of a place */
  struct siox__earliness site[SIOX__HISTORY_PLACES], client[SIOX__HISTORY_PLACES];
  struct siox__earliness all; /* of everybody, in millionths of the time from word to use */
  struct siox__account account[SIOX__HISTORY_PLACES];
  struct siox__samples of_site[SIOX__HISTORY_PLACES], of_client[SIOX__HISTORY_PLACES], of_all;
};

/* Places for promises on so many disks. */
uint32_t siox__history_places(uint32_t ndisks);
/* The client says when it will use these disks next; a later word replaces it. */
void siox__history_promise(struct siox__history *history, uint32_t client,
                           const struct siox_mask *disks, const struct siox_claim_entry *hint);
/* The client uses these disks, or needs them now: what it promised of them is judged, once. room:
 * ns that its job's delay budget allows it to wait. */
void siox__history_use(struct siox__history *history, uint32_t client,
                       const struct siox_mask *disks, const struct siox_drive *drive, int64_t room,
                       int64_t now);
/* A part of one of its requests was charged. */
void siox__history_served(struct siox__history *history, const struct siox_served *served);
/* Has a use of the hint's site, or of its client, been judged? Without margins: yes. */
bool siox__history_knows(const struct siox__history *history, uint32_t client,
                         const struct siox_claim_entry *hint);
/* No margin is greater, for whatever hint. */
int64_t siox__history_most(const struct siox__history *history);
/* The client, which has promises on these disks at most, is gone. */
void siox__history_forget(struct siox__history *history, uint32_t client,
                          const struct siox_mask *disks);
/* As siox__history_bears(), worked out anew. */
int64_t siox__history_bears_now(struct siox__account *account);
/* Is the client likely to use the disk no sooner than its round is bound to end? It has used it in
 * this round, in enough others, and will again. */
bool siox__history_in_step(const struct siox__history *history, uint32_t client, uint32_t disk);

/* What follows is asked of every claim on a disk, time and again: it is here to be inlined. */
#define SIOX__MILLIONTH 1000000 /* parts of a gap are kept in these */
/* Uses after which a site or client is judged by itself. The next one is earlier than all n before
 * it with probability 1 / (n + 1), for eight about MOST_RISK (history.c). Chosen. */
enum { SIOX__ENOUGH = 8 };
/* Bounds that must have been judged: with one nothing is known of how they vary. Chosen. */
enum { SIOX__TRIED = 2 };
/* Part of a gap by which the first use of all may come early. A quarter before jobs in step bounded
 * each other; nothing that can be known then. Chosen. */
#define SIOX__UNKNOWN 0.2

/* 24 bits, by a multiplication with 2^64 over the golden ratio. */
static inline uint32_t siox__history_mixed(uint64_t key) {
  return (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 40);
}
static inline uint32_t siox__history_place(uint64_t key) {
  return siox__history_mixed(key) % SIOX__HISTORY_PLACES;
}
/* What is known of the hint's site, else of the client; NULL: nothing. */
static inline const struct siox__earliness *
siox__history_past(const struct siox__history *history, uint32_t client,
                   const struct siox_claim_entry *hint) {
  if (hint->site) {
    const struct siox__earliness *e = &history->site[siox__history_place(hint->site)];
    if (e->used && e->key == hint->site)
      return e;
  }
  const struct siox__earliness *e = &history->client[siox__history_place(client)];
  return e->used && e->key == client ? e : NULL;
}
/* By how much to be early for this hint. */
static inline int64_t siox__history_margin(const struct siox__history *history, uint32_t client,
                                           const struct siox_claim_entry *hint) {
  if (history->quantile <= 0)
    return 0;
  const struct siox__earliness *e = siox__history_past(history, client, hint);
  int64_t margin = e ? e->margin : 0, ahead = hint->need_by - hint->since;
  uint32_t known = e ? e->count : 0;
  if (ahead <= 0)
    return margin;
  if (known < SIOX__ENOUGH) {
    bool any = known > 0 || history->all.count > 0;
    double part = any ? (double)history->all.margin / SIOX__MILLIONTH : SIOX__UNKNOWN;
    double others = part * (double)ahead;
    if (others >= (double)ahead)
      return ahead;
    margin = others > (double)margin ? (int64_t)others : margin;
  }
  return margin < ahead ? margin : ahead;
}
/* The earliest that a client is likely to use the disk which has used it in this round, and in
 * enough others, if that is later than a moment; else the moment. */
static inline int64_t siox__history_earliest(const struct siox__history *history, uint32_t client,
                                             uint32_t disk, int64_t moment) {
  const struct siox__round *r = &history->round[disk];
  if (r->bound <= moment || r->bound <= r->begun || r->unsure || r->behind ||
      r->early.count < SIOX__TRIED || !siox__history_in_step(history, client, disk))
    return moment;
  double early = (double)r->early.margin / SIOX__MILLIONTH * (double)(r->bound - r->begun);
  int64_t earliest = r->bound - (int64_t)early;
  return earliest > moment ? earliest : moment;
}
/* How long the client may wait for a disk at each use, ns. */
static inline int64_t siox__history_bears(struct siox__history *history, uint32_t client) {
  struct siox__account *a = &history->account[siox__history_place(client)];
  if (!a->used || a->client != client)
    return 0;
  return a->bears < 0 ? siox__history_bears_now(a) : a->bears;
}
#endif
