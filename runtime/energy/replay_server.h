/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The servers of a replay: between jobs and disks, each I/O node (each disk, where nodes are disks)
 * with a cache. What disks have to do is left of a request when memory has had its part. */
#ifndef SIOX_ENERGY_REPLAY_SERVER_H
#define SIOX_ENERGY_REPLAY_SERVER_H
#include "energy/cache.h"
#include "siox/sim.h"

enum { SIOX__STREAMS = 64 };
struct siox__node {
  struct siox__cache cache;
  uint32_t first;                    /* disk */
  uint32_t used;                     /* blocks, by the request under way */
  int64_t since;                     /* it has been dirty, SIOX_NEVER: is clean */
  struct siox__node *sooner, *later; /* dirty ones, by that */
  struct {
    uint64_t file, at;
  } stream[SIOX__STREAMS]; /* where reading has ended lately; file 0: nowhere */
};
struct siox__server {
  struct siox_cache_options is;
  struct siox_bank *bank;
  uint32_t ndisks, client;  /* client: its own, in the bank */
  struct siox__node **node; /* by its first disk */
  struct siox__node *soonest, *latest;
  struct siox_extent *extent; /* of a request, by node */
  struct siox_extent *piece, *own_piece;
  uint32_t npieces, piece_room, own_room, *dirty, dirty_room;
  struct siox_cache_totals totals;
  uint64_t memory; /* requests that no disk had to do with */
};

/* job: of the bank, for what servers do by themselves. */
int siox__server_open(struct siox__server **server, const struct siox_cache_options *options,
                      struct siox_bank *bank, uint32_t job);
void siox__server_close(struct siox__server *server); /* NULL is harmless */
/* In place of siox_bank_access. */
int siox__server_access(struct siox__server *server, const struct siox_request *request,
                        struct siox_service *service);
/* When the next node is to write back, SIOX_NEVER: none is dirty. */
int64_t siox__server_due(const struct siox__server *server);
int siox__server_flush(struct siox__server *server, int64_t now); /* the node that is due first */
/* replay_flush.c: writes back all that is dirty on a node; *done becomes when it is on disk. */
int siox__server_flush_node(struct siox__server *server, struct siox__node *node, int64_t now,
                            int64_t *done);
/* More of a block, [from, to), is in memory and not on disk. */
int siox__server_hold(struct siox__server *server, struct siox__node *node,
                      struct siox__block *block, uint32_t from, uint32_t to, int64_t now);
/* Number of a node in a layout. */
static inline uint32_t siox__node_number(const struct siox__node *node,
                                         const struct siox_layout *layout) {
  return layout->array.members ? node->first / layout->array.members : node->first;
}
/* Adds what disks do for [local, local + bytes) of a node's share to a list. */
int siox__server_pieces(const struct siox_array *array, uint32_t node, uint64_t local,
                        uint64_t bytes, bool write, struct siox_extent **list, uint32_t *count,
                        uint32_t *room);
#endif
