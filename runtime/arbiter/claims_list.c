/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* See claims_list.h. */
#include "arbiter/claims_list.h"
#include "siox/error.h"
#include <stdlib.h>
#include <string.h>

enum { GROUP = 32 };

/* Where the client stands, or would. */
static uint32_t place_of(const struct siox__list *list, uint32_t client) {
  uint32_t low = 0, high = list->count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (list->client[middle] < client)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void find_first(struct siox__list *list, uint32_t group) {
  uint32_t begin = group * GROUP;
  uint32_t end = list->count - begin < GROUP ? list->count : begin + GROUP;
  int64_t first = INT64_MAX;
  for (uint32_t i = begin; i < end; i++)
    first = list->need[i] < first ? list->need[i] : first;
  list->first[group] = first;
}

static int grow(struct siox__list *list) {
  uint32_t room = list->room ? 2 * list->room : 4;
  uint32_t *client = realloc(list->client, room * sizeof *client);
  if (!client)
    return SIOX_ENOMEM;
  list->client = client;
  int64_t *need = realloc(list->need, room * sizeof *need);
  if (!need)
    return SIOX_ENOMEM;
  list->need = need;
  int64_t *first = realloc(list->first, (room / GROUP + 1) * sizeof *first);
  if (!first)
    return SIOX_ENOMEM;
  list->first = first;
  list->room = room;
  return 0;
}

/* Everybody behind a place has moved. */
static void find_all_from(struct siox__list *list, uint32_t place) {
  for (uint32_t group = place / GROUP; group * GROUP < list->count; group++)
    find_first(list, group);
}

int siox__list_put(struct siox__list *list, uint32_t client, int64_t need, uint32_t *place) {
  uint32_t i = *place;
  if (i >= list->count || list->client[i] != client)
    *place = i = place_of(list, client);
  if (i < list->count && list->client[i] == client) {
    int64_t before = list->need[i], *first = &list->first[i / GROUP];
    list->need[i] = need;
    if (need < *first)
      *first = need;
    else if (before == *first)
      find_first(list, i / GROUP);
    return 0;
  }
  if (list->count == list->room && grow(list) < 0)
    return SIOX_ENOMEM;
  memmove(list->client + i + 1, list->client + i, (list->count - i) * sizeof *list->client);
  memmove(list->need + i + 1, list->need + i, (list->count - i) * sizeof *list->need);
  list->client[i] = client;
  list->need[i] = need;
  list->count++;
  find_all_from(list, i);
  return 0;
}

void siox__list_take(struct siox__list *list, uint32_t client) {
  uint32_t i = place_of(list, client);
  if (i == list->count || list->client[i] != client)
    return;
  list->count--;
  memmove(list->client + i, list->client + i + 1, (list->count - i) * sizeof *list->client);
  memmove(list->need + i, list->need + i + 1, (list->count - i) * sizeof *list->need);
  find_all_from(list, i);
}

uint32_t siox__list_next(const struct siox__list *list, uint32_t place, int64_t until) {
  while (place < list->count) {
    if (place % GROUP == 0 && list->first[place / GROUP] > until)
      place += GROUP;
    else if (list->need[place] > until)
      place++;
    else
      return place;
  }
  return list->count;
}

void siox__list_free(struct siox__list *list) {
  free(list->client);
  free(list->need);
  free(list->first);
  *list = (struct siox__list){0};
}
