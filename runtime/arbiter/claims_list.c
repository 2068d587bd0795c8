/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* See claims_list.h. */
#include "arbiter/claims_list.h"
#include "siox/error.h"
#include <stdlib.h>
#include <string.h>

/* The leaf that the client stands in, or would. */
static uint32_t leaf_of(const struct siox__list *list, uint32_t client) {
  uint32_t low = 1, high = list->nleaves; /* the first takes everybody who comes before */
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (list->leaf[middle].item[0].client <= client)
      low = middle + 1;
    else
      high = middle;
  }
  return low - 1;
}

static uint32_t place_in(const struct siox__leaf *leaf, uint32_t client) {
  uint32_t low = 0, high = leaf->count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (leaf->item[middle].client < client)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static bool released(const struct siox__leaf *leaf, uint32_t i) {
  return leaf->of[i].later == INT64_MIN;
}

/* One more that has let the block go. */
static void let_go(struct siox__leaf *leaf, uint32_t i) {
  const struct siox_claim_entry *entry = &leaf->item[i].entry;
  struct siox__released *r = &leaf->released;
  if (r->count++ == 0) {
    *r = (struct siox__released){1, i, entry->speed, false, entry->since, entry->since};
    return;
  }
  r->first = i < r->first ? i : r->first;
  r->mixed |= entry->speed != r->speed;
  r->oldest = entry->since < r->oldest ? entry->since : r->oldest;
  r->newest = entry->since > r->newest ? entry->since : r->newest;
}

static void sum_up(struct siox__leaf *leaf) {
  struct siox__when all = {INT64_MAX, INT64_MIN};
  leaf->released.count = 0;
  for (uint32_t i = 0; i < leaf->count; i++) {
    all.need = leaf->of[i].need < all.need ? leaf->of[i].need : all.need;
    all.later = leaf->of[i].later > all.later ? leaf->of[i].later : all.later;
    if (released(leaf, i))
      let_go(leaf, i);
  }
  leaf->when = all;
}

/* Room in a leaf for so many claimants. */
static int widen(struct siox__leaf *leaf, uint32_t wanted) {
  uint32_t room = leaf->room ? leaf->room : 2;
  if (wanted <= leaf->room)
    return 0;
  while (room < wanted)
    room *= 2;
  struct siox__claimant *item = malloc(room * (sizeof *leaf->item + sizeof *leaf->of));
  if (!item)
    return SIOX_ENOMEM;
  struct siox__when *of = (struct siox__when *)(item + room);
  if (leaf->count) {
    memcpy(item, leaf->item, leaf->count * sizeof *item);
    memcpy(of, leaf->of, leaf->count * sizeof *of);
  }
  free(leaf->item);
  leaf->item = item;
  leaf->of = of;
  leaf->room = room;
  return 0;
}

/* An empty leaf at a place, with room for so many. */
static int open_leaf(struct siox__list *list, uint32_t at, uint32_t wanted) {
  if (list->nleaves == list->room) {
    uint32_t room = list->room ? 2 * list->room : 1;
    struct siox__leaf *grown = realloc(list->leaf, room * sizeof *grown);
    if (!grown)
      return SIOX_ENOMEM;
    memset(grown + list->room, 0, (room - list->room) * sizeof *grown);
    list->leaf = grown;
    list->room = room;
  }
  struct siox__leaf spare = list->leaf[list->nleaves];
  if (widen(&spare, wanted) < 0)
    return SIOX_ENOMEM;
  memmove(list->leaf + at + 1, list->leaf + at, (list->nleaves - at) * sizeof spare);
  list->leaf[at] = spare;
  list->nleaves++;
  return 0;
}

static void move_items(struct siox__leaf *to, uint32_t at, struct siox__leaf *from, uint32_t first,
                       uint32_t count) {
  memmove(to->item + at, from->item + first, count * sizeof *to->item);
  memmove(to->of + at, from->of + first, count * sizeof *to->of);
}

/* Makes the leaf in which the client is to stand one that is not full. */
static int split(struct siox__list *list, uint32_t at, uint32_t place) {
  bool append = at + 1 == list->nleaves && place == SIOX__LEAF;
  uint32_t kept = append ? SIOX__LEAF : SIOX__LEAF / 2; /* clients come in ascending order */
  if (open_leaf(list, at + 1, append ? 1 : SIOX__LEAF) < 0)
    return SIOX_ENOMEM;
  struct siox__leaf *full = &list->leaf[at], *next = full + 1;
  move_items(next, 0, full, kept, SIOX__LEAF - kept);
  next->count = SIOX__LEAF - kept;
  full->count = kept;
  sum_up(full);
  sum_up(next);
  return 0;
}

static int insert(struct siox__list *list, const struct siox__claimant *item,
                  struct siox__when when, uint32_t *place) {
  if (list->nleaves == 0 && open_leaf(list, 0, 1) < 0)
    return SIOX_ENOMEM;
  uint32_t l = leaf_of(list, item->client), i = place_in(&list->leaf[l], item->client);
  if (list->leaf[l].count == SIOX__LEAF) {
    if (split(list, l, i) < 0)
      return SIOX_ENOMEM;
    if (i > list->leaf[l].count || list->leaf[l].count == SIOX__LEAF)
      i -= list->leaf[l++].count;
  }
  struct siox__leaf *leaf = &list->leaf[l];
  if (widen(leaf, leaf->count + 1) < 0)
    return SIOX_ENOMEM; /* a leaf just opened has room */
  move_items(leaf, i + 1, leaf, i, leaf->count - i);
  leaf->count++;
  leaf->item[i] = *item;
  leaf->of[i] = when;
  sum_up(leaf);
  *place = l * SIOX__LEAF + i;
  return 0;
}

static struct siox__leaf *holds(const struct siox__list *list, uint32_t place, uint32_t client) {
  uint32_t l = place / SIOX__LEAF, i = place % SIOX__LEAF;
  if (l >= list->nleaves || i >= list->leaf[l].count || list->leaf[l].item[i].client != client)
    return NULL;
  return &list->leaf[l];
}

/* A claimant says something new: mostly the sums are as easily kept. */
static void replace(struct siox__leaf *leaf, uint32_t i, const struct siox__claimant *item,
                    struct siox__when when) {
  struct siox__when before = leaf->of[i], *all = &leaf->when;
  bool lost = (before.need == all->need && when.need > before.need) ||
              (before.later == all->later && when.later < before.later && before.later > 0);
  if (released(leaf, i)) {
    struct siox__released *r = &leaf->released;
    lost |= i == r->first || leaf->item[i].entry.since == r->oldest;
    r->count--;
  }
  leaf->item[i] = *item;
  leaf->of[i] = when;
  if (lost) {
    sum_up(leaf);
    return;
  }
  all->need = when.need < all->need ? when.need : all->need;
  all->later = when.later > all->later ? when.later : all->later;
  if (released(leaf, i))
    let_go(leaf, i);
  if (leaf->released.count == leaf->count)
    all->later = INT64_MIN;
}

int siox__list_put(struct siox__list *list, const struct siox__claimant *item,
                   struct siox__when when, uint32_t *place) {
  struct siox__leaf *leaf = holds(list, *place, item->client);
  if (!leaf && list->nleaves) {
    uint32_t l = leaf_of(list, item->client);
    *place = l * SIOX__LEAF + place_in(&list->leaf[l], item->client) % SIOX__LEAF;
    leaf = holds(list, *place, item->client);
  }
  if (!leaf)
    return insert(list, item, when, place);
  replace(leaf, *place % SIOX__LEAF, item, when);
  return 0;
}

/* Takes a leaf without claimants out; its memory stays for another. */
static void close_leaf(struct siox__list *list, uint32_t at) {
  struct siox__leaf spare = list->leaf[at];
  list->nleaves--;
  memmove(list->leaf + at, list->leaf + at + 1, (list->nleaves - at) * sizeof spare);
  if (list->nleaves > 0) {
    free(spare.item);
    spare = (struct siox__leaf){.count = 0};
  }
  list->leaf[list->nleaves] = spare;
}

/* Two leaves that have become small are made one. */
static void join(struct siox__list *list, uint32_t at) {
  if (at + 1 >= list->nleaves)
    return;
  struct siox__leaf *leaf = &list->leaf[at], *next = leaf + 1;
  if (leaf->count + next->count > SIOX__LEAF / 2 || widen(leaf, leaf->count + next->count) < 0)
    return;
  move_items(leaf, leaf->count, next, 0, next->count);
  leaf->count += next->count;
  next->count = 0;
  sum_up(leaf);
  close_leaf(list, at + 1);
}

void siox__list_take(struct siox__list *list, uint32_t client) {
  if (list->nleaves == 0)
    return;
  uint32_t l = leaf_of(list, client);
  struct siox__leaf *leaf = &list->leaf[l];
  uint32_t i = place_in(leaf, client);
  if (i == leaf->count || leaf->item[i].client != client)
    return;
  leaf->count--;
  move_items(leaf, i, leaf, i + 1, leaf->count - i);
  if (leaf->count == 0) {
    close_leaf(list, l);
    return;
  }
  sum_up(leaf);
  join(list, l);
  if (l > 0)
    join(list, l - 1);
}

void siox__list_free(struct siox__list *list) {
  for (uint32_t l = 0; l < list->room; l++)
    free(list->leaf[l].item);
  free(list->leaf);
  *list = (struct siox__list){0};
}
